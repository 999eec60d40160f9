import { ORIGIN, SEND_MESSAGE } from "../../../cairn/core/address.ts";
import type { ReceiptItem } from "../../../cairn/core/log/receipt.ts";
import { afterList, LIST_WORDS, type ReceiptList } from "../../../cairn/core/text/receipt-lines.ts";
import type { ReceiptView as Receipt } from "../../../cairn/protocol/receipt.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";

const ICONS: Readonly<Record<ReceiptList, IconName>> = {
  changed: "check",
  failed: "close",
  unknown: "unknown",
};
/** Items in sight of one kind; those behind them are behind one line. */
const ITEMS_SHOWN = 5;

interface ReceiptProps {
  readonly receipt: Receipt;
  /** the act that shows what a call has made, by the name of the call; null where there is nothing to see */
  readonly show?: (call: string) => (() => void) | null;
  /** false if the status is already shown above, with its actions */
  readonly status?: boolean;
}

/** The receipt of a run, above its answer. Its text is that of `lines`; each thing has a row and can be shown. */
export function ReceiptView({ receipt, show = () => null, status = true }: ReceiptProps) {
  const { failed, unknown } = receipt;
  const lines = receipt.lines.filter(({ about }) => status || about !== "status");
  if (lines.length === 0) return null;
  return (
    <div
      className="receipt"
      role="group"
      aria-label="What was done"
      data-tone={failed.length + unknown.length > 0 ? "bad" : "plain"}
    >
      {lines.map(({ about, text }) =>
        about === "changed" || about === "failed" || about === "unknown" ? (
          <Rows key={about} list={about} receipt={receipt} show={show} />
        ) : (
          <p key={about} className={about === "status" ? "receipt-status" : undefined}>
            {text}
          </p>
        ),
      )}
    </div>
  );
}

function Rows({
  list,
  receipt,
  show,
}: Required<Omit<ReceiptProps, "status">> & { readonly list: ReceiptList }) {
  const after = afterList(list, receipt);
  const rows = receipt[list].map((item) => (
    <li key={item.call} data-of={list}>
      <Icon name={ICONS[list]} />
      <span>
        <b>{LIST_WORDS[list]}:</b> <Item item={item} />
      </span>
      <Show act={show(item.call)} name={item.targets[0] ?? item.title} />
    </li>
  ));
  const shown = rows.length > ITEMS_SHOWN + 1 ? rows.slice(0, ITEMS_SHOWN) : rows;
  return (
    <div>
      <ul>{shown}</ul>
      {shown.length === rows.length ? null : (
        <details>
          <summary>
            {rows.length - shown.length} more of {rows.length}
          </summary>
          <ul>{rows.slice(shown.length)}</ul>
        </details>
      )}
      {after === "" ? null : <p>{after}</p>}
    </div>
  );
}

function Show({ act, name }: { act: (() => void) | null; name: string }) {
  return act === null ? null : (
    <button className="link-button" aria-label={`Show ${name}`} onClick={act}>
      Show
    </button>
  );
}

/** The act, its targets, and the outcome or the reason for a failure. A name may be written in either direction. */
function Item({ item: { tool, title, targets, state, reason } }: { item: ReceiptItem }) {
  // The asker is not named to themselves.
  const named = targets.filter((name) => tool !== SEND_MESSAGE || name !== ORIGIN);
  return (
    <>
      {title}
      {named.map((name, at) => (
        <span key={at}>
          {at === 0 ? ": " : ", "}“<bdi>{name}</bdi>”
        </span>
      ))}
      {state === null ? null : <> ({state})</>}
      {reason === null ? null : <>: {reason}</>}
    </>
  );
}

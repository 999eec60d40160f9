import { ORIGIN, SEND_MESSAGE } from "../../../core/address.ts";
import type { Receipt, ReceiptItem } from "../../../core/log/receipt.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";

type Of = "changed" | "failed" | "unknown";

const KINDS: readonly { readonly of: Of; readonly icon: IconName; readonly says: string }[] = [
  { of: "failed", icon: "close", says: "Failed" },
  { of: "unknown", icon: "unknown", says: "May or may not have happened" },
  { of: "changed", icon: "check", says: "Changed" },
];

/** Items in sight of one kind; those behind them are behind one line. */
const ITEMS_SHOWN = 5;

interface ReceiptProps {
  readonly receipt: Receipt;
  /** the act that shows what a call has made, by the name of the call; null where there is nothing to see */
  readonly show?: (call: string) => (() => void) | null;
}

/** What the run came to by its log: it stands below every answer, whatever the answer says. */
export function ReceiptView({ receipt, show = () => null }: ReceiptProps) {
  const { changed, failed, unknown, more } = receipt;
  const nothing = changed.length + unknown.length === 0;
  return (
    <div
      className="receipt"
      role="group"
      aria-label="What was done"
      data-tone={failed.length + unknown.length > 0 ? "bad" : "plain"}
    >
      {nothing ? <p>Nothing was changed.</p> : null}
      {KINDS.map(({ of, icon, says }) => {
        const rows = receipt[of].map((item) => (
          <li key={item.call} data-of={of}>
            <Icon name={icon} />
            <span>
              <b>{says}:</b> <Item item={item} />
            </span>
            <Show act={show(item.call)} name={item.targets[0] ?? item.title} />
          </li>
        ));
        const shown = rows.length > ITEMS_SHOWN + 1 ? rows.slice(0, ITEMS_SHOWN) : rows;
        return rows.length === 0 ? null : (
          <div key={of}>
            <ul>{shown}</ul>
            {shown.length === rows.length ? null : (
              <details>
                <summary>
                  {rows.length - shown.length} more of {rows.length}
                </summary>
                <ul>{rows.slice(shown.length)}</ul>
              </details>
            )}
          </div>
        );
      })}
      {more > 0 ? <p>And {more} more.</p> : null}
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

/** Its act, the things it is about, and what has become of them or why not. A name may be written in either direction. */
function Item({ item: { tool, title, targets, state, reason } }: { item: ReceiptItem }) {
  // Whoever asked knows that it is them.
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

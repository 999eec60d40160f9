import type { ReactNode } from "react";
import type { Outlook, ShownChange } from "../../cairn/core/log/approval.ts";
import { TAINTED_WARNING } from "../../cairn/core/text/decision-text.ts";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import { useAnswer } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { useMay } from "../who.tsx";
import { Revealed } from "../parts/revealed.tsx";
import "./approvals.css";

/** The effects of a call, in the server's words, computed from the current content. Never the model's words. */

/** One sentence, the way to the draft, what must not be missed, and the change itself. */
export function OutlookView({
  outlook,
  tainted,
}: {
  readonly outlook: Pick<ApprovalView, "summary" | "impact" | "changes" | "batch" | "warnings" | "draft">;
  readonly tainted: boolean;
}) {
  const { summary, impact, changes, batch, warnings, draft } = outlook;
  const lines = impact.filter((line) => !warnings.includes(line));
  return (
    <>
      <Warnings texts={tainted ? [TAINTED_WARNING, ...warnings] : warnings} />
      <p className="approval-summary">
        <Revealed text={summary} />
      </p>
      {draft == null || batch !== null ? null : <DraftLink draft={draft} set={null} />}
      {lines.length === 0 ? null : <Lines lines={lines} />}
      {batch !== null ? (
        <BatchList
          open
          items={batch.items.map(withinItem)}
          look={(item) => (item.draft === null ? null : <DraftLink draft={item.draft} set={batch.id} />)}
        />
      ) : changes.length === 0 ? null : (
        <ChangeList changes={changes} />
      )}
    </>
  );
}

function Warnings({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <ul className="approval-warning" aria-label="Warnings">
      {texts.map((text, index) => (
        <li key={index}>
          <Icon name="warn" />
          <span>
            <Revealed text={text} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="approval-impact">
      {lines.map((line, index) => (
        <li key={index}>
          <Revealed text={line} />
        </li>
      ))}
    </ul>
  );
}

/** A link to a draft is signed and ends after a while, so it is made anew while the card is open. */
const LINK_MS = 10 * 60_000;

function DraftLink({ draft, set }: { draft: NonNullable<Outlook["draft"]>; set: string | null }) {
  const maySend = useMay("send");
  const of = set === null ? "" : `&set=${encodeURIComponent(set)}`;
  const { data } = useAnswer<{ url: string }>(
    maySend ? `/api/cms/preview-link?type=${draft.type}&id=${encodeURIComponent(draft.id)}${of}` : null,
    { refreshInterval: LINK_MS, revalidateOnFocus: false, revalidateOnReconnect: false },
  );
  return data === undefined ? null : (
    <p>
      <a href={data.url} target="_blank" rel="noopener noreferrer">
        See the draft
      </a>
    </p>
  );
}

type Item = NonNullable<ApprovalView["batch"]>["items"][number];

/** Without the thing's name on each change: it is the heading. */
const withinItem = (item: Item): Item => ({
  ...item,
  changes: item.changes.map((one) => ({ ...one, what: one.what.replace(`${item.what} · `, "") })),
});

const BECOMES = { created: "New", changed: "Changed", deleted: "Deleted" } as const;

/** Many changes that are decided as one, by the things that they are about. All of them are open where a person decides. */
export function BatchList({
  items,
  look,
  open = items.length <= BATCH_OPEN_MAX,
}: {
  readonly open?: boolean;
  readonly items: readonly Item[];
  readonly look: (item: Item) => ReactNode;
}) {
  return (
    <ul className="batch" aria-label="What changes">
      {items.map((item) => (
        <li key={item.what}>
          <details open={open}>
            <summary>
              <strong>
                <Revealed text={item.what} />
              </strong>{" "}
              <span className="tag">{BECOMES[item.becomes]}</span>
            </summary>
            {look(item)}
            <ChangeList changes={item.changes} />
          </details>
        </li>
      ))}
    </ul>
  );
}

const BATCH_OPEN_MAX = 6;

/** + for what is added, − for what is removed, and a field before and after. */
export function ChangeList({ changes }: { changes: readonly ShownChange[] }) {
  return (
    <ul className="changes" aria-label="What changes">
      {changes.map((change, index) => (
        <li key={index} data-kind={kindOf(change)}>
          <span className="change-sign" aria-hidden="true">
            {SIGNS[kindOf(change)]}
          </span>
          <div>
            <strong className="change-what">
              <span className="visually-hidden">{LABELS[kindOf(change)]} </span>
              <Revealed text={change.what} />
            </strong>
            <Text name="before" text={change.before} />
            <Text name="after" text={change.after} />
          </div>
        </li>
      ))}
    </ul>
  );
}

const SIGNS = { added: "+", removed: "−", changed: "±" } as const;
const LABELS = { added: "Added:", removed: "Removed:", changed: "Changed:" } as const;

const kindOf = ({ before, after }: ShownChange): keyof typeof SIGNS =>
  before === null ? "added" : after === null ? "removed" : "changed";

function Text({ name, text }: { name: "before" | "after"; text: string | null }) {
  if (text === null) return null;
  const Mark = name === "before" ? "del" : "ins";
  return (
    <Mark className="change-text" dir="auto">
      <span className="visually-hidden">{name}: </span>
      <Revealed text={text} />
    </Mark>
  );
}

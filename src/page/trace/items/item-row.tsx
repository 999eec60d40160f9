import { memo, useId, type CSSProperties } from "react";
import { costText, tokensText } from "../../parts/amount-text.ts";
import { durationText } from "../../parts/time.tsx";
import { KIND_WORDS, type Item, type Kind } from "./item.ts";
import { ItemDetails } from "./item-details.tsx";

interface RowProps {
  readonly item: Item;
  /** milliseconds since the beginning of the run */
  readonly after: number;
  /** on the scale */
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
  readonly toggle: (id: string) => void;
}

/** One item, which opens to its log entries. */
export const ItemRow = memo(function ItemRow({ item, after, from, to, open, toggle }: RowProps) {
  const { id, kind, title, note, tone, tokens, cost, waits } = item;
  const lasts = item.to === null ? null : item.to - item.from;
  const figures = [
    lasts === null ? "running" : lasts >= 1 ? durationText(lasts) : null,
    tokens === null ? null : tokensText(tokens.input + tokens.output),
    cost === null ? null : costText(cost / 1e6),
  ].filter((part) => part !== null);
  // Not by the item: those of a run inside of a run have the same names.
  const details = useId();
  return (
    <li className="trace-item" data-tone={tone} data-kind={kind}>
      <button
        className="trace-row"
        aria-expanded={open}
        aria-controls={open ? details : undefined}
        onClick={() => toggle(id)}
      >
        <span className="trace-at">{durationText(after)}</span>
        <KindIcon kind={kind} />
        <span className="trace-what">
          <span className="visually-hidden">{KIND_WORDS[kind]}: </span>
          <span className="trace-title">{title}</span>
          {note === null ? null : <span className="trace-note">{note}</span>}
        </span>
        <span className="trace-figures">{figures.join(" · ")}</span>
        {lasts === 0 ? null : (
          <span className="trace-bar" aria-hidden="true">
            <i
              data-waits={waits || undefined}
              style={{ "--from": from, "--length": Math.max(0, to - from) } as CSSProperties}
            />
          </span>
        )}
      </button>
      {!open ? null : (
        <div id={details} className="trace-details">
          <ItemDetails item={item} />
        </div>
      )}
    </li>
  );
}, isSame);

/** The timeline is made anew with each entry of the log; most of its items are what they were. */
function isSame(a: RowProps, b: RowProps): boolean {
  return (
    a.item.id === b.item.id &&
    a.item.to === b.item.to &&
    a.item.note === b.item.note &&
    a.item.title === b.item.title &&
    a.item.tone === b.item.tone &&
    a.item.child === b.item.child &&
    a.item.entries.length === b.item.entries.length &&
    a.from === b.from &&
    a.to === b.to &&
    a.open === b.open
  );
}

/** Line drawings as those of `parts/icon.tsx`, for the timeline alone. */
const LINES: Readonly<Record<Kind, string>> = {
  run: "M6 4l9 6-9 6z",
  model: "M10 3l1.8 5.2L17 10l-5.2 1.8L10 17l-1.8-5.2L3 10l5.2-1.8z",
  tool: "M13.5 3.5a4 4 0 0 0-5 5L3.5 13.5l3 3 5-5a4 4 0 0 0 5-5L14 9l-3-3z",
  child:
    "M6 4v9a3 3 0 0 0 3 3h1M6 9h5M13.5 11.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12.5 18a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 4h.01",
  person: "M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM4 17c.6-3 3-4.6 6-4.6s5.4 1.6 6 4.6",
  check: "M10 3l6 2v5c0 4-2.6 6-6 7-3.4-1-6-3-6-7V5zM7.5 10l2 2 3.5-4",
  retry: "M10 5v5l3 2M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14z",
  plan: "M8 5h9M8 10h9M8 15h9M3.5 5h.01M3.5 10h.01M3.5 15h.01",
  memory: "M10 3a6 6 0 0 0-3 11v3h6v-3a6 6 0 0 0-3-11zM8 17h4",
};

const KindIcon = memo(function KindIcon({ kind }: { kind: Kind }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={LINES[kind]} />
    </svg>
  );
});

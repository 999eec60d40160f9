import { memo, useId, type CSSProperties } from "react";
import { costText, tokensText } from "../../parts/amount-text.ts";
import { durationText } from "../../parts/time.tsx";
import { KIND_WORDS, type Item } from "./item.ts";
import { ItemDetails } from "./item-details.tsx";
import { KindIcon } from "./kind-icon.tsx";

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

import { memo, useCallback, useEffect, useMemo, useRef, useState, type CSSProperties } from "react";
import type { Event } from "../../wire/event.ts";
import { costText, tokensText } from "../chat/words.ts";
import { durationText } from "../parts/time.tsx";
import { axisOf } from "./axis.ts";
import { useFollow } from "./follow.ts";
import { KIND_WORDS, type Group, type Item } from "./item.ts";
import { ItemDetails } from "./item-details.tsx";
import { KindIcon } from "./kind-icon.tsx";

/**
 * The timeline as a list of steps, each a list of what happened in it. Thousands of rows stay quick: an item is drawn anew
 * only when something of it has changed, and the browser lays out only what is near the window (`content-visibility`).
 */
export function Timeline({
  groups,
  all,
  rows,
  live,
  now,
  marked,
}: {
  /** what is shown */
  groups: readonly Group[];
  /** the whole run, which gives the scale of time */
  all: readonly Group[];
  rows: readonly Event[];
  live: boolean;
  now: number;
  /** the step that was asked for */
  marked: string | null;
}) {
  const start = all[0]?.from ?? 0;
  const items = useMemo(() => all.flatMap((group) => group.items), [all]);
  const axis = useMemo(() => axisOf(items, start, now), [items, start, now]);
  const end = useMemo(() => Math.max(start, ...ends(items, live ? now : start)), [items, live, now, start]);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => {
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  }, []);
  const list = useRef<HTMLOListElement>(null);
  useFollow(list, live && marked === null, rows.length);
  useMarked(
    list,
    marked,
    groups.some((group) => group.step === marked),
  );

  const style = { "--span": Math.max(1, axis.place(end)) } as CSSProperties;
  return (
    <ol className="trace-steps" ref={list} style={style} onKeyDown={moveFocus}>
      {groups.map((group) => (
        <li
          key={group.step ?? "before"}
          className="trace-step"
          data-step={group.step ?? undefined}
          data-marked={group.step !== null && group.step === marked ? true : undefined}
          tabIndex={-1}
          aria-label={group.title}
        >
          <StepHead group={group} now={now} />
          <ol>
            {group.items.map((item) => (
              <ItemRow
                key={item.id}
                item={item}
                after={item.from - start}
                from={Math.round(axis.place(item.from))}
                to={Math.round(axis.place(item.to ?? Math.max(now, item.from)))}
                rows={open.has(item.id) ? rows : null}
                toggle={toggle}
              />
            ))}
          </ol>
        </li>
      ))}
    </ol>
  );
}

const ends = (items: readonly Item[], now: number): number[] => [...items.map((item) => item.to ?? now), now];

function StepHead({ group, now }: { group: Group; now: number }) {
  const { title, items, from, to } = group;
  const tokens = items.reduce((sum, item) => sum + (item.tokens?.input ?? 0) + (item.tokens?.output ?? 0), 0);
  const cost = items.reduce((sum, item) => sum + (item.cost ?? 0), 0);
  const figures = [
    group.step === null ? null : durationText(Math.max(0, (to ?? now) - from)),
    tokens === 0 ? null : tokensText(tokens),
    costText(cost / 1e6),
  ];
  return (
    <h3 className="trace-step-head">
      {title}
      <span className="trace-figures">{figures.filter((part) => part !== null).join(" · ")}</span>
    </h3>
  );
}

interface RowProps {
  readonly item: Item;
  /** milliseconds since the beginning of the run */
  readonly after: number;
  /** on the scale */
  readonly from: number;
  readonly to: number;
  /** of the whole run, where its details are shown */
  readonly rows: readonly Event[] | null;
  readonly toggle: (id: string) => void;
}

const ItemRow = memo(function ItemRow({ item, after, from, to, rows, toggle }: RowProps) {
  const { id, kind, title, note, tone, tokens, cost, waits } = item;
  const lasts = item.to === null ? null : item.to - item.from;
  const figures = [
    lasts === null ? "goes on" : lasts >= 1 ? durationText(lasts) : null,
    tokens === null ? null : tokensText(tokens.input + tokens.output),
    cost === null ? null : costText(cost / 1e6),
  ].filter((part) => part !== null);
  const details = `trace-details-${id}`;
  return (
    <li className="trace-item" data-tone={tone} data-kind={kind}>
      <button
        className="trace-row"
        aria-expanded={rows !== null}
        aria-controls={rows === null ? undefined : details}
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
      {rows === null ? null : (
        <div id={details} className="trace-details">
          <ItemDetails item={item} rows={rows} />
        </div>
      )}
    </li>
  );
}, isSame);

/** The timeline is made anew with each row of the log; most of its items are what they were. */
function isSame(a: RowProps, b: RowProps): boolean {
  return (
    a.item.id === b.item.id &&
    a.item.to === b.item.to &&
    a.item.note === b.item.note &&
    a.item.title === b.item.title &&
    a.item.tone === b.item.tone &&
    a.item.rows.length === b.item.rows.length &&
    a.from === b.from &&
    a.to === b.to &&
    (a.rows === null) === (b.rows === null)
  );
}

/** Brings the step that was asked for into view, and with it the keyboard. */
function useMarked(list: { current: HTMLElement | null }, marked: string | null, isThere: boolean): void {
  useEffect(() => {
    if (marked === null || !isThere) return;
    const found = list.current?.querySelector<HTMLElement>(`[data-step="${marked}"]`);
    found?.scrollIntoView({ block: "start" });
    found?.focus({ preventScroll: true });
  }, [list, marked, isThere]);
}

/** The arrows go from row to row, Home and End to the first and the last. */
function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const here = event.target;
  if (!(here instanceof HTMLElement) || !here.matches(".trace-row")) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".trace-row")];
  const at = rows.indexOf(here);
  const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

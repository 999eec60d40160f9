import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
} from "react";
import { costText, tokensText } from "../parts/amount-text.ts";
import { durationText } from "../parts/time.tsx";
import { axisOf } from "./axis.ts";
import { useFollow } from "./follow.ts";
import type { Group, Item } from "./items/item.ts";
import { ItemRow } from "./items/item-row.tsx";
import { MoreSteps } from "./more-steps.tsx";
import { beginSpan, earlier, endSpan, later, fitSpan, type Span } from "./span.ts";
import { withoutInputMethod } from "../parts/input-method.ts";

interface TimelineProps {
  /** of what is shown: the same as long as only more comes */
  readonly name: string;
  /** what is shown */
  readonly groups: readonly Group[];
  /** the whole run, which gives the scale of time */
  readonly all: readonly Group[];
  readonly live: boolean;
  readonly now: number;
  /** the step that was asked for */
  readonly marked: string | null;
  /** the newest stays in view */
  readonly follows: boolean;
  readonly leave: () => void;
}

/**
 * The timeline as a list of steps, each a list of what happened in it. Thousands of rows stay quick: some steps are on the
 * page and more come as one goes on, an item is drawn anew only when something of it has changed, and the browser lays out
 * only what is near the window (`content-visibility`).
 */
export function Timeline({ name, groups, all, live, now, marked, follows, leave }: TimelineProps) {
  const start = all[0]?.from ?? 0;
  const items = useMemo(() => all.flatMap((group) => group.items), [all]);
  const axis = useMemo(() => axisOf(items, start, now), [items, start, now]);
  const end = useMemo(() => endOf(items, live ? now : start), [items, live, now, start]);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => {
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  }, []);
  const list = useRef<HTMLOListElement>(null);
  const at = marked === null ? -1 : groups.findIndex((group) => group.step === marked);
  const newest = live && follows;
  const [span, move] = useSpan(`${name} ${at}`, groups.length, at < 0 ? null : at, newest);
  useFollow(list, newest, leave);
  useMarked(list, at < 0 ? null : marked);
  const showLater = useCallback(() => move(later), [move]);
  const goTo = useCallback(
    (where: "first" | "last") => {
      move(() => (where === "first" ? beginSpan(groups.length, null) : endSpan(groups.length)));
      // The target row exists after the next render.
      requestAnimationFrame(() => {
        const rows = list.current?.querySelectorAll<HTMLElement>(".trace-row") ?? [];
        [...rows].at(where === "first" ? 0 : -1)?.focus();
      });
    },
    [move, groups.length],
  );

  const style = { "--span": Math.max(1, axis.position(end)) } as CSSProperties;
  return (
    <>
      {span.first === 0 ? null : <MoreSteps count={span.first} where="earlier" more={() => move(earlier)} />}
      <ol
        className="trace-steps"
        ref={list}
        style={style}
        onKeyDown={withoutInputMethod((event) => moveFocus(event, goTo))}
      >
        {groups.slice(span.first, span.last).map((group) => (
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
                  from={Math.round(axis.position(item.from))}
                  to={Math.round(axis.position(item.to ?? Math.max(now, item.from)))}
                  open={open.has(item.id)}
                  toggle={toggle}
                />
              ))}
            </ol>
          </li>
        ))}
      </ol>
      {span.last >= groups.length ? null : (
        <MoreSteps count={groups.length - span.last} where="later" more={showLater} />
      )}
    </>
  );
}

function endOf(items: readonly Item[], now: number): number {
  return items.reduce((end, item) => Math.max(end, item.to ?? now), now);
}

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

/** Scrolls to the requested step, and moves the focus there. */
function useMarked(list: { current: HTMLElement | null }, marked: string | null): void {
  useEffect(() => {
    const found = list.current?.querySelector<HTMLElement>(`[data-step="${marked}"]`) ?? null;
    if (marked === null || found === null) return;
    found.focus({ preventScroll: true });
    found.scrollIntoView({ block: "start" });
    // Rows that come into view get their real height, which moves those below.
    const seen = new IntersectionObserver(() => {
      found.scrollIntoView({ block: "start" });
      seen.disconnect();
    });
    seen.observe(found);
    return () => seen.disconnect();
  }, [list, marked]);
}

/** The arrows go from row to row, Home and End to the first and the last, also where that is not on the page yet. */
function moveFocus(event: KeyboardEvent<HTMLElement>, goTo: (where: "first" | "last") => void): void {
  const here = event.target;
  // A run inside of this one has moved it; past its ends it goes on here.
  if (event.defaultPrevented) return;
  if (!(here instanceof HTMLElement) || !here.matches(".trace-row")) return;
  if (event.key === "Home" || event.key === "End") {
    event.preventDefault();
    goTo(event.key === "Home" ? "first" : "last");
    return;
  }
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".trace-row")];
  const at = rows.indexOf(here);
  const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1] }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** The part of a list that is on the page. Another `key` is another list, which begins anew, around `at` where there is one. */
function useSpan(
  key: string,
  count: number,
  at: number | null,
  follows: boolean,
): readonly [span: Span, move: (to: (span: Span) => Span) => void] {
  const [state, setState] = useState(() => ({ key, span: beginSpan(count, at) }));
  const span = fitSpan(state.key === key ? state.span : beginSpan(count, at), count, follows);
  if (state.key !== key || span.first !== state.span.first || span.last !== state.span.last)
    setState({ key, span });
  const move = useCallback((to: (span: Span) => Span) => {
    setState((before) => ({ ...before, span: to(before.span) }));
  }, []);
  return [span, move];
}

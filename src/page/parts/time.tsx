import { useSyncExternalStore } from "react";
import { dateText, DAY, HOUR, MINUTE } from "./duration.ts";
export { dateText, durationText, spanWords } from "./duration.ts";

/** One clock for the page, so that a hundred times do not make a hundred timers. */
const TICK_MS = 1_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** The time, in steps of `stepMs`: its users are rendered again once in a step. */
export function useNow(stepMs: number): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now / stepMs) * stepMs);
}

/** True once the time has come (in milliseconds); renders again at that moment, and not before. */
export function useIsPast(at: number): boolean {
  return useSyncExternalStore(subscribe, () => now >= at);
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago, in words, with the whole time on hover. */
export function Ago({ at }: { at: string }) {
  const then = Date.parse(at);
  const past = useNow(MINUTE) - then;
  return (
    <time dateTime={at} title={dateText(at)}>
      {agoText(past)}
    </time>
  );
}

function agoText(past: number): string {
  if (past < MINUTE) return "now";
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  return relative.format(-Math.floor(past / DAY), "day");
}

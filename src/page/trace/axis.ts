import type { Item } from "./items/item.ts";

/**
 * Maps times to the shared scale of a run. Waiting for a person takes hours where work takes seconds, so a wait is
 * drawn no longer than a share of the work before it. Drawn positions do not move while the run goes on.
 */

const WAIT_SHARE = 0.25;
const WAIT_MS_MIN = 400;

export interface Axis {
  /** units from the beginning; a unit is a millisecond of work */
  readonly position: (at: number) => number;
}

interface Stop {
  readonly at: number;
  readonly end: number;
  readonly position: number;
  readonly width: number;
}

/** `now` ends what still goes on. */
export function axisOf(items: readonly Item[], from: number, now: number): Axis {
  const stops: Stop[] = [];
  let [at, position] = [from, 0];
  const waits = items.filter((item) => item.waits).toSorted((a, b) => a.from - b.from);
  for (const wait of waits) {
    const start = Math.max(wait.from, at);
    const end = wait.to ?? Math.max(now, start);
    if (end <= start) continue;
    position += start - at;
    const width = Math.min(end - start, Math.max(WAIT_MS_MIN, position * WAIT_SHARE));
    stops.push({ at: start, end, position, width });
    position += width;
    at = end;
  }
  return { position: (time) => positionOf(stops, from, time) };
}

function positionOf(stops: readonly Stop[], from: number, time: number): number {
  let [low, high] = [0, stops.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stops[middle]?.at ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  const stop = stops[low - 1];
  if (stop === undefined) return Math.max(0, time - from);
  if (time >= stop.end) return stop.position + stop.width + (time - stop.end);
  return stop.position + stop.width * ((time - stop.at) / (stop.end - stop.at));
}

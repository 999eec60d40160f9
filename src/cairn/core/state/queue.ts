import type { RunSource } from "../log/entry.ts";
import type { QueuedRun, State } from "./state.ts";

/** Queue rank: lower runs first. Requests of people precede automatic ones. */
const RANK: Readonly<Record<RunSource, number>> = {
  web: 0,
  api: 0,
  webhook: 1,
  schedule: 2,
  capsule: 2,
  heartbeat: 3,
};

/**
 * The runs that wait, the next one first: those of people, of webhooks, of schedules and time capsules, of the heartbeat, and among equal ones the oldest. One
 * whose class a model was asked for has begun, and nothing overtakes it. The queue itself stays in the order of the log.
 */
export function waitingRuns({ queue, label }: Pick<State, "queue" | "label">): readonly QueuedRun[] {
  if (queue.length < 2) return queue;
  const rank = ({ run, request }: QueuedRun): number => (run === label?.run ? -1 : RANK[request.source]);
  return queue.toSorted((a, b) => rank(a) - rank(b));
}

/** The run that begins when nothing is live; undefined when none waits. */
export const nextQueued = (state: Pick<State, "queue" | "label">): QueuedRun | undefined =>
  waitingRuns(state)[0];

/** How many of the runs that wait would begin before one of this source that comes now. */
export function aheadOf(state: Pick<State, "queue" | "label">, source: RunSource): number {
  return state.queue.filter(
    ({ run, request }) => run === state.label?.run || RANK[request.source] <= RANK[source],
  ).length;
}

import type { Event, SessionDetail } from "../../../cairn/protocol/views.ts";
import { limitsOf } from "../../log-text/ends.ts";
import { entriesOfRun } from "../../trace/timeline.ts";

/** A run that works toward a goal for a given time (docs/tools.md, Time capsules). Pure. */

export interface Capsule {
  readonly runId: string;
  readonly goal: string;
  /** milliseconds since the epoch at which it answers with what it has; null where the log is not read yet */
  readonly endsAt: number | null;
  /** a person gave it more, which is done once */
  readonly extended: boolean;
}

/** The one that is at work; null where none is. */
export function capsuleOf(session: SessionDetail, events: readonly Event[]): Capsule | null {
  const run = session.activeRun;
  if (run?.profile !== "time_capsule") return null;
  const entries = entriesOfRun(events, run.id.slice(session.id.length + 1));
  const limits = limitsOf(entries);
  return {
    runId: run.id,
    goal: run.objective,
    endsAt: limits === null || run.startedAt === null ? null : Date.parse(run.startedAt) + limits.activeMs,
    extended: entries.some((entry) => entry.kind === "command_queued" && entry.body.command === "extend"),
  };
}

/** Minutes that are offered, of 5 to 720. */
export const SPANS = [15, 30, 60, 120, 240, 480, 720] as const;
const HOUR = 60;
export const spanText = (minutes: number): string =>
  minutes < HOUR ? `${minutes} minutes` : minutes === HOUR ? "1 hour" : `${minutes / HOUR} hours`;

export interface CapsuleFields {
  readonly goal: string;
  readonly minutes: number;
  readonly costUsd: string;
}

/** The body of the run, or what is missing. */
export function parseCapsule(
  session: string,
  { goal, minutes, costUsd }: CapsuleFields,
): { readonly body: object } | { readonly fault: string } {
  const cost = Number(costUsd.trim().replace(",", "."));
  if (goal.trim() === "") return { fault: "Enter a goal." };
  if (!Number.isFinite(cost) || cost <= 0) return { fault: "Dollars: enter a number above 0." };
  return {
    body: {
      objective: goal.trim(),
      session_id: session,
      profile: "time_capsule",
      timeout_ms: minutes * 60_000,
      budget: { cost_usd: cost },
    },
  };
}

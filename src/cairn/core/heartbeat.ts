import {
  HEARTBEAT_APART_MS,
  HEARTBEAT_BACKOFF_MAX,
  HEARTBEAT_LEAD_MS,
  HEARTBEAT_QUIET_MS_MIN,
  HEARTBEAT_USER_MS,
} from "./limits.ts";
import type { Entry } from "./log/entry.ts";
import type { NoteText } from "./prompt-note.ts";
import type { State } from "./state/state.ts";

/** A session that looks after itself now and then. Pure: whether a look is taken, and how long it is until the next. */

/** Stored with the session's facts; absent if it was never enabled. */
export interface Heartbeat {
  readonly enabled: boolean;
  /** milliseconds from one look to the next, while there is something to do */
  readonly everyMs: number;
  /** who enabled it, and their role then */
  readonly by: string;
  readonly role: "admin" | "member" | "guest";
  /** looks in a row that came to nothing */
  readonly idle: number;
  /** milliseconds since the epoch; null before the first */
  readonly lastAt: number | null;
  readonly nextAt: number;
  /** how often a look was not taken, by why */
  readonly closed: { readonly [Why in Closed]?: number };
  /** the last time at which none was taken; absent before the first */
  readonly skipped?: { readonly at: number; readonly why: Closed };
}

/** Why no look is taken, in the order in which it is asked. */
export type Closed = "busy" | "user_active" | "too_soon" | "backoff" | "no_lead" | "access_ended";

/** Reason for a look. */
export type Lead = "failed_run" | "missed_schedule" | "quiet";

/** Input of the gate in addition to the state. */
export interface GateView {
  readonly at: number;
  /** of the last words of a person, or of the session's making */
  readonly userAt: number;
  /** end of the last run if it failed or ended partially; null otherwise */
  readonly failedAt: number | null;
  /** the last time of a schedule that made no run; null where none was missed */
  readonly missedAt: number | null;
}

/** How long it is from the last look to the next. */
export const beatMs = ({ everyMs, idle }: Pick<Heartbeat, "everyMs" | "idle">): number =>
  everyMs * Math.min(HEARTBEAT_BACKOFF_MAX, 2 ** idle);

/** Decides whether to look now: the reason for it, or why not. */
export function decideLook(
  { run, queue }: Pick<State, "run" | "queue">,
  beat: Pick<Heartbeat, "everyMs" | "idle" | "lastAt">,
  view: GateView,
): { readonly leads: readonly Lead[] } | { readonly closed: Closed } {
  const { at, userAt } = view;
  if (run !== null || queue.length > 0) return { closed: "busy" };
  if (at - userAt < HEARTBEAT_USER_MS) return { closed: "user_active" };
  if (beat.lastAt !== null && at - beat.lastAt < HEARTBEAT_APART_MS) return { closed: "too_soon" };
  if (beat.lastAt !== null && at - beat.lastAt < beatMs(beat)) return { closed: "backoff" };
  const leads = leadsOf(beat, view);
  return leads.length === 0 ? { closed: "no_lead" } : { leads };
}

function leadsOf({ everyMs }: Pick<Heartbeat, "everyMs">, view: GateView): readonly Lead[] {
  const { at, userAt, failedAt, missedAt } = view;
  const isFresh = (time: number | null): boolean => time !== null && at - time < HEARTBEAT_LEAD_MS;
  return [
    ...(isFresh(failedAt) ? (["failed_run"] as const) : []),
    ...(isFresh(missedAt) ? (["missed_schedule"] as const) : []),
    ...(at - userAt >= Math.max(2 * everyMs, HEARTBEAT_QUIET_MS_MIN) ? (["quiet"] as const) : []),
  ];
}

/**
 * True if a run achieved something: an effect, a message to the person, a stored fact. `entries` are those of the run.
 */
export function cameToSomething(entries: readonly Entry[]): boolean {
  const effects = new Set(
    entries.flatMap((entry) =>
      entry.kind === "call_intended" && entry.body.effect !== "read" ? [entry.body.call] : [],
    ),
  );
  return entries.some((entry) => {
    if (entry.kind === "call_settled") return entry.body.status === "ok" && effects.has(entry.body.call);
    if (entry.kind === "memory_changed") return (entry.body.facts ?? []).length > 0;
    return entry.kind === "answer" && entry.body.text !== "";
  });
}

const WORDS: Readonly<Record<Lead, string>> = {
  failed_run: "An earlier run failed, or told a part only.",
  missed_schedule: "A schedule missed its time.",
  quiet: "The person has not written for a while.",
};

/** prefix of a look's message, so that readers recognize it */
export const HEARTBEAT_MARK = "<cairn-heartbeat>";

/** The request of a look. */
export const heartbeatText = (leads: readonly Lead[], noteText: NoteText): string => {
  const words = noteText("heartbeat", { leads: leads.map((lead) => WORDS[lead]).join(" ") });
  return `${HEARTBEAT_MARK}${words}</cairn-heartbeat>`;
};

import { NUDGE_FIRST, NUDGE_NEXT, NUDGE_STEPS, NUDGE_STEPS_LONG } from "../limits.ts";
import type { RunSource } from "../log/entry.ts";
import type { NoteText } from "../prompt-note.ts";
import type { NudgeCode, Profile, Verdict } from "../log/verdict.ts";

export interface Silence {
  readonly profile: Profile;
  /** the step that is about to begin, from 1 */
  readonly step: number;
  /** finished steps since the last delivery of the run; all of them where nothing was delivered */
  readonly silentSteps: number;
  /** active milliseconds since that delivery, or since the run began */
  readonly quietMs: number;
  readonly anyDelivery: boolean;
  /** a socket shows the steps to the person */
  readonly isLive: boolean;
  /** somebody may read a message of this run while it works */
  readonly isRead: boolean;
  /** a send of the last step was skipped by a guard */
  readonly sendSkipped: boolean;
  /** the strongest nudge since the last delivery */
  readonly nudged: NudgeCode | null;
  /** a tool that sends messages is granted: without one there is nothing to be asked for */
  readonly canSend: boolean;
}

interface RunOrigin {
  readonly source: RunSource;
  readonly origin?: unknown;
  readonly parent?: unknown;
}

/**
 * True if a person may read messages of a run: on the page where they wrote, or on the channel that it answers. Nobody
 * reads those of a child, or of a run started by a webhook, a schedule or the heartbeat, unless a socket shows it.
 */
export const isRead = ({ source, origin, parent }: RunOrigin, isLive: boolean): boolean =>
  isLive || (parent === undefined && (origin !== undefined || !UNREAD.has(source)));

const UNREAD: ReadonlySet<RunSource> = new Set(["webhook", "schedule", "heartbeat"]);

/** A note for the next step, or null. Each of the two comes once per silence; only a delivery ends a silence. */
export function nudge(silence: Silence, noteText: NoteText): Verdict<NudgeCode> | null {
  const { profile, step, silentSteps, sendSkipped, nudged } = silence;
  if (
    !silence.canSend ||
    !silence.isRead ||
    profile === "heartbeat" ||
    step <= 1 ||
    silentSteps <= 1 ||
    sendSkipped
  )
    return null;
  const times = silence.isLive ? 2 : 1;
  const steps = profile === "complex" || profile === "research" ? NUDGE_STEPS_LONG : NUDGE_STEPS;
  if (silentSteps >= steps.hard * times)
    return nudged === "NUDGE_HARD" ? null : verdict("NUDGE_HARD", silence, noteText);
  const isDue = silentSteps >= steps.soft * times || isQuiet(silence, times);
  return isDue && nudged === null ? verdict("NUDGE_SOFT", silence, noteText) : null;
}

function isQuiet({ anyDelivery, quietMs, silentSteps }: Silence, times: number): boolean {
  const due = anyDelivery ? NUDGE_NEXT : NUDGE_FIRST;
  return quietMs >= due.ms * times && silentSteps >= due.steps * times;
}

function verdict(code: NudgeCode, { silentSteps, quietMs }: Silence, noteText: NoteText): Verdict<NudgeCode> {
  const strength = code === "NUDGE_SOFT" ? "soft" : "hard";
  return {
    code,
    rule: `nudge.${strength}`,
    evidence: { seqs: [], numbers: { silentSteps, quietMs } },
    hint: noteText(`nudge-${strength}`, { steps: silentSteps }),
  };
}

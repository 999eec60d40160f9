import type { Entry } from "../log/entry.ts";
import type { LiveRun } from "../state/state.ts";
import { NUDGE_FIRST, NUDGE_NEXT, NUDGE_STEPS, NUDGE_STEPS_LONG } from "../guard-limits.ts";
import type { Profile, Verdict } from "../state/loop-memory.ts";

/** When the person has heard nothing for long, the model is asked for a word to them (guards 8). */
export type NudgeCode = "NUDGE_SOFT" | "NUDGE_HARD";

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
  /** a send of the last step was skipped by a guard */
  readonly sendSkipped: boolean;
  /** the strongest nudge since the last delivery */
  readonly nudged: NudgeCode | null;
  /** a tool that sends messages is granted: without one there is nothing to be asked for */
  readonly canSend: boolean;
}

/** A note for the next step, or null. Each of the two comes once per silence; only a delivery ends a silence. */
export function nudge(silence: Silence): Verdict<NudgeCode> | null {
  const { profile, step, silentSteps, sendSkipped, nudged } = silence;
  if (!silence.canSend || profile === "heartbeat" || step <= 1 || silentSteps <= 1 || sendSkipped)
    return null;
  const times = silence.isLive ? 2 : 1;
  const steps = profile === "complex" || profile === "research" ? NUDGE_STEPS_LONG : NUDGE_STEPS;
  if (silentSteps >= steps.hard * times)
    return nudged === "NUDGE_HARD" ? null : verdict("NUDGE_HARD", silence);
  const isDue = silentSteps >= steps.soft * times || isQuiet(silence, times);
  return isDue && nudged === null ? verdict("NUDGE_SOFT", silence) : null;
}

function isQuiet({ anyDelivery, quietMs, silentSteps }: Silence, times: number): boolean {
  const due = anyDelivery ? NUDGE_NEXT : NUDGE_FIRST;
  return quietMs >= due.ms * times && silentSteps >= due.steps * times;
}

function verdict(code: NudgeCode, { silentSteps, quietMs }: Silence): Verdict<NudgeCode> {
  const what = "what is done, what you do now, what is still open";
  return {
    code,
    rule: `nudge.${code === "NUDGE_SOFT" ? "soft" : "hard"}`,
    evidence: { seqs: [], numbers: { silentSteps, quietMs } },
    hint:
      code === "NUDGE_SOFT"
        ? `The person has heard nothing for ${silentSteps} steps. If something is worth telling: send one short progress message with facts (${what}), and go on.`
        : `The person has heard nothing for ${silentSteps} steps. Send one short progress message now, with facts (${what}), no “working on it”, and go on with the work.`,
  };
}

/** What the person has heard of a run: part of its state. */
export interface Heard {
  /** of the last delivery: its step and the run's active milliseconds; 0 before the first */
  readonly step: number;
  readonly activeMs: number;
  readonly any: boolean;
  /** the strongest nudge since */
  readonly nudged: NudgeCode | null;
  /** step of the last send that did not run, 0 before the first */
  readonly skipped: number;
}

export const NOTHING_HEARD: Heard = { step: 0, activeMs: 0, any: false, nudged: null, skipped: 0 };

/** After a row of the run. Only a receipt ends a silence; an outcome that nobody knows counts as one (guards 1.1). */
export function hear(run: LiveRun, entry: Entry): Heard | undefined {
  const heard = run.heard ?? NOTHING_HEARD;
  if (entry.kind === "guard_fired") {
    const { code } = entry.body;
    return code === "NUDGE_SOFT" || code === "NUDGE_HARD" ? { ...heard, nudged: code } : run.heard;
  }
  if (entry.kind !== "call_settled") return run.heard;
  const { call, status, reusedFrom } = entry.body;
  const phase = run.phase.at === "waiting_retry" ? run.phase.back : run.phase;
  const calls = phase.at === "thinking" ? [] : phase.calls;
  if (calls.find((one) => one.call === call)?.traits?.kind !== "send" || reusedFrom !== null)
    return run.heard;
  if (status === "refused") return { ...heard, skipped: run.step };
  if (status !== "ok" && status !== "unknown") return run.heard;
  return { ...heard, step: run.step, activeMs: run.activeMs, any: true, nudged: null };
}

/**
 * Decides, look by look, whether a program that is still starting makes progress. Looks are counted instead of time: on a
 * busy machine, or after a sleep, minutes pass in which neither that program nor this one got to run.
 */

/** Time between two looks. */
export const LOOK_MS = 2_000;
/** so many looks without progress: it hangs */
const STALLED_LOOKS = 30;
/** the same where CPU time cannot be read, so that only its output shows progress */
const STALLED_LOOKS_BLIND = 300;
/** looks between two messages for a person */
const SAY_LOOKS = 5;
/** CPU time that is progress; an idle event loop uses less in a minute */
const CPU_STEP_MS = 100;

export interface Signs {
  /** lines printed so far */
  readonly lines: number;
  /** CPU time of all its processes so far; null where it cannot be read */
  readonly cpuMs: number | null;
}

export interface Progress {
  readonly looks: number;
  /** looks since the last progress */
  readonly still: number;
  /** at the last progress */
  readonly signs: Signs;
}

export const NO_PROGRESS_YET: Progress = { looks: 0, still: 0, signs: { lines: 0, cpuMs: 0 } };

export interface Look {
  readonly progress: Progress;
  /** `say`: a person should see the current step; `stalled`: no use in waiting longer */
  readonly verdict: "wait" | "say" | "stalled";
}

export function lookAgain(before: Progress, signs: Signs): Look {
  const moved =
    signs.lines !== before.signs.lines ||
    // Processes that end take their time with them, so less is progress too.
    Math.abs((signs.cpuMs ?? 0) - (before.signs.cpuMs ?? 0)) >= CPU_STEP_MS;
  const progress: Progress = {
    looks: before.looks + 1,
    still: moved ? 0 : before.still + 1,
    signs: moved ? signs : before.signs,
  };
  const most = signs.cpuMs === null ? STALLED_LOOKS_BLIND : STALLED_LOOKS;
  if (progress.still >= most) return { progress, verdict: "stalled" };
  return { progress, verdict: progress.looks % SAY_LOOKS === 0 ? "say" : "wait" };
}

/** Seconds of waiting without progress, for the message about it. */
export const stillSeconds = ({ still }: Progress): number => (still * LOOK_MS) / 1_000;

/** Begins every line of `waitingLine`. */
export const STILL = "Still starting";

export const waitingLine = (seconds: number, step: string): string =>
  `${STILL} after ${seconds} s: ${step} …`;

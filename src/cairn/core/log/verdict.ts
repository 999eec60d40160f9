/** Verdicts of guards, and the terms they use about a run: class, lane, role of the requester. */

/** Names, seqs and numbers a verdict rests on; never the content itself. */
export interface Evidence {
  readonly seqs: readonly number[];
  readonly sigs?: readonly string[];
  readonly names?: readonly string[];
  readonly numbers?: Readonly<Record<string, number>>;
}

/** The result of a guard. `hint` is worded for the model, at most 300 characters. */
export interface Verdict<Code extends string = string> {
  readonly code: Code;
  /** such as `loop.cycle` */
  readonly rule: string;
  readonly evidence: Evidence;
  readonly hint: string;
}

/** The classes of a run. */
export type Profile =
  | "trivial"
  | "simple"
  | "standard"
  | "complex"
  | "research"
  | "time_capsule"
  | "heartbeat"
  | "lean";

/** The classes that the words of an input can have, from small to large. */
export const LEVELS = ["trivial", "simple", "standard", "complex", "research"] as const;
export type Level = (typeof LEVELS)[number];

/** The class that a model has named, and how sure it is of it: from 0 to 1. */
export interface ClassLabel {
  readonly level: Level;
  readonly confidence: number;
}

export type Lane = "user" | "autonomy";

export type Role = "admin" | "member" | "guest";

/** Call named by the last hint: blocked from the very next proposal on. */
export interface Block {
  readonly by: "sig" | "mask" | "target" | "tool";
  readonly value: string;
  /** for `tool`: through this step */
  readonly untilStep: number | null;
  readonly rule: string;
}

/** One level up. Stored whole with its verdict, so that the fold needs no rule. */
export interface Climb {
  readonly verdict: Verdict<"LOOP_HINT" | "LOOP_WARN">;
  readonly level: 1 | 2 | 3;
  /** step of the turn that raised it */
  readonly step: number;
  /** newly blocked calls, in addition to earlier ones */
  readonly blocks: readonly Block[];
}

/** Requests to the model for a message to the person after a long silence. */
export type NudgeCode = "NUDGE_SOFT" | "NUDGE_HARD";

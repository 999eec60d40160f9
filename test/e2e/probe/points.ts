import { ANSWER_STEP, RUN } from "./plan.ts";
import type { Spot } from "./harness.ts";

/** Where a run is when the server is killed. */
export type Point =
  /** held before a piece of the model's reply */
  | { readonly at: "model"; readonly step: number; readonly piece: number | "last" }
  /** held in a tool call */
  | {
      readonly at: "tool";
      readonly step: number;
      readonly phase: "preview" | "before" | "after";
      readonly index: number;
    }
  /** a socket has just shown this entry; `from` is where it was held until then */
  | { readonly at: "seen"; readonly kind: string; readonly step: number; readonly from: Point }
  /** the message was just accepted */
  | { readonly at: "said" }
  /** nobody has decided yet */
  | { readonly at: "asking"; readonly step: number }
  /** the yes was just accepted */
  | { readonly at: "decided"; readonly step: number }
  /** the end has been on disk for a moment */
  | { readonly at: "ended" }
  /** the first thing that it does in a new life of the server, which may not listen yet */
  | { readonly at: "boot" };

const model = (step: number, piece: number | "last"): Point => ({ at: "model", step, piece });
const preview = (step: number): Point => ({ at: "tool", step, phase: "preview", index: 0 });
const before = (step: number, index = 0): Point => ({ at: "tool", step, phase: "before", index });
const after = (step: number, index = 0): Point => ({ at: "tool", step, phase: "after", index });
const seen = (kind: string, step: number, from: Point): Point => ({ at: "seen", kind, step, from });
const asking = (step: number): Point => ({ at: "asking", step });
const decided = (step: number): Point => ({ at: "decided", step });
const said: Point = { at: "said" };
const ended: Point = { at: "ended" };

/** The reply's beginning (its headers are not sent), its first words, its middle and its last piece. */
const NONE = 0;
const FIRST = 2;
const MIDDLE = 5;

/**
 * The points of each session's run, in order; every kill hits all sessions at once, each at its own. Step 1 and 6 read,
 * 2 and 7 write to D1, 3 and 8 over HTTP under a key, 4 and 9 over HTTP once, 5 and 10 ask first (plan.ts).
 */
export const POINTS: { readonly [session: string]: readonly Point[] } = {
  "ten-a": [
    model(1, NONE),
    model(3, "last"),
    model(5, MIDDLE),
    model(7, FIRST),
    model(9, "last"),
    model(ANSWER_STEP, "last"),
  ],
  "ten-b": [
    model(1, FIRST),
    model(2, MIDDLE),
    model(4, "last"),
    model(6, NONE),
    model(8, MIDDLE),
    model(ANSWER_STEP, FIRST),
  ],
  "ten-c": [before(1), before(2), before(3), before(4), before(7), before(9)],
  "ten-d": [after(1), after(2), after(3), after(4), after(8), after(9)],
  "ten-e": [before(2), after(2), model(3, MIDDLE), after(6, 1), before(7), after(10)],
  "ten-f": [preview(5), asking(5), before(5), after(5), asking(10), model(ANSWER_STEP, NONE)],
  "ten-g": [
    said,
    seen("model_replied", 2, model(2, "last")),
    decided(5),
    seen("call_settled", 7, after(7)),
    after(9),
    ended,
  ],
  "ten-h": [
    model(1, "last"),
    seen("call_settled", 4, after(4)),
    seen("approval_requested", 5, preview(5)),
    before(6, 1),
    decided(10),
    seen("run_ended", ANSWER_STEP, model(ANSWER_STEP, "last")),
  ],
  "ten-i": [model(2, "last"), after(4), asking(5), after(5), before(8), preview(10)],
  "ten-j": [
    after(3),
    after(3),
    seen("call_intended", 4, model(4, "last")),
    after(7),
    seen("step_started", 9, after(8)),
    before(10),
  ],
};

export const SESSIONS = Object.keys(POINTS);

/**
 * How each life of the server but the last ends: with all sessions at their next points; while it starts, before it
 * listens; when the first of them is heard again; when all of them are that can go on.
 */
export type Kill = "points" | "starting" | "first" | "all";
export const KILLS: readonly Kill[] = [
  "points",
  "points",
  "points",
  "starting",
  "first",
  "all",
  "points",
  "starting",
  "points",
  "points",
] as const satisfies readonly Kill[];

/** Nothing happens after it until a person decides. */
export function awaitsPerson(point: Point): boolean {
  return point.at === "asking" || (point.at === "seen" && point.kind === "approval_requested");
}

/** Nothing happens after it at all. */
export function isEnd(point: Point): boolean {
  return point.at === "ended" || (point.at === "seen" && point.kind === "run_ended");
}

/** Where the test's servers must hold the run on its way to the point; null where they see nothing of it. */
export function holdFor(point: Point): ((spot: Spot) => boolean) | null {
  switch (point.at) {
    case "model":
      return (spot) =>
        spot.at === "model" &&
        spot.step === point.step &&
        (point.piece === "last" ? spot.last : spot.piece === point.piece);
    case "tool":
      return (spot) =>
        spot.at === "tool" &&
        spot.step === point.step &&
        spot.phase === point.phase &&
        spot.index === point.index;
    case "seen":
      return holdFor(point.from);
    case "asking":
    case "decided":
      return holdFor(preview(point.step));
    case "ended":
      return holdFor(model(ANSWER_STEP, "last"));
    case "boot":
      return () => true;
    case "said":
      return null;
  }
}

/** Name of the approval that the call of a step asks for. */
export const approvalOf = (step: number): string => `${RUN}s${step}c0a1`;

import type { Entry } from "../../log/entry.ts";
import type { NudgeCode } from "../../log/verdict.ts";
import type { LoopMemory } from "../loop-memory.ts";
import { callOf, type Phased } from "./phase.ts";
import type { Used } from "./used.ts";

/** Output of a run for the person so far. */
export interface Output {
  /** seq of its answer, once there is one */
  readonly answer: number | null;
  /** newest text that accompanied calls: seq of its model_replied */
  readonly latestText: number | null;
  /** whether any call of the run settled ok */
  readonly anyOk: boolean;
  /** deliveries with a receipt, or of unknown outcome, before its answer */
  readonly sends: number;
  readonly lastMessage: LastMessage;
  /** it may send messages itself; absent otherwise */
  readonly canSend?: true;
}

/** The last message that a run has sent to the person. */
export interface LastMessage {
  /** of the last delivery: its step and the run's active milliseconds; 0 before the first */
  readonly step: number;
  readonly activeMs: number;
  readonly any: boolean;
  /** the strongest nudge since */
  readonly nudged: NudgeCode | null;
  /** step of the last send that did not run, 0 before the first */
  readonly skipped: number;
  /** milliseconds since 1970 of the last word of progress; absent before the first */
  readonly progressAt?: number;
}

export const NO_OUTPUT: Output = {
  answer: null,
  latestText: null,
  anyOk: false,
  sends: 0,
  lastMessage: { step: 0, activeMs: 0, any: false, nudged: null, skipped: 0 },
};

/** `run` is as it was before the entry. */
export function changeOutput(
  output: Output,
  entry: Entry,
  run: Phased & { readonly step: number; readonly used: Used; readonly loop: LoopMemory },
): Output {
  switch (entry.kind) {
    case "model_replied": {
      const { calls, parts } = entry.body;
      const hasText = parts.some((part) => part.type === "text" && part.text.trim() !== "");
      return calls.length > 0 && hasText ? { ...output, latestText: entry.seq } : output;
    }
    case "call_settled": {
      const { status, reusedFrom } = entry.body;
      const known = status === "ok" && !output.anyOk ? { ...output, anyOk: true } : output;
      if (callOf(run, entry).traits?.kind !== "send" || reusedFrom !== null) return known;
      const last = output.lastMessage;
      if (status === "refused") return { ...known, lastMessage: { ...last, skipped: run.step } };
      // Only a receipt ends a silence; an unknown outcome counts as one.
      if (status !== "ok" && status !== "unknown") return known;
      const { activeMs } = run.used;
      const isProgress =
        run.loop.calls.find(({ id }) => id === entry.body.call)?.message?.kind === "progress";
      const lastMessage = {
        ...last,
        step: run.step,
        activeMs,
        any: true,
        nudged: null,
        ...(isProgress ? { progressAt: entry.at } : {}),
      };
      return { ...known, sends: output.sends + 1, lastMessage };
    }
    case "verdict": {
      const { code } = entry.body;
      if (code !== "NUDGE_SOFT" && code !== "NUDGE_HARD") return output;
      return { ...output, lastMessage: { ...output.lastMessage, nudged: code } };
    }
    case "answer":
      // A heartbeat may end silently.
      return entry.body.text === "" && entry.body.source === "plain"
        ? output
        : { ...output, answer: entry.seq };
    default:
      return output;
  }
}

import type { CallRecord, CallMark } from "../log/mark.ts";
import type { Verdict } from "../log/verdict.ts";
import type { LoopMemory } from "../state/loop-memory.ts";
import type { ToolTraits } from "../log/tool.ts";
import { wasExecuted } from "../state/record-call.ts";

/** Equal calls that need not run again. */

export interface Reuse {
  readonly verdict: Verdict<"REUSED_RESULT" | "ALREADY_DONE">;
  /** name of the call whose result is the answer */
  readonly from: string;
}

/**
 * `REUSED_RESULT` or `ALREADY_DONE` [reuse], or null: before_tool 6. An equal ok read is reused while no effect came after
 * it and it is younger than the tool's `freshMs`; an effect that succeeded is done until another effect touches its target.
 * Both only since a person last spoke: they may have changed things, or want it once more.
 */
export function findReuse(memory: LoopMemory, call: CallMark, traits: ToolTraits, now: number): Reuse | null {
  return call.effect === "read" ? reuseRead(memory, call, traits, now) : alreadyDone(memory, call, traits);
}

/**
 * `NEEDS_APPROVAL` [gate], or null: a `once` call equal to one whose outcome is unknown may be its second time, which a
 * person decides.
 */
export function checkUnknown(memory: LoopMemory, call: CallMark): Verdict<"NEEDS_APPROVAL"> | null {
  const unknown = memory.calls.findLast((entry) => entry.sig === call.sig && entry.status === "unknown");
  if (call.effect !== "once" || unknown === undefined) return null;
  return {
    code: "NEEDS_APPROVAL",
    rule: "reuse.unknown",
    evidence: { seqs: [unknown.seq], sigs: [call.sig], names: [call.tool, unknown.id] },
    hint: `Nobody knows whether the same call of ${call.tool} took effect before. A person decides whether it runs.`,
  };
}

function reuseRead(memory: LoopMemory, call: CallMark, traits: ToolTraits, now: number): Reuse | null {
  if (traits.polling !== null) return null;
  const { calls, stuck } = memory;
  const entries = calls.filter((entry) => entry.seq > stuck.since);
  // From the call that ran, however often it was reused since: its age counts.
  const index = entries.findLastIndex((entry) => entry.sig === call.sig && wasExecuted(entry));
  const entry = entries[index];
  if (entry === undefined || entry.status !== "ok" || now - entry.at >= traits.freshMs) return null;
  if (entries.slice(index + 1).some((later) => later.effect !== "read" && mayHaveChanged(later))) return null;
  return reuse(
    "REUSED_RESULT",
    entry,
    `This is the stored result of ${entry.id}: the same call was made, and nothing has changed since.`,
  );
}

function alreadyDone({ calls, stuck }: LoopMemory, call: CallMark, traits: ToolTraits): Reuse | null {
  if (traits.repeatable) return null;
  const index = calls.findLastIndex((entry) => entry.sig === call.sig && wasExecuted(entry));
  const entry = calls[index];
  if (entry === undefined || entry.status !== "ok" || entry.seq <= stuck.since) return null;
  const touched = calls
    .slice(index + 1)
    .some(
      (later) =>
        later.effect !== "read" &&
        later.sig !== entry.sig &&
        mayHaveChanged(later) &&
        later.target === entry.target,
    );
  if (touched) return null;
  return reuse(
    "ALREADY_DONE",
    entry,
    `Done already, by ${entry.id}: this is its result. Nothing was done a second time.`,
  );
}

/** A failed effect may have left something behind. */
function mayHaveChanged(entry: CallRecord): boolean {
  return entry.kind === "work" && wasExecuted(entry);
}

function reuse(code: "REUSED_RESULT" | "ALREADY_DONE", entry: CallRecord, hint: string): Reuse {
  const evidence = { seqs: [entry.seq], sigs: [entry.sig], names: [entry.tool, entry.id] };
  return { verdict: { code, rule: `reuse.${entry.effect}`, evidence, hint }, from: entry.id };
}

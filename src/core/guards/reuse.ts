import type { CallRow, CallMark } from "../log/mark.ts";
import type { Verdict } from "../log/verdict.ts";
import type { LoopMemory } from "../state/loop-memory.ts";
import type { ToolTraits } from "../log/tool.ts";
import { executed } from "../state/record-call.ts";

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
  const unknown = memory.calls.findLast((row) => row.sig === call.sig && row.status === "unknown");
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
  const rows = calls.filter((row) => row.seq > stuck.since);
  // From the call that ran, however often it was reused since: its age counts.
  const index = rows.findLastIndex((row) => row.sig === call.sig && executed(row));
  const row = rows[index];
  if (row === undefined || row.status !== "ok" || now - row.at >= traits.freshMs) return null;
  if (rows.slice(index + 1).some((later) => later.effect !== "read" && mayHaveChanged(later))) return null;
  return reuse(
    "REUSED_RESULT",
    row,
    `This is the stored result of ${row.id}: the same call was made, and nothing has changed since.`,
  );
}

function alreadyDone({ calls, stuck }: LoopMemory, call: CallMark, traits: ToolTraits): Reuse | null {
  if (traits.repeatable) return null;
  const index = calls.findLastIndex((row) => row.sig === call.sig && executed(row));
  const row = calls[index];
  if (row === undefined || row.status !== "ok" || row.seq <= stuck.since) return null;
  const touched = calls
    .slice(index + 1)
    .some(
      (later) =>
        later.effect !== "read" &&
        later.sig !== row.sig &&
        mayHaveChanged(later) &&
        later.target === row.target,
    );
  if (touched) return null;
  return reuse(
    "ALREADY_DONE",
    row,
    `Done already, by ${row.id}: this is its result. Nothing was done a second time.`,
  );
}

/** A failed effect may have left something behind. */
function mayHaveChanged(row: CallRow): boolean {
  return row.kind === "work" && executed(row);
}

function reuse(code: "REUSED_RESULT" | "ALREADY_DONE", row: CallRow, hint: string): Reuse {
  const evidence = { seqs: [row.seq], sigs: [row.sig], names: [row.tool, row.id] };
  return { verdict: { code, rule: `reuse.${row.effect}`, evidence, hint }, from: row.id };
}

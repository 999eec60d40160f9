import type { Entry } from "../log/entry.ts";
import type { PromptPart } from "../log/model.ts";
import type { EndedRun, LiveRun, State } from "./state.ts";
import { working } from "./apply-run.ts";
import { countsAsDenial } from "../guards/permissions.ts";
import { applyInput, applyRead, beginTaint, TAINTED_AND_PRIVATE, UNTAINTED, type Taint } from "./taint.ts";

/** What a run has read and was refused, and where its guards failed: part of its state, equal to the fold of its entries. */
export interface Safety {
  readonly taint: Taint;
  /** seq of the verdict by which the rule of two was told; null before it has turned a call into a gate */
  readonly told: number | null;
  /** rows that refused a call for lack of a right or an address */
  readonly denials: readonly number[];
  /** guards that threw (guards 1.3, rule 7) */
  readonly faults: readonly Fault[];
}

export interface Fault {
  readonly point: string;
  /** of the last started step */
  readonly step: number;
}

export const NO_SAFETY: Safety = { taint: UNTAINTED, told: null, denials: [], faults: [] };

export const RULE_OF_TWO = "permits.rule_of_two";
export const GUARD_ERROR = "GUARD_ERROR";
/** stands in a row for a run that cannot be told */
export const UNKNOWN_RUN = "?";

export const hasFiles = (parts: readonly PromptPart[]): boolean => parts.some((part) => part.type === "file");

/** How a run begins: tainted and private by its input, by the runs that its prompt shows, and by what is remembered. */
export function beginSafety(
  state: State,
  queued: Pick<LiveRun, "said" | "source" | "files" | "role" | "imported">,
): Safety {
  const { said, source, files = false, role, imported = false } = queued;
  // Queued before schema 3, when no tool read from outside: nothing of it was kept.
  if (role === undefined) return NO_SAFETY;
  const { entities, facts } = state.memory;
  const taint = beginTaint({
    input: { seq: said, source, files },
    history: state.ended.map((run) => run.taint),
    memory: { shown: entities.length + facts.length > 0, tainted: state.taintedMemory },
    imported,
  });
  return { ...NO_SAFETY, taint };
}

/** What an entry of the live run does to it. `run` is as it was before the entry. */
export function changeSafety(run: LiveRun, entry: Entry, ended: readonly EndedRun[]): Safety {
  const { safety } = run;
  switch (entry.kind) {
    case "user_said": {
      const { source, parts } = entry.body;
      return withTaint(safety, applyInput(safety.taint, { seq: entry.seq, source, files: hasFiles(parts) }));
    }
    case "call_settled":
      return settled(run, entry, ended);
    case "guard_fired": {
      const { code, rule, point } = entry.body;
      if (code === GUARD_ERROR) return faulted(safety, point, run.step);
      return rule === RULE_OF_TWO ? { ...safety, told: safety.told ?? entry.seq } : safety;
    }
    default:
      return safety;
  }
}

function settled(run: LiveRun, { seq, body }: Entry<"call_settled">, ended: readonly EndedRun[]): Safety {
  const { safety } = run;
  const { skip, call, tool, status, readFrom } = body;
  if (skip === GUARD_ERROR) return faulted(safety, "before_tool", run.step);
  if (skip !== undefined && countsAsDenial(skip)) return { ...safety, denials: [...safety.denials, seq] };
  const phase = working(run.phase);
  const access = phase.at === "thinking" ? undefined : phase.calls.find((one) => one.call === call)?.access;
  // Of a tool that no card stood behind nothing was read; before schema 3 none read from outside.
  if (access === undefined) return safety;
  const from = readFrom === undefined ? {} : { from: taintOf(readFrom, ended) };
  return withTaint(safety, applyRead(safety.taint, { seq, tool, status, reads: access.reads, ...from }));
}

/** What an earlier run had read; the worst of one that is not known any more. */
export function taintOf(run: string, ended: readonly EndedRun[]): Taint {
  return ended.find((one) => one.run === run)?.taint ?? TAINTED_AND_PRIVATE;
}

function faulted(safety: Safety, point: string, step: number): Safety {
  return { ...safety, faults: [...safety.faults, { point, step }] };
}

const withTaint = (safety: Safety, taint: Taint): Safety =>
  taint === safety.taint ? safety : { ...safety, taint };

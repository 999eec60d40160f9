import type { Entry, CallStatus, RunSource } from "../log/entry.ts";
import type { PromptPart } from "../log/model.ts";
import type { Reach, Reads } from "../log/tool.ts";
import { callsOf, type Phased } from "./run/phase.ts";
import type { Cause, Taint, Safety, EndedRun, JoinedInput, AcceptedRun, State } from "./state.ts";

/**
 * Exposure of a run. A run is *tainted* once it has read outside content, which may hold a stranger's instructions, and
 * *private* once it has read what is not public. A run that is both could be made to leak private data, so from then on
 * every tool with external reach asks a person: the rule of two. In a tainted run no remembered policy lifts a gate.
 *
 * Taint is permanent: the content stays in the prompt, and its traces in answers and memory.
 */

export const UNTAINTED: Taint = { tainted: null, private: null };

/** For content of unknown origin. */
export const TAINTED_AND_PRIVATE: Taint = {
  tainted: { seq: 0, by: "unknown" },
  private: { seq: 0, by: "unknown" },
};

/** Taint of the run that this one continues, which may be of another session: its text belongs to the owner. */
const TAINTS: Readonly<Record<NonNullable<AcceptedRun["previous"]>, Taint>> = {
  tainted: TAINTED_AND_PRIVATE,
  private: { ...UNTAINTED, private: TAINTED_AND_PRIVATE.private },
};

export const NO_SAFETY: Safety = {
  taint: UNTAINTED,
  notified: null,
  denials: [],
  faults: [],
  unattended: [],
};

export const RULE_OF_TWO = "permits.rule_of_two";

export const GUARD_ERROR = "GUARD_ERROR";

/** placeholder in a row for an unknown run */
export const UNKNOWN_RUN = "?";

export const hasFiles = (parts: readonly PromptPart[]): boolean =>
  parts.some((part) => part.type === "file" || part.foreign === true);

/** `joined`: messages that joined the run before it began. */
export const withJoined = (safety: Safety, joined: readonly JoinedInput[]): Safety =>
  joined.reduce((before, input) => withTaint(before, applyInput(before.taint, input)), safety);

/** How a run begins: tainted and private by its input, by the runs that its prompt shows, and by what is remembered. */
export function beginSafety(
  state: State,
  request: Pick<AcceptedRun, "inputSeq" | "source" | "files" | "imported" | "previous" | "parent">,
): Safety {
  const { inputSeq, source, files = false, imported = false, previous, parent } = request;
  const { entities, facts } = state.memory;
  const taint = beginTaint({
    input: { seq: inputSeq, source, files },
    history: [...state.ended.map((run) => run.taint), ...(previous === undefined ? [] : [TAINTS[previous]])],
    memory: { shown: entities.length + facts.length > 0, tainted: state.taintedMemory },
    imported,
  });
  if (parent === undefined) return { ...NO_SAFETY, taint };
  // The run that wrote this request had read outside content.
  return { ...NO_SAFETY, taint: join(taint, relativeTaint(inputSeq, "parent", parent)) };
}

type Run = Phased & { readonly step: number };

/** Applies an entry of the live run. `run` is the state before the entry. */
export function changeSafety(safety: Safety, entry: Entry, run: Run, ended: readonly EndedRun[]): Safety {
  switch (entry.kind) {
    case "user_message": {
      const { source, parts } = entry.body;
      return withTaint(safety, applyInput(safety.taint, { seq: entry.seq, source, files: hasFiles(parts) }));
    }
    case "call_settled":
      return settled(safety, entry, run, ended);
    case "child_reported":
      return withTaint(safety, join(safety.taint, relativeTaint(entry.seq, entry.body.child, entry.body)));
    case "verdict": {
      const { code, rule, point } = entry.body;
      if (code === GUARD_ERROR) return faulted(safety, point, run.step);
      return rule === RULE_OF_TWO ? { ...safety, notified: safety.notified ?? entry.seq } : safety;
    }
    default:
      return safety;
  }
}

function settled(
  safety: Safety,
  { seq, body }: Entry<"call_settled">,
  run: Run,
  ended: readonly EndedRun[],
): Safety {
  const { skip, call, tool, status, readFrom } = body;
  if (skip === GUARD_ERROR) return faulted(safety, "before_tool", run.step);
  if (skip !== undefined && countsAsDenial(skip)) return { ...safety, denials: [...safety.denials, seq] };
  const access = callsOf(run).find((one) => one.call === call)?.access;
  // A call without a card read nothing.
  if (access === undefined) return safety;
  const from = readFrom === undefined ? {} : { from: taintOf(readFrom, ended) };
  return withTaint(safety, applyRead(safety.taint, { seq, tool, status, reads: access.reads, ...from }));
}

/** Returns the taint of an earlier run; the worst if the run is no longer known. */
export function taintOf(run: string, ended: readonly EndedRun[]): Taint {
  return ended.find((one) => one.run === run)?.taint ?? TAINTED_AND_PRIVATE;
}

function faulted(safety: Safety, point: string, step: number): Safety {
  return { ...safety, faults: [...safety.faults, { point, step }] };
}

const withTaint = (safety: Safety, taint: Taint): Safety =>
  taint === safety.taint ? safety : { ...safety, taint };

/** Bodies of webhooks come from strangers. A schedule's text comes from its owner. */
const FROM_OUTSIDE: ReadonlySet<RunSource> = new Set(["webhook"]);

export const isFromOutside = (source: RunSource): boolean => FROM_OUTSIDE.has(source);

/**
 * True for text that its author did not write: a forward or a quotation, and the body of a webhook but for the parts that
 * the deployment's own mapping adds.
 */
export const isStrangers = (source: RunSource, part: PromptPart): boolean =>
  part.type === "text" && (part.foreign === true || (isFromOutside(source) && part.trusted !== true));

/** Input by a person or a webhook. Files are outside content that belongs to the owner. */
type Input = JoinedInput;

/** Content of a run's first prompt, in addition to the static prefix. */
export interface Beginning {
  readonly input: Input;
  /** the runs whose input and answers are in the transcript, as they ended */
  readonly history: readonly Taint[];
  /** whether the memory of the session shows anything, and whether a tainted run has ever written to it */
  readonly memory: { readonly shown: boolean; readonly tainted: boolean };
  /** the session came from elsewhere */
  readonly imported?: boolean;
}

export function beginTaint({ input, history, memory, imported = false }: Beginning): Taint {
  const { seq } = input;
  const before: Taint = {
    tainted: history.some((run) => run.tainted !== null) ? { seq, by: "history" } : null,
    private: history.some((run) => run.private !== null) ? { seq, by: "history" } : null,
  };
  const remembered: Taint = {
    tainted: memory.shown && memory.tainted ? { seq, by: "memory" } : null,
    private: memory.shown ? { seq, by: "memory" } : null,
  };
  const foreign: Taint = { tainted: imported ? { seq, by: "import" } : null, private: null };
  return applyInput(join(foreign, join(before, remembered)), input);
}

/** Input that begins the run or joins it later. */
export function applyInput(taint: Taint, { seq, source, files }: Input): Taint {
  const fromOutside = isFromOutside(source);
  return join(taint, {
    tainted: fromOutside ? { seq, by: source } : files ? { seq, by: "files" } : null,
    private: files ? { seq, by: "files" } : null,
  });
}

export interface SettledRead {
  /** seq of its call_settled */
  readonly seq: number;
  readonly tool: string;
  readonly status: CallStatus;
  /** as the tool declares it; undefined for one that is not known any more */
  readonly reads: Reads | undefined;
  /** of the run whose stored result this one read; `TAINTED_AND_PRIVATE` if unknown */
  readonly from?: Taint;
}

/** These statuses settle without running the tool: the text is the runtime's own. */
const NEVER_RAN: ReadonlySet<CallStatus> = new Set(["refused", "denied"]);

/** A failure counts too: its message may be the stranger's. */
export function applyRead(taint: Taint, { seq, tool, status, reads, from }: SettledRead): Taint {
  if (NEVER_RAN.has(status)) return taint;
  const cause: Cause = { seq, by: tool };
  const own: Taint =
    reads === undefined
      ? { tainted: cause, private: cause }
      : { tainted: reads === "outside" ? cause : null, private: reads === "private" ? cause : null };
  const carried: Taint = {
    tainted: from?.tainted == null ? null : cause,
    private: from?.private == null ? null : cause,
  };
  return join(taint, join(own, carried));
}

/** Returns the taint of another session of the tree, as that session had it. */
function relativeTaint(
  seq: number,
  by: string,
  { tainted = false, private: hidden = false }: { readonly tainted?: boolean; readonly private?: boolean },
): Taint {
  return { tainted: tainted ? { seq, by } : null, private: hidden ? { seq, by } : null };
}

/** The first cause is preserved. */
function join(first: Taint, then: Taint): Taint {
  const tainted = first.tainted ?? then.tainted;
  const hidden = first.private ?? then.private;
  return tainted === first.tainted && hidden === first.private ? first : { tainted, private: hidden };
}

/** The rule of two: a person is asked, whatever else would let the call run. */
export function needsApprovalByRuleOfTwo(taint: Taint, reach: Reach): boolean {
  return reach === "external" && taint.tainted !== null && taint.private !== null;
}

/** True if a refusal counts towards ending a run that is permitted nothing. */
export function countsAsDenial(code: string): boolean {
  return code === "ADMIN_ONLY" || code === "CHANNEL_DENY";
}

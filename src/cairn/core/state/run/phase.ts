import type { OpenApproval } from "../../log/approval.ts";
import type { BodyOf, CallStatus, Entry, Outcome } from "../../log/entry.ts";
import type { PromptSize } from "../../log/model.ts";
import type { EffectClass } from "../../log/names.ts";
import type { SendTo } from "../../address.ts";
import type { Gate, ToolAccess, ToolTraits } from "../../log/tool.ts";

/** Phase of a run, and the calls of its step. */

/** A field that matters in one phase exists in that phase only. */
export type Phase =
  | Thinking
  | Acting
  | WaitingApproval
  | WaitingHuman
  | WaitingClient
  | WaitingRetry
  | Ending;

export interface Thinking {
  readonly at: "thinking";
  readonly why: "step" | "final";
  /** why the answer is forced, such as `budget:steps`; null in an ordinary step */
  readonly reason: string | null;
  /** forced answers that came back empty */
  readonly empty: number;
  /** the step that has started and has no reply yet */
  readonly open: OpenStep | null;
}

export interface OpenStep {
  readonly n: number;
  /** number of the next attempt, from 1 */
  readonly attempt: number;
  /** seq of the entry that opened it */
  readonly base: number;
  readonly interruptions: number;
  readonly tries: number;
  /** tokens that each attempt reserves; a lost one is charged with them */
  readonly reserved: number;
  /** whether this model has called the request too large already */
  readonly overflowed?: true;
  /** the same in millionths of a dollar, and the tokens of output among them */
  readonly reservedCost: number;
  readonly maxOut: number;
  /** the model and the size of the request of the first attempt */
  readonly asked: { readonly model: string; readonly size: PromptSize };
}

export const THINKING: Thinking = { at: "thinking", why: "step", reason: null, empty: 0, open: null };

export interface Acting {
  readonly at: "acting";
  readonly calls: readonly Call[];
}

export interface WaitingApproval {
  readonly at: "waiting_approval";
  readonly calls: readonly Call[];
  readonly approval: OpenApproval;
}

/** `calls` are those of the step; empty when a guard asks between two steps. */
export interface WaitingHuman {
  readonly at: "waiting_human";
  readonly calls: readonly Call[];
  readonly question: OpenQuestion;
}

/** A call of a client tool is at its client. */
export interface WaitingClient {
  readonly at: "waiting_client";
  readonly calls: readonly Call[];
  readonly client: OpenClientCall;
}

/** True if only a person, their client or an expiry can continue the run. */
export function waitsForPerson(phase: Phase): phase is WaitingApproval | WaitingHuman | WaitingClient {
  return phase.at === "waiting_approval" || phase.at === "waiting_human" || phase.at === "waiting_client";
}

export interface WaitingRetry {
  readonly at: "waiting_retry";
  readonly until: number;
  readonly back: Thinking | Acting;
}

/** Nothing is left to try: the mechanical answer is written next. */
export interface Ending {
  readonly at: "ending";
  readonly outcome: Outcome;
  readonly reason: string;
  /** those of the step that it broke off; the open ones are settled with its end */
  readonly calls: readonly Call[];
}

/** A call of the current step. `args` is its digest; the arguments are in the log. */
export interface Call {
  readonly call: string;
  readonly tool: string;
  readonly effect: EffectClass;
  readonly gate: Gate;
  readonly argsDigest: string;
  /** seq of the entry that holds the arguments: the reply, or the decision that edited them */
  readonly argsAt: number;
  readonly duplicateOf: string | null;
  readonly state: CallState;
  /** attempts begun */
  readonly attempts: number;
  readonly interruptions: number;
  readonly previewInterruptions: number;
  readonly tries: number;
  /** approvals asked for it so far */
  readonly asked: number;
  /** of its tool; both absent where there is none */
  readonly traits?: ToolTraits;
  readonly access?: ToolAccess;
  /** millionths of a dollar that each attempt may cost at most; absent where it costs nothing */
  readonly costMax?: number;
  /** absent where it sends no message */
  readonly sendTo?: SendTo;
  /** it starts a run in another session; absent otherwise */
  readonly starts?: true;
  /** the client of the run runs it; absent where the session does */
  readonly client?: true;
}

/** State of a call. The phase names the one call that waits for a decision. */
export type CallState =
  | { readonly at: "open" }
  | { readonly at: "decided"; readonly by: CallDecision }
  /** a decision stays: an attempt that is lost is begun anew under it */
  | { readonly at: "running"; readonly by: CallDecision | null }
  /** the report of a child will be its result */
  | { readonly at: "deferred"; readonly child: string; readonly by: CallDecision | null }
  | { readonly at: "settled"; readonly status: CallStatus };

export type CallDecision = Pick<
  BodyOf<"approval_decided">,
  "approval" | "decision" | "actor" | "reason" | "digest"
> & { readonly basis: string | null };

export interface OpenQuestion {
  readonly question: string;
  readonly call: string | null;
  readonly expiresAt: number;
  /** of its human_asked */
  readonly seq: number;
  /** the run ends on expiry */
  readonly ends: boolean;
}

export interface OpenClientCall {
  readonly call: string;
  readonly expiresAt: number;
}

/** A run, as far as its phase goes. */
export interface Phased {
  readonly phase: Phase;
}

/** A phase change that there is not: a bug, so it throws and the commit rolls back. */
export class PhaseError extends Error {
  constructor(entry: Entry, phase: string) {
    super(`${entry.kind} at ${entry.seq} does not fit phase ${phase}`);
    this.name = "PhaseError";
  }
}

/** Returns the working phase: a wait for a retry wraps it, and its end has no entry. */
export function workingPhase(phase: Phase): Exclude<Phase, { at: "waiting_retry" }> {
  return phase.at === "waiting_retry" ? phase.back : phase;
}

export function callsOf(run: Phased): readonly Call[] {
  const phase = workingPhase(run.phase);
  return phase.at === "thinking" ? [] : phase.calls;
}

export function callOf(run: Phased, entry: Entry & { body: { call: string } }): Call {
  const call = callsOf(run).find((item) => item.call === entry.body.call);
  if (call === undefined) throw new PhaseError(entry, run.phase.at);
  return call;
}

/** Returns the request that a reply answers, if the step's entry describes it: later notes may extend a request. */
export function modelRequest(run: Phased | null, { body }: Entry<"model_replied">): OpenStep["asked"] | null {
  const open = run === null ? null : openStep(run);
  return open?.attempt === 1 && body.attempt === 1 ? open.asked : null;
}

/** The step that has no reply yet. */
export function openStep(run: Phased): OpenStep | null {
  const phase = workingPhase(run.phase);
  return phase.at === "thinking" ? phase.open : null;
}

export const isDeferred = ({ state }: Call): boolean => state.at === "deferred";

export const isSettled = ({ state }: Call): boolean => state.at === "settled";

/** Returns the decision, by a person or by expiry, about a call without a result. */
export const decisionOf = ({ state }: Pick<Call, "state">): CallDecision | null =>
  state.at === "open" || state.at === "settled" ? null : state.by;

/** A call that runs no more and has no result: it may be begun again. */
export function stoppedCallState(call: Call): CallState {
  if (call.state.at !== "running") return call.state;
  return call.state.by === null ? { at: "open" } : { at: "decided", by: call.state.by };
}

/** The phase with one of its calls changed. */
export function changeCall(
  run: Phased,
  entry: Entry & { body: { call: string } },
  to: (call: Call) => Partial<Call>,
): Phase {
  const target = callOf(run, entry);
  const calls = callsOf(run).map((call) => (call === target ? { ...call, ...to(call) } : call));
  const phase = workingPhase(run.phase);
  if (waitsForPerson(phase) || phase.at === "ending") return { ...phase, calls };
  return { at: "acting", calls };
}

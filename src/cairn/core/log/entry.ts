import type { ApprovalRecord, Explained } from "./approval.ts";
import type {
  ApprovalDecided,
  ApprovalEscalated,
  ApprovalVote,
  PolicyRemembered,
} from "./people/decision.ts";
export type { ApprovalRecord, Decision, Match, ShownImpact, Via } from "./approval.ts";
import type { SendTo } from "../address.ts";
import type { CallDeferred, ChildReported, ChildStopped, ParentRun, Share, TreeUsed } from "./child.ts";
import type { ClientAnswered, ClientCallRequest } from "./client-tool.ts";
import type { Json } from "./json.ts";
import type { CallMark, ResultMark } from "./mark.ts";
import type {
  PromptSize,
  Dialect,
  ModelErrorClass,
  FinishReason,
  Parse,
  PromptPart,
  ReplyPart,
  Usage,
  StepPatch,
} from "./model.ts";
import type { EffectClass } from "./names.ts";
import type { PlanChanged } from "./plan.ts";
import type { AnswerRecord, BudgetAnswer, BudgetAsk, QuestionRecord } from "./people/question.ts";
import type { RunSpec } from "./run-spec.ts";
import type { CitationList, Receipt, Sources } from "./receipt.ts";
import type { Compacted, NoteRecord, RunOrigin, RunPolicy } from "./run.ts";
import type { Outcome, OutcomeClass, Limits, RequestedLimits } from "./run.ts";
export { type Outcome, type OutcomeClass, outcomeClass, type Limits, type RequestedLimits } from "./run.ts";
import type { EntityRef, FactChange, Gate, Progress, CallSummary } from "./tool.ts";
import type { ToolAccess, ToolFailure, ToolTraits } from "./tool.ts";
export type { FactChange } from "./tool.ts";
import type { ClassLabel, Climb, Profile, Role } from "./verdict.ts";

/**
 * The entries of a session's log. Append-only; the transcript, the trace, the chat and the audit are views of it.
 * A type here is persisted: a change of meaning takes a new `v`, and a frozen example in test/fixtures/persisted.
 */

export type InputMode = "queue" | "join" | "replace";
export type RunSource = "web" | "api" | "webhook" | "schedule" | "capsule" | "heartbeat";

export type CallStatus = "ok" | "error" | "refused" | "denied" | "cancelled" | "unknown";

interface Bodies {
  user_message: {
    readonly id: string;
    readonly author: string;
    readonly source: RunSource;
    readonly parts: readonly PromptPart[];
    /** `answer`: the answer to an open question, which becomes the question's result */
    readonly mode: InputMode | "answer";
    /** trace ID of a message that began no run; a run has its own in its specification */
    readonly traceId?: string;
  };
  command_queued: {
    readonly id: string;
    readonly actor: string;
    /** `retry_now` ends the wait for a provider */
    readonly command: "cancel" | "extend" | "retry_now";
    /** with an extension: what the run has from here on */
    readonly limits?: Limits;
    readonly reason: string | null;
    /** replaced by newer input, not stopped by a person */
    readonly superseded: boolean;
  };
  run_queued: RequestedLimits &
    RunOrigin & {
      /** message id of the input */
      readonly message: string;
      /** seq of its user_message */
      readonly inputSeq: number;
      /** what the client calls the first segment of the run's stream */
      readonly request: string | null;
      readonly actor: string;
      readonly source: RunSource;
      readonly model: string;
      readonly fallbacks: readonly string[];
      readonly temperature: number | null;
      /** who decides its approvals; absent where the session's owner does */
      readonly approvers?: readonly string[];
      /** of the requester, from their credential */
      readonly role: Role;
      /** files were sent along */
      readonly files?: true;
      /** the session was imported from a file: this deployment does not vouch for its content */
      readonly imported?: true;
      /** the parent run; absent for a run without one */
      readonly parent?: ParentRun;
      /** it goes on from an earlier run, which had read content from outside, or had not */
      readonly previous?: "tainted" | "private";
      readonly spec: RunSpec;
    };
  /** a model is asked for the class of the run that begins next: once, whatever becomes of it */
  label_asked: { readonly model: string; readonly reservedTokens: number; readonly reservedCost: number };
  /** result of the labelling; no label if it failed, was cut off by a crash or was unreadable */
  run_labelled: {
    readonly label: ClassLabel | null;
    readonly why: "labelled" | "unreadable" | "failed" | "interrupted";
    readonly usage: Usage;
  };
  run_started: {
    readonly grant: readonly {
      readonly tool: string;
      readonly version: number;
      readonly effect: EffectClass;
    }[];
    readonly notOffered: readonly { readonly tool: string; readonly why: string }[];
    readonly model: string;
    readonly limits: Limits;
    /** digest of the static prefix */
    readonly prompt: string;
    readonly harness: string;
    /** in which its first model is asked */
    readonly dialect: Dialect;
    /** of a run that no person asked for: the tools that it may write with; absent where there are none */
    readonly unattended?: readonly string[];
    /** places that it may write to there */
    readonly reachable?: readonly string[];
    /** the class of the run, and by which rule and score it came about */
    readonly profile: Profile;
    readonly classified: { readonly rule: number; readonly score: number; readonly work: boolean };
    readonly policy: RunPolicy;
  };
  step_started: {
    readonly purpose: "step" | "final";
    readonly model: string;
    /** in which the model is asked; absent is native */
    readonly dialect?: Dialect;
    readonly n: number;
    /** the entries that the prompt was made of */
    readonly window: { readonly from: number; readonly to: number };
    readonly promptChars: number;
    /** tokens that each attempt sets aside, and millionths of a dollar */
    readonly reservedTokens: number;
    readonly reservedCost: number;
    /** tokens of output that the reservation holds */
    readonly maxOut: number;
    /** digest of the whole prompt of the first attempt */
    readonly promptDigest: string;
    /** estimated tokens of the request of the first attempt, and of its sections */
    readonly promptTokens: number;
    readonly size: PromptSize;
    /** no model is asked: so many attempts of the run are started */
    readonly attempts?: number;
    /** what a hook changed of this step's model call */
    readonly patch?: StepPatch;
  };
  attempt_lost: {
    /** the effect whose wake died: a step, a call, or `<call>.preview` */
    readonly effect: string;
    readonly what: "model" | "tool" | "preview";
    readonly attempt: number;
    /** of a model, and of a tool that costs something: millionths of a dollar that the run is charged with */
    readonly cost?: number;
  };
  model_replied: {
    readonly attempt: number;
    /** seq of the entry that opened this attempt; places the streamed text */
    readonly base: number;
    /** head of the log when its prompt was made: input up to here has been read */
    readonly readTo: number;
    readonly parts: readonly ReplyPart[];
    readonly calls: readonly ProposedCall[];
    readonly finish: FinishReason;
    /** how it was read; absent for a native one in which there was nothing to read */
    readonly parse?: Parse;
    /** digest of the words of its text, in a list */
    readonly words: readonly string[];
    readonly usage: Usage;
    readonly model: string;
    readonly ms: number;
    readonly firstTokenMs: number | null;
  };
  model_failed: {
    readonly attempt: number;
    readonly model: string;
    readonly class: ModelErrorClass;
    readonly message: string;
    readonly retryAfterMs: number | null;
    readonly usage: Usage | null;
    /**
     * what is done about it: wait until `until`, go on with the next model, send less at once, ask at once in the dialect
     * json from here on, send at once with a field of thoughts in each answer of the history, or without what the provider may
     * have refused (core/prompt/plain.ts), force the answer, or end the run
     */
    readonly then: "retry" | "fallback" | "compact" | "dialect" | "reasoning" | "plain" | "force" | "end";
    readonly until: number | null;
    /** fallbacks that are passed over, because they hold no more; absent is 0 */
    readonly passed?: number;
  };
  call_intended: {
    readonly call: string;
    readonly tool: string;
    readonly effect: EffectClass;
    readonly argsDigest: string;
    readonly key: string;
    readonly attempt: number;
    /** what is set aside for the child that it starts; absent of any other call */
    readonly share?: Share;
  };
  call_deferred: CallDeferred;
  child_reported: ChildReported;
  child_stopped: ChildStopped;
  call_settled: {
    readonly call: string;
    readonly tool: string;
    readonly status: CallStatus;
    /** as the model is shown it, cut */
    readonly observation: string;
    /** characters of the whole output */
    readonly chars: number;
    /** the result is an instruction for the run, so the prompt keeps it whole; absent if it may be shortened */
    readonly whole?: true;
    readonly failure: ToolFailure | null;
    readonly attempt: number;
    readonly ms: number;
    /** the same call was answered before; its name */
    readonly reusedFrom: string | null;
    /** mark of the result for the guards; absent if there is none to compare */
    readonly mark?: ResultMark;
    /** code of the verdict that skipped it */
    readonly skip?: string;
    /** the earlier run whose stored result this call read; `?` if it is unknown */
    readonly readFrom?: string;
    /** millionths of a dollar that the run is charged with for this attempt; absent where it costs nothing */
    readonly cost?: number;
    /** what the tool logged, for people; absent where it logged nothing */
    readonly logs?: readonly string[];
    /** the things that it made, changed, deleted or looked at, for the working memory; absent where there are none */
    readonly changes?: readonly EntityRef[];
    readonly sources?: Sources;
  };
  approval_requested: ApprovalRecord;
  approval_voted: ApprovalVote;
  approval_escalated: ApprovalEscalated;
  policy_remembered: PolicyRemembered;
  policy_revoked: { readonly policy: string; readonly actor: string };
  approval_decided: ApprovalDecided;
  /** the reason for a denial, given a little later */
  approval_explained: Explained;
  human_asked: QuestionRecord;
  human_answered: AnswerRecord;
  client_asked: ClientCallRequest;
  client_answered: ClientAnswered;
  budget_asked: BudgetAsk;
  budget_answered: BudgetAnswer;
  approval_cancelled: { readonly approval: string; readonly call: string; readonly reason: string };
  /** by a hook or a memory tool; changes by other tools are in their call_settled */
  memory_changed: {
    readonly call: string | null;
    /** the tool of that call */
    readonly tool: string | null;
    readonly changes: readonly EntityRef[];
    /** facts stored or forgotten; absent where there are none */
    readonly facts?: readonly FactChange[];
    /** who had it remembered or forgotten; absent where the agent or a hook did it */
    readonly by?: string;
  };
  verdict: {
    readonly point: "before_model" | "after_reply" | "before_tool" | "after_result" | "before_finish";
    readonly call: string | null;
    readonly code: string;
    readonly rule: string;
    readonly act: "note" | "retry" | "wait" | "reask" | "force" | "end";
    readonly hint: string;
    readonly evidence: readonly number[];
    /** when a retry is due */
    readonly until: number | null;
    /** of a retry: the time before which the other side does not want to be asked; absent where it named none */
    readonly retryAt?: number;
    /** of a retry: millionths of a dollar that the run is charged with for the attempt that failed */
    readonly cost?: number;
    /** the models from now on, the one that is asked next first */
    readonly models?: readonly string[];
    /** how the ladder of loops was climbed */
    readonly climb?: Climb;
    /** back to the first rung, once */
    readonly again?: true;
    /** what the run has from here on, after an extension or a promotion */
    readonly limits?: Limits;
    readonly profile?: Profile;
  };
  review: {
    readonly round: number;
    readonly accept: boolean;
    readonly codes: readonly string[];
    readonly by: "rules";
    readonly text: string;
  };
  plan_changed: PlanChanged;
  /** how far the run is, in the words of the model */
  progress_noted: Progress & { readonly call: string };
  /** tools that a call of find_tool found: the run is offered them from its next step on */
  tools_found: { readonly call: string; readonly tools: readonly string[] };
  compacted: Compacted;
  answer: {
    readonly text: string;
    readonly source: "plain" | "marker" | "tag" | "complete" | "forced" | "mechanical";
    /** whether the reply's own text already showed it */
    readonly shown: boolean;
    readonly confidence: number | null;
    readonly summary: string | null;
    /** what a run that must answer with a value has answered; null where it answers in words */
    readonly value: Json;
    /** what the run came to, by the log and not by the text */
    readonly receipt: Receipt;
    /** the newest calls of the run, for the runs after it; absent where there are none */
    readonly calls?: readonly CallSummary[];
    /** what it cites; absent of a run whose citations are not checked */
    readonly citations?: CitationList;
    /** what was taken out of it, for people; absent where there is nothing */
    readonly warnings?: readonly string[];
  };
  run_ended: {
    readonly outcome: Outcome;
    readonly class: OutcomeClass;
    /** the fine form for people and faces; null when plainly answered */
    readonly reason: string | null;
    readonly steps: number;
    readonly usage: Usage;
    readonly activeMs: number;
    /** with all below it; absent where it has started no child, and is none */
    readonly tree?: TreeUsed;
  };
  session_cleared: { readonly actor: string };
  /** the model has named the session; an empty title is none */
  titled: { readonly title: string; readonly model: string; readonly usage: Usage };
  /** whether runs that wait in the queue may begin */
  queue_held: { readonly actor: string; readonly held: boolean };
  /** the person asks again: the answer of this run is hidden from people and models */
  answer_hidden: { readonly run: string; readonly actor: string };
  note: NoteRecord;
}

export type EntryKind = keyof Bodies;
export type BodyOf<Kind extends EntryKind> = Bodies[Kind];

/** An entry before it has its place in the log. `run` and `step` are local names such as `r3` and `r3s4`. */
export type EntryDraft<Kind extends EntryKind = EntryKind> = {
  [K in Kind]: {
    readonly kind: K;
    readonly run: string | null;
    readonly step: string | null;
    readonly body: Bodies[K];
  };
}[Kind];

/** An entry of the log. `seq` counts from 1 without a gap; `at` is milliseconds since the epoch, never falling. */
export type Entry<Kind extends EntryKind = EntryKind> = EntryDraft<Kind> & {
  readonly seq: number;
  readonly at: number;
  readonly v: 1;
};

/** The entry as one of a kind, or null. */
export function asKind<Kind extends EntryKind>(entry: Entry, kind: Kind): Entry<Kind> | null {
  return entry.kind === kind ? (entry as Entry<Kind>) : null;
}

/** Returns the outside sources of an entry, under their names in the session; null if there are none. */
export function sourcesIn({ kind, body }: Entry): Sources | null {
  return kind === "call_settled" || kind === "child_reported" ? (body.sources ?? null) : null;
}

/** A call of a reply, with the deployment's facts about its tool. A refused one has a reason and never runs. */
export interface ProposedCall {
  readonly call: string;
  readonly tool: string;
  readonly title: string;
  readonly input: Json;
  readonly effect: EffectClass;
  readonly gate: Gate;
  readonly refused: ToolFailure | null;
  /** an equal call earlier in the same reply: it runs once and both get its result */
  readonly duplicateOf: string | null;
  /** mark for the guards; absent for an unknown tool */
  readonly mark?: CallMark;
  readonly traits?: ToolTraits;
  /** who may have it called, and what its result does to the run; absent like `mark` */
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

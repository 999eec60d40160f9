import type { SendTo } from "../address.ts";
import type { ApprovalRules, Outlook } from "./approval.ts";
import type { Json, JsonObject } from "./json.ts";
import type { EffectClass } from "./names.ts";
import type { FoundSources } from "./receipt.ts";

/** Impact of a call, from harmless to dangerous. Decides who may run it and whether a person is asked. */
export type Tier = "open" | "write" | "publish" | "external" | "admin" | "danger";

/** When a person is asked: never, always, or depending on the preview; `deny` forbids the tool. */
export type Gate = "never" | "ask" | "depends" | "deny";

/**
 * Source of a tool's output: outside (the web, files, foreign servers), private data (drafts, memory, files of the
 * owner), public data, or its own input alone.
 */
export type Reads = "outside" | "private" | "public" | "none";

/**
 * `external` if a call carries text of the run out of this deployment: a request to an address, a message, a
 * publication.
 */
export type Reach = "none" | "external";

/** Classes of failure. The first four may succeed unchanged later. */
export type ErrorClass =
  | "rate_limit"
  | "server"
  | "network"
  | "timeout"
  | "auth"
  | "permission"
  | "invalid_args"
  | "too_large"
  | "not_found"
  | "conflict"
  | "policy"
  | "internal";

export const RETRYABLE: ReadonlySet<ErrorClass> = new Set(["rate_limit", "server", "network", "timeout"]);

/** A failure, worded for the model and the person. */
export interface ToolFailure {
  readonly class: ErrorClass;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly hint?: string;
  readonly suggestions?: readonly Json[];
  /** path of the field at fault, such as `sections[1].template` */
  readonly at?: string;
  readonly details?: Json;
  /** milliseconds after which the server allows a retry, if it states a time */
  readonly retryAfterMs?: number;
}

/** A thing that a tool's result is about; becomes working memory. */
export interface EntityRef {
  readonly op: "touch" | "create" | "delete";
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly slug?: string;
  readonly parent?: { readonly type: string; readonly id: string };
}

/** Expected effect of a gated call, computed by the server from current data, never from the model's words. */
export interface Preview extends Outlook {
  /** `none`: run without asking. `ask`: a person decides; the text has the reason. `deny`: not allowed here. */
  readonly need: { readonly kind: "none" } | { readonly kind: "ask" | "deny"; readonly reason: string };
  /** a short title, such as `Publish the page "About us"` */
  readonly title: string;
  /** one sentence a person decides by */
  readonly summary: string;
  /** digest of the stored state that the preview was made from; a change until the run makes the call `approval_stale` */
  readonly basis: string | null;
}

/** Traits of a tool that the guards use, as data from its declaration. */
export interface ToolTraits {
  readonly tool: string;
  readonly effect: "read" | "keyed" | "once";
  /** bookkeeping and send tools are no work */
  readonly kind: "work" | "bookkeeping" | "send";
  /** equal calls spaced by the interval are no loop */
  readonly polling: { readonly minIntervalMs: number; readonly maxPolls: number } | null;
  /** an effect that may be wanted again with equal arguments */
  readonly repeatable: boolean;
  /** milliseconds for which an equal ok read is reused */
  readonly freshMs: number;
  /** executed calls a run; null takes the default of the class */
  readonly maxCalls: number | null;
  /** executed calls a step, and within a minute; absent is without bound */
  readonly perStep?: number;
  readonly perMinute?: number;
  /** milliseconds from one executed call to the next */
  readonly cooldownMs?: number;
  /** verbs for its effects; absent if it declares none, and then an answer may claim any verb for it */
  readonly verbs?: readonly Verb[];
}

/** Traits that determine who may call a tool, and how its results affect a run; data from its declaration. */
export interface ToolAccess {
  readonly tier: Tier;
  readonly reads: Reads;
  readonly reach: Reach;
  /** guests may use it */
  readonly public: boolean;
  /** what it begins is worked after the run; absent where its work ends with the call */
  readonly later?: true;
}

/** Properties of arguments and output that call signatures use; data from the tool's declaration. */
export interface CallShape {
  /** keys left out of arguments and output, at any depth */
  readonly volatile: readonly string[];
  /** arguments that continue a listing, such as `cursor` */
  readonly cursors: readonly string[];
  /** argument that holds a query in words */
  readonly query: string | null;
  /** arguments that name what the call works on */
  readonly target: readonly string[];
  /** arguments that hold what an effect writes; null: all but the target */
  readonly value: readonly string[] | null;
  /** path of the IDs in the output, such as `items[].id` */
  readonly ids: string | null;
  /** it sends a message: `text` to `to`, of a `kind` */
  readonly message?: true;
}

/** Everything the loop knows about a tool, as data. */
export interface ToolCard extends ToolAccess {
  readonly name: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
  readonly effect: EffectClass;
  readonly gate: Gate;
  /** who decides its calls; absent where it is as everywhere */
  readonly approvals?: ApprovalRules;
  readonly traits: ToolTraits;
  readonly shape: CallShape;
  /** JSON Schema of the input */
  readonly inputSchema: JsonObject;
  /** JSON Schema of the arguments as they are shown and run, where their fields have other names than in `inputSchema` */
  readonly argsSchema?: JsonObject;
  readonly pack: string;
  /** its calls start a run in another session; absent otherwise */
  readonly starts?: true;
  /** its results stay in the prompt as they were; absent where they may be shortened */
  readonly keepWhole?: true;
  /** the client of the run brings it and runs its calls; absent where the session does */
  readonly client?: true;
  /** a lean run is offered it; absent where it is not */
  readonly lean?: true;
  /** not on the short list of its pack: a run finds it with `find_tool` */
  readonly onDemand?: true;
  readonly timeoutMs: number;
  readonly observationMax: number;
}

/** One call, ready to run. Everything that differs between two attempts is in here. */
export interface CallOrder {
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  readonly key: string;
  readonly run: string;
  readonly subject: string;
  readonly attempt: number;
  readonly at: number;
  readonly approved: { readonly approval: string; readonly basis: string | null } | null;
  /** milliseconds that its run has left for it; the tool's own limit holds when left out, and where it is less */
  readonly timeMs?: number;
}

/** Progress of a call while it runs. */
export interface CallProgress extends Progress {
  readonly call: string;
}

/** `lost`: the effect may have happened, and its outcome is unknown (an abort, a time limit, a broken connection). */
export type ToolOutcome =
  | {
      readonly kind: "ok";
      /** the whole output */
      readonly text: string;
      /** characters of it that the model is shown at most */
      readonly showMax: number;
      readonly entities: readonly EntityRef[];
      readonly ms: number;
      /** millionths of a dollar that it reported as spent; absent without a report */
      readonly cost?: number;
      /** the lines that it logged; absent where there are none */
      readonly logs?: readonly string[];
      /** what it has read outside; absent where there is nothing */
      readonly sources?: FoundSources;
    }
  | {
      readonly kind: "failed";
      readonly failure: ToolFailure;
      readonly lost: boolean;
      readonly ms: number;
      readonly cost?: number;
      readonly logs?: readonly string[];
    };

export type PreviewOutcome =
  | { readonly kind: "ok"; readonly preview: Preview }
  | { readonly kind: "failed"; readonly failure: ToolFailure };

/** `input` is what the schema made of it (defaults filled in). */
/** Arguments as a model writes them, or as a card shows them: what the schema converts is converted then. */
export type InputForm = "asked" | "edited";

export type Checked =
  | {
      readonly ok: true;
      readonly card: ToolCard;
      readonly input: Json;
      /** millionths of a dollar that the call may cost at most; absent where it costs nothing */
      readonly costMax?: number;
      /** absent where it sends no message */
      readonly sendTo?: SendTo;
    }
  | {
      readonly ok: false;
      readonly card: ToolCard | null;
      readonly failure: ToolFailure;
      /** each field that is wrong, where that is known; the failure names the first */
      readonly issues?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
    };

export type Verb =
  | "create"
  | "add"
  | "update"
  | "rename"
  | "move"
  | "attach"
  | "delete"
  | "remove"
  | "publish"
  | "unpublish"
  | "archive"
  | "restore"
  | "send"
  | "schedule"
  | "save"
  | "close"
  | "assign"
  | "cancel"
  | "refund"
  | "pay"
  | "book"
  | "merge"
  | "commit"
  | "deploy"
  | "install"
  | "approve";

/** Progress of a tool while it runs: lines for readers of the trace, and how far it is. */

/** lines stored per call, and characters of each */
export const LOG_LINES_MAX = 20;
export const LOG_LINE_CHARS_MAX = 500;
/** a note of progress is shown at most so often */
export const PROGRESS_MS_MIN = 250;

/** How far something is: in words, and where that is known in percent. */
export interface Progress {
  readonly text: string;
  /** 0 to 100 */
  readonly percent: number | null;
}

/** calls of a run that later runs are shown, the newest, and characters of the arguments and of the result of each */
export const CALL_SUMMARIES_MAX = 8;
export const CALL_SUMMARY_INPUT_CHARS_MAX = 160;
export const CALL_SUMMARY_RESULT_CHARS_MAX = 240;
/** tokens that the calls of all earlier runs take of a prompt, estimated */
export const CALL_SUMMARIES_TOKENS_MAX = 1_500;

/** Summary of a call for later runs: it may contain outside content. */
export interface CallSummary {
  /** the name under which read_observation finds the whole result */
  readonly call: string;
  readonly tool: string;
  readonly status: string;
  /** the beginning of its arguments and of its result */
  readonly input: string;
  readonly result: string;
}

/** The value is stored only here: the state has the seq of the entry. */
export type FactChange =
  | { readonly op: "store"; readonly key: string; readonly value: string }
  | { readonly op: "forget"; readonly key: string };

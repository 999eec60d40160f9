import type { JsonObject } from "./json.ts";
import type { ApprovalRules } from "./approval.ts";
import type { Dialect } from "./model.ts";
import type { ClientTool } from "./client-tool.ts";
import type { PluginOptions } from "./plugin-options.ts";
import type { CitationRule } from "./receipt.ts";
import type { Targets } from "./targets.ts";
import { DEFAULT_RUN_POLICY, type RunPolicy } from "./run.ts";

export type { Dialect } from "./model.ts";

/** Placeholder for the request in a template. */
export const OBJECTIVE = "{{objective}}";

/**
 * The frozen specification of a run: built from the request, its agent and the deployment at acceptance, and stored in
 * its `run_queued`. Later edits of the agent do not affect it.
 */
export interface RunSpec {
  /** name of its agent */
  readonly agent: string;
  /** of the agent's definition, as it was then */
  readonly agentDigest: string;
  /** follows the prompt modules: the agent's instructions, then the caller's */
  readonly instructions: string;
  /** template of the request in the prompt; `{{objective}}` is replaced by the message. null: the message unchanged */
  readonly objectiveTemplate: string | null;
  /** names of the tools that it may use at most; null: all of the deployment. Built-in tools are always there */
  readonly tools: readonly string[] | null;
  /** agents that it is offered as tools, as they were then; absent where there are none */
  readonly agents?: readonly { readonly name: string; readonly description: string }[];
  /** tools that its client brings and runs; absent where there are none */
  readonly clientTools?: readonly ClientTool[];
  /** how often it is worked, side by side, before one answer is made of it; absent: once */
  readonly rollouts?: number;
  /** auto: as its model can */
  readonly dialect: Dialect | "auto";
  /** whether the prompt instructs the model to end the run with a line `FINAL_ANSWER:` */
  readonly marker: boolean;
  /** whether a model names the class of the run, where its words leave it open: one small call before it begins */
  readonly classLabel: boolean;
  /** whether the first step of a run that is asked for a plan is offered nothing but the plan */
  readonly planFirst: boolean;
  readonly transcript: "compact" | "window" | "none";
  /** tokens that one request may have; null: what its model can read */
  readonly requestTokens: number | null;
  /** characters of a result that its prompt shows at most: of a tool that reads, and of the others; null: the tool's own */
  readonly observationChars: { readonly reads: number; readonly others: number } | null;
  readonly policy: RunPolicy;
  /** approval rules of tools, with priority over the tool's own */
  readonly approvals: { readonly [tool: string]: ApprovalRules };
  /** stricter than the tool's own: a person is asked each time, or it is not allowed */
  readonly gates: { readonly [tool: string]: "ask" | "deny" };
  /** of every approval of it: how many must agree at least, how many milliseconds it waits at most, whether it ends then */
  readonly votes: {
    readonly needed: number;
    readonly expiresMs: number | null;
    readonly denyOnExpiry: boolean;
  };
  /** tools that it may write with where no person asked for it */
  readonly unattended: readonly string[];
  /** false: thoughts are shown to admins alone */
  readonly showThoughts: boolean;
  /** name of the result */
  readonly resultKey: string;
  /** JSON Schema that the value of `complete` must satisfy; null: it answers in words */
  readonly output: JsonObject | null;
  /** whether citation marks are checked, and required; absent if unset: then the class decides */
  readonly citations?: "off" | CitationRule;
  /** how its answer reaches whoever asked: by itself, which absent says too, or by the messages that it sends */
  readonly deliver?: "reply" | "tool";
  /** it takes in no words from outside: tools that tell such are withheld. Absent: it does */
  readonly quarantine?: true;
  /** of its agent, as plugins read them when it was accepted; absent: none */
  readonly options?: PluginOptions;
  /** an ended run that it goes on from; null where it begins anew */
  readonly previous: PreviousRun | null;
  /** what its tools work on; absent: the deployment's own */
  readonly targets?: Targets;
  /** of the caller, given back as it came */
  readonly metadata: JsonObject | null;
  /** the caller's own id of the request */
  readonly traceId: string | null;
  /** what was taken otherwise than it was asked */
  readonly warnings: readonly SpecWarning[];
}

/** Summary of the run that this one continues: its text as data, never its grant or decisions. */
export interface PreviousRun {
  /** full id */
  readonly run: string;
  readonly objective: string;
  /** empty without an answer */
  readonly answer: string;
  /** its fine outcome */
  readonly outcome: string;
  /** lines of the working memory of its session */
  readonly memory: readonly string[];
  /** it had read content from outside */
  readonly tainted: boolean;
}

/** `code` such as `clipped_to_cap`; `path` of the field, such as `budget.tokens`. */
export interface SpecWarning {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** Specification of a run without settings by deployment or agent. */
export const PLAIN_SPEC: RunSpec = {
  agent: "default",
  agentDigest: "",
  instructions: "",
  objectiveTemplate: null,
  tools: null,
  dialect: "auto",
  marker: false,
  classLabel: false,
  planFirst: false,
  transcript: "compact",
  requestTokens: null,
  observationChars: null,
  policy: DEFAULT_RUN_POLICY,
  approvals: {},
  gates: {},
  votes: { needed: 1, expiresMs: null, denyOnExpiry: false },
  unattended: [],
  showThoughts: true,
  resultKey: "result",
  output: null,
  previous: null,
  metadata: null,
  traceId: null,
  warnings: [],
};

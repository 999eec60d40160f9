import { RESULT_KEY, TARGET_NAME } from "../core/log/names.ts";
import { agentNamedTwice, namedTwice } from "../core/family/ask.ts";
import { rulesFault, votesFault } from "../core/guards/approval-rules.ts";
import { digestOf } from "../core/log/digest.ts";
import { isObject, toJson } from "../core/log/json.ts";
import type { Result } from "../core/log/result.ts";
import { modelForms, parseModelName } from "../core/log/model.ts";
import { DEFAULT_RUN_POLICY, type RunPolicy, type OnStuck, type Questions } from "../core/log/run.ts";
import { optionsFault } from "../core/log/plugin-options.ts";
import { PLAIN_SPEC, type RunSpec } from "../core/log/run-spec.ts";
import type { CitationRule } from "../core/log/receipt.ts";
import { OBJECTIVE } from "../core/log/run-spec.ts";
import { NO_HOOKS, type Hooks } from "../core/loop/hooks.ts";
import { budgetOf, presetOf, type Budget, type BudgetDefinition } from "./budget.ts";

/** How the runs of an agent are led: its words, its tools, who decides, what a run may use, and hooks. */
export interface Agent {
  /** for people */
  readonly description: string;
  /** what a run of it begins with */
  readonly spec: Omit<RunSpec, "agent" | "votes" | "previous" | "metadata" | "traceId" | "warnings">;
  readonly hooks: Hooks;
  readonly budget: Budget;
  /** null: the session's, or the deployment's */
  readonly model: string | null;
  /** null: the deployment's */
  readonly fallbacks: readonly string[] | null;
  /** subjects with the scope admin who are admins; null: each of them. An empty list means that there is no admin */
  readonly admins: readonly string[] | null;
  /** false: a message that brings tools of its client is refused */
  readonly clientTools: boolean;
}

/** The agents that a session may have its runs worked by. */
export interface Agents {
  /** a file of this deployment, or what `load` has read a moment ago */
  find(name: string): Result<Agent, AgentFault>;
  /** those that are known without a read */
  names(): readonly string[];
  /** Makes `find` know an agent that was stored over the API. Never throws; a file costs nothing. */
  load(name: string): Promise<void>;
}

/** Why no run of an agent can be accepted. */
export type AgentFault =
  | { readonly kind: "unknown" }
  /** not loaded yet, or too long ago */
  | { readonly kind: "unread" }
  /** where it is stored could not be asked */
  | { readonly kind: "unavailable" }
  /** it was stored, and does not fit this deployment any more */
  | { readonly kind: "broken"; readonly issues: readonly AgentIssue[] };

/** A problem with one field of an agent definition that arrived as JSON. */
export interface AgentIssue {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** An agent as it is written down: what is left out is as everywhere. */
export interface AgentDefinition
  extends BudgetDefinition, Partial<Omit<SpecFields, "citations" | "deliver" | "quarantine">> {
  readonly description: string;
  readonly hooks?: Hooks;
  /** whether citation marks are checked against the sources read, and required; default `off` */
  readonly citations?: "off" | CitationRule;
  /** delivery of answers: automatic, or by messages that the run sends; default `reply` */
  readonly deliver?: "reply" | "tool";
  /** its runs take in no words from outside; default false */
  readonly quarantine?: boolean;
  /** whether chat pages may bring tools that they run themselves; default true */
  readonly clientTools?: boolean;
  readonly model?: string;
  readonly fallbacks?: readonly string[];
  /** of the deployment's agent `default` alone: it holds for the whole deployment */
  readonly admins?: readonly string[] | null;
  /** at the top of the ladder of loops; `answer` is another name of `force_answer` */
  readonly onStuck?: Omit<OnStuck, "action"> & { readonly action?: OnStuck["action"] | "answer" };
  readonly questions?: Partial<Questions>;
}

/** Run specification fields that an agent may set for each of its runs. */
export const SPEC_FIELDS = [
  "instructions",
  "objectiveTemplate",
  "tools",
  "dialect",
  "marker",
  "classLabel",
  "planFirst",
  "transcript",
  "observationChars",
  "approvals",
  "gates",
  "unattended",
  "showThoughts",
  "resultKey",
  "output",
  "citations",
  "deliver",
  "quarantine",
  "options",
  "targets",
] as const satisfies readonly (keyof RunSpec)[];
type SpecFields = Pick<RunSpec, (typeof SPEC_FIELDS)[number]>;

const INSTRUCTIONS_CHARS_MAX = 20_000;
const HINT_CHARS_MAX = 1_000;
const ACTIONS: readonly string[] = ["force_answer", "answer", "fail", "retry_with_hint", "escalate"];
const ITERATIONS = { from: 2, to: 10 };

const TOOL_NAME = /^[a-z][a-z0-9_]*$/;

/** Declares an agent. Throws at load on a value out of its bounds, and on a rule that can never hold, so that it cannot be deployed. */
export function defineAgent(definition: AgentDefinition): Agent {
  const { description, hooks = NO_HOOKS, model = null, fallbacks = null, admins = null } = definition;
  const preset = presetOf(definition);
  const {
    instructions = "",
    objectiveTemplate = null,
    tools = preset?.tools ?? null,
    dialect = preset?.dialect ?? PLAIN_SPEC.dialect,
    marker = preset?.marker ?? PLAIN_SPEC.marker,
    classLabel = preset?.classLabel ?? PLAIN_SPEC.classLabel,
    planFirst = preset?.planFirst ?? PLAIN_SPEC.planFirst,
    transcript = preset?.transcript ?? PLAIN_SPEC.transcript,
    observationChars = preset?.observationChars ?? PLAIN_SPEC.observationChars,
    approvals = {},
    gates = {},
    unattended = [],
    showThoughts = true,
    resultKey = PLAIN_SPEC.resultKey,
    output = null,
    citations = preset?.citations ?? undefined,
    deliver = "reply",
    quarantine = false,
    options = {},
    targets,
    clientTools = true,
  } = definition;
  if (citations !== undefined && !CITATIONS.includes(citations))
    throw new Error(`citations are one of ${CITATIONS.join(", ")}`);
  if (deliver !== "reply" && deliver !== "tool") throw new Error("deliver of an agent is reply or tool");
  if (typeof clientTools !== "boolean") throw new Error("clientTools of an agent is true or false");
  if (typeof quarantine !== "boolean") throw new Error("quarantine of an agent is true or false");
  const named = { instructions, objectiveTemplate, tools, dialect, marker, transcript, approvals, gates };
  const fields: SpecFields = {
    ...named,
    classLabel,
    planFirst,
    observationChars,
    unattended,
    showThoughts,
    resultKey,
    output,
    ...(citations === undefined ? {} : { citations }),
    ...(deliver === "tool" ? { deliver } : {}),
    ...(quarantine ? ({ quarantine } as const) : {}),
    ...(isObject(options) && Object.keys(options).length === 0 ? {} : { options }),
    ...(targets === undefined ? {} : { targets }),
  };
  refuseFields(fields);
  refuseRules(admins, unattended, approvals);
  for (const name of [model, ...(fallbacks ?? [])])
    // The names of a project's models are checked by createCairn.
    if (name !== null && parseModelName(name, null) === null)
      throw new Error(`a model of an agent is ${modelForms(null)}, not "${name}"`);
  const budget = budgetOf(definition);
  const policy = runPolicyOf(definition);
  const { hooks: _hooks, ...written } = definition;
  const agentDigest = digestOf(toJson(written));
  const spec = { ...fields, agentDigest, policy, requestTokens: budget.requestTokens };
  return { description, spec, hooks, budget, model, fallbacks, admins, clientTools };
}

const CITATIONS: readonly string[] = ["off", "check", "require"];
const CUT = { from: 500, to: 16_384 };
const DIALECTS: readonly string[] = ["auto", "native", "json", "tags"];
const TRANSCRIPTS: readonly string[] = ["compact", "window", "none"];

/** Rejects what the types forbid but a stored definition can still contain. */
function refuseFields(fields: SpecFields): void {
  const {
    instructions,
    objectiveTemplate,
    tools,
    dialect,
    transcript,
    gates,
    resultKey,
    options = {},
    targets = {},
  } = fields;
  if (instructions.length > INSTRUCTIONS_CHARS_MAX)
    throw new Error(`instructions of an agent have at most ${INSTRUCTIONS_CHARS_MAX} characters`);
  if (objectiveTemplate !== null && !objectiveTemplate.includes(OBJECTIVE))
    throw new Error(`objectiveTemplate of an agent says ${OBJECTIVE} where the words stand`);
  if ((objectiveTemplate ?? "").length > INSTRUCTIONS_CHARS_MAX)
    throw new Error(`objectiveTemplate of an agent has at most ${INSTRUCTIONS_CHARS_MAX} characters`);
  if (tools !== null && !tools.every((name) => /^(pack:|agent:)?[a-z][a-z0-9_-]*$/.test(name)))
    throw new Error(
      'tools of an agent is a list of names, such as ["page_create", "pack:images", "agent:writer"]',
    );
  const twice = agentNamedTwice(tools);
  if (twice !== null) throw new Error(namedTwice(twice));
  if (!DIALECTS.includes(dialect)) throw new Error(`dialect of an agent is one of ${DIALECTS.join(", ")}`);
  if (!TRANSCRIPTS.includes(transcript))
    throw new Error(`transcript of an agent is one of ${TRANSCRIPTS.join(", ")}`);
  for (const [tool, gate] of Object.entries(gates))
    if (gate !== "ask" && gate !== "deny") throw new Error(`gates.${tool} of an agent is "ask" or "deny"`);
  const { observationChars: cut } = fields;
  for (const chars of cut === null ? [] : [cut.reads, cut.others])
    if (!Number.isInteger(chars) || chars < CUT.from || chars > CUT.to)
      throw new Error(
        `observationChars of an agent is { reads, others }, whole numbers from ${CUT.from} to ${CUT.to}`,
      );
  if (!isObject(options) || !Object.values(options).every(isObject))
    throw new Error("options of an agent is an object with an object for each plugin");
  const outOfBounds = optionsFault(options);
  if (outOfBounds !== null) throw new Error(`options of an agent: ${outOfBounds}`);
  if (!RESULT_KEY.test(resultKey))
    throw new Error("resultKey of an agent has letters, digits and _, and begins with no digit");
  if (
    !isObject(targets) ||
    !Object.entries(targets).every(([name, value]) => TARGET_NAME.test(name) && isObject(value))
  )
    throw new Error("targets of an agent is an object with an object for each name");
}

/** Types do not stop a deployment. Whether the tools are there is known where the packs are (tools/registry.ts). */
function refuseRules(
  admins: Agent["admins"],
  unattended: SpecFields["unattended"],
  approvals: SpecFields["approvals"],
): void {
  const isList = (value: unknown): boolean =>
    Array.isArray(value) && value.every((one) => typeof one === "string" && one !== "");
  if (admins !== null && !isList(admins)) throw new Error("admins of an agent is a list of subjects");
  if (!isList(unattended) || !unattended.every((name) => TOOL_NAME.test(name)))
    throw new Error('unattended of an agent is a list of names of tools, such as ["page_create"]');
  for (const [tool, rules] of Object.entries(approvals)) {
    const fault = rulesFault(rules) ?? votesFault(rules, admins);
    if (fault !== null) throw new Error(`approvals.${tool} of an agent can never hold: ${fault}`);
  }
}

function runPolicyOf(agent: AgentDefinition): RunPolicy {
  const { questions } = agent;
  const onStuck = agent.onStuck ?? presetOf(agent)?.onStuck ?? undefined;
  const {
    hint = "",
    iterations = ITERATIONS.from,
    action = DEFAULT_RUN_POLICY.onStuck.action,
  } = onStuck ?? {};
  if ((onStuck !== undefined && typeof onStuck !== "object") || !ACTIONS.includes(action))
    throw new Error(`onStuck of an agent is { action } with one of ${ACTIONS.join(", ")}`);
  if (hint.length > HINT_CHARS_MAX)
    throw new Error(`a hint of onStuck has at most ${HINT_CHARS_MAX} characters`);
  if (!Number.isInteger(iterations) || iterations < ITERATIONS.from || iterations > ITERATIONS.to)
    throw new Error(`iterations of onStuck are a whole number from ${ITERATIONS.from} to ${ITERATIONS.to}`);
  const waitMs = questions?.waitMs ?? presetOf(agent)?.questionMs ?? DEFAULT_RUN_POLICY.questions.waitMs;
  if (!Number.isInteger(waitMs) || waitMs <= 0)
    throw new Error("waitMs of questions is a positive whole number");
  return {
    onStuck: onStuck === undefined ? DEFAULT_RUN_POLICY.onStuck : { ...onStuck, action: actionOf(action) },
    questions: { ...DEFAULT_RUN_POLICY.questions, ...questions, waitMs },
  };
}

const actionOf = (action: OnStuck["action"] | "answer"): OnStuck["action"] =>
  action === "answer" ? "force_answer" : action;

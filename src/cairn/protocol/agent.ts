import * as z from "zod";
import { rulesFault } from "../core/guards/approval-rules.ts";
import { entryOf, dollars } from "../core/guards/budget/amounts.ts";
import { PROFILES } from "../core/guards/budget/profiles.ts";
import { optionsFault } from "../core/log/plugin-options.ts";
import { isVisible } from "./chat-body.ts";
import { faultWords } from "./fault-words.ts";
import { pathText, type Issue } from "./issues.ts";
import { json } from "./json.ts";
import { capsuleIssues } from "./run-spec/capsule.ts";
import { issueAt, issuesOf, refuse } from "./run-spec/faults.ts";
import { RUN_REQUEST } from "./run-spec/shape.ts";

/** An agent as JSON: the fields of a file of src/agents, except code and settings of the whole deployment. */

const DESCRIPTION_CHARS_MAX = 1_000;
const TEMPLATE_CHARS_MAX = 20_000;
const AGENT_TOOLS_MAX = 128;
const TOOL_NAME_CHARS_MAX = 100;
const OBJECTIVE = "{{objective}}";

const requestFields = RUN_REQUEST.shape;
const profiles = Object.keys(PROFILES) as (keyof typeof PROFILES)[];
const toolName = z.string().min(1).max(TOOL_NAME_CHARS_MAX);
const tools = z.array(toolName).max(AGENT_TOOLS_MAX);
const amount = z.int().min(1);
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .transform((given) => given.toWellFormed());
const byTool = <Value extends z.ZodType>(value: Value) =>
  z
    .record(z.string(), value)
    .superRefine((given, context) => {
      if (Object.keys(given).length > AGENT_TOOLS_MAX)
        refuse(context, "out_of_range", `It must name at most ${AGENT_TOOLS_MAX} tools.`);
    })
    .optional();
const subjects = z.array(z.string()).optional();

const rules = z.strictObject({
  approvers: subjects,
  needed: z.int().optional(),
  requesterMayApprove: z.boolean().optional(),
  alwaysAsk: z.boolean().optional(),
  remember: z.array(z.enum(["args", "tool"])).optional(),
  expiresMs: z.int().optional(),
  onExpiry: z.enum(["deny", "escalate"]).optional(),
  escalateTo: subjects,
});

const limits = z.strictObject({
  steps: amount.optional(),
  activeMs: amount.optional(),
  outputTokens: amount.optional(),
  toolCalls: amount.optional(),
  messages: amount.optional(),
  tokens: amount.optional(),
  costUsd: z.number().positive().max(1_000_000).optional(),
});

const questions = z.strictObject({
  waitMs: amount.optional(),
  otherwise: z.enum(["go_on", "end"]).optional(),
});

/** Validated against the plugins where the agent is read (agents/stored/read-options.ts). */
const options = z.record(z.string(), z.record(z.string(), json)).superRefine((written, context) => {
  const fault = optionsFault(written);
  if (fault !== null) refuse(context, "out_of_range", fault);
});

/** Fields that mean the same for a run are those of the run specification. */
export const agentSchema = z.strictObject({
  description: text(DESCRIPTION_CHARS_MAX).superRefine((given, context) => {
    if (!isVisible(given)) refuse(context, "out_of_range", "It must not be empty.");
  }),
  instructions: requestFields.instructions,
  objectiveTemplate: text(TEMPLATE_CHARS_MAX)
    .superRefine((given, context) => {
      if (!given.includes(OBJECTIVE))
        refuse(context, "out_of_range", `It must say ${OBJECTIVE} where the words stand.`);
    })
    .nullable()
    .optional(),
  tools: tools.nullable().optional(),
  dialect: z.enum(["auto", "native", "json", "tags"]).optional(),
  marker: z.boolean().optional(),
  classLabel: z.boolean().optional(),
  planFirst: z.boolean().optional(),
  transcript: z.enum(["compact", "window", "none"]).optional(),
  observationChars: z.strictObject({ reads: z.int(), others: z.int() }).nullable().optional(),
  approvals: byTool(
    rules.superRefine((given, context) => {
      const fault = rulesFault(given);
      if (fault !== null) refuse(context, "out_of_range", `These rules can never hold: ${fault}.`);
    }),
  ),
  gates: byTool(z.enum(["ask", "deny"])),
  unattended: tools.optional(),
  showThoughts: z.boolean().optional(),
  resultKey: requestFields.result_key,
  output: requestFields.output.unwrap().nullable().optional(),
  citations: requestFields.citations,
  deliver: z.enum(["reply", "tool"]).optional(),
  quarantine: requestFields.quarantine,
  clientTools: z.boolean().optional(),
  options: options.optional(),
  targets: requestFields.targets,
  model: requestFields.model,
  fallbacks: requestFields.fallback_models,
  preset: requestFields.preset,
  profile: z.enum(profiles).optional(),
  limits: limits.optional(),
  onExhausted: requestFields.on_exhausted,
  onStuck: requestFields.on_stuck,
  questions: questions.optional(),
});

export type AgentFields = z.output<typeof agentSchema>;

/** Made once: each schema compiles its own parser at its first use. */
const partialAgent = agentSchema.partial();

/** Fields that only a file can set, and why. */
const OF_FILES: Readonly<Record<string, string>> = {
  hooks: "Hooks are code: only an agent that is a file of the deployment has them.",
  admins: "Who is an admin holds for the whole deployment: src/agents/default.ts says it.",
  day: "What a day may cost holds for the whole deployment: src/agents/default.ts says it.",
};

export interface ParsedAgent {
  /** those that are sound by themselves, whatever is wrong with the others */
  readonly fields: Partial<AgentFields>;
  /** tools that it names, wherever it does */
  readonly tools: readonly NamedTool[];
  /** everything that is wrong with it */
  readonly issues: readonly Issue[];
}

/** `path`: position of the name. */
export interface NamedTool {
  readonly field: "tools" | "unattended" | "gates" | "approvals";
  readonly path: string;
  readonly name: string;
}

/** Never throws. */
export function parseAgent(body: unknown): ParsedAgent {
  const parsed = agentSchema.safeParse(body, { error: faultWords, reportInput: true });
  const found = parsed.success ? [] : parsed.error.issues;
  const fields = parsed.success
    ? parsed.data
    : soundFields(body, new Set(found.map(({ path: [key] }) => key)));
  const issues = found.flatMap((fault) => issuesOf(fault, pathText, keysAt)).map(ofFiles);
  const hasIssue = (path: string): boolean => issues.some((issue) => issue.path.startsWith(path));
  const isUnsure = fields.profile !== "time_capsule" || hasIssue("limits") || hasIssue("preset");
  const capsule = isUnsure ? [] : capsuleOf(fields);
  return { fields, tools: toolsIn(body), issues: [...issues, ...capsule] };
}

const isHolder = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function toolsIn(body: unknown): NamedTool[] {
  if (!isHolder(body)) return [];
  const lists = (["tools", "unattended"] as const).flatMap((field) =>
    (Array.isArray(body[field]) ? body[field] : []).map((name: unknown, at) => ({ field, at, name })),
  );
  const rows = (["gates", "approvals"] as const).flatMap((field) =>
    Object.keys(isHolder(body[field]) ? body[field] : {}).map((name) => ({ field, at: name, name })),
  );
  return [...lists.slice(0, 2 * AGENT_TOOLS_MAX), ...rows.slice(0, 2 * AGENT_TOOLS_MAX)].flatMap(
    ({ field, at, name }) =>
      typeof name === "string" && name.length <= TOOL_NAME_CHARS_MAX
        ? [{ field, path: pathText([field, at]), name }]
        : [],
  );
}

function soundFields(body: unknown, wrong: ReadonlySet<PropertyKey | undefined>): Partial<AgentFields> {
  if (!isHolder(body)) return {};
  const given = Object.entries(body).filter(([key]) => isField(key) && !wrong.has(key));
  return partialAgent.safeParse(Object.fromEntries(given)).data ?? {};
}

function capsuleOf({ preset, limits: { costUsd, ...more } = {} }: Partial<AgentFields>): Issue[] {
  const cost = costUsd === undefined ? {} : { cost: dollars(costUsd) };
  const at = { cost: "limits.costUsd", wall: "limits.activeMs", preset: "preset" };
  return capsuleIssues(preset, entryOf({ ...more, ...cost }), at);
}

const isField = (key: string): boolean => Object.hasOwn(agentSchema.shape, key);

function ofFiles(issue: Issue): Issue {
  const why = Object.hasOwn(OF_FILES, issue.path) ? OF_FILES[issue.path] : undefined;
  if (why === undefined || issue.code !== "unknown_field") return issue;
  return issueAt(issue.path, "not_supported", why);
}

/** The fields that an object of an agent may have. */
function keysAt([field]: readonly PropertyKey[]): readonly string[] {
  switch (field) {
    case undefined:
      return Object.keys(agentSchema.shape);
    case "approvals":
      return Object.keys(rules.shape);
    case "limits":
      return Object.keys(limits.shape);
    case "questions":
      return Object.keys(questions.shape);
    case "onStuck":
      return Object.keys(requestFields.on_stuck.unwrap().shape);
    default:
      return [];
  }
}

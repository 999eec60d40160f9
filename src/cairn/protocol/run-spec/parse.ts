import { AGENT_ENTRY } from "../../core/family/ask.ts";
import { dollars, entryOf } from "../../core/guards/budget/amounts.ts";
import { PRESETS, type PresetName } from "../../core/guards/budget/profiles.ts";
import { definedFields, isTooDeep, JSON_DEPTH_MAX } from "../../core/log/json.ts";
import type { OwnNames } from "../../core/log/model.ts";
import type { SpecWarning } from "../../core/log/run-spec.ts";
import type { Limits, OnStuck } from "../../core/log/run.ts";
import { faultWords } from "../fault-words.ts";
import { listIssues, pathText, withoutBoundsOfWrongTypes, type Issue } from "../issues.ts";
import { capsuleIssues } from "./capsule.ts";
import { issueAt, issuesOf, nearest } from "./faults.ts";
import { flatten, type Flat } from "./forms.ts";
import type { ApprovalOptions, RunOptions } from "./run-options.ts";
import { OBJECTIVE_CHARS_MAX, RUN_REQUEST, type FieldName, type RunFields } from "./shape.ts";
import { fillTemplate } from "./template.ts";
import { BUILT_INS, readTools } from "./tools.ts";

/** A run specification that was parsed: its message, where the run goes, and the settings that were sent for it. */
export interface ParsedRun {
  readonly sessionId: string | null;
  /** with its `{{input.path}}` filled */
  readonly objective: string;
  /** null: not set */
  readonly files: readonly NamedFile[] | null;
  readonly channel: "api" | "web" | null;
  /** full id of a run; whether it exists, and is the caller's, is not known here */
  readonly previousRunId: string | null;
  readonly options: RunOptions;
}

/** A file of the session, with its place in the specification. */
export interface NamedFile {
  readonly path: string;
  /** `/uploads/<id>`, or the `/media/` path of an image */
  readonly url: string;
}

/**
 * The names that this deployment has, so that a wrong name is reported together with other mistakes. null: not checked.
 */
export interface KnownNames {
  readonly agents: readonly string[] | null;
  readonly packs: readonly string[] | null;
  readonly tools: readonly string[] | null;
  /** tools and `pack:<name>` that are there and cannot be offered, and why */
  readonly unavailable: { readonly [name: string]: string };
  /** names of the project's models; absent: none */
  readonly ownModels?: OwnNames;
  /** why a model, as `provider:id` or by its own name, may not be named; null where it may */
  readonly modelFault?: (model: string) => string | null;
}

export const NOTHING_KNOWN: KnownNames = { agents: null, packs: null, tools: null, unavailable: {} };

export type ParsedRunRequest =
  | { readonly ok: true; readonly request: ParsedRun; readonly warnings: readonly SpecWarning[] }
  | {
      readonly ok: false;
      readonly issues: readonly Issue[];
      /** the run that it goes on from, which is looked up whatever else is wrong */
      readonly previousRunId: string | null;
    };

/** A body of `POST /api/runs`: the run that is asked for, or everything that is wrong with it. Never throws. */
export function parseRunRequest(body: unknown, known: KnownNames = NOTHING_KNOWN): ParsedRunRequest {
  if (isTooDeep(body))
    return refused([issueAt("", "out_of_range", `It must be at most ${JSON_DEPTH_MAX} levels deep.`)]);
  const flat = flatten(body);
  const previousRunId = fieldOf(flat, "previous_run_id") ?? null;
  const whole = Object.fromEntries([...flat.fields].map(([name, { value }]) => [name, value]));
  const parsed = RUN_REQUEST.safeParse(whole, { error: faultWords, reportInput: true });
  const found = parsed.success
    ? []
    : withoutBoundsOfWrongTypes(parsed.error.issues).flatMap((fault) =>
        issuesOf(fault, (path) => pathIn(flat, path), keysAt),
      );
  const filled = fill(flat);
  const issues = [
    ...flat.issues,
    ...found,
    ...filled.issues,
    ...profileIssues(flat),
    ...approvalIssues(flat),
    ...fileIssues(flat),
    ...unknownNames(flat, known),
  ];
  if (!parsed.success || issues.length > 0) return refused(issues, previousRunId);
  const { data } = parsed;
  const tools = data.tools === undefined ? null : readTools(data.tools, pathOf(flat, "tools"));
  return {
    ok: true,
    request: requestOf(data, {
      objective: filled.objective,
      objectiveTemplate: filled.template,
      tools: tools?.names,
      filesAt: pathOf(flat, "files"),
      models: modelsOf(flat, known),
    }),
    warnings: [...flat.warnings, ...(tools?.warnings ?? []), ...warningsOf(flat, data, tools?.names ?? null)],
  };
}

const refused = (issues: readonly Issue[], previousRunId: string | null = null): ParsedRunRequest => ({
  ok: false,
  issues: listIssues(issues),
  previousRunId,
});

const pathOf = (flat: Flat, name: FieldName): string => flat.fields.get(name)?.path ?? name;

/** A path of the flat object as the sender wrote it. */
function pathIn(flat: Flat, path: readonly PropertyKey[]): string {
  const [first, ...rest] = path;
  const field = Object.keys(RUN_REQUEST.shape).find((name): name is FieldName => name === first);
  return pathText(field === undefined ? path : [pathOf(flat, field), ...rest]);
}

/** The fields that an object of the specification may have. */
function keysAt([field]: readonly PropertyKey[]): readonly string[] {
  switch (field) {
    case "on_stuck":
    case "budget":
    case "approval":
    case "channel":
    case "human":
      return Object.keys(RUN_REQUEST.shape[field].unwrap().shape);
    default:
      return [];
  }
}

/** A field on its own, whatever is wrong with the others; undefined where it is absent or wrong itself. */
function fieldOf<Name extends FieldName>(flat: Flat, name: Name): RunFields[Name] | undefined {
  const parsed = RUN_REQUEST.shape[name].safeParse(flat.fields.get(name)?.value);
  return parsed.success ? (parsed.data as RunFields[Name]) : undefined;
}

/** A model by its name: that of the project where it has one, before a bare name is one of the OpenAI-compatible provider. */
const ownModel = (value: unknown, { ownModels }: KnownNames): string | undefined =>
  typeof value === "string" && ownModels?.includes(value) === true ? value : undefined;

/** The models of a specification, by the names that they are called by. */
function modelsOf(
  flat: Flat,
  known: KnownNames,
): { readonly model: string | undefined; readonly fallbacks: readonly string[] | undefined } {
  const listed = flat.fields.get("fallback_models")?.value;
  return {
    model: ownModel(flat.fields.get("model")?.value, known) ?? fieldOf(flat, "model"),
    fallbacks: fieldOf(flat, "fallback_models")?.map(
      (name, at) => (Array.isArray(listed) ? ownModel(listed[at], known) : undefined) ?? name,
    ),
  };
}

interface FilledTexts {
  readonly objective: string;
  readonly template: string | undefined;
  readonly issues: readonly Issue[];
}

function fill(flat: Flat): FilledTexts {
  const objective = fillField(flat, "objective");
  const template = fillField(flat, "objective_template");
  const issues = [...objective.issues, ...template.issues];
  return { objective: objective.text ?? "", template: template.text, issues };
}

function fillField(
  flat: Flat,
  name: "objective" | "objective_template",
): { readonly text: string | undefined; readonly issues: readonly Issue[] } {
  const raw = fieldOf(flat, name);
  if (raw === undefined) return { text: undefined, issues: [] };
  const { text, missing } = fillTemplate(raw, fieldOf(flat, "input") ?? {});
  const path = pathOf(flat, name);
  const issues = missing.map((input) => issueAt(path, "template_missing", `The input has no ${input}.`));
  if (text.length > OBJECTIVE_CHARS_MAX)
    issues.push(
      issueAt(path, "out_of_range", `Filled, it must have at most ${OBJECTIVE_CHARS_MAX} characters.`),
    );
  if (text.trim() === "") issues.push(issueAt(path, "out_of_range", "It must not be empty."));
  return { text, issues };
}

const isPreset = (name: string): name is PresetName => Object.hasOwn(PRESETS, name);

/** Issues of profiles: two presets, a capsule with missing fields, or a preset with too little time. */
function profileIssues(flat: Flat): Issue[] {
  const profile = fieldOf(flat, "profile");
  const preset = fieldOf(flat, "preset");
  if (profile !== undefined && preset !== undefined && isPreset(profile) && profile !== preset) {
    const message = `This and ${pathOf(flat, "profile")} name two presets: keep one.`;
    return [issueAt(pathOf(flat, "preset"), "duplicate_setting", message)];
  }
  if (profile !== "time_capsule") return [];
  const limits = limitsIn(fieldOf(flat, "timeout_ms"), fieldOf(flat, "budget"));
  return capsuleIssues(preset, entryOf(limits), {
    cost: "budget.cost_usd",
    wall: pathOf(flat, "timeout_ms"),
    preset: pathOf(flat, "preset"),
  });
}

/** The agent and the tools set who is asked when an approval expires; a run cannot loosen that. */
function approvalIssues(flat: Flat): Issue[] {
  if (fieldOf(flat, "approval")?.on_expiry !== "escalate") return [];
  const message = "A run cannot choose who is asked next. Its agent and the tools do. A run can only deny.";
  return [issueAt(`${pathOf(flat, "approval")}.on_expiry`, "approval_weakened", message)];
}

/** A file is stored in the session that it was sent to, so a run with files names its session. */
function fileIssues(flat: Flat): Issue[] {
  const files = fieldOf(flat, "files");
  if (files === undefined || files.length === 0 || flat.fields.has("session_id")) return [];
  const message = "Files belong to a session: name the one that they were sent to as session_id.";
  return [issueAt(pathOf(flat, "files"), "session_missing", message)];
}

/** A file that is named twice is given once. */
function namedFiles(urls: readonly string[], fieldPath: string): readonly NamedFile[] {
  const files = new Map<string, NamedFile>();
  for (const [at, url] of urls.entries())
    if (!files.has(url)) files.set(url, { path: `${fieldPath}[${at}]`, url });
  return [...files.values()];
}

function unknownNames(flat: Flat, known: KnownNames): Issue[] {
  const { agents, packs, tools, unavailable, modelFault = () => null } = known;
  const issues: Issue[] = [];
  const { model, fallbacks = [] } = modelsOf(flat, known);
  const models = [
    { path: pathOf(flat, "model"), name: model },
    ...fallbacks.map((name, at) => ({
      path: `${pathOf(flat, "fallback_models")}[${at}]`,
      name,
    })),
  ];
  for (const { path, name } of models) {
    const fault = name === undefined ? null : modelFault(name);
    if (fault !== null) issues.push(issueAt(path, "unknown_model", fault));
  }
  const look = (
    path: string,
    code: string,
    what: string,
    name: string,
    among: readonly string[] | null,
  ): void => {
    const why = Object.hasOwn(unavailable, name) ? unavailable[name] : undefined;
    if (why !== undefined) issues.push(issueAt(path, "tool_not_available", why));
    else if (among !== null && !among.includes(name))
      issues.push(issueAt(path, code, `There is no ${what} ${name}.`, nearest(name, among)));
  };
  const agent = fieldOf(flat, "agent");
  if (agent !== undefined) look(pathOf(flat, "agent"), "unknown_agent", "agent", agent, agents);
  const packNames = packs?.map((name) => `pack:${name}`) ?? null;
  for (const [at, tool] of (fieldOf(flat, "tools") ?? []).entries()) {
    const [name] = readTools([tool], "").names;
    if (name === undefined) continue;
    if (name.startsWith(AGENT_ENTRY)) {
      const named = name.slice(AGENT_ENTRY.length);
      look(`${pathOf(flat, "tools")}[${at}]`, "unknown_agent", "agent", named, agents);
      continue;
    }
    const among = name.startsWith("pack:") ? packNames : tools;
    look(`${pathOf(flat, "tools")}[${at}]`, "unknown_tool", "tool", name, among);
  }
  const all = tools === null ? null : [...tools, ...BUILT_INS];
  for (const name of Object.keys(fieldOf(flat, "approval")?.rules ?? {}))
    look(`${pathOf(flat, "approval")}.rules.${name}`, "unknown_tool", "tool", name, all);
  return issues;
}

function warningsOf(flat: Flat, data: RunFields, tools: readonly string[] | null): SpecWarning[] {
  const warnings: SpecWarning[] = [];
  if (data.max_iterations === 1 && tools?.length !== 0)
    warnings.push({
      code: "no_room_for_tools",
      path: pathOf(flat, "max_iterations"),
      message: "The only step is kept for the answer, so no tool is used.",
    });
  const { k = 1, of = k } = data.approval ?? {};
  if (of > k)
    warnings.push({
      code: "not_used",
      path: `${pathOf(flat, "approval")}.of`,
      message: "Who may decide is said by the agent and the tools; so many of them must agree as k says.",
    });
  return warnings;
}

function limitsIn(timeout: number | undefined, budget: RunFields["budget"] = {}): Partial<Limits> {
  const { tokens, cost_usd: cost, tool_calls: toolCalls, messages } = budget;
  return definedFields({
    activeMs: timeout,
    tokens,
    cost: cost === undefined ? undefined : dollars(cost),
    toolCalls,
    messages,
  });
}

interface Filled {
  readonly objective: string;
  readonly objectiveTemplate: string | undefined;
  readonly tools: readonly string[] | undefined;
  /** the place of `files` in the specification */
  readonly filesAt: string;
  readonly models: ReturnType<typeof modelsOf>;
}

function requestOf(
  data: RunFields,
  { objective, objectiveTemplate, tools, filesAt, models }: Filled,
): ParsedRun {
  const { profile, human = {}, approval, max_iterations: steps, max_output_tokens: outputTokens } = data;
  const named = profile !== undefined && isPreset(profile) ? profile : undefined;
  const options: RunOptions = {
    objectiveTemplate,
    agent: data.agent,
    profile: profile === undefined || isPreset(profile) ? undefined : profile,
    preset: data.preset ?? named,
    tools,
    model: models.model,
    fallbacks: models.fallbacks,
    limits: definedFields({ ...limitsIn(data.timeout_ms, data.budget), steps, outputTokens }),
    temperature: data.temperature,
    onStuck: data.on_stuck === undefined ? undefined : onStuckOf(data.on_stuck),
    onExhausted: data.on_exhausted,
    showThoughts: data.include_reasoning_trace,
    citations: data.citations,
    quarantine: data.quarantine,
    rollouts: data.rollouts,
    resultKey: data.result_key,
    instructions: data.instructions,
    output: data.output,
    approval: approval === undefined ? undefined : approvalOf(approval),
    dialect: data.dialect,
    questions: definedFields({ waitMs: human.expires_ms, otherwise: human.default }),
    targets: data.targets,
    metadata: data.metadata,
  };
  return {
    sessionId: data.session_id ?? null,
    objective,
    files: data.files === undefined ? null : namedFiles(data.files, filesAt),
    channel: data.channel?.kind ?? null,
    previousRunId: data.previous_run_id ?? null,
    options: definedFields(options),
  };
}

function approvalOf({
  rules,
  k,
  expires_ms,
  on_expiry,
}: NonNullable<RunFields["approval"]>): ApprovalOptions {
  return definedFields({
    rules: rules ?? {},
    needed: k,
    expiresMs: expires_ms,
    denyOnExpiry: on_expiry === "deny" ? true : undefined,
  });
}

function onStuckOf({ iterations, action, hint }: NonNullable<RunFields["on_stuck"]>): OnStuck {
  return definedFields({
    action: action === undefined || action === "answer" ? "force_answer" : action,
    hint,
    iterations,
  });
}

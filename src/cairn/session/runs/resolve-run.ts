import { ownValue } from "../../core/log/json.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import type { Agent, AgentFault, Agents } from "../../agents/define.ts";
import { RUN_AGENT } from "../../core/family/ask.ts";
import {
  isListedName,
  listedNameFault,
  listedPackOf,
  toolNameFault,
  type KnownTools,
} from "../../core/guards/named-tools.ts";
import { isWithheld, WITHHELD } from "../../core/guards/quarantine.ts";
import type { Visitor } from "../../core/guards/target-access.ts";
import { roleOf } from "../../core/guards/permissions.ts";
import { limitsOf } from "../../core/guards/budget/amounts.ts";
import { PRESETS, PROFILES, type Preset } from "../../core/guards/budget/profiles.ts";
import { requestedLimits, type BudgetRequest } from "../../core/guards/budget/requested-budget.ts";
import { AGENT_ENTRY, agentNamedTwice, agentsIn, namedTwice } from "../../core/family/ask.ts";
import type { ClientTool } from "../../core/log/client-tool.ts";
import type { Limits } from "../../core/log/entry.ts";
import { isRulesName } from "../../core/log/model.ts";
import { DEFAULT_AGENT } from "../../core/log/names.ts";
import type { RunPolicy } from "../../core/log/run.ts";
import type { RunSpec, SpecWarning } from "../../core/log/run-spec.ts";
import type { Targets } from "../../core/log/targets.ts";
import type { Role } from "../../core/log/verdict.ts";
import type { SendMessage } from "../../core/loop/receive.ts";
import { BUILTIN_PACK } from "../../core/loop/internal-tools.ts";
import { nearestWords } from "../../core/text/nearest.ts";
import type { Meta } from "../storage/meta.ts";
import type { SqlStore } from "../storage/store.ts";
import { MODEL_UNAVAILABLE } from "../api/errors.ts";
import { clientCard, clientToolFault } from "../../tools/client-tools.ts";
import { refusal, type Actor, type ApiError } from "../api/session-api.ts";
import type { RunOptions } from "../../protocol/run-spec/run-options.ts";
import { targetError } from "./targets.ts";
import type { RunDefaults } from "./run-defaults.ts";

/** A run as it is accepted: its options, its agent and the deployment combined. Each can only be stricter than the one before. */
export type ResolvedRun = Pick<
  SendMessage,
  "model" | "fallbacks" | "wanted" | "temperature" | "role" | "imported" | "approvers" | "spec"
> & { readonly budget: BudgetRequest };

export interface Issue {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** 503 `model_unavailable`, a fault of its agent (agentError), 422 `invalid_run` with every issue. Nothing is written. */
export function resolveRun(
  defaults: RunDefaults,
  store: Pick<SqlStore, "loadMeta">,
  actor: Pick<Actor, "subject" | "scopes">,
  options: RunOptions,
): Result<ResolvedRun, ApiError> {
  if (defaults.model === null) return err(MODEL_UNAVAILABLE);
  const meta = store.loadMeta();
  const name = options.agent ?? meta?.agent ?? DEFAULT_AGENT;
  const loaded = defaults.agents.find(name);
  if (!loaded.ok) return err(agentError(name, loaded.error, defaults.agents));
  const agent = loaded.value;
  const { fallbacks, limits = {} } = options;
  const profile = options.profile === "auto" ? null : (options.profile ?? null);
  const preset = options.preset === undefined ? null : PRESETS[options.preset];
  const budget: BudgetRequest = {
    profile: profile ?? preset?.profile ?? null,
    limits: { ...(preset === null ? {} : limitsOf(preset.limits)), ...limits },
    mayRaise: actor.scopes.includes("admin"),
  };
  const { profile: own, ...house } = agent.budget.wanted;
  const wanted = {
    ...house,
    ...(own === undefined || options.profile === "auto" ? {} : { profile: own }),
    ...(options.onExhausted === "fail" ? { onExhausted: "fail" as const } : {}),
  };
  const clipped = clippedLimits(requestedLimits(wanted, budget), options.limits ?? {});
  const role = roleIn(defaults, actor, options);
  const targets = targetsOf(
    defaults,
    { subject: actor.subject, isAdmin: role === "admin" },
    options,
    meta,
    agent,
  );
  if (!targets.ok) return targets;
  const model = options.model ?? meta?.model ?? agent.model ?? defaults.model;
  const found = specOf(name, agent, { ...options, model, targets: targets.value }, defaults, clipped);
  if (!found.ok) return found;
  const { approvers = options.approval?.of } = options;
  return ok({
    model,
    fallbacks: fallbacks ?? agent.fallbacks ?? defaults.fallbacks,
    wanted,
    budget,
    temperature: options.temperature ?? preset?.temperature ?? agent.budget.temperature,
    role,
    ...(meta?.imported === true ? ({ imported: true } as const) : {}),
    ...(approvers === undefined ? {} : { approvers }),
    spec: found.value,
  });
}

/** Those of the run, else those of the session, else those of the agent: its caller must be one who may use them. */
const requestedTargets = (options: RunOptions, meta: Meta | null, agent: Agent): Targets =>
  options.targets ?? meta?.targets ?? agent.spec.targets ?? {};

/** The targets of the next run of a session that asks for nothing else. Refuses as the run would where its agent cannot be read. */
export async function loadTargets(
  { agents }: Pick<RunDefaults, "agents">,
  meta: Meta,
): Promise<Result<Targets, ApiError>> {
  const name = meta.agent ?? DEFAULT_AGENT;
  await agents.load(name);
  const agent = agents.find(name);
  return agent.ok ? ok(requestedTargets({}, meta, agent.value)) : err(agentError(name, agent.error, agents));
}

function targetsOf(
  { targets: known }: RunDefaults,
  visitor: Visitor,
  options: RunOptions,
  meta: Meta | null,
  agent: Agent,
): Result<Targets, ApiError> {
  const found = known.find(requestedTargets(options, meta, agent), visitor);
  if (found.ok) return found;
  const { target, fault } = found.error;
  const { code, message, ...error } = targetError(found.error);
  const isRequested = options.targets !== undefined && fault === "unknown";
  return err(
    isRequested ? invalidRun([{ path: `targets.${target}`, code, message }]) : { ...error, code, message },
  );
}

const roleIn = (
  { admins }: RunDefaults,
  actor: Pick<Actor, "subject" | "scopes">,
  { role }: RunOptions,
): Role => role ?? roleOf(actor, admins) ?? "guest";

/** True if `loadRunParts` must be awaited first. */
export function isUnread(
  defaults: RunDefaults,
  meta: Meta | null,
  actor: Pick<Actor, "subject" | "scopes">,
  options: RunOptions,
): boolean {
  const agent = defaults.agents.find(options.agent ?? meta?.agent ?? DEFAULT_AGENT);
  if (!agent.ok) return agent.error.kind === "unread";
  const isMissing = (name: string): boolean => {
    const found = defaults.agents.find(name);
    return !found.ok && found.error.kind === "unread";
  };
  if (agentsIn(options.tools ?? agent.value.spec.tools).some(isMissing)) return true;
  // A tool that was stored over the API since.
  const known = new Set(defaults.tools.cards().map(({ name }) => name));
  const isPlain = (name: string): boolean =>
    !/^(?:pack|agent):/.test(name) && !isListedName(name, defaults.tools.listedNames());
  if (options.tools?.some((name) => isPlain(name) && !known.has(name)) === true) return true;
  const isAdmin = roleIn(defaults, actor, options) === "admin";
  const found = defaults.targets.find(requestedTargets(options, meta, agent.value), {
    subject: actor.subject,
    isAdmin,
  });
  return !found.ok && found.error.fault === "unread";
}

/**
 * Reads what `resolveRun` needs and cannot wait for: an agent that was stored over the API, and the targets. Answers those
 * targets, without a check of who may use them. Never throws.
 */
export async function loadRunParts(
  { agents, targets: known }: RunDefaults,
  meta: Meta | null,
  options: RunOptions,
): Promise<Targets> {
  const name = options.agent ?? meta?.agent ?? DEFAULT_AGENT;
  await agents.load(name);
  const agent = agents.find(name);
  if (agent.ok)
    for (const other of agentsIn(options.tools ?? agent.value.spec.tools)) await agents.load(other);
  const targets = agent.ok ? requestedTargets(options, meta, agent.value) : {};
  await known.load(targets);
  return targets;
}

function specOf(
  name: string,
  agent: Agent,
  options: RunOptions & { readonly targets: Targets },
  { tools, agents }: Pick<RunDefaults, "tools" | "agents">,
  clipped: readonly SpecWarning[],
): Result<RunSpec, ApiError> {
  const { citations: usual, targets: _own, ...spec } = agent.spec;
  const preset = options.preset === undefined ? null : PRESETS[options.preset];
  const citations = options.citations ?? usual ?? preset?.citations ?? undefined;
  const { rollouts = 1 } = options;
  const quarantine = spec.quarantine === true || options.quarantine === true;
  const named = options.tools ?? [];
  const issues = [
    ...toolIssues(named, spec.tools, tools),
    ...(quarantine ? withheldIssues(named, tools) : []),
    ...approvalIssues(options, spec, tools),
    ...(rollouts > 1 && (spec.gates[RUN_AGENT] === "deny" || options.approval?.rules?.[RUN_AGENT] === "deny")
      ? [NO_ATTEMPTS]
      : []),
  ];
  const offered = options.tools ?? toolsUnder(preset?.tools ?? null, spec.tools, tools);
  const below = agentsOffered(offered, agents, options.tools !== undefined);
  issues.push(...below.issues);
  if (issues.length > 0) return err(invalidRun(issues));
  const { clientTools = [] } = options;
  if (clientTools.length > 0 && !agent.clientTools) return err(noClientTools(name));
  const fault = clientFault(clientTools, tools);
  if (fault !== null) return err(fault);
  const added = options.instructions ?? "";
  return ok({
    ...spec,
    agent: name,
    instructions: [spec.instructions, added].filter((text) => text !== "").join("\n\n"),
    tools: offered,
    ...(below.offered.length === 0 ? {} : { agents: below.offered }),
    ...(clientTools.length === 0 ? {} : { clientTools }),
    objectiveTemplate: options.objectiveTemplate ?? spec.objectiveTemplate,
    dialect: options.dialect ?? dialectOfPreset(preset, options.model) ?? spec.dialect,
    marker: preset?.marker ?? spec.marker,
    classLabel: preset?.classLabel ?? spec.classLabel,
    planFirst: preset?.planFirst ?? spec.planFirst,
    transcript: preset?.transcript ?? spec.transcript,
    requestTokens: least(preset?.requestTokens ?? null, spec.requestTokens),
    observationChars: preset?.observationChars ?? spec.observationChars,
    policy: policyOf(options, spec.policy),
    gates: { ...spec.gates, ...stricterGates(options.approval?.rules ?? {}, spec.gates) },
    votes: {
      needed: options.approval?.needed ?? 1,
      expiresMs: options.approval?.expiresMs ?? null,
      denyOnExpiry: options.approval?.denyOnExpiry ?? false,
    },
    ...(rollouts > 1 ? { rollouts, citations: citations === "require" ? citations : "check" } : {}),
    ...(rollouts > 1 || citations === undefined ? {} : { citations }),
    ...(quarantine ? ({ quarantine } as const) : {}),
    showThoughts: spec.showThoughts && options.showThoughts !== false,
    resultKey: options.resultKey ?? spec.resultKey,
    output: options.output ?? spec.output,
    previous: options.previous ?? null,
    ...(Object.keys(options.targets).length === 0 ? {} : { targets: options.targets }),
    metadata: options.metadata ?? null,
    traceId: options.traceId ?? null,
    warnings: [...(options.warnings ?? []), ...clipped, ...below.warnings],
  });
}

const noClientTools = (agent: string): ApiError =>
  refusal(
    422,
    "invalid_client_tools",
    `The agent ${agent} takes no tools of its client: leave clientTools out.`,
  );

/** 422 `invalid_client_tools`: a name is taken, or its parameters cannot be offered to a model. */
function clientFault(clientTools: readonly ClientTool[], tools: KnownTools): ApiError | null {
  if (clientTools.length === 0) return null;
  const taken = new Set([
    ...tools.cards().map(({ name }) => name),
    ...tools.notOffered().map(({ tool }) => tool),
  ]);
  const faults = clientTools.flatMap((tool) => clientToolFault(tool, taken, tools.listedNames()) ?? []);
  const [first] = faults;
  return first === undefined ? null : refusal(422, "invalid_client_tools", first);
}

/** Rules write no dialect: under a preset they are asked as they answer. */
const dialectOfPreset = (
  preset: Preset | null,
  model: string | null | undefined,
): RunSpec["dialect"] | null =>
  preset === null ? null : isRulesName(model ?? "") && preset.dialect !== "auto" ? "auto" : preset.dialect;

/** The tools of an agent that a preset leaves it. What no pack of the deployment has was named on purpose: agents, and packs that are listed elsewhere. */
function toolsUnder(
  packs: readonly string[] | null,
  own: readonly string[] | null,
  tools: KnownTools,
): readonly string[] | null {
  if (packs === null || own === null) return packs ?? own;
  const packOf = new Map(tools.cards().map(({ name, pack }) => [name, `pack:${pack}`]));
  return own.filter((name) => {
    if (name.startsWith(AGENT_ENTRY) || name === RUN_AGENT || isListedName(name, tools.listedNames()))
      return true;
    return packs.includes(packOf.get(name) ?? name);
  });
}

/** The agents that a list of tools names, as they are now. One that is gone is a fault of who names it now, and else is left out. */
function agentsOffered(
  tools: readonly string[] | null,
  agents: RunDefaults["agents"],
  isRequested: boolean,
): {
  readonly offered: NonNullable<RunSpec["agents"]>;
  readonly issues: readonly Issue[];
  readonly warnings: readonly SpecWarning[];
} {
  const found = agentsIn(tools).map((name) => ({ name, agent: agents.find(name) }));
  const offered = found.flatMap(({ name, agent }) =>
    agent.ok ? [{ name, description: agent.value.description }] : [],
  );
  const gone = found.flatMap(({ name, agent }) => {
    if (agent.ok) return [];
    const path = `tools[${(tools ?? []).indexOf(`${AGENT_ENTRY}${name}`)}]`;
    return [{ path, code: "unknown_agent", message: agentError(name, agent.error, agents).message }];
  });
  const twice = agentNamedTwice(tools);
  const path = `tools[${(tools ?? []).indexOf(`${AGENT_ENTRY}${twice?.second ?? ""}`)}]`;
  const ambiguous = twice === null ? [] : [{ path, code: "ambiguous_agent", message: namedTwice(twice) }];
  return {
    offered,
    issues: [...(isRequested ? gone : []), ...ambiguous],
    warnings: isRequested ? [] : gone,
  };
}

const NO_ATTEMPTS: Issue = {
  path: "rollouts",
  code: "tool_not_available",
  message: `Attempts are started by ${RUN_AGENT}, which this run may not have.`,
};

const least = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

const NO_PRESET = { onStuck: null, questionMs: null } as const;

function policyOf({ onStuck, questions, preset }: RunOptions, policy: RunPolicy): RunPolicy {
  const { onStuck: stuck, questionMs } = preset === undefined ? NO_PRESET : PRESETS[preset];
  const waits = questionMs === null ? {} : { waitMs: questionMs };
  return {
    onStuck: onStuck ?? stuck ?? policy.onStuck,
    questions: { ...policy.questions, ...waits, ...questions },
  };
}

/** A list may only narrow that of the agent. */
function toolIssues(
  requested: readonly string[],
  agents: readonly string[] | null,
  tools: KnownTools,
): readonly Issue[] {
  return requested.flatMap((name, index): Issue[] => {
    const path = `tools[${index}]`;
    const fault = listedNameFault(name, tools);
    if (fault !== null) return [{ path, ...fault }];
    if (agents === null || agents.includes(name) || isInPack(name, agents, tools)) return [];
    return [{ path, code: "tool_not_available", message: `The agent of this run does not have ${name}.` }];
  });
}

/** A tool that is named and cannot be had in quarantine; of a pack the others are left. */
function withheldIssues(requested: readonly string[], tools: KnownTools): readonly Issue[] {
  const withheld = new Set(tools.cards().flatMap((card) => (isWithheld(card) ? [card.name] : [])));
  return requested.flatMap((name, index): Issue[] =>
    withheld.has(name)
      ? [{ path: `tools[${index}]`, code: "quarantined", message: `${name} cannot be had. ${WITHHELD}` }]
      : [],
  );
}

function isInPack(name: string, agents: readonly string[], tools: KnownTools): boolean {
  // The run finds out at its beginning if the tool is listed.
  const known = tools.cards().find((card) => card.name === name);
  const pack = known?.pack ?? listedPackOf(name, tools.listedNames());
  return pack !== null && (pack === BUILTIN_PACK || agents.includes(`pack:${pack}`));
}

/** A request may make an approval stricter, never loosen one. */
function approvalIssues(
  { approval, clientTools = [] }: RunOptions,
  spec: Agent["spec"],
  tools: KnownTools,
): readonly Issue[] {
  if (approval === undefined) return [];
  const cards = new Map([...clientTools.map(clientCard), ...tools.cards()].map((card) => [card.name, card]));
  const issues: Issue[] = [];
  for (const [tool, rule] of Object.entries(approval.rules ?? {})) {
    const path = `approval.rules.${tool}`;
    const card = cards.get(tool);
    const fault = cards.has(tool) ? null : toolNameFault(tool, tools);
    if (fault !== null) issues.push({ path, ...fault });
    else if (card === undefined) continue;
    else if (card.pack === BUILTIN_PACK && rule !== "auto")
      issues.push({
        path,
        code: "out_of_range",
        message: `The session does ${tool} by itself: it asks nobody.`,
      });
    else if (rule === "auto" && (card.gate !== "never" || ownValue(spec.gates, tool) !== undefined))
      issues.push({
        path,
        code: "approval_weakened",
        message: `${tool} asks a person here, and a run cannot loosen that.`,
      });
  }
  const { of = [], needed = 1 } = approval;
  if (of.length > 0 && !of.includes("*") && new Set(of).size < needed)
    issues.push({
      path: "approval.k",
      code: "out_of_range",
      message: `${needed} people must agree, and only ${of.length} are named.`,
    });
  return issues;
}

function stricterGates(
  rules: Readonly<Record<string, "auto" | "ask" | "deny">>,
  gates: RunSpec["gates"],
): RunSpec["gates"] {
  const requested = Object.entries(rules).flatMap(([tool, rule]) =>
    rule === "auto" || ownValue(gates, tool) === "deny" ? [] : [[tool, rule] as const],
  );
  return Object.fromEntries(requested);
}

/** Names of the limits in a specification. */
const LIMIT_FIELDS: Readonly<Record<keyof Limits, string>> = {
  steps: "max_iterations",
  activeMs: "timeout_ms",
  outputTokens: "max_output_tokens",
  toolCalls: "budget.tool_calls",
  messages: "budget.messages",
  tokens: "budget.tokens",
  cost: "budget.cost_usd",
};

/** Cuts limits that exceed the caller's rights, and returns warnings for them. */
function clippedLimits(
  { limits, caps = {}, profile = "standard" }: ReturnType<typeof requestedLimits>,
  requested: Partial<Limits>,
): readonly SpecWarning[] {
  const row = limitsOf(PROFILES[profile]);
  return (Object.keys(requested) as (keyof Limits)[]).flatMap((name) => {
    const most = Math.min(caps[name] ?? Infinity, limits[name] ?? row[name]);
    const wanted = requested[name] ?? 0;
    if (wanted <= most) return [];
    const path = LIMIT_FIELDS[name];
    return [{ code: "clipped_to_cap", path, message: `${path} is ${most} here, not ${wanted}.` }];
  });
}

/** 422 `invalid_run` with its issues. */
export function invalidRun(issues: readonly Issue[]): ApiError {
  const [first] = issues;
  const message = first === undefined ? "The run is not valid." : first.message;
  return { status: 422, code: "invalid_run", message, issues };
}

/** 422 `unknown_agent`, 422 `invalid_agent` with every issue, 503 `agents_unavailable`. */
export function agentError(name: string, fault: AgentFault, agents: Agents): ApiError {
  switch (fault.kind) {
    case "unknown": {
      const [near] = nearestWords(name, agents.names());
      const meant = near === undefined ? "" : `Did you mean ${near}? `;
      const hint = `${meant}GET /api/agents lists them. Where the session is set to it, set it to another one.`;
      return { status: 422, code: "unknown_agent", message: `There is no agent ${name}.`, hint };
    }
    case "broken":
      return {
        status: 422,
        code: "invalid_agent",
        message: `The agent ${name} does not fit this deployment any more.`,
        hint: `PUT /api/agents/${name} again as it can be now, or choose another agent.`,
        issues: fault.issues,
      };
    case "unread":
    case "unavailable":
      return {
        status: 503,
        code: "agents_unavailable",
        message: `The agent ${name} could not be read, so nothing was started.`,
        hint: "Send it again.",
      };
  }
}

import { ownValue } from "../../core/log/json.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import { AGENT_ENTRY, agentTool, RUN_AGENT } from "../../core/family/ask.ts";
import { isListedName, listedPackOf, type KnownTools } from "../../core/guards/named-tools.ts";
import { laneOf } from "../../core/guards/permissions.ts";
import { CHILD_DEPTH_MAX } from "../../core/limits.ts";
import type { ApprovalRules } from "../../core/log/approval.ts";
import type { Amount, Share } from "../../core/log/child.ts";
import type { RunSpec, SpecWarning } from "../../core/log/run-spec.ts";
import { BUILTIN_PACK } from "../../core/loop/internal-tools.ts";
import type { ApiError } from "../api/session-api.ts";
import type { RunOptions } from "../../protocol/run-spec/run-options.ts";
import type { ChildOrder } from "../engine/ports.ts";
import type { SqlStore } from "../storage/store.ts";
import { resolveRun, type ResolvedRun } from "./resolve-run.ts";
import type { RunDefaults } from "./run-defaults.ts";

/** Resolves a child run: like any run of its agent, but within the limits of its parent. */

/** Returns the request for a child, in the form of any run. */
export function childAsk({ ask, from }: ChildOrder): RunOptions {
  const { agent = from.spec.agent, instructions, temperature, output, resultKey, model } = ask;
  const { role } = from.request;
  const { targets = {}, traceId } = from.spec;
  return {
    agent,
    role,
    targets,
    ...(instructions === undefined ? {} : { instructions }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(output === undefined ? {} : { output }),
    ...(resultKey === undefined ? {} : { resultKey }),
    ...(model === undefined ? {} : { model }),
    ...(traceId === null ? {} : { traceId }),
    // A child's questions go to the inbox, and its budget comes from its parent.
    questions: { budget: false },
  };
}

/** 422 `tool_not_available` for a tool that is asked for by name and its parent does not have; else as `resolveRun`. */
export function resolveChild(
  defaults: RunDefaults,
  store: Pick<SqlStore, "loadMeta">,
  order: ChildOrder,
  options: RunOptions,
): Result<ResolvedRun, ApiError> {
  const { ask, from, share, parent } = order;
  const { request, spec: above, grant } = from;
  const found = resolveRun(defaults, store, { subject: request.actor, scopes: [] }, options);
  if (!found.ok) return found;
  const { spec: own, ...resolved } = found.value;
  const spec = ask.agent === undefined ? likeParent(own, above, ask.instructions) : own;
  const missing = (ask.tools ?? []).filter((name) => !isGranted(name, grant, defaults.tools));
  const [first] = missing;
  if (first !== undefined)
    return err({
      status: 422,
      code: "invalid_run",
      message: `The run that starts this one does not have ${missing.join(", ")}.`,
      hint: "Name tools of your own, or leave the list out.",
      issues: [{ path: "tools", code: "tool_not_available", message: `${first} is not yours to give.` }],
    });
  const isOwnModel = ask.model !== undefined || hasOwnModel(defaults, spec.agent, above.agent);
  const clipped = clippedBy(share, ask.limits ?? {});
  const { sessions: _below, ...limits } = share;
  return ok({
    ...resolved,
    ...(isOwnModel ? {} : { model: from.model, fallbacks: from.fallbacks }),
    ...(isOwnModel || ask.temperature !== undefined ? {} : { temperature: request.temperature }),
    ...(request.approvers === undefined ? {} : { approvers: request.approvers }),
    budget: { profile: null, limits, mayRaise: false },
    spec: {
      ...spec,
      tools: toolsWithin(spec, ask.tools ?? null, grant, defaults.tools, parent.depth),
      approvals: strictestRules(above.approvals, spec.approvals),
      gates: strictestGates(above.gates, spec.gates),
      votes: strictestVotes(above.votes, spec.votes),
      // A child cannot have unattended rights that its parent lacks.
      unattended:
        laneOf(request.source) === "user" ? spec.unattended : namesWithin(spec.unattended, above.unattended),
      ...(above.quarantine === true ? { quarantine: true as const } : {}),
      showThoughts: spec.showThoughts && above.showThoughts,
      warnings: [...spec.warnings, ...clipped],
    },
  });
}

/** Without its own agent, a child is like its parent, whose caller may have set more than the agent. */
function likeParent(own: RunSpec, above: RunSpec, added: string = ""): RunSpec {
  const { tools, dialect, citations, agents, instructions } = above;
  return {
    ...own,
    tools,
    dialect,
    instructions: [instructions, added].filter((text) => text !== "").join("\n\n"),
    ...(citations === undefined ? {} : { citations }),
    ...(agents === undefined ? {} : { agents }),
  };
}

const namesWithin = (names: readonly string[], most: readonly string[]): readonly string[] =>
  names.filter((name) => most.includes(name));

/** An agent that names a model is worked with it; the one of the parent goes on with the model of the parent. */
function hasOwnModel({ agents }: RunDefaults, name: string, parent: string): boolean {
  const agent = agents.find(name);
  return name !== parent && agent.ok && agent.value.model !== null;
}

function isGranted(name: string, grant: readonly string[], tools: KnownTools): boolean {
  const listed = tools.listedNames();
  if (name.startsWith(AGENT_ENTRY)) return grant.includes(agentTool(name.slice(AGENT_ENTRY.length)));
  if (!name.startsWith("pack:")) return grant.includes(name);
  if (isListedName(name, listed)) return grant.some((one) => `pack:${listedPackOf(one, listed)}` === name);
  return tools.cards().some((card) => `pack:${card.pack}` === name && grant.includes(card.name));
}

/** Names of tools that the child's agent, its order and its parent's grant all allow. */
function toolsWithin(
  { tools, agents = [] }: RunSpec,
  requested: readonly string[] | null,
  grant: readonly string[],
  known: KnownTools,
  depth: number,
): readonly string[] {
  const isListed = (list: readonly string[] | null, name: string, pack: string | null): boolean =>
    list === null || list.includes(name) || (pack !== null && list.includes(`pack:${pack}`));
  const named = known.cards().flatMap(({ name, pack, starts }) => {
    if (pack === BUILTIN_PACK || !grant.includes(name)) return [];
    // A run may start others if its agent names the tool.
    if (starts === true && (depth >= CHILD_DEPTH_MAX || tools?.includes(RUN_AGENT) !== true)) return [];
    return isListed(tools, name, pack) && isListed(requested, name, pack) ? [name] : [];
  });
  const foreign = grant.filter((name) => {
    // Listed tools are in no list of the deployment.
    const pack = listedPackOf(name, known.listedNames());
    return pack !== null && isListed(tools, name, pack) && isListed(requested, name, pack);
  });
  const others = agents.flatMap(({ name }) => {
    const entry = `${AGENT_ENTRY}${name}`;
    const isMine = grant.includes(agentTool(name)) && isListed(requested, entry, null);
    return isMine && depth < CHILD_DEPTH_MAX ? [entry] : [];
  });
  return [...named, ...foreign, ...others];
}

function strictestGates(above: RunSpec["gates"], own: RunSpec["gates"]): RunSpec["gates"] {
  const stricter = Object.entries(above).filter(([tool]) => ownValue(own, tool) !== "deny");
  return { ...own, ...Object.fromEntries(stricter) };
}

/** Combines the approval rules of parent and child: for each tool, the stricter rule applies. */
function strictestRules(above: RunSpec["approvals"], own: RunSpec["approvals"]): RunSpec["approvals"] {
  const both = Object.entries(above).map(([tool, rules]) => {
    const mine = ownValue(own, tool);
    return [tool, mine === undefined ? rules : strictest(rules, mine)] as const;
  });
  return { ...own, ...Object.fromEntries(both) };
}

function strictest(above: ApprovalRules, own: ApprovalRules): ApprovalRules {
  const { needed = 1, expiresMs, remember, requesterMayApprove, alwaysAsk } = above;
  const soonest = Math.min(expiresMs ?? Infinity, own.expiresMs ?? Infinity);
  return {
    ...own,
    ...above,
    needed: Math.max(needed, own.needed ?? 1),
    ...(soonest === Infinity ? {} : { expiresMs: soonest }),
    ...(requesterMayApprove === false || own.requesterMayApprove === false
      ? { requesterMayApprove: false }
      : {}),
    ...(alwaysAsk === true || own.alwaysAsk === true ? { alwaysAsk: true } : {}),
    ...(remember === undefined && own.remember === undefined
      ? {}
      : {
          remember: (remember ?? own.remember ?? []).filter((one) => (own.remember ?? [one]).includes(one)),
        }),
  };
}

function strictestVotes(above: RunSpec["votes"], own: RunSpec["votes"]): RunSpec["votes"] {
  const soonest = Math.min(above.expiresMs ?? Infinity, own.expiresMs ?? Infinity);
  return {
    needed: Math.max(above.needed, own.needed),
    expiresMs: soonest === Infinity ? null : soonest,
    denyOnExpiry: above.denyOnExpiry || own.denyOnExpiry,
  };
}

/** Returns warnings for requested amounts that exceeded the parent's share and were cut. */
function clippedBy(share: Share, requested: Partial<Amount>): readonly SpecWarning[] {
  return (Object.keys(requested) as (keyof Amount)[]).flatMap((name) =>
    (requested[name] ?? 0) <= share[name]
      ? []
      : [
          {
            code: "limit_above_parent",
            path: name,
            message: `${name} is ${share[name]}: the run that started this one has no more to give.`,
          },
        ],
  );
}

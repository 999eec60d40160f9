import { ownValue } from "../../../cairn/core/log/json.ts";
import type { ApprovalRules } from "../../../cairn/core/log/approval.ts";
import type { BodyOf } from "../../../cairn/core/log/entry.ts";
import type { RunSpec } from "../../../cairn/core/log/run-spec.ts";
import { limitLines } from "../../agents/limit-words.ts";
import { durationText } from "../../parts/duration.ts";
import { modelName } from "../../log-text/codes.ts";

/** The requested settings of a run as facts for a person; from its `run_queued` alone. Pure. */

export interface RequestFacts {
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** what was taken otherwise than it was asked, a sentence each */
  readonly warnings: readonly string[];
}

const and = new Intl.ListFormat("en", { type: "conjunction" });

const titled = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

export function requestFacts({
  spec,
  model,
  fallbacks,
  limits,
  caps,
  profile,
}: BodyOf<"run_queued">): RequestFacts {
  const { agent, tools, resultKey, previous, targets = {}, traceId, warnings, dialect, policy } = spec;
  const then = fallbacks.length === 0 ? "" : `, then ${and.format(fallbacks.map(modelName))}`;
  const lines = limitLines({ ...limits, ...lowered(limits, caps ?? {}) });
  const facts: readonly (readonly [string, string | null])[] = [
    ["Agent", agent],
    ["Model", `${modelName(model)}${then}`],
    ["Tools", toolsText(tools)],
    ["Kind of work", profile === undefined ? null : profile.replaceAll("_", " ")],
    ["Limits", lines.length === 0 ? null : lines.map(([name, value]) => `${name}: ${value}`).join(", ")],
    ["Approvals", approvalsText(spec)],
    ["Writes alone with", spec.unattended.length === 0 ? null : and.format(spec.unattended)],
    ["On repetition", STUCK_WORDS[policy.onStuck.action]],
    ["Form of its calls", dialect === "auto" ? null : dialect],
    ["Name of the result", resultKey],
    ["Continues", previous === null ? null : previous.run],
    ...Object.entries(targets).map(
      ([name, value]) => [titled(name), Object.values(value).map(String).join(", ")] as const,
    ),
    ["Trace id", traceId],
  ];
  return {
    facts: facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    warnings: warnings.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)),
  };
}

const STUCK_WORDS: Readonly<Record<RunSpec["policy"]["onStuck"]["action"], string | null>> = {
  // as every run
  force_answer: null,
  fail: "it ends",
  escalate: "a person is asked",
  retry_with_hint: "it continues once with a hint",
};

function toolsText(tools: RunSpec["tools"]): string {
  if (tools === null) return "all of this deployment";
  return tools.length === 0 ? "none but the built-in ones" : tools.join(", ");
}

function lowered<Limits extends Readonly<Partial<Record<string, number>>>>(
  limits: Limits,
  caps: Limits,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(caps).flatMap(([name, cap]) =>
      cap === undefined ? [] : [[name, Math.min(cap, limits[name] ?? cap)]],
    ),
  );
}

/** null if only the tools' own gates apply. */
function approvalsText({ approvals, gates, votes }: RunSpec): string | null {
  const { needed, expiresMs, denyOnExpiry } = votes;
  const rules = [
    ...Object.entries(gates).map(([tool, gate]) =>
      gate === "deny" ? `${tool} is not allowed` : `a person is asked before each ${tool}`,
    ),
    ...Object.entries(approvals).map(([tool, rule]) => `${tool}: ${ruleText(rule)}`),
    ...(needed > 1 ? [`${needed} people must agree each time`] : []),
    ...(expiresMs === null ? [] : [`an approval waits ${durationText(expiresMs)} at most`]),
    ...(denyOnExpiry ? ["after that it is a no"] : []),
  ];
  return rules.length === 0 ? null : rules.join("; ");
}

function ruleText({
  approvers = ["owner"],
  needed = 1,
  alwaysAsk,
  requesterMayApprove,
}: ApprovalRules): string {
  const who = approvers.map((each) => ownValue(WHO, each) ?? each);
  const parts = [
    `decided by ${and.format(who)}`,
    needed > 1 ? `${needed} of them must agree` : null,
    requesterMayApprove === false ? "not by who had it asked" : null,
    alwaysAsk === true ? "asked each time" : null,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

const WHO: Readonly<Record<string, string>> = {
  owner: "the owner of the session",
  "*": "anyone who may approve",
};

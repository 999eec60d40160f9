import { rulesFault, votesFault } from "../core/guards/approval-rules.ts";
import type { ApprovalRules } from "../core/log/approval.ts";
import { DEFAULT_RUN_POLICY, type RunPolicy, type OnStuck, type Questions } from "../core/log/run.ts";
import { NO_HOOKS, type Hooks } from "../core/loop/hooks.ts";
import type { TranscriptPolicy } from "../core/prompt/transcript.ts";
import { budgetOf, presetOf, type Budget, type BudgetDefinition } from "./budget.ts";

/** How the runs of a deployment are led: words beside the prompt modules, what a prompt holds, and hooks. */
export interface Agent {
  /** for people */
  readonly description: string;
  /** added after the prompt modules, never replacing them */
  readonly instructions: string;
  readonly transcript: TranscriptPolicy;
  readonly hooks: Hooks;
  /** null: as everywhere */
  readonly policy: RunPolicy | null;
  readonly budget: Budget;
  /** subjects with the scope admin who are admins; null: each of them. An empty list means that there is no admin */
  readonly admins: readonly string[] | null;
  /** tools that a webhook or a schedule may write with, which nobody is there to watch. None unless you say so */
  readonly unattended: readonly string[];
  /** who decides the calls of a tool, by its name, above what the tool says itself */
  readonly approvals: { readonly [tool: string]: ApprovalRules };
}

/** An agent as it is written down: what is left out is as everywhere. */
export interface AgentDefinition
  extends Partial<Omit<Agent, "description" | "policy" | "budget">>, BudgetDefinition {
  readonly description: string;
  /** at the top of the ladder of loops; `answer` is another name of `force_answer` */
  readonly onStuck?: Omit<OnStuck, "action"> & { readonly action?: OnStuck["action"] | "answer" };
  readonly questions?: Partial<Questions>;
}

const INSTRUCTIONS_CHARS_MAX = 20_000;
const HINT_CHARS_MAX = 1_000;
const ACTIONS: readonly string[] = ["force_answer", "answer", "fail", "retry_with_hint", "escalate"];
const ITERATIONS = { from: 2, to: 10 };

const TOOL_NAME = /^[a-z][a-z0-9_]*$/;

/** Declares an agent. Throws at load on a value out of its bounds, and on a rule that can never hold, so that it cannot be deployed. */
export function defineAgent(agent: AgentDefinition): Agent {
  const {
    description,
    instructions = "",
    transcript = presetOf(agent)?.transcript ?? "compact",
    hooks = NO_HOOKS,
  } = agent;
  if (instructions.length > INSTRUCTIONS_CHARS_MAX) {
    throw new Error(`instructions of an agent have at most ${INSTRUCTIONS_CHARS_MAX} characters`);
  }
  const { admins = null, unattended = [], approvals = {} } = agent;
  refuseRules(admins, unattended, approvals);
  const policy = runPolicyOf(agent);
  return {
    description,
    instructions,
    transcript,
    hooks,
    policy,
    admins,
    unattended,
    approvals,
    budget: budgetOf(agent),
  };
}

/** Types do not stop a deployment. Whether the tools are there is known where the packs are (tools/registry.ts). */
function refuseRules(
  admins: Agent["admins"],
  unattended: Agent["unattended"],
  approvals: Agent["approvals"],
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

function runPolicyOf(agent: AgentDefinition): RunPolicy | null {
  const { questions } = agent;
  const onStuck = agent.onStuck ?? presetOf(agent)?.onStuck ?? undefined;
  if (onStuck === undefined && questions === undefined) return null;
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
  const waitMs = questions?.waitMs ?? DEFAULT_RUN_POLICY.questions.waitMs;
  if (!Number.isInteger(waitMs) || waitMs <= 0)
    throw new Error("waitMs of questions is a positive whole number");
  return {
    onStuck: { ...onStuck, action: action === "answer" ? "force_answer" : action },
    questions: { ...DEFAULT_RUN_POLICY.questions, ...questions, waitMs },
  };
}

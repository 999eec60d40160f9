import type { ApprovalRules } from "../core/log/approval.ts";
import { rulesFault } from "../core/guards/approval-rules.ts";
import type { RunSpec } from "../core/log/run-spec.ts";
import { COMPLETE } from "../core/log/names.ts";
import type { JsonObject } from "../core/log/json.ts";
import type { PluginOptions } from "../core/log/plugin-options.ts";
import { nearestWords } from "../core/text/nearest.ts";
import { isPure } from "../core/loop/internal-tools.ts";
import { ASK_HUMAN } from "../core/entries/question.ts";
import type { ToolCard } from "../core/log/tool.ts";
import { withApprovals } from "./card.ts";

/** The rules of an agent for tools by their names, and why one of them can never hold. */

export interface ToolRules {
  /** who decides the calls of a tool */
  readonly approvals: { readonly [tool: string]: ApprovalRules };
  /** tools that webhooks and schedules may write with; none when left out */
  readonly unattended?: readonly string[];
  /** stricter than the tool's own: a person is asked each time, or it is not offered; nothing when left out */
  readonly gates?: { readonly [tool: string]: "ask" | "deny" };
  /** names, and `pack:<name>`: at most these, in addition to the built-in ones. Null or left out: all */
  readonly tools?: readonly string[] | null;
  /** agents that are offered as tools; none when left out */
  readonly agents?: RunSpec["agents"];
  /** tools that the client of a run brings; none when left out */
  readonly clientTools?: RunSpec["clientTools"];
  /** a run that is worked more than once starts its attempts by run_agent */
  readonly rollouts?: number;
  /** tools that return outside text are withheld; not when left out */
  readonly quarantine?: true;
  /** by the names of plugins, which narrow their tools by them; none when left out */
  readonly options?: PluginOptions;
  /** JSON Schema that the value of `complete` must satisfy; null or left out: it answers in words */
  readonly output?: JsonObject | null;
}

/** A problem that disables part of the tools, and its remedy. */
export interface ToolProblem {
  /** position, such as `src/agents: approvals.page_delete`, or `pack cms` */
  readonly about: string;
  readonly message: string;
}

export interface RuleFault {
  readonly ok: false;
  readonly fault: string;
  /** the folder whose code is wrong; empty where a deployment only lacks something */
  readonly where: "src/agents: " | "";
  /** the tool must not run without the rule that was meant */
  readonly withheld: boolean;
}

const wrong = (fault: string, withheld = false): RuleFault => ({
  ok: false,
  fault,
  where: "src/agents: ",
  withheld,
});

/** A rule for a tool that is not there. */
export function absentFault(
  name: string,
  offered: readonly string[],
  notOffered: readonly { readonly tool: string; readonly why: string }[],
): RuleFault {
  const known = notOffered.find(({ tool }) => tool === name);
  if (known !== undefined) return { ...wrong(`The tool is not offered here. ${known.why}`), where: "" };
  const [near] = nearestWords(name, offered);
  const meant = near === undefined ? "" : ` Is it ${near}?`;
  return wrong(
    `There is no tool of this name, so the rule holds for nothing.${meant} Correct the name, or remove the rule.`,
  );
}

/** The card under the rules, or why they can never hold for it. */
export function cardUnder(
  card: ToolCard,
  rules: ApprovalRules,
): { readonly ok: true; readonly card: ToolCard } | RuleFault {
  if (isPure(card.name) || card.name === ASK_HUMAN || card.name === COMPLETE)
    return wrong(
      "The session does this by itself and asks nobody, so the rule holds for nothing. Remove it.",
    );
  if (card.gate === "deny") return wrong("The tool is never run, so the rule holds for nothing. Remove it.");
  const ruled = withApprovals(card, rules);
  const fault = rulesFault(ruled.approvals ?? {});
  if (fault === null) return { ok: true, card: ruled };
  return wrong(
    `With what the tool says itself it can never hold: ${fault}. Correct it; until then the tool is not offered.`,
    true,
  );
}

/** Why `unattended` changes nothing for this tool; null where it does. */
export function unattendedFault({ tier, gate }: ToolCard): RuleFault | null {
  if (gate === "deny") return wrong("The tool is never run, so naming it changes nothing. Remove it.");
  if (tier === "open")
    return wrong(
      "It only reads, which runs without a person may anyway: naming it changes nothing. Remove it.",
    );
  if (tier === "write") return null;
  return wrong(
    `Its tier is ${tier}: no run has it without a person, so naming it changes nothing. Remove it.`,
  );
}

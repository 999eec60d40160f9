import { ownValue } from "../../core/log/json.ts";
import { votesFault } from "../../core/guards/approval-rules.ts";
import { listedNameFault, toolNameFault, type KnownTools } from "../../core/guards/named-tools.ts";
import { isOwnModelName, parseModelName } from "../../core/log/model.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import { cardUnder, unattendedFault } from "../../tools/rules.ts";
import { agentSchema, parseAgent, type AgentFields, type ParsedAgent } from "../../protocol/agent.ts";
import { modelAllowed, modelGap, ownNames, type Models } from "../../config/config.ts";
import { defineAgent, type Agent, type AgentDefinition, type AgentIssue } from "../define.ts";
import { readOptions, withOptions, type OptionSchemas } from "./read-options.ts";

/** Validates an agent that came as JSON against the deployment that is to run it. */

/** The fields that a stored definition shares with a file: no code, nothing that applies to the whole deployment. */
type StoredDefinition = Omit<AgentDefinition, "hooks" | "admins" | "day">;
// The schema has every field that a file may set.
agentSchema.shape satisfies { readonly [Field in keyof StoredDefinition]-?: unknown };

/** The deployment that a definition is validated against. */
export interface ReadContext {
  readonly tools: KnownTools;
  /** null while none can be called: models are not looked at then, because nothing starts */
  readonly models: Models | null;
  /** of the deployment; null: everyone with the scope */
  readonly admins: readonly string[] | null;
  readonly options: OptionSchemas;
}

export interface ReadAgent {
  readonly agent: Agent;
  /** as it is stored */
  readonly definition: AgentFields;
}

/** Returns the agent, or every problem that prevents it from working here. Never throws. */
export function readDefinition(
  body: unknown,
  context: ReadContext,
): Result<ReadAgent, readonly AgentIssue[]> {
  const parsed = parseAgent(body);
  const { fields } = parsed;
  const { options, faults, absent } = readOptions(fields.options ?? {}, context.options);
  const issues = [
    ...parsed.issues,
    ...faults,
    ...absent,
    ...toolIssues(parsed, context),
    ...modelIssues(fields, context.models),
  ];
  const { description } = fields;
  if (issues.length > 0 || description === undefined) return err(issues);
  const definition = { ...fields, description };
  try {
    const written: StoredDefinition = definition;
    return ok({ agent: withOptions(defineAgent(written), options), definition });
  } catch (error) {
    const message = error instanceof Error ? error.message : "It is no agent.";
    return err([{ path: "", code: "invalid_agent", message }]);
  }
}

/** Rules for tools that are there and not offered now stay: they hold again when the tool is. */
function toolIssues(
  { fields: { approvals = {} }, tools }: ParsedAgent,
  { tools: known, admins }: ReadContext,
): readonly AgentIssue[] {
  const cards = new Map(known.cards().map((card) => [card.name, card]));
  return tools.flatMap(({ field, path, name }): AgentIssue[] => {
    const card = cards.get(name);
    const never = (fault: string | null): AgentIssue[] =>
      fault === null ? [] : [{ path, code: "rule_never_holds", message: fault }];
    const absent = field === "tools" ? listedNameFault(name, known) : toolNameFault(name, known);
    if (absent !== null)
      return field === "tools" || absent.code === "unknown_tool" ? [{ path, ...absent }] : [];
    if (card === undefined) return [];
    if (field === "unattended") return never(unattendedFault(card)?.fault ?? null);
    const rules = field === "approvals" ? ownValue(approvals, name) : undefined;
    if (rules === undefined) return [];
    const ruled = cardUnder(card, rules);
    if (!ruled.ok) return never(ruled.fault);
    const votes = votesFault(rules, admins);
    return never(votes === null ? null : `These rules can never hold: ${votes}.`);
  });
}

function modelIssues(
  { model, fallbacks = [] }: Partial<AgentFields>,
  models: Models | null,
): readonly AgentIssue[] {
  const named = [
    ...(model === undefined ? [] : [{ path: "model", text: model }]),
    ...fallbacks.map((text, at) => ({ path: `fallbacks[${at}]`, text })),
  ];
  return named.flatMap(({ path, text }): AgentIssue[] => {
    if (models === null) return [];
    const name = parseModelName(text, ownNames(models));
    if (name === null)
      return isOwnModelName(text)
        ? [{ path, code: "unknown_model", message: `No model is named ${text}.` }]
        : [];
    if (!modelAllowed(models, name)) {
      const message = "This model may not be named here. MODELS_ALLOWED lists them.";
      return [{ path, code: "model_not_allowed", message }];
    }
    const gap = modelGap(models, name);
    return gap === null ? [] : [{ path, code: "model_unavailable", message: `This model ${gap}.` }];
  });
}

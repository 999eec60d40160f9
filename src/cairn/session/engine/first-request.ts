import type { CallRequest } from "../../core/guards/budget/reserve.ts";
import type { PromptPart } from "../../core/log/model.ts";
import type { RunSpec } from "../../core/log/run-spec.ts";
import { isOnDemand, taughtNames } from "../../core/loop/find-tools.ts";
import { priceOf, windowOf } from "../../core/model-tables.ts";
import { modulesOf } from "../../core/prompt/modules.ts";
import { estimateRequest } from "../../core/state/prompt-size.ts";
import type { Ports } from "./ports.ts";

/** Estimates the size of the first request of a run with these parts, without earlier messages. */
export function estimateFirstRequest(
  parts: readonly PromptPart[],
  model: string,
  spec: RunSpec,
  { facts, tools }: Pick<Ports, "facts" | "tools">,
): Omit<CallRequest, "maxOut"> {
  const cards = tools.cards();
  const modules = modulesOf(tools.prompts(taughtNames(cards, spec.tools, [])), spec, null);
  const later = new Set(cards.filter((card) => isOnDemand(card, spec.tools)).map(({ name }) => name));
  const instructions = facts.instructions(modules, spec.instructions, spec.options);
  const request = {
    model,
    instructions,
    messages: [{ role: "user", parts }] as const,
    tools: tools.offers().filter(({ name }) => !later.has(name)),
  };
  const contextCap = windowOf(facts.windows ?? {}, model);
  return { estimate: estimateRequest(request, [], null), price: priceOf(model, facts.prices), contextCap };
}

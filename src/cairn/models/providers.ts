import type { LanguageModelV4 } from "@ai-sdk/provider";
import { loadOpenAiCompatible, loadWorkersAi } from "../../../build/modules/providers.ts";
import type { WorkersAI } from "workers-ai-provider";
import { ownValue } from "../core/log/json.ts";
import { type Endpoint, modelForms, parseModelName } from "../core/log/model.ts";
import { watchBinding } from "./binding.ts";
import { watchAnswers } from "./fetch.ts";
import type { OwnModels, RulesModels } from "./own-models.ts";
import { costExtractor } from "./usage.ts";

/** Parses the text in `MODEL` into a model that can be called. A fault is a sentence, and nothing throws. */

export interface Problem {
  readonly problem: string;
}

export interface ProviderSettings {
  /** the AI binding; its presence does not prove that it works */
  readonly ai: Ai | null;
  readonly openaiCompatible: Endpoint | null;
  readonly openrouter: Endpoint | null;
  readonly gatewayId: string | null;
  /** the models of the project; absent: none */
  readonly ownModels?: OwnModels;
  /** those of the plugins; absent: none */
  readonly rules?: RulesModels;
  readonly fetch?: typeof fetch;
}

/** The adapter of a provider is loaded at its first call. Never rejects for a name that cannot be called. */
export type Providers = (name: string, session: string) => Promise<LanguageModelV4 | Problem>;

const problem = (text: string): Problem => ({ problem: text });

/** Why a base URL cannot be used, or null. A password in it would end up in logs. */
function findBaseUrlFault(baseUrl: string): string | null {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol))
    return "The base URL of the model must begin with http:// or https://.";
  if (url.username !== "" || url.password !== "") {
    return "The base URL of the model must not hold a user name or password: set the key apart from it.";
  }
  return null;
}

/**
 * Creates the chat models of an API in the format of OpenAI. Provider metadata for a next call is stored under `name`,
 * so that no other provider gets it. Never "openaiCompatible": the adapter spreads that namespace into the request.
 */
function createChatModels(
  name: string,
  endpoint: Endpoint,
  fetch: ProviderSettings["fetch"],
): (id: string) => Promise<LanguageModelV4 | Problem> {
  const { baseUrl, apiKey, headers, reportsCost } = endpoint;
  const fault = findBaseUrlFault(baseUrl);
  if (fault !== null) return () => Promise.resolve(problem(fault));
  const watched = watchAnswers(fetch ?? ((input, init) => globalThis.fetch(input, init)));
  return async (id) => {
    const { createOpenAICompatible } = await loadOpenAiCompatible();
    const provider = createOpenAICompatible({
      name,
      baseURL: baseUrl,
      headers: { ...headers },
      includeUsage: true,
      ...(apiKey === null ? {} : { apiKey }),
      ...(reportsCost ? { metadataExtractor: costExtractor } : {}),
      fetch: watched,
    });
    return provider.chatModel(id);
  };
}

async function workersAi(settings: { binding: Ai; gateway?: { id: string } }): Promise<WorkersAI> {
  const { createWorkersAI } = await loadWorkersAi();
  return createWorkersAI(settings);
}

/** One resolver for a deployment's settings. Models are made for each call, because they carry the session. */
export function createProviders(settings: ProviderSettings): Providers {
  const { ai, openaiCompatible, openrouter, gatewayId, ownModels, rules = {}, fetch } = settings;
  const names = [...(ownModels?.gaps.keys() ?? []), ...Object.keys(rules)];
  const binding = ai === null ? null : watchBinding(ai);
  const compatible =
    openaiCompatible === null ? null : createChatModels("compatible", openaiCompatible, fetch);
  const routed = openrouter === null ? null : createChatModels("openrouter", openrouter, fetch);

  return async (name, session) => {
    const parsed = parseModelName(name, names);
    if (parsed === null) return problem(`The model name must be ${modelForms(names)}.`);
    switch (parsed.provider) {
      case "workers-ai":
        if (binding === null) return problem("This deployment has no AI binding for Workers AI.");
        return (await workersAi({ binding })).chat(parsed.id, { sessionAffinity: session });
      case "gateway":
        if (binding === null) return problem("This deployment has no AI binding for AI Gateway.");
        if (gatewayId === null) return problem("No id of an AI Gateway is set.");
        return (await workersAi({ binding, gateway: { id: gatewayId } })).chat(parsed.id, {
          sessionAffinity: session,
        });
      case "openai-compatible":
        return compatible?.(parsed.id) ?? problem("No base URL of an OpenAI-compatible API is set.");
      case "openrouter":
        return routed?.(parsed.id) ?? problem("No key of OpenRouter is set.");
      case "own":
        return ownModels?.make(name) ?? problem(`The project has no model ${name}.`);
      case "rules":
        return ownValue(rules, name)?.() ?? problem(`No plugin brings the model ${name}.`);
    }
  };
}

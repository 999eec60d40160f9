import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createWorkersAI } from "workers-ai-provider";
import { type Endpoint, MODEL_FORMS, parseModelName } from "../core/log/model.ts";
import { watchBinding } from "./binding.ts";
import { watchAnswers } from "./fetch.ts";
import { createRehearsalModel } from "./rehearsal/model.ts";
import { costExtractor } from "./usage.ts";

/** From the text in `MODEL` to something that answers (DESIGN 6). What cannot be is said in words, never thrown. */

export interface Problem {
  readonly problem: string;
}

export interface ProviderSettings {
  /** the AI binding; that it is there says nothing about whether it works */
  readonly ai: Ai | null;
  readonly openaiCompatible: Endpoint | null;
  readonly openrouter: Endpoint | null;
  readonly gatewayId: string | null;
  readonly fetch?: typeof fetch;
}

export type Providers = (name: string, session: string) => LanguageModelV4 | Problem;

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
 * The chat models of an API in the format of OpenAI. What a model left for its next call is kept under `name`, so that no
 * other provider is sent it. Never "openaiCompatible": the adapter spreads that namespace into what it sends.
 */
function createChatModels(
  name: string,
  endpoint: Endpoint,
  fetch: ProviderSettings["fetch"],
): (id: string) => LanguageModelV4 | Problem {
  const { baseUrl, apiKey, headers, reportsCost } = endpoint;
  const fault = findBaseUrlFault(baseUrl);
  if (fault !== null) return () => problem(fault);
  const { chatModel } = createOpenAICompatible({
    ...{ name, baseURL: baseUrl, headers: { ...headers }, includeUsage: true },
    ...(apiKey === null ? {} : { apiKey }),
    ...(reportsCost ? { metadataExtractor: costExtractor } : {}),
    fetch: watchAnswers(fetch ?? ((input, init) => globalThis.fetch(input, init))),
  });
  return chatModel;
}

/** One resolver for a deployment's settings; adapters are made once, models per call because they carry the session. */
export function createProviders(settings: ProviderSettings): Providers {
  const { ai, openaiCompatible, openrouter, gatewayId, fetch } = settings;
  const binding = ai === null ? null : watchBinding(ai);
  const workersAi = binding === null ? null : createWorkersAI({ binding });
  const gateway =
    binding === null || gatewayId === null ? null : createWorkersAI({ binding, gateway: { id: gatewayId } });
  const compatible =
    openaiCompatible === null ? null : createChatModels("compatible", openaiCompatible, fetch);
  const routed = openrouter === null ? null : createChatModels("openrouter", openrouter, fetch);

  return (name, session) => {
    const parsed = parseModelName(name);
    if (parsed === null) return problem(`The model name must be ${MODEL_FORMS}.`);
    switch (parsed.provider) {
      case "workers-ai":
        if (workersAi === null) return problem("This deployment has no AI binding for Workers AI.");
        return workersAi.chat(parsed.id, { sessionAffinity: session });
      case "gateway":
        if (binding === null) return problem("This deployment has no AI binding for AI Gateway.");
        if (gateway === null) return problem("No id of an AI Gateway is set.");
        return gateway.chat(parsed.id, { sessionAffinity: session });
      case "openai-compatible":
        return compatible?.(parsed.id) ?? problem("No base URL of an OpenAI-compatible API is set.");
      case "openrouter":
        return routed?.(parsed.id) ?? problem("No key of OpenRouter is set.");
      case "rehearsal":
        return createRehearsalModel();
    }
  };
}

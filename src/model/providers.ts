import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createWorkersAI } from "workers-ai-provider";
import { MODEL_FORMS, parseModelName } from "../core/log/model.ts";
import { watchBinding } from "./binding.ts";
import { createRehearsalModel } from "./rehearsal/model.ts";

/** From the text in `MODEL` to something that answers (DESIGN 6). What cannot be is said in words, never thrown. */

export interface Problem {
  readonly problem: string;
}

export interface ProviderSettings {
  /** the AI binding; that it is there says nothing about whether it works */
  readonly ai: Ai | null;
  /** base URL of an OpenAI-compatible API, such as `https://openrouter.ai/api/v1` */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
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

/** One resolver for a deployment's settings; adapters are made once, models per call because they carry the session. */
export function createProviders(settings: ProviderSettings): Providers {
  const { ai, baseUrl, apiKey, gatewayId, fetch } = settings;
  const binding = ai === null ? null : watchBinding(ai);
  const workersAi = binding === null ? null : createWorkersAI({ binding });
  const gateway =
    binding === null || gatewayId === null ? null : createWorkersAI({ binding, gateway: { id: gatewayId } });
  const baseUrlFault =
    baseUrl === null ? "No base URL of an OpenAI-compatible API is set." : findBaseUrlFault(baseUrl);
  const compatible =
    baseUrl === null || baseUrlFault !== null
      ? null
      : createOpenAICompatible({
          // Not "openaiCompatible": the adapter spreads that namespace into what it sends.
          name: "compatible",
          baseURL: baseUrl,
          includeUsage: true,
          ...(apiKey === null ? {} : { apiKey }),
          ...(fetch === undefined ? {} : { fetch }),
        });

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
        if (compatible === null) return problem(baseUrlFault ?? "The base URL of the model cannot be used.");
        return compatible.chatModel(parsed.id);
      case "rehearsal":
        return createRehearsalModel();
    }
  };
}

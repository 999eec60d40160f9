import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createWorkersAI } from "workers-ai-provider";
import { watchBinding } from "./binding.ts";
import { createRehearsalModel } from "./rehearsal/model.ts";

/** From the text in `MODEL` to something that answers (DESIGN 6). What cannot be is said in words, never thrown. */

export type ProviderName = "workers-ai" | "openai-compatible" | "gateway" | "rehearsal";
export interface ModelName {
  readonly provider: ProviderName;
  /** the provider's own id of the model; empty for the rehearsal model */
  readonly id: string;
}
export interface Problem {
  readonly problem: string;
}

export interface ProviderSettings {
  /** the AI binding; that it is there says nothing about whether it works (platform 6.1) */
  readonly ai: Ai | null;
  /** base URL of an OpenAI-compatible API, such as `https://openrouter.ai/api/v1` */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly gatewayId: string | null;
  readonly fetch?: typeof fetch;
}

export type Providers = (name: string, session: string) => LanguageModelV4 | Problem;

const PROVIDERS: readonly ProviderName[] = ["workers-ai", "openai-compatible", "gateway", "rehearsal"];
const FORMS = "workers-ai:<id>, openai-compatible:<id>, gateway:<id> or rehearsal:";
const ID_CHARS_MAX = 200;

const problem = (text: string): Problem => ({ problem: text });

/** Reads `workers-ai:<id>`, `openai-compatible:<id>`, `gateway:<id>` or `rehearsal:`; anything else is a problem in words. */
export function parseModelName(text: string): ModelName | Problem {
  const colon = text.indexOf(":");
  const provider = PROVIDERS.find((name) => name === text.slice(0, Math.max(0, colon)).trim());
  const id = text.slice(colon + 1).trim();
  if (provider === undefined) return problem(`The model name must be ${FORMS}.`);
  if (provider === "rehearsal") {
    return id === "" ? { provider, id } : problem("The rehearsal model takes no id: write rehearsal:");
  }
  if (id === "") return problem(`The model name lacks its id: write ${provider}:<id>.`);
  if (id.length > ID_CHARS_MAX || /\s/.test(id)) {
    return problem(`The id of a model has no spaces and at most ${ID_CHARS_MAX} characters.`);
  }
  return { provider, id };
}

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
    if ("problem" in parsed) return parsed;
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

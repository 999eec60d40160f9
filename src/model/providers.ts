import { MODEL_FORMS, parseModelName } from "../core/model-name.ts";
import { createBindingModel, createCompatibleModel, type StreamingModel } from "./chat/models.ts";
import { createRehearsalModel } from "./rehearsal/model.ts";

/** From the text in `MODEL` to something that answers (DESIGN 6). What cannot be is said in words, never thrown. */

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

export type Providers = (name: string, session: string) => StreamingModel | Problem;

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

/** One resolver for a deployment's settings. */
export function createProviders(settings: ProviderSettings): Providers {
  const { ai, baseUrl, apiKey, gatewayId, fetch = globalThis.fetch } = settings;
  const baseUrlFault =
    baseUrl === null ? "No base URL of an OpenAI-compatible API is set." : findBaseUrlFault(baseUrl);

  return (name, session) => {
    const parsed = parseModelName(name);
    if (parsed === null) return problem(`The model name must be ${MODEL_FORMS}.`);
    switch (parsed.provider) {
      case "workers-ai":
        if (ai === null) return problem("This deployment has no AI binding for Workers AI.");
        return createBindingModel(parsed.id, { ai, gatewayId: null, session });
      case "gateway":
        if (ai === null) return problem("This deployment has no AI binding for AI Gateway.");
        if (gatewayId === null) return problem("No id of an AI Gateway is set.");
        return createBindingModel(parsed.id, { ai, gatewayId, session });
      case "openai-compatible":
        if (baseUrl === null || baseUrlFault !== null)
          return problem(baseUrlFault ?? "The base URL of the model cannot be used.");
        return createCompatibleModel(parsed.id, { baseUrl, apiKey, fetch });
      case "rehearsal":
        return createRehearsalModel();
    }
  };
}

import { loadModelStep } from "../../../build/modules/model-step.ts";
import type { Model } from "../core/log/model.ts";
import type { Providers, ProviderSettings } from "./providers.ts";
import type { ModelSettings } from "./step.ts";

/**
 * The model and the providers of a deployment, loaded at the first call: an isolate that answers requests and calls no model
 * needs none of their prompts, streams and errors. Both come from one module, because an error of a provider's stream is
 * known by its class.
 */

/** `createModel` of step.ts. */
export function createLazyModel(settings: ModelSettings): Model {
  let made: Model | null = null;
  return {
    async call(request, draft, signal) {
      const { createModel } = await loadModelStep();
      made ??= createModel(settings);
      return made.call(request, draft, signal);
    },
  };
}

/** `createProviders` of providers.ts. */
export function createLazyProviders(settings: ProviderSettings): Providers {
  let made: Providers | null = null;
  return async (name, session) => {
    const { createProviders } = await loadModelStep();
    made ??= createProviders(settings);
    return made(name, session);
  };
}

import type { Entry } from "../../log/entry.ts";
import { isPassing } from "../../log/model.ts";
import { measureRequest, type Measured } from "../prompt-size.ts";
import { modelRequest, type Phased } from "./phase.ts";

/** Which models a run is worked with. */
export interface Models {
  readonly current: string;
  readonly fallbacks: readonly string[];
  /** the first model, since its provider failed and a fallback works; null where it does itself */
  readonly fallbackSince: { readonly model: string; readonly since: number } | null;
  /** those that cannot be offered tools: they are asked in the dialect json */
  readonly withoutTools: readonly string[];
  /** those that refused a request: theirs are sent without thoughts, signatures, files and unseen characters; absent is none */
  readonly plain?: readonly string[];
  /** those that want a field of thoughts in each answer of the history; absent is none */
  readonly reasoning?: readonly string[];
  /** the last request whose tokens the provider counted; null where there is none */
  readonly measured: Measured | null;
}

export function changeModels(models: Models, entry: Entry, run: Phased): Models {
  switch (entry.kind) {
    case "model_replied": {
      const request = modelRequest(run, entry);
      const mark = request === null ? null : measureRequest(request.model, request.size, entry.body.usage);
      return mark === null && models.measured === null ? models : { ...models, measured: mark };
    }
    case "model_failed": {
      if (entry.body.then === "dialect")
        return { ...models, withoutTools: [...models.withoutTools, entry.body.model], measured: null };
      if (entry.body.then === "plain")
        return { ...models, plain: [...(models.plain ?? []), entry.body.model], measured: null };
      if (entry.body.then === "reasoning")
        return { ...models, reasoning: [...(models.reasoning ?? []), entry.body.model] };
      if (entry.body.then !== "fallback") return models;
      const [current = models.current, ...fallbacks] = models.fallbacks.slice(entry.body.passed ?? 0);
      // A provider that is down may come back; one that refuses is not asked again.
      const since = isPassing(entry.body.class) ? leave(models, entry.at) : models.fallbackSince;
      return { ...models, current, fallbacks, fallbackSince: since };
    }
    case "verdict": {
      const [current, ...fallbacks] = entry.body.models ?? [];
      if (current === undefined || current === models.current) return models;
      const since = leave(models, entry.at);
      // With the first one again, it is away from it no more.
      return { ...models, current, fallbacks, fallbackSince: since.model === current ? null : since };
    }
    default:
      return models;
  }
}

const leave = ({ current, fallbackSince }: Models, at: number): NonNullable<Models["fallbackSince"]> =>
  fallbackSince ?? { model: current, since: at };

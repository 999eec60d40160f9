import type { LanguageModelV4 } from "@ai-sdk/provider";

/** Makes a model of the project. Called for each call of the model, so it should be cheap; nothing is asked of the provider here. */
export type ModelFactory = (env: Cloudflare.Env) => LanguageModelV4;

export type ModelFactories = Readonly<Record<string, ModelFactory>>;

/** Rules of plugins in the place of language models, by their names, such as `rehearsal:`. Loaded at each call. */
export type RulesModels = Readonly<Record<string, () => Promise<LanguageModelV4>>>;

export interface OwnModels {
  /** by name, in the order of the project: why the model cannot be called, behind "The model NAME"; null where it can */
  readonly gaps: ReadonlyMap<string, string | null>;
  /** The model of a name, or why it cannot be called. undefined: the project has no model of this name. */
  make(name: string): LanguageModelV4 | { readonly problem: string } | undefined;
}

const VERSION = "v4";

/** Why a value is no model that can be called, behind "The model NAME"; null for one that is. */
function findModelGap(value: unknown): string | null {
  if (typeof value === "string")
    return 'is a text: return a model of a provider\'s package, such as anthropic("…")';
  if (typeof value !== "object" || value === null || !("specificationVersion" in value))
    return "is no language model of the AI SDK";
  if (value.specificationVersion !== VERSION)
    return `is of another version of the AI SDK than ${VERSION}: install the provider's package for ai 7`;
  return "doStream" in value && typeof value.doStream === "function"
    ? null
    : "is no language model of the AI SDK";
}

/** Makes each model once to see that it can be made. `report` gets what a factory throws, which is not for everybody. */
export function createOwnModels(
  factories: ModelFactories,
  env: Cloudflare.Env,
  report: (name: string, error: unknown) => void,
): OwnModels {
  const make = (name: string, factory: ModelFactory): LanguageModelV4 | { problem: string } => {
    try {
      const model = factory(env);
      const gap = findModelGap(model);
      return gap === null ? model : { problem: gap };
    } catch (error) {
      report(name, error);
      return { problem: "could not be made: the log of the worker says why" };
    }
  };
  const gaps = new Map(
    Object.entries(factories).map(([name, factory]) => {
      const made = make(name, factory);
      return [name, "problem" in made ? made.problem : null];
    }),
  );
  return {
    gaps,
    make(name) {
      const factory = Object.hasOwn(factories, name) ? factories[name] : undefined;
      if (factory === undefined) return undefined;
      const made = make(name, factory);
      return "problem" in made ? { problem: `The model ${name} ${made.problem}.` } : made;
    },
  };
}

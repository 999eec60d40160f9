import type { Bindings } from "./bindings.ts";
import type { AgentCache } from "./agents/stored/stored-agents.ts";
import type { PlainWords } from "./core/guards/words.ts";
import type { OnDemand } from "./core/on-demand.ts";
import { complaintOf, createRedactor, type Redactor } from "./core/text/redact.ts";
import { createLazyProviders } from "./models/lazy-model.ts";
import { createOwnModels } from "./models/own-models.ts";
import type { Providers } from "./models/providers.ts";
import { logError, setLogLevel } from "./operator-log.ts";
import type { Registry } from "./tools/registry.ts";
import { StoredTools } from "./tools/stored/stored-tools.ts";
import type { PictureReader } from "./uploads/picture-reader.ts";
import { parseConfig, type Config } from "./config/config.ts";
import { secretsOf } from "./config/secrets.ts";
import type { SharedPart, TargetKind, OfferContext } from "./plugin.ts";
import type { Project } from "./project.ts";
import { startPlugins, type Started } from "./start-plugins.ts";
import { createTools, createListingContext, listsOf } from "./project-tools.ts";

/** Everything that is made of the project and the variables: once for the worker and all sessions of an isolate. */
export interface Isolate {
  readonly project: Project;
  readonly config: Config;
  readonly redact: Redactor;
  readonly agentCache: AgentCache;
  /** null while there is a problem of class M */
  readonly providers: Providers | null;
  readonly storedTools: StoredTools;
  readonly started: Started;
  /** of the plugins that have one, by their names */
  readonly shared: ReadonlyMap<string, SharedPart>;
  readonly pictures: PictureReader | null;
  /** of the plugin that has some */
  readonly words: OnDemand<PlainWords>;
  /** what runs may name to work on, of all plugins */
  readonly targets: ReadonlyMap<string, TargetKind>;
  createTools(context: OfferContext): Registry;
  /** the tools as the API lists and checks them */
  listTools(): Registry;
}

export type IsolateOf = (env: Bindings) => Isolate;

export function createIsolates(project: Project): IsolateOf {
  const isolates = new WeakMap<Bindings, Isolate>();
  return (env) => {
    const known = isolates.get(env);
    if (known !== undefined) return known;
    const made = createIsolate(project, env);
    isolates.set(env, made);
    return made;
  };
}

function createIsolate(project: Project, env: Bindings): Isolate {
  const redact = createRedactor(
    secretsOf(
      { ...env },
      project.plugins.flatMap(({ secrets = [] }) => secrets),
    ),
  );
  // The project declares what its bindings are (wrangler types).
  const declared = env as unknown as Cloudflare.Env;
  const ownModels = createOwnModels(project.models, declared, (name, error) =>
    logError(`the model ${name} could not be made`, complaintOf(error, redact)),
  );
  const { rules } = project;
  const callable = Object.keys(rules).map((name) => [name, null] as const);
  const config = parseConfig({ ...env }, new Map([...ownModels.gaps, ...callable]));
  setLogLevel(config.logLevel);
  const { AI: ai }: { readonly AI?: Ai } = env;
  const { models } = config;
  const started = startPlugins(project.plugins, env, redact);
  const { plugins, shared } = started;
  const { tools } = project;
  // Also of plugins that did not start: their names stay theirs.
  const lists = listsOf(project.plugins);
  const parts = [...shared.values()];
  const storedTools = new StoredTools(env.DB, (error) =>
    logError("stored tools were not read", complaintOf(error, redact)),
  );
  const context = createListingContext({ env, config });
  return {
    project,
    config,
    redact,
    agentCache: new Map(),
    providers: models === null ? null : createLazyProviders({ ...models, ai: ai ?? null, ownModels, rules }),
    storedTools,
    started,
    shared,
    pictures: parts.flatMap((part) => part.pictures ?? [])[0] ?? null,
    words: started.words,
    targets: new Map(parts.flatMap(({ targets = {} }) => Object.entries(targets))),
    createTools: (at) => createTools({ plugins, tools, lists }, at),
    listTools: () => createTools({ plugins, tools, lists }, { ...context, redact }),
  };
}

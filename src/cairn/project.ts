import { optionSchemas, readAgents } from "./agent-options.ts";
import { Prompts } from "./prompts.ts";
import { fileAgents, type FileAgents } from "./agents/known.ts";
import type { Agent } from "./agents/define.ts";
import type { OptionSchemas } from "./agents/stored/read-options.ts";
import { isOwnModelName, isRulesName, parseModelName } from "./core/log/model.ts";
import type { ModelFactories, RulesModels } from "./models/own-models.ts";
import type { AnyTool } from "./tools/define.ts";
import type { ToolProblem } from "./tools/rules.ts";
import { checkParts } from "./session/storage/migrations.ts";
import { tablesWith } from "./session/storage/tables.ts";
import { defineWebhooks, type Webhooks } from "./webhooks/rules.ts";
import type { Plugin } from "./plugin.ts";
import { refuseSharedNames } from "./project-tools.ts";

/** Everything that a project gives to `createCairn`. */
export interface CairnOptions {
  /** by name; `default` works for every session that names no other */
  readonly agents: Readonly<Record<string, Agent>>;
  /** the project's own tools, made with `defineTool`; their services are the bindings */
  readonly tools?: readonly AnyTool[];
  /** in the order of their tools in the prompt */
  readonly plugins?: readonly Plugin[];
  /**
   * Models of the AI SDK's providers by a name of your own, which `MODEL` and every other place for a model then takes:
   * `{ claude: () => anthropic("claude-sonnet-5") }`
   */
  readonly models?: ModelFactories;
  /** made with `defineWebhooks` */
  readonly webhooks?: Webhooks;
}

/** The checked options, with nothing left out. */
export interface Project {
  /** with their options as plugins read them */
  readonly agents: FileAgents;
  readonly options: OptionSchemas;
  /** of its agents */
  readonly problems: readonly ToolProblem[];
  readonly tools: readonly AnyTool<object>[];
  readonly plugins: readonly Plugin[];
  readonly models: ModelFactories;
  /** of the plugins */
  readonly rules: RulesModels;
  readonly webhooks: Webhooks;
  readonly prompts: Prompts;
}

const PLUGIN_NAME = /^[a-z][a-z0-9-]*$/;

/** Throws a sentence where the options contradict themselves, so that such a project cannot be deployed. */
export function checkProject(options: CairnOptions): Project {
  const { tools = [], plugins = [], webhooks = defineWebhooks({}), models = {} } = options;
  refusePlugins(plugins);
  const schemas = optionSchemas(plugins);
  const { agents, problems } = readAgents(fileAgents(options.agents).all, schemas);
  checkParts(tablesWith(plugins));
  const rules = rulesOf(plugins);
  refuseModels(models, Object.keys(rules), options.agents);
  if (plugins.filter(({ pictures }) => pictures !== undefined).length > 1)
    throw new Error("createCairn: two plugins keep the pictures that people send. Leave one out.");
  if (plugins.filter(({ email }) => email !== undefined).length > 1)
    throw new Error("createCairn: two plugins take the mails that arrive. Leave one out.");
  if (plugins.filter(({ words }) => words !== undefined).length > 1)
    throw new Error("createCairn: two plugins have words for the review of answers. Leave one out.");
  refuseListedNames(plugins);
  // Every service is optional in bindings: a tool reads what it knows.
  const ownTools = tools as unknown as readonly AnyTool<object>[];
  refuseSharedNames({ plugins, tools: ownTools });
  return {
    agents: fileAgents(agents),
    options: schemas,
    problems,
    tools: ownTools,
    plugins,
    models,
    rules,
    webhooks,
    prompts: new Prompts(plugins),
  };
}

function refusePlugins(plugins: readonly Plugin[]): void {
  const names = plugins.map(({ name }) => name);
  for (const [at, name] of names.entries()) {
    if (!PLUGIN_NAME.test(name))
      throw new Error(`createCairn: the name of a plugin is ${PLUGIN_NAME.source}`);
    if (names.indexOf(name) !== at)
      throw new Error(`createCairn: two plugins are named ${name}. Name each plugin once.`);
  }
}

const LISTED_PREFIX = /^[a-z][a-z0-9]{0,15}_$/;

/** A prefix of listed tools makes every name that begins with it theirs. */
function refuseListedNames(plugins: readonly Plugin[]): void {
  const prefixes = plugins.flatMap(({ lists }) => lists?.prefix ?? []);
  for (const [at, prefix] of prefixes.entries()) {
    if (!LISTED_PREFIX.test(prefix))
      throw new Error(
        `createCairn: the prefix of listed tools ${JSON.stringify(prefix)} is not a word and an underscore, such as servers_.`,
      );
    if (prefixes.indexOf(prefix) !== at)
      throw new Error(`createCairn: two plugins list tools under the prefix ${prefix}.`);
  }
}

function rulesOf(plugins: readonly Plugin[]): RulesModels {
  const rules = plugins.flatMap(({ models = {} }) => Object.entries(models));
  const names = rules.map(([name]) => name);
  for (const [at, name] of names.entries()) {
    if (!isRulesName(name))
      throw new Error(
        `createCairn: a plugin cannot bring a model named ${JSON.stringify(name)}. Use at most 32 lower-case letters, digits and -, and a colon.`,
      );
    if (names.indexOf(name) !== at) throw new Error(`createCairn: two plugins bring the model ${name}.`);
  }
  return Object.fromEntries(rules);
}

const MODELS_MAX = 64;
/** `/model default` goes back to the model of the deployment */
const RESERVED = "default";

function refuseModels(
  models: ModelFactories,
  rules: readonly string[],
  agents: Readonly<Record<string, Agent>>,
): void {
  const names = Object.keys(models);
  if (names.length > MODELS_MAX) throw new Error(`createCairn: at most ${MODELS_MAX} models`);
  for (const [name, factory] of Object.entries<unknown>(models)) {
    if (!isOwnModelName(name) || name === RESERVED)
      throw new Error(
        `createCairn: a model cannot be named ${JSON.stringify(name)}. Use at most 64 letters, digits, ., _ and -, and not ${RESERVED}.`,
      );
    if (typeof factory !== "function")
      throw new Error(
        `createCairn: the model ${name} must be a function that returns it, such as () => anthropic("…").`,
      );
  }
  for (const [agent, { model, fallbacks }] of Object.entries(agents))
    for (const name of [model, ...(fallbacks ?? [])])
      if (name !== null && isRulesName(name) && !rules.includes(name))
        throw new Error(`createCairn: the agent ${agent} names the model ${name}, which no plugin brings.`);
      else if (name !== null && parseModelName(name, [...names, ...rules]) === null)
        throw new Error(
          `createCairn: the agent ${agent} names the model ${name}, which is not in models. There ${names.length === 0 ? "are none" : `are ${names.join(", ")}`}.`,
        );
}

import { fileAgents, type FileAgents } from "../agents/known.ts";
import type { Agent } from "../agents/define.ts";
import { addressName, type Address } from "../core/address.ts";
import { ownValue } from "../core/log/json.ts";
import type { NotifySettings } from "../core/quiet.ts";
import type { AddressBook } from "../session/channels/messenger.ts";
import type { AnyTool } from "../tools/define.ts";
import type { McpServer } from "../tools/mcp/server.ts";
import { defineWebhooks, type Webhooks } from "../wire/webhooks/rules.ts";
import type { Plugin } from "./plugin.ts";
import { refuseSharedNames } from "./tools.ts";

/** Everything that a project gives to `createCairn`. */
export interface CairnOptions {
  /** by name; `default` works for every session that names no other */
  readonly agents: Readonly<Record<string, Agent>>;
  /** the project's own tools, made with `defineTool`; their services are the bindings */
  readonly tools?: readonly AnyTool[];
  /** in the order of their tools in the prompt */
  readonly plugins?: readonly Plugin[];
  readonly mcpServers?: readonly McpServer[];
  /** made with `defineWebhooks` */
  readonly webhooks?: Webhooks;
  /** where people are notified who have not set it themselves */
  readonly notify?: NotifySettings;
  /** places that `send_message` may write to, by name */
  readonly addresses?: Readonly<Record<string, Address>>;
  /** names of addresses that runs which nobody asked for may write to without a person */
  readonly alone?: readonly string[];
}

/** The checked options, with nothing left out. */
export interface Project {
  readonly agents: FileAgents;
  readonly tools: readonly AnyTool<object>[];
  readonly plugins: readonly Plugin[];
  readonly mcpServers: readonly McpServer[];
  readonly webhooks: Webhooks;
  readonly notify: NotifySettings;
  readonly addresses: AddressBook;
  /** addresses by their names as text, such as `telegram:-100` */
  readonly alone: readonly string[];
}

const NO_QUIET: NotifySettings = { zone: null, quiet: null, ask: "auto" };
const PLUGIN_NAME = /^[a-z][a-z0-9-]*$/;

/** Throws a sentence where the options contradict themselves, so that such a project cannot be deployed. */
export function checkProject(options: CairnOptions): Project {
  const { tools = [], plugins = [], mcpServers = [], notify = NO_QUIET } = options;
  const { addresses = {}, alone = [], webhooks = defineWebhooks({}) } = options;
  refusePlugins(plugins);
  if (plugins.filter(({ pictures }) => pictures !== undefined).length > 1)
    throw new Error("createCairn: two plugins keep the pictures that people send. Leave one out.");
  // Every service is optional in bindings: a tool reads what it knows.
  const ownTools = tools as unknown as readonly AnyTool<object>[];
  refuseSharedNames({ plugins, tools: ownTools });
  return {
    agents: fileAgents(options.agents),
    tools: ownTools,
    plugins,
    mcpServers,
    webhooks,
    notify,
    addresses: new Map(Object.entries(addresses)),
    alone: alone.map((name) => {
      const address = ownValue(addresses, name);
      if (address === undefined) throw new Error(`createCairn: alone names ${name}, which is no address`);
      return addressName(address);
    }),
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

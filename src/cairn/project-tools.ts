import type { ListedNames } from "./core/guards/named-tools.ts";
import { isReserved } from "./core/log/names.ts";
import { agentsPack } from "./tools/agents/pack.ts";
import { builtinPack } from "./tools/builtin/pack.ts";
import type { AnyTool, Pack } from "./tools/define.ts";
import { messagingPack } from "./tools/messaging/pack.ts";
import { Registry } from "./tools/registry.ts";
import { UNCALLED_READER } from "./documents/value-reader.ts";
import type { Config } from "./config/config.ts";
import { offered, type OfferedPack, type Plugin, type OfferContext } from "./plugin.ts";

/** The tools that a project names by themselves. */
export const OWN_PACK = "own";

type ToolProject = {
  readonly plugins: readonly Plugin[];
  readonly tools: readonly AnyTool<object>[];
  /** names of tools that plugins list, also of those that did not start; default: of these plugins */
  readonly lists?: readonly ListedNames[];
};

export const listsOf = (plugins: readonly Plugin[]): readonly ListedNames[] =>
  plugins.flatMap(({ lists }) => lists ?? []);

/**
 * The tools of a deployment: those that every session has, those of its plugins, and its own. A plugin that throws offers none,
 * is a problem of the registry, and the others work. Throws when two tools share a name.
 */
export function createTools(
  { plugins, tools, lists = listsOf(plugins) }: ToolProject,
  context: OfferContext,
): Registry {
  const { env, session, clock, redact } = context;
  const registry = new Registry(session, clock, redact);
  for (const listed of lists) registry.expectLists(listed);
  for (const pack of builtInPacks(context)) pack.addTo(registry);
  for (const plugin of plugins) {
    const packs = packsOf(plugin, context);
    if (packs.ok) for (const pack of packs.offered) pack.addTo(registry.packsOf(plugin.name));
    else registry.notStarted(`plugin ${plugin.name}`, packs.error);
  }
  return registry.add(ownPack(tools), env);
}

const builtInPacks = ({ services }: Pick<OfferContext, "services">): readonly OfferedPack[] => [
  offered(builtinPack, services),
  offered(agentsPack, null),
  offered(messagingPack, services),
];

const ownPack = (tools: readonly AnyTool<object>[]): Pack<object, object> => ({
  name: OWN_PACK,
  tools,
  prompts: [],
  services: (bindings) => bindings,
});

type PluginPacks =
  | { readonly ok: true; readonly offered: readonly OfferedPack[] }
  | { readonly ok: false; readonly error: unknown };

function packsOf(plugin: Plugin, context: OfferContext, settings?: unknown): PluginPacks {
  try {
    const part = context.parts?.get(plugin.name) ?? null;
    return { ok: true, offered: plugin.tools?.(context, part, settings) ?? [] };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Returns the plugin's settings without bindings; undefined if it needs any. */
function namingSettings({ settings }: Plugin): unknown {
  try {
    return settings?.({}, () => undefined);
  } catch {
    return undefined;
  }
}

/** Tools are named at load, before there are bindings and a session. Their services are not made. */
const NAMING: OfferContext = {
  env: {},
  session: "",
  clock: () => 0,
  targets: {},
  services: { observations: { read: () => null } },
};

/**
 * Throws a sentence with both owners if two tools share a name. A plugin that needs bindings to list its tools is
 * skipped: the registry checks its names at the first request.
 */
export function refuseSharedNames({ plugins, tools }: ToolProject): void {
  const owners = new Map<string, string>();
  const lists = listsOf(plugins);
  const owned = (owner: string) => ({
    add(pack: { readonly tools: readonly AnyTool[] }): void {
      for (const { definition } of pack.tools) {
        const { name } = definition;
        const other = owners.get(name);
        if (other !== undefined)
          throw new Error(
            `createCairn: two tools are named ${name}: one of ${other}, one of ${owner}. Rename one of them.`,
          );
        if (owner !== CAIRN && isReserved(name))
          throw new Error(
            `createCairn: the name of the tool ${name} of ${owner} is one of Cairn's own. Rename it.`,
          );
        const listed = lists.find(({ prefix }) => name.startsWith(prefix));
        if (listed !== undefined)
          throw new Error(
            `createCairn: the tool ${name} of ${owner} has the name of a tool of ${listed.from}: ${listed.prefix}… is theirs. Rename it.`,
          );
        owners.set(name, owner);
      }
    },
  });
  for (const pack of builtInPacks(NAMING)) pack.addTo(owned(CAIRN));
  for (const plugin of plugins) {
    const packs = packsOf(plugin, NAMING, namingSettings(plugin));
    if (packs.ok) for (const pack of packs.offered) pack.addTo(owned(`the plugin ${plugin.name}`));
  }
  owned("`tools`").add(ownPack(tools));
}

const CAIRN = "Cairn itself";

export interface ListingContext extends Pick<OfferContext, "env"> {
  readonly config: Pick<Config, "models" | "extractorModel">;
}

/** The place of a list: the tools are the same as in a session, with services that are never called. */
export function createListingContext({ env, config }: ListingContext): OfferContext {
  const { models, extractorModel } = config;
  return {
    env,
    session: "",
    clock: Date.now,
    targets: {},
    services: {
      observations: { read: () => null },
      reader: models === null || extractorModel === null ? null : UNCALLED_READER,
    },
  };
}

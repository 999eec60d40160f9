import type { Channels } from "../channels/create.ts";
import { canSend, type AddressBook } from "../session/channels/messenger.ts";
import { agentsPack } from "../tools/agents/pack.ts";
import { builtinPack } from "../tools/builtin/pack.ts";
import type { AnyTool } from "../tools/define.ts";
import type { Messenger } from "../tools/messaging/messenger.ts";
import { messagingPack } from "../tools/messaging/pack.ts";
import { Registry } from "../tools/registry.ts";
import { UNCALLED_READER } from "../documents/value-reader.ts";
import type { Config } from "../wire/config/config.ts";
import { offered, type Plugin, type ToolPlace } from "./plugin.ts";

/** The tools that a project names by themselves. */
export const OWN_PACK = "own";

/** The tools of a deployment: those that every session has, those of its plugins, and its own. Throws when two share a name. */
export function createTools(
  { plugins, tools }: { readonly plugins: readonly Plugin[]; readonly tools: readonly AnyTool<object>[] },
  place: ToolPlace,
): Registry {
  const { env, services, session, clock, redact } = place;
  const registry = new Registry(session, clock, redact);
  const packs = [
    offered(builtinPack, services),
    offered(agentsPack, null),
    offered(messagingPack, services),
    ...plugins.flatMap((plugin) => plugin.tools?.(place) ?? []),
    offered({ name: OWN_PACK, tools, prompts: [], services: (bindings: object) => bindings }, env),
  ];
  for (const pack of packs) pack.addTo(registry);
  return registry;
}

export interface ListedPlace extends Pick<ToolPlace, "env" | "embedder"> {
  readonly config: Pick<Config, "models" | "extractorModel">;
  readonly channels: Pick<Channels, "names">;
  readonly book: AddressBook;
}

/** The place of a list: the tools are the same as in a session, with services that are never called. */
export function listPlace({ env, embedder, config, channels, book }: ListedPlace): ToolPlace {
  const { models, extractorModel } = config;
  return {
    env,
    embedder,
    session: "",
    clock: Date.now,
    environment: null,
    services: {
      observations: { read: () => null },
      reader: models === null || extractorModel === null ? null : UNCALLED_READER,
      messenger: canSend(channels, book) ? uncalled([...book.keys()]) : null,
    },
  };
}

const uncalled = (names: readonly string[]): Messenger => ({
  names,
  find: () => null,
  origin: () => null,
  has: () => false,
  send: () => Promise.reject(new Error("nothing is sent from a list")),
});

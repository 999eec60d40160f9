import { addressBook } from "./address-book.ts";
import type { Channels } from "./channels/create.ts";
import { canSend } from "./session/channels/messenger.ts";
import type { Messenger } from "./tools/messaging/messenger.ts";
import { createTools } from "./tools/packs.ts";
import type { Registry } from "./tools/registry.ts";
import type { SkillShelf } from "./tools/skills/shelf.ts";
import { UNCALLED_READER } from "./tools/web/values/reader.ts";
import type { Config } from "./wire/config/config.ts";

/** The tools of a deployment as its doors list and check them: the same that its sessions have, with services that are never called. */
export function listTools(
  env: Parameters<typeof createTools>[0],
  { models, extractorModel }: Pick<Config, "models" | "extractorModel">,
  channels: Pick<Channels, "names">,
  skills: SkillShelf,
): Registry {
  const book = new Map(Object.entries(addressBook));
  return createTools(env, "", Date.now, {
    observations: { read: () => null },
    reader: models === null || extractorModel === null ? null : UNCALLED_READER,
    messenger: canSend(channels, book) ? uncalled([...book.keys()]) : null,
    skills,
  });
}

const uncalled = (names: readonly string[]): Messenger => ({
  names,
  find: () => null,
  origin: () => null,
  has: () => false,
  send: () => Promise.reject(new Error("nothing is sent here")),
});

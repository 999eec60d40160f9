import type { Redact } from "../core/text/redact.ts";
import { agentsPack } from "./agents/pack.ts";
import { builtinPack, type SessionServices } from "./builtin/pack.ts";
import type { CmsBindings } from "./cms/model/types.ts";
import { cmsPack, imagesPack } from "./cms/pack.ts";
import { codePack, networkedCodePack, type CodeBindings } from "./code/pack.ts";
import { messagingPack } from "./messaging/pack.ts";
import type { MessagingServices } from "./messaging/services.ts";
import { filesPack } from "./files/pack.ts";
import { messagesPack } from "./messaging/messages-pack.ts";
import type { Messenger } from "./messaging/messenger.ts";
import { Registry } from "./registry.ts";
import { skillsPack } from "./skills/pack.ts";
import type { SkillShelf } from "./skills/shelf.ts";
import { httpPack, type HttpBindings } from "./web/http/pack.ts";
import { webPack } from "./web/pack.ts";
import type { Extractor } from "./web/reading/extract.ts";
import { scholarPack, type ScholarBindings } from "./web/scholar/pack.ts";
import { searchPack } from "./web/search/pack.ts";
import { valuesPack } from "./web/values/pack.ts";
import type { ValueReader } from "./web/values/reader.ts";
import { NO_MEMORY, type WebBindings, type WebMemory } from "./web/services.ts";

/**
 * The tools of this deployment. To add your own: `defineTool`, put it in a pack by `definePack`, and add the pack here.
 * Those of the site work on `env.environment`, where it names one. Throws when two tools share a name.
 */
export function createTools(
  env: CmsBindings & WebBindings & ScholarBindings & HttpBindings & CodeBindings,
  session: string,
  clock: () => number,
  services: SessionServices &
    Partial<MessagingServices> & {
      readonly web?: WebMemory;
      readonly extractor?: Extractor | null;
      readonly messenger?: Messenger | null;
      readonly skills?: SkillShelf;
      readonly reader?: ValueReader | null;
    },
  redact?: Redact,
): Registry {
  const tools = new Registry(session, clock, redact);
  tools.add(builtinPack, services);
  tools.add(agentsPack, null);
  tools.add(messagingPack, services);
  tools.add(cmsPack, env);
  tools.add(imagesPack, env);
  tools.add(filesPack, env);
  const { web: memory = NO_MEMORY, extractor = null, reader = null } = services;
  tools.add(webPack, { ...env, memory, extractor });
  tools.add(valuesPack, { ...env, memory, reader });
  tools.add(searchPack, env);
  tools.add(scholarPack, env);
  tools.add(httpPack, env);
  tools.add(codePack, env);
  tools.add(networkedCodePack, env);
  tools.add(messagesPack, { messenger: services.messenger ?? null });
  tools.add(skillsPack, { skills: services.skills ?? null });
  return tools;
}

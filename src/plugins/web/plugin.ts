import webPrompt from "../../../prompts/web/web.xml";
import { offered, type Plugin } from "../../cairn/plugin.ts";
import { NO_MEMORY } from "../../cairn/outbound/web-memory.ts";
import { WEB_SECRETS } from "./secrets.ts";
import { webPack } from "./pack.ts";
import { searchPack } from "./search/pack.ts";
import { valuesPack } from "./values/pack.ts";

/** Searching the web, and reading pages. */
export const web = (): Plugin => ({
  name: "web",
  secrets: WEB_SECRETS,
  prompts: { web: webPrompt },
  tools: ({ env, services: { web: memory = NO_MEMORY, extractor = null, reader = null } }) => [
    offered(webPack, { ...env, memory, extractor }),
    offered(valuesPack, { ...env, memory, reader }),
    offered(searchPack, env),
  ],
});

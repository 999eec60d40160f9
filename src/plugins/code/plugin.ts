import { offered, type Plugin } from "../../cairn/plugin.ts";
import { codePack, networkedCodePack } from "./pack.ts";
import { CODE_SECRETS } from "./secrets.ts";

/** Code that the agent writes, run where it reaches nothing. */
export const code = (): Plugin => ({
  name: "code",
  secrets: CODE_SECRETS,
  tools: ({ env }) => [offered(codePack, env), offered(networkedCodePack, env)],
});

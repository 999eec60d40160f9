import { offered, type Plugin } from "../../cairn/plugin.ts";
import { codePack, networkedCodePack } from "./pack.ts";

/** Code that the agent writes, run where it reaches nothing. */
export const code = (): Plugin => ({
  name: "code",
  tools: ({ env }) => [offered(codePack, env), offered(networkedCodePack, env)],
});

import { offered, type Plugin } from "../../cairn/plugin.ts";
import { scholarPack } from "./pack.ts";
import { SCHOLAR_SECRETS } from "./secrets.ts";

/** Searching scholarly works. */
export const scholar = (): Plugin => ({
  name: "scholar",
  secrets: SCHOLAR_SECRETS,
  tools: ({ env }) => [offered(scholarPack, env)],
});

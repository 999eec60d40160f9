import { offered, type Plugin } from "../../cairn/plugin.ts";
import { scholarPack } from "./pack.ts";

/** Searching scholarly works. */
export const scholar = (): Plugin => ({
  name: "scholar",
  tools: ({ env }) => [offered(scholarPack, env)],
});

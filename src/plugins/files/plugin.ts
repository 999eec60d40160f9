import { offered, type Plugin } from "../../cairn/plugin.ts";
import { filesPack } from "./pack.ts";

/** Files that people send, as text. */
export const files = (): Plugin => ({
  name: "files",
  tools: ({ env }) => [offered(filesPack, env)],
});

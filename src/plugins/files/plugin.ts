import filesPrompt from "../../../prompts/files/files.xml";
import { offered, type Plugin } from "../../cairn/plugin.ts";
import { filesPack, type FileBindings } from "./pack.ts";

/** Files that people send, as text. */
export const files = (): Plugin => ({
  name: "files",
  prompts: { files: filesPrompt },
  settings: (env, problem) => {
    const { MEDIA: bucket }: FileBindings = env;
    if (bucket === undefined) problem("MEDIA", "No bucket is bound, so there are no files.");
  },
  tools: ({ env }) => [offered(filesPack, env)],
});

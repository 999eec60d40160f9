import { definePack } from "../../cairn/tools/define.ts";
import { readFile, type FileServices } from "./read-file.ts";

/** Environment of the file tools. */
export interface FileBindings {
  readonly MEDIA?: R2Bucket;
}

/** Tools that read what people send, where there is a bucket that keeps it. */
export const filesPack = definePack<FileBindings, FileServices>({
  name: "files",
  tools: [readFile],
  prompts: ["files"],
  services: ({ MEDIA: bucket }) =>
    bucket === undefined
      ? {
          unavailable:
            "Files need a bucket: bind MEDIA under [[r2_buckets]] in wrangler.toml (docs/deploy.md of Cairn).",
        }
      : { bucket },
});

import { definePack } from "../../../cairn/tools/define.ts";
import type { WebMemory } from "../../../cairn/outbound/web-memory.ts";
import { webServicesOf, type WebBindings } from "../services.ts";
import type { ValueReader } from "../../../cairn/documents/value-reader.ts";
import { readValues, type ValueServices } from "./read-values.ts";

const NO_READER =
  "read_values needs a model that reads pages apart from the run: set EXTRACTOR_MODEL (docs/research.md of Cairn).";

/** Values of pages, and no text of them. Off without a model that reads them: rules would return unrequested values. */
export const valuesPack = definePack<
  WebBindings & { readonly memory?: WebMemory; readonly reader?: ValueReader | null },
  ValueServices
>({
  name: "values",
  tools: [readValues],
  prompts: [],
  services: (env) => {
    const web = webServicesOf(env);
    if ("unavailable" in web) return web;
    if (env.reader == null) return { unavailable: NO_READER, wanted: false };
    const { access, toText, memory, browser } = web;
    return { access, toText, memory, browser, reader: env.reader };
  },
});

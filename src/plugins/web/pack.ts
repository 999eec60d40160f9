import { definePack } from "../../cairn/tools/define.ts";
import type { WebMemory } from "../../cairn/outbound/web-memory.ts";
import { webServicesOf, type WebBindings, type WebServices } from "./services.ts";
import type { Extractor } from "../../cairn/documents/extract.ts";
import { visit } from "./visit.ts";

/** Tools that read the web. Off unless the deployment enables them, because they cost prompt tokens. */
export const webPack = definePack<
  WebBindings & { readonly memory?: WebMemory; readonly extractor?: Extractor | null },
  WebServices
>({
  name: "web",
  tools: [visit],
  prompts: ["web"],
  services: webServicesOf,
});

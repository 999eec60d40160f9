import { definePack } from "../../cairn/tools/define.ts";
import type { WebMemory } from "../../cairn/outbound/web-memory.ts";
import { webServicesOf, type WebBindings, type WebServices } from "./services.ts";
import type { Extractor } from "../../cairn/documents/extract.ts";
import { visit } from "./visit.ts";

/** Tools that read the world. Off unless the deployment wants them: a prompt should not pay for what nobody asked for. */
export const webPack = definePack<
  WebBindings & { readonly memory?: WebMemory; readonly extractor?: Extractor | null },
  WebServices
>({
  name: "web",
  tools: [visit],
  prompts: ["web"],
  services: webServicesOf,
});

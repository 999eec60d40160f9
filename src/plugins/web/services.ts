import { accessOf, type AccessBindings, type WebAccess } from "../../cairn/outbound/access.ts";
import { isOn } from "../../cairn/outbound/bindings.ts";
import { NO_MEMORY, type WebMemory } from "../../cairn/outbound/web-memory.ts";
import type { Extractor } from "../../cairn/documents/extract.ts";
import type { ToText } from "../../cairn/documents/page.ts";
import { browserOf, type Browser } from "./reading/render.ts";

/** Services of the web tools. */
export interface WebServices {
  readonly access: WebAccess;
  /** null where there is no binding for it */
  readonly toText: ToText | null;
  readonly memory: WebMemory;
  /** null where none is bound */
  readonly browser: Browser | null;
  /** null: words choose the passages of a page */
  readonly extractor: Extractor | null;
}

/** Environment of the web tools. */
export interface WebBindings extends AccessBindings {
  readonly WEB?: unknown;
  readonly AI?: unknown;
  readonly BROWSER?: unknown;
}

const OFF = "The web is off here: set WEB to on (docs/configuration.md of Cairn).";

/** Services of a web pack, or the reason why it is unavailable. */
export function webServicesOf(
  env: WebBindings & { readonly memory?: WebMemory; readonly extractor?: Extractor | null },
): WebServices | { readonly unavailable: string; readonly wanted: false } {
  if (!isOn(env.WEB)) return { unavailable: OFF, wanted: false };
  return {
    access: accessOf(env),
    toText: toTextOf(env.AI),
    memory: env.memory ?? NO_MEMORY,
    browser: browserOf(env.BROWSER),
    extractor: env.extractor ?? null,
  };
}

interface Converter {
  toMarkdown(files: { name: string; blob: Blob }[]): Promise<{ format: string; data?: string }[]>;
}

const isConverter = (ai: unknown): ai is Converter =>
  typeof ai === "object" && ai !== null && "toMarkdown" in ai && typeof ai.toMarkdown === "function";

/** By Workers AI, which makes Markdown of PDF and office files; it asks the account, so a local binding fails. */
function toTextOf(ai: unknown): ToText | null {
  if (!isConverter(ai)) return null;
  return async ({ name, type, bytes }) => {
    const blob = new Blob([bytes.slice()], { type });
    const [made] = await ai.toMarkdown([{ name, blob }]);
    if (made?.format !== "markdown" || made.data === undefined) throw new Error("no markdown was made");
    return made.data;
  };
}

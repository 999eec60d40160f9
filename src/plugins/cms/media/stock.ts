import * as z from "zod";
import { readJson } from "../../../cairn/core/log/json.ts";
import type { WebAccess } from "../../../cairn/outbound/access.ts";
import { readBytes } from "../../../cairn/core/bytes.ts";
import { fail } from "../model/errors.ts";
import type { StockArrival, StockProvider } from "../model/stock.ts";
import type { CmsServices } from "../model/types.ts";
import { download } from "./download.ts";

/** Stock photos: a provider to search, whose photos are imported into the library one by one. */

/** Refuses `not_configured` without a provider. */
export function stockOf({ stock }: CmsServices): StockProvider {
  if (stock !== undefined && stock !== null) return stock;
  throw fail("not_configured", "No provider of stock photos is configured.", {
    at: "source",
    hint: "Set PEXELS_API_KEY (docs/configuration.md of Cairn), or use the library and uploads.",
  });
}

export const loadStockPhoto = (
  services: CmsServices,
  photoId: string,
  signal: AbortSignal,
): Promise<StockArrival> => stockOf(services).load(photoId, signal);

const photoSchema = z.object({
  id: z.number(),
  width: z.number(),
  height: z.number(),
  url: z.string(),
  photographer: z.string(),
  alt: z.string().nullish(),
  src: z.object({ original: z.string(), medium: z.string() }),
});
const pageSchema = z.object({ photos: z.array(photoSchema) });

const RENDITION_PIXELS = 1_920;
const ANSWER_MS = 10_000;
/** 80 photos, the most that Pexels gives at once, are 100 KB. */
const ANSWER_BYTES_MAX = 1_048_576;
const ID = /^\d{1,15}$/;

/** Photos of Pexels, or of a server that answers like it (https://www.pexels.com/api/documentation). */
export function createPexels(web: WebAccess, key: string, baseUrl = "https://api.pexels.com"): StockProvider {
  const ask = async <Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> => {
    let response: Response;
    try {
      response = await web.fetch(`${baseUrl}/v1/${path}`, {
        headers: { authorization: key },
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      });
    } catch {
      throw fail("upstream_error", "Pexels cannot be reached.", {
        hint: "Nothing was stored. Try it later.",
      });
    }
    if (response.status === 404) throw fail("not_found", "Pexels has no such photo.", { at: "photoId" });
    const parsed = response.ok ? schema.safeParse(await jsonOf(response)) : null;
    if (parsed?.success === true) return parsed.data;
    throw fail("upstream_error", `Pexels answered ${response.status}.`, {
      hint: response.status === 401 ? "Its key is not accepted: PEXELS_API_KEY." : "Try it later.",
    });
  };
  return {
    name: "pexels",
    search: async ({ query, orientation, limit }, signal) => {
      const words = new URLSearchParams({ query, per_page: String(limit) });
      if (orientation !== undefined) words.set("orientation", orientation);
      const { photos } = await ask(`search?${words.toString()}`, pageSchema, signal);
      return photos.map(({ id, width, height, photographer, alt, src }) => ({
        photoId: String(id),
        thumb: src.medium,
        photographer,
        alt: alt ?? "",
        width,
        height,
      }));
    },
    load: async (photoId, signal) => {
      if (!ID.test(photoId)) throw fail("invalid_input", "This is no id of a photo.", { at: "photoId" });
      const photo = await ask(`photos/${photoId}`, photoSchema, signal);
      const { url, photographer, alt, src } = photo;
      const rendition = new URL(src.original);
      rendition.searchParams.set("auto", "compress");
      rendition.searchParams.set("w", String(RENDITION_PIXELS));
      return {
        sourceRef: `pexels:${photoId}`,
        filename: `pexels-${photoId}`,
        alt: alt ?? "",
        attribution: { photographer, url, provider: "Pexels", licence: "Pexels License" },
        download: () => download(web, rendition.href, signal),
      };
    },
  };
}

/** The body as JSON; null where it is none, is cut off or is larger than an answer can be. */
async function jsonOf(response: Response): Promise<unknown> {
  const bytes = await readBytes(response.body, ANSWER_BYTES_MAX).catch(() => null);
  return bytes === null ? null : readJson(new TextDecoder().decode(bytes));
}

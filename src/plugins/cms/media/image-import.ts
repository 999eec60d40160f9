import * as z from "zod";
import { digestOf } from "../../../cairn/core/log/digest.ts";
import type { Preview } from "../../../cairn/core/log/tool.ts";
import { defineTool } from "../../../cairn/tools/define.ts";
import { accessOf, type WebAccess } from "../../../cairn/outbound/access.ts";
import { isAllowed, judgeUrl } from "../../../cairn/outbound/safe-url.ts";
import { refInput } from "../edit/plan.ts";
import { ALT_CHARS_MAX } from "../model/validate.ts";
import { findOperation } from "../history/operations.ts";
import { fail } from "../model/errors.ts";
import type { CmsContext, CmsServices } from "../model/types.ts";
import { runKeyed } from "../storage/commit.ts";
import { loadEnvironment } from "../storage/load.ts";
import { findImage } from "../storage/images.ts";
import { download, judged } from "./download.ts";
import { importedOutput, planArrival, storeBytes, type Arrival } from "./library.ts";
import { TAG_CHARS_MAX, TAGS_MAX } from "./limits.ts";
import { loadStockPhoto, stockOf } from "./stock.ts";

const input = z.strictObject({
  source: z.enum(["stock", "url"]),
  photoId: refInput.describe("stock: from image_search").optional(),
  url: z.string().min(1).max(2_000).describe("url: public https").optional(),
  alt: z.string().trim().max(ALT_CHARS_MAX).optional(),
  tags: z.array(z.string().trim().min(1).max(TAG_CHARS_MAX)).max(TAGS_MAX).optional(),
  filename: z.string().trim().min(1).max(100).optional(),
});
type Input = z.output<typeof input>;
const output = importedOutput;

/** True for a host of IMAGE_HOSTS: its images need no approval. */
const isFree = (host: string, { imageHosts = [] }: CmsServices): boolean =>
  imageHosts.some((entry) => isAllowed(host, entry));

const accessFor = ({ web }: CmsServices): WebAccess => web ?? accessOf({});

export const imageImport = defineTool<CmsServices, typeof input, z.output<typeof output>>({
  name: "image_import",
  version: 1,
  title: "Import an image",
  description:
    "Brings a stock photo, or an image by its URL, into the library. The same one is kept once. For a URL a person decides, before anything is requested.",
  input,
  effect: "keyed",
  verbs: ["create", "add"],
  tier: "write",
  reads: "outside",
  reach: "external",
  approval: "depends",
  preview,
  run,
  entities: (_, { image, deduped }) => [
    { op: deduped ? "touch" : "create", type: "image", id: image.id, name: image.filename },
  ],
});

async function preview(given: Input, { services }: CmsContext): Promise<Preview> {
  const { isProtected } = await loadEnvironment(services);
  const request = requestOf(given, services);
  const asks = isProtected || (request.host !== null && !isFree(request.host, services));
  if (!asks)
    return {
      need: { kind: "none" },
      title: "Import an image",
      summary: request.summary,
      impact: [],
      basis: null,
    };
  return {
    need: {
      kind: "ask",
      reason: isProtected
        ? "This environment is protected: a person decides about every change."
        : "It requests an address that the model named.",
    },
    title: request.host === null ? "Import a stock photo" : `Import an image from ${request.host}`,
    summary: request.summary,
    impact: request.lines,
    basis: digestOf({ ...given }),
  };
}

interface ImportRequest {
  /** null for a stock photo */
  readonly host: string | null;
  readonly summary: string;
  readonly lines: readonly string[];
}

/** Refuses what goes nowhere, before anybody is asked. No request is made. */
function requestOf(given: Input, services: CmsServices): ImportRequest {
  const { source, url, photoId, filename } = given;
  if (source === "stock") {
    if (photoId === undefined || url !== undefined)
      throw fail("invalid_input", "A stock photo is named by photoId, and by no url.", {
        at: "photoId",
        hint: "image_search with source stock lists photos.",
      });
    const { name } = stockOf(services);
    return { host: null, summary: `Add the photo ${name}:${photoId} to the library.`, lines: [] };
  }
  if (url === undefined || photoId !== undefined)
    throw fail("invalid_input", "An image by URL is named by url, and by no photoId.", { at: "url" });
  const address = judged(judgeUrl(url, accessFor(services).facts));
  const { host } = new URL(address);
  return {
    host,
    summary: `Fetch ${address} and add the image to the library.`,
    lines: [`Address: ${address}`, `Host: ${host}`, `File name: ${filename ?? nameIn(address)}`],
  };
}

const nameIn = (url: string): string => {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || "image";
  } catch {
    return last;
  }
};

async function run(given: Input, context: CmsContext): Promise<z.output<typeof output>> {
  const { services, approved, key } = context;
  const previewed = await preview(given, context);
  if (previewed.need.kind === "ask" && (approved === null || approved.basis !== previewed.basis))
    throw fail("approval_stale", "What this call would fetch is not what was approved.", {
      hint: "Call the tool again; a person is asked about it as it is now.",
    });
  const known = (await findOperation(services, key)) !== null;
  // A call that is run again has stored its answer, and fetches nothing.
  const arrival = known ? null : await arrivalOf(given, context);
  const done = await runKeyed({
    tool: "image_import",
    input: given,
    // The address was approved; the image itself is only known now.
    context: { ...context, approved: approved === null ? null : { ...approved, basis: null } },
    plan: () => {
      if (arrival === null) throw new Error("a known key has an answer");
      return planArrival(arrival, context);
    },
    needsApproval: () => Promise.resolve(false),
  });
  return output.parse(done);
}

async function arrivalOf(given: Input, context: CmsContext): Promise<Arrival> {
  const { services, signal } = context;
  const { alt, tags, url } = given;
  const attributes = {
    ...(tags === undefined ? {} : { tags }),
    ...(alt === undefined ? {} : { alt, altSource: "human" as const }),
  };
  if (given.source === "stock") {
    const photo = await loadStockPhoto(services, given.photoId ?? "", signal);
    const held = await findImage(services, { sourceRef: photo.sourceRef });
    if (held !== null) return { ...photo, ...attributes, sha256: held.sha256, read: null, origin: "stock" };
    const stored = await storeBytes(services, await photo.download());
    return {
      filename: given.filename ?? photo.filename,
      origin: "stock",
      sourceRef: photo.sourceRef,
      attribution: photo.attribution,
      ...stored,
      ...(photo.alt === "" ? {} : { alt: photo.alt, altSource: "stock" as const }),
      ...attributes,
    };
  }
  const bytes = await download(accessFor(services), url ?? "", signal);
  const stored = await storeBytes(services, bytes);
  return { filename: given.filename ?? nameIn(url ?? ""), origin: "url", ...stored, ...attributes };
}

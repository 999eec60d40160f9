import type { Bindings } from "../../../cairn/bindings.ts";
import { Hono } from "hono/tiny";
import type { EntryDocument, Field, PageDocument } from "../model/document.ts";
import { servicesOf } from "../pack.ts";
import { checkPreviewToken, type PreviewGrant } from "./preview.ts";
import { OWN_ENVIRONMENT } from "../model/environment.ts";
import { inSet } from "../storage/change-sets.ts";
import type { CmsServices } from "../model/types.ts";
import { parseAddress } from "./address.ts";
import { HTML, isKnown, PLAIN, siteHeaders, weakTag } from "./answers.ts";
import type { EntryCard, SiteContext } from "./context.ts";
import { loadDocuments } from "./pages/documents.ts";
import { feed } from "./pages/feed.ts";
import { loadFrame, type Frame } from "./html/frame.ts";
import { accentOf, cardsOf, loadContext, originOf } from "./load.ts";
import { serveMedia } from "./html/media.ts";
import { previewSecret } from "./api/preview-link.ts";
import { robotsText } from "./pages/robots.ts";
import { sitemap, sitemapPart } from "./pages/sitemap.ts";
import { findTarget } from "./target.ts";

/** The public site. Shows published content, and drafts with a token; everything else is 404, even if it exists. */

/** A collection as its pages name it; `path` is that of its list, in the language shown. */
interface ShownCollection {
  readonly name: string;
  readonly path: string;
  readonly fields: readonly Field[];
}

/** Documents to HTML. */
export interface Render {
  readonly page: (document: PageDocument, context: SiteContext) => Promise<string>;
  readonly list: (
    collection: ShownCollection,
    cards: readonly EntryCard[],
    pager: { readonly page: number; readonly pages: number },
    context: SiteContext,
  ) => Promise<string>;
  readonly entry: (
    document: EntryDocument,
    collection: ShownCollection,
    context: SiteContext,
  ) => Promise<string>;
  readonly notFound: (context: SiteContext) => Promise<string>;
  readonly themeCss: (accent: string | null) => string | Promise<string>;
}

export interface SiteParts {
  readonly render: Render;
  /** PREVIEW_SECRET; null for the one that the seed made */
  readonly previewSecret: string | null;
  /** changes whenever the templates may have */
  readonly version: string;
  /** ms */
  readonly now: () => number;
  /** makes the first content of a new deployment */
  readonly seed: (env: Bindings, now: number) => Promise<void>;
  /** a bug, for the operator's log; nothing of it is answered */
  readonly report: (error: unknown, requestId: string) => void;
}

const XML = "application/xml; charset=utf-8";
const ATOM = "application/atom+xml; charset=utf-8";
const CSS = "text/css; charset=utf-8";

export function createSite(parts: SiteParts): Hono<{ Bindings: Bindings }> {
  const site = new Hono<{ Bindings: Bindings }>();

  const text = async (
    env: Bindings,
    request: Request,
    type: string,
    make: Making,
    environment = OWN_ENVIRONMENT,
  ): Promise<Response> => {
    const services = servicesOf({ ...env, environment });
    if (services !== null) await parts.seed(env, parts.now());
    const frame = services === null ? null : await loadFrame(services, []);
    const { origin, pathname } = new URL(request.url);
    const etag = await weakTag(parts.version, frame?.environment.epoch ?? 0, origin, pathname);
    const headers = siteHeaders(type, etag);
    if (isKnown(request, etag)) return new Response(null, { status: 304, headers });
    const body = await make(services, frame, origin);
    return body === null ? noSite() : new Response(body, { headers });
  };

  site.get("/site/sitemap.xml", (c) =>
    text(c.env, c.req.raw, XML, async (services, frame, origin) =>
      services === null || frame === null ? null : sitemap(services, frame, origin),
    ),
  );
  site.get("/site/:part{sitemap-[1-9][0-9]{0,5}\\.xml}", (c) =>
    text(c.env, c.req.raw, XML, async (services, frame, origin) => {
      const n = Number(/\d+/.exec(c.req.param("part"))?.[0]);
      return services === null || frame === null ? null : sitemapPart(services, frame, origin, n);
    }),
  );
  site.get("/site/feed.xml", (c) =>
    text(c.env, c.req.raw, ATOM, async (services, frame, origin) =>
      services === null || frame === null ? null : feed(services, frame, origin),
    ),
  );
  for (const path of ["/robots.txt", "/site/robots.txt"])
    site.get(path, (c) => text(c.env, c.req.raw, PLAIN, async (_, frame) => robotsText(frame)));
  for (const path of ["/site/assets/theme.css", "/site/:root{~[A-Za-z0-9_-]+}/assets/theme.css"]) {
    const theme: Making = async (_, frame) => parts.render.themeCss(frame === null ? null : accentOf(frame));
    site.get(path, (c) => text(c.env, c.req.raw, CSS, theme, c.req.param("root")?.slice(1)));
  }
  site.get("/media/*", async (c) => {
    const services = servicesOf(c.env);
    if (services === null) return noSite();
    if (services.media === null) return noBucket();
    await parts.seed(c.env, parts.now());
    return serveMedia(services, services.media, c.req.raw, new URL(c.req.url).pathname);
  });
  for (const path of ["/site", "/site/*"]) {
    site.get(path, (c) => serveDocument(parts, c.env, c.req.raw));
  }
  for (const path of ["/robots.txt", "/site", "/site/*", "/media/*"]) {
    site.all(path, () => {
      const headers = siteHeaders(PLAIN, null);
      headers.set("allow", "GET, HEAD");
      return new Response("This site is only read.\n", { status: 405, headers });
    });
  }
  site.onError((error, c) => {
    const id = c.req.header("x-request-id") ?? "";
    parts.report(error, id);
    const body = `Something went wrong on our side. Request id: ${id === "" ? "unknown" : id}\n`;
    return new Response(body, { status: 500, headers: siteHeaders(PLAIN, null) });
  });
  return site;
}

type Making = (services: CmsServices | null, frame: Frame | null, origin: string) => Promise<string | null>;

async function serveDocument(parts: SiteParts, env: Bindings, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const address = parseAddress(url.pathname);
  const environment = address?.environment ?? OWN_ENVIRONMENT;
  const own = servicesOf({ ...env, environment });
  if (own === null) return noSite();
  await parts.seed(env, parts.now());
  const token = url.searchParams.get("preview");
  const grant = token === null ? null : await grantOf(parts, own, token);
  if (token !== null && grant === null) return refusedPreview();
  // A settled set has no rows of its own, so its drafts are those of the site.
  const services = grant?.set === undefined ? own : inSet(own, { id: grant.set, name: "" });
  // Only the deployment's own environment is for search engines.
  const options = { preview: token !== null, listed: environment === OWN_ENVIRONMENT };

  const frame = await loadFrame(services, address?.segments ?? []);
  if (frame === null) return noSite();
  const found =
    address === null
      ? { locale: frame.environment.defaultLocale, target: { kind: "nothing" as const } }
      : findTarget(frame, address, url.pathname, grant);
  const { target } = found;
  if (target.kind === "moved") {
    const headers = siteHeaders(PLAIN, await weakTag(target.path), options);
    headers.delete("etag");
    headers.set("location", target.path + url.search);
    return new Response(null, { status: 301, headers });
  }
  const page = target.kind === "list" ? pageNumber(url.searchParams.get("page")) : 1;
  const shown = page === null ? { ...found, target: { kind: "nothing" as const } } : found;

  const etag = await weakTag(
    parts.version,
    frame.environment.epoch,
    originOf(frame, url.origin),
    url.pathname,
    page ?? 0,
  );
  const headers = siteHeaders(HTML, shown.target.kind === "nothing" ? null : etag, options);
  if (headers.has("etag") && isKnown(request, etag)) return new Response(null, { status: 304, headers });

  const documents = await loadDocuments(services, frame, shown.target, page ?? 1, grant);
  const query = token === null ? "" : `preview=${token}`;
  const context = await loadContext(services, frame, documents, {
    found: shown,
    grant,
    query,
    origin: url.origin,
  });
  const { render } = parts;
  if (documents.page !== null) return new Response(await render.page(documents.page, context), { headers });
  if (shown.target.kind === "entry" && documents.entry !== null) {
    const { name, id, fields } = shown.target.collection;
    const collection = { name, path: context.pathOf("collection", id) ?? context.root, fields };
    return new Response(await render.entry(documents.entry, collection, context), { headers });
  }
  if (shown.target.kind === "list" && page !== null && page <= documents.pages) {
    const { name, fields } = shown.target.collection;
    const collection = { name, path: shown.target.path, fields };
    const pager = { page, pages: documents.pages };
    const cards = cardsOf(documents.entries, context);
    return new Response(await render.list(collection, cards, pager, context), { headers });
  }
  const nothing = siteHeaders(HTML, null, options);
  return new Response(await render.notFound(context), { status: 404, headers: nothing });
}

/** From 1; null for what is no page number. */
function pageNumber(given: string | null): number | null {
  if (given === null) return 1;
  return /^[1-9][0-9]{0,5}$/.test(given) ? Number(given) : null;
}

async function grantOf(parts: SiteParts, services: CmsServices, token: string): Promise<PreviewGrant | null> {
  const secret = await previewSecret(services, parts.previewSecret);
  const grant = secret === null ? null : checkPreviewToken(secret, token, parts.now());
  return grant?.env === services.env ? grant : null;
}

/** The same for every token that is not good, whatever the path. */
function refusedPreview(): Response {
  const body = "This preview link is not valid, or no longer.\n";
  return new Response(body, {
    status: 403,
    headers: siteHeaders(PLAIN, null, { preview: true, listed: false }),
  });
}

function noBucket(): Response {
  const what =
    "This deployment has no images: bind a bucket as MEDIA under [[r2_buckets]] in wrangler.toml.\n";
  return new Response(what, { status: 404, headers: siteHeaders(PLAIN, null) });
}

function noSite(): Response {
  return new Response("There is nothing here.\n", { status: 404, headers: siteHeaders(PLAIN, null) });
}

import * as z from "zod";
import { batchOf, rowsOf } from "../../storage/rows.ts";
import { number, numberOrNull, text } from "../../model/columns.ts";
import type { CmsServices } from "../../model/types.ts";
import { collectionPath, inLocale } from "../address.ts";
import { linkTargetOf, type Frame } from "../html/frame.ts";
import { originOf } from "../load.ts";
import { pathOfTarget } from "../target.ts";
import { xmlText } from "../html/xml.ts";

/**
 * The sitemap, by https://www.sitemaps.org/protocol.html. A small site has one file; a larger one an index of files, each
 * of so many published documents that it is read while a crawler waits.
 */

/** documents of one file, in the order in which they were first published */
export const SITEMAP_DOCUMENTS_MAX = 1_000;
/** of one file, by the protocol */
const SITEMAP_URLS_MAX = 50_000;
const localesSchema = z.array(z.string());

interface Listed {
  /** in the default locale */
  readonly path: string;
  /** besides the default one */
  readonly locales: readonly string[];
  /** ms */
  readonly changedAt: number;
}

/** The numbers of the files that hold a document, each found by one look; the first is there without any. */
const PARTS = `WITH RECURSIVE parts(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM parts
    WHERE n*${SITEMAP_DOCUMENTS_MAX} < (SELECT s.n FROM sitemap_docs s WHERE s.env_id=?1 ORDER BY s.n DESC LIMIT 1))
  SELECT n FROM parts p WHERE p.n=1 OR EXISTS (SELECT 1 FROM sitemap_docs s WHERE s.env_id=?1
    AND s.n > (p.n-1)*${SITEMAP_DOCUMENTS_MAX} AND s.n <= p.n*${SITEMAP_DOCUMENTS_MAX})`;

const listed = (alias: string): string =>
  `${alias}.id=s.owner_id AND ${alias}.deleted_at IS NULL AND ${alias}.status='published' AND ${alias}.indexing=1`;
/** ?1 environment, ?2 before the first of the file, ?3 its last */
const DOCUMENTS = `SELECT s.owner_type AS kind, s.owner_id AS id, coalesce(p.slug,e.slug) AS slug, e.collection_id, 1 AS is_public,
    s.published_at AS changed_at, s.locales FROM sitemap_docs s
    LEFT JOIN pages p ON s.owner_type='page' AND ${listed("p")} AND p.kind='page'
    LEFT JOIN entries e ON s.owner_type='entry' AND ${listed("e")}
  WHERE s.env_id=?1 AND s.n>?2 AND s.n<=?3 AND (p.id IS NOT NULL OR e.id IS NOT NULL)`;

/** The lists of collections that have a public entry, with when the newest came. */
const LISTS = `SELECT c.id AS collection_id, (SELECT e.published_at FROM entries e WHERE e.collection_id=c.id
      AND e.status='published' AND e.deleted_at IS NULL ORDER BY e.published_at DESC LIMIT 1) AS changed_at
   FROM collections c WHERE c.env_id=?1`;

/** `/site/sitemap.xml`: every public page that may be indexed, or the index of several such files. */
export async function sitemap(services: CmsServices, frame: Frame, requestOrigin: string): Promise<string> {
  const parts = (await rowsOf(services, PARTS, services.env)).map((row) => number(row, "n"));
  if (parts.length < 2) return urlset(services, frame, requestOrigin, parts[0] ?? 1);
  const home = `${originOf(frame, requestOrigin)}/site/`;
  const files = parts.map((n) => `<sitemap><loc>${xmlText(`${home}sitemap-${n}.xml`)}</loc></sitemap>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${files.join("\n")}
</sitemapindex>
`;
}

/** `/site/sitemap-<n>.xml`; null where there is no such file. */
export async function sitemapPart(
  services: CmsServices,
  frame: Frame,
  requestOrigin: string,
  n: number,
): Promise<string | null> {
  const parts = await rowsOf(services, `SELECT 1 FROM (${PARTS}) WHERE n=?2`, services.env, n);
  return parts.length === 0 ? null : urlset(services, frame, requestOrigin, n);
}

/** One file. One read. */
async function urlset(
  services: CmsServices,
  frame: Frame,
  requestOrigin: string,
  n: number,
): Promise<string> {
  const range = [services.env, (n - 1) * SITEMAP_DOCUMENTS_MAX, n * SITEMAP_DOCUMENTS_MAX] as const;
  const [documents = [], lists = []] = await batchOf(services, [
    [DOCUMENTS, ...range],
    ...(n === 1 ? [[LISTS, services.env] as const] : []),
  ]);
  const all: Listed[] = [
    ...documents.flatMap((row) => {
      const path = pathOfTarget(linkTargetOf(row), frame);
      const locales = localesSchema.parse(JSON.parse(text(row, "locales")));
      return path === null ? [] : [{ path, locales, changedAt: number(row, "changed_at") }];
    }),
    ...lists.flatMap((row) => {
      const collection = frame.collections.get(text(row, "collection_id"));
      const changedAt = numberOrNull(row, "changed_at");
      return collection === undefined || changedAt === null
        ? []
        : [{ path: collectionPath(collection.slug, frame.environment), locales: [], changedAt }];
    }),
  ];
  const origin = originOf(frame, requestOrigin);
  const urls = all
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap((one) => urlsOf(one, frame, origin));
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${urls.slice(0, SITEMAP_URLS_MAX).join("\n")}
</urlset>
`;
}

/** One element for each language, each naming all of them. */
function urlsOf({ path, locales, changedAt }: Listed, { environment }: Frame, origin: string): string[] {
  const shown = environment.locales
    .filter(({ code, active, isDefault }) => active && (isDefault || locales.includes(code)))
    .map(({ code }) => ({ code, url: xmlText(origin + inLocale(path, code, environment)) }));
  const link = (code: string, url: string): string =>
    `<xhtml:link rel="alternate" hreflang="${xmlText(code)}" href="${url}"/>`;
  const alternates =
    shown.length < 2
      ? ""
      : [...shown.map((one) => link(one.code, one.url)), link("x-default", xmlText(origin + path))].join("");
  const changed = new Date(changedAt).toISOString();
  return shown.map(({ url }) => `<url><loc>${url}</loc><lastmod>${changed}</lastmod>${alternates}</url>`);
}

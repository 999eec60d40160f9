import * as z from "zod";
import { batchOf } from "../../tools/cms/storage/load.ts";
import { number, numberOrNull, text } from "../../tools/cms/storage/rows.ts";
import type { CmsServices } from "../../tools/cms/model/types.ts";
import { collectionPath, inLocale } from "../address.ts";
import { entriesOfSite, pagesOfSite, placeOf, type Frame } from "../html/frame.ts";
import { originOf } from "../load.ts";
import { pathOfPlace } from "../target.ts";
import { xmlText } from "../html/xml.ts";

/** Of one file, by https://www.sitemaps.org/protocol.html; the newest are listed. */
const SITEMAP_URLS_MAX = 50_000;
const localesSchema = z.array(z.string());

interface Listed {
  /** in the default locale */
  readonly path: string;
  /** beside the default one */
  readonly locales: readonly string[];
  /** ms */
  readonly changedAt: number;
}

const SAYS = (content: string): string =>
  `SELECT l.key AS locale FROM ${content} l WHERE l.type='object' AND l.value<>'{}'`;
const PAGE_LOCALES = `SELECT json_group_array(DISTINCT locale) FROM (${SAYS("json_each(d.doc,'$.meta')")}
  UNION ALL ${SAYS("json_each(d.doc,'$.sections') s, json_each(s.value,'$.content')")})`;
const ENTRY_LOCALES = `SELECT json_group_array(DISTINCT locale) FROM (${SAYS("json_each(d.doc,'$.content')")})`;

/** Everything public that may be indexed, with its translations. One read. */
export async function sitemap(services: CmsServices, frame: Frame, requestOrigin: string): Promise<string> {
  const published = (type: string, places: string, alias: string, locales: string): string =>
    `SELECT x.*, d.published_at AS changed_at, (${locales}) AS locales
       FROM (${places} AND ${alias}.status='published' AND ${alias}.indexing=1) x
       CROSS JOIN published_docs d ON d.owner_type='${type}' AND d.owner_id=x.id ORDER BY changed_at DESC LIMIT ${SITEMAP_URLS_MAX}`;
  const [pages = [], entries = [], lists = []] = await batchOf(services, [
    [published("page", pagesOfSite, "p", PAGE_LOCALES), services.env],
    [published("entry", entriesOfSite, "e", ENTRY_LOCALES), services.env],
    [
      `SELECT e.collection_id, max(d.published_at) AS changed_at FROM entries e
         CROSS JOIN published_docs d ON d.owner_type='entry' AND d.owner_id=e.id
        WHERE e.collection_id IN (SELECT c.id FROM collections c WHERE c.env_id=?1)
          AND e.deleted_at IS NULL AND e.status='published' GROUP BY e.collection_id`,
      services.env,
    ],
  ]);
  const listed: Listed[] = [
    ...[...pages, ...entries].flatMap((row) => {
      const path = pathOfPlace(placeOf(row), frame);
      const locales = localesSchema.parse(JSON.parse(text(row, "locales")));
      return path === null ? [] : [{ path, locales, changedAt: number(row, "changed_at") }];
    }),
    ...lists.flatMap((row) => {
      const collection = frame.collections.get(text(row, "collection_id"));
      const changedAt = numberOrNull(row, "changed_at") ?? 0;
      return collection === undefined
        ? []
        : [{ path: collectionPath(collection.slug, frame.environment), locales: [], changedAt }];
    }),
  ];
  const origin = originOf(frame, requestOrigin);
  const urls = listed
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

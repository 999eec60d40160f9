import { type Json, ownValue } from "../../../../cairn/core/log/json.ts";
import { publishedOf } from "../../model/tables.ts";
import type { CmsServices } from "../../model/types.ts";
import type { Frame } from "../html/frame.ts";
import { originOf } from "../load.ts";
import { batchOf } from "../../storage/rows.ts";
import { pathOfTarget } from "../target.ts";
import { xmlText } from "../html/xml.ts";

const FEED_ENTRIES_MAX = 20;

/** The newest public entries of all collections, in the default language, as Atom (RFC 4287). One read. */
export async function feed(services: CmsServices, frame: Frame, requestOrigin: string): Promise<string> {
  const { environment, settings } = frame;
  const [rows = []] = await batchOf(services, [
    [
      // The newest of each collection, by its index; then those of all.
      `SELECT d.*, e.published_at AS first_at FROM collections c CROSS JOIN entries e ON e.id IN (
           SELECT x.id FROM entries x WHERE x.collection_id=c.id AND x.status='published' AND x.deleted_at IS NULL
             AND x.indexing=1 ORDER BY x.published_at DESC, x.id LIMIT ${FEED_ENTRIES_MAX})
         JOIN published_docs d ON d.owner_type='entry' AND d.owner_id=e.id
        WHERE c.env_id=?1 ORDER BY e.published_at DESC, e.id LIMIT ${FEED_ENTRIES_MAX}`,
      services.env,
    ],
  ]);
  const origin = originOf(frame, requestOrigin);
  const { title } = settings.get("identity")?.value ?? {};
  const name = xmlText(typeof title === "string" && title !== "" ? title : environment.siteName);
  const published = rows.map(publishedOf);
  const changedAt = Math.max(frame.siteUpdatedAt, ...published.map((one) => one.publishedAt));
  const entries = published.flatMap(({ document, publishedAt }) => {
    if (document.type !== "entry") return [];
    const { id, slug, collection, content, author, category } = document;
    const path = pathOfTarget({ kind: "entry", id, slug, collectionId: collection, isPublic: true }, frame);
    if (path === null) return [];
    const words = ownValue(content, environment.defaultLocale) ?? {};
    const url = xmlText(origin + path);
    return [
      "<entry>",
      `<title>${textOf(words.title)}</title><link href="${url}"/><id>${url}</id>`,
      `<published>${isoTime(document.publishedAt ?? publishedAt)}</published><updated>${isoTime(publishedAt)}</updated>`,
      `<summary>${textOf(words.excerpt)}</summary>`,
      ...(author === null ? [] : [`<author><name>${xmlText(author)}</name></author>`]),
      ...(category === null ? [] : [`<category term="${xmlText(category)}"/>`]),
      "</entry>",
    ];
  });
  const home = xmlText(`${origin}/site/`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${xmlText(environment.defaultLocale)}">
<title>${name}</title><link href="${home}"/><link rel="self" href="${home}feed.xml"/><id>${home}</id>
<author><name>${name}</name></author>
<updated>${isoTime(changedAt)}</updated>
${entries.join("\n")}
</feed>
`;
}

const isoTime = (at: number): string => new Date(at).toISOString();
const textOf = (value: Json | undefined): string => xmlText(typeof value === "string" ? value : "");

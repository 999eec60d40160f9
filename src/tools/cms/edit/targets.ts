import type { Content, Field } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { storedContent, wantedIn, type IdOf, type Wanted } from "../model/links.ts";
import { rowsOf } from "../storage/load.ts";
import { nearest, resolveCollection, resolveEntry, resolvePage } from "./refs.ts";
import { text } from "../storage/rows.ts";
import type { CmsServices } from "../model/types.ts";

const TARGETS = `SELECT 'page' AS type, id, slug AS ref FROM pages
    WHERE env_id=?1 AND deleted_at IS NULL AND (id IN (SELECT value FROM json_each(?2)) OR slug IN (SELECT value FROM json_each(?2)))
  UNION ALL SELECT 'entry', e.id, c.slug||'/'||e.slug FROM entries e JOIN collections c ON c.id=e.collection_id
    WHERE e.env_id=?1 AND e.deleted_at IS NULL
      AND (e.id IN (SELECT value FROM json_each(?2)) OR c.slug||'/'||e.slug IN (SELECT value FROM json_each(?2)))
  UNION ALL SELECT 'collection', id, slug FROM collections
    WHERE env_id=?1 AND (id IN (SELECT value FROM json_each(?2)) OR slug IN (SELECT value FROM json_each(?2)))
  UNION ALL SELECT 'image', id, id FROM images
    WHERE env_id=?1 AND deleted_at IS NULL AND id IN (SELECT value FROM json_each(?2))`;

/** The ids of all these targets. Refuses `not_found` for the first that does not exist, at its field, with the nearest ones. */
export async function resolveTargets(services: CmsServices, wanted: readonly Wanted[]): Promise<IdOf> {
  const ids = new Map<string, string>();
  if (wanted.length > 0) {
    const rows = await rowsOf(
      services,
      TARGETS,
      services.env,
      JSON.stringify([...new Set(wanted.map((one) => one.ref))]),
    );
    for (const row of rows) {
      ids.set(`${text(row, "type")}:${text(row, "ref")}`, text(row, "id"));
      ids.set(`${text(row, "type")}:${text(row, "id")}`, text(row, "id"));
    }
  }
  for (const one of wanted) {
    const key = `${one.type}:${one.ref}`;
    if (!ids.has(key)) ids.set(key, await findOrRefuse(services, one));
  }
  return (type, ref) => {
    const id = ids.get(`${type}:${ref}`);
    if (id === undefined) throw new Error(`${type} ${ref} was not resolved beforehand`);
    return id;
  };
}

/** The slower look-up, which knows bare entry slugs and the nearest names. */
async function findOrRefuse(services: CmsServices, { type, ref, at }: Wanted): Promise<string> {
  if (type === "page") return (await resolvePage(services, ref, at)).page.id;
  if (type === "entry") return (await resolveEntry(services, ref, at)).id;
  if (type === "collection") return (await resolveCollection(services, ref, at)).id;
  const rows = await rowsOf(
    services,
    "SELECT id, filename, alt FROM images WHERE env_id=?1 AND deleted_at IS NULL ORDER BY created_at DESC LIMIT 2000",
    services.env,
  );
  const candidates = rows.map((row) => {
    const [id, filename, alt] = [text(row, "id"), text(row, "filename"), text(row, "alt")];
    return { label: `${filename}${alt === "" ? "" : `: ${alt}`}`, ref: id, names: [id, filename, alt] };
  });
  throw fail("not_found", `There is no image “${ref}”.`, {
    at,
    hint: "image_search lists the images of the library with their ids.",
    suggestions: nearest(ref, candidates),
  });
}

/** Validated contents as they are stored, with all their targets looked up in one query. */
export async function resolveContents(
  services: CmsServices,
  contents: readonly { readonly fields: readonly Field[]; readonly content: Content; readonly at: string }[],
): Promise<Content[]> {
  const wanted = contents.flatMap(({ fields, content, at }) =>
    wantedIn(fields, content).map((one) => ({ ...one, at: `${at}.${one.at}` })),
  );
  const idOf = await resolveTargets(services, wanted);
  return contents.map(({ fields, content }) => storedContent(fields, content, idOf));
}

import { NEAREST_MAX } from "../../../cairn/core/text/nearest.ts";
import type { Content, Field } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { nearest, type Candidate } from "../model/nearest.ts";
import { storedContent, wantedIn, type IdOf, type Wanted } from "../model/links.ts";
import type { CmsServices, Collection, Entry, PageAggregate, Section } from "../model/types.ts";
import {
  entriesAt,
  loadCollections,
  loadEntries,
  loadEnvironment,
  loadNames,
  loadPages,
  loadPagesOfSections,
} from "../storage/load.ts";
import { batchOf, rowsOf } from "../storage/rows.ts";
import { text, type Row } from "../model/columns.ts";

const CANDIDATES_MAX = 2_000;

function only<T>([found]: readonly T[]): T {
  if (found === undefined) throw new Error("a reference that is not refused has what it names");
  return found;
}

/** One live page by id or slug. Refuses `not_found` with the nearest pages. */
export async function resolvePage(services: CmsServices, ref: string, at = "page"): Promise<PageAggregate> {
  return only(await resolvePages(services, [ref], at));
}

/** Live pages by id or slug, in the order of the references, each once. Refuses with every unknown reference named. */
export async function resolvePages(
  services: CmsServices,
  refs: readonly string[],
  at = "pages",
): Promise<PageAggregate[]> {
  const loaded = await loadPages(services, refs);
  // An id wins over a slug: a slug has no underscore, so that the two never meet.
  const pick = (ref: string) =>
    loaded.find((one) => one.page.id === ref) ?? loaded.find((one) => one.page.slug === ref);
  const unknown = refs.filter((ref) => pick(ref) === undefined);
  if (unknown.length > 0) throw await pageNotFound(services, unknown, at);
  return [...new Set(refs.map(pick).filter((one) => one !== undefined))];
}

async function pageNotFound(services: CmsServices, unknown: readonly string[], at: string) {
  const rows = await rowsOf(
    services,
    `SELECT id, slug, name, updated_at FROM pages WHERE env_id=?1 AND deleted_at IS NULL
      ORDER BY updated_at DESC, id LIMIT ${CANDIDATES_MAX}`,
    services.env,
  );
  const candidates = rows.map((row) => {
    const [slug, name] = [text(row, "slug"), text(row, "name")];
    return { label: `${name} (${slug})`, ref: text(row, "id"), names: [slug, name] };
  });
  return notFound("page", unknown, candidates, at, "page_list lists all pages.");
}

function notFound(
  noun: string,
  unknown: readonly string[],
  candidates: readonly Candidate[],
  at: string,
  hint: string,
) {
  const names = unknown.map((one) => `“${one}”`).join(", ");
  const suggestions = unknown.flatMap((one) => nearest(one, candidates));
  return fail("not_found", `There is no ${noun} ${names}.`, {
    hint,
    at,
    suggestions: suggestions.filter(
      (one, i) => suggestions.findIndex((other) => other.ref === one.ref) === i,
    ),
    details: { unknown: [...unknown] },
  });
}

/** A section with its page. */
interface SectionInPage {
  readonly section: Section;
  readonly aggregate: PageAggregate;
}

/** Live sections by id, in the order given, each once. Refuses `not_found` naming every unknown id; nothing is partial. */
export async function resolveSections(
  services: CmsServices,
  ids: readonly string[],
  at = "sections",
): Promise<SectionInPage[]> {
  const aggregates = await loadPagesOfSections(services, ids);
  const byId = new Map(
    aggregates.flatMap((aggregate) =>
      aggregate.sections.map((section) => [section.id, { section, aggregate }] as const),
    ),
  );
  const unknown = ids.filter((id) => !byId.has(id));
  if (unknown.length > 0) throw await sectionNotFound(services, unknown, at);
  return [...new Set(ids)].map((id) => byId.get(id)).filter((one) => one !== undefined);
}

async function sectionNotFound(services: CmsServices, unknown: readonly string[], at: string) {
  const rows = await newestDocuments(services, "section");
  const pages = await loadNames(services, [...new Set(rows.map((row) => text(row, "parent_id")))]);
  const candidates = rows.map((row) => {
    const [id, page] = [text(row, "ref_id"), pages.get(text(row, "parent_id")) ?? ""];
    const label = `${text(row, "title")} on ${page}`;
    return { label, ref: id, names: [id, label] };
  });
  return notFound(
    "section",
    unknown,
    candidates,
    at,
    "page_get lists the sections of a page with their ids.",
  );
}

/** The newest things of a kind, as the search knows it: live things only, by an index of the search. */
async function newestDocuments(services: CmsServices, kind: "section" | "entry"): Promise<Row[]> {
  const { defaultLocale } = await loadEnvironment(services);
  return rowsOf(
    services,
    `SELECT id, ref_id, title, slug, parent_id FROM search_docs WHERE env_id=?1 AND kind=?2 AND locale=?3
      ORDER BY id DESC LIMIT ${CANDIDATES_MAX}`,
    services.env,
    kind,
    defaultLocale,
  );
}

/** One section by id, with its page. */
export async function resolveSection(
  services: CmsServices,
  id: string,
  at = "section",
): Promise<SectionInPage> {
  return only(await resolveSections(services, [id], at));
}

/** Live entries by id or `collection/slug`, in the order given. A bare slug is taken if one collection alone has it. */
export async function resolveEntries(
  services: CmsServices,
  refs: readonly string[],
  at = "entries",
): Promise<Entry[]> {
  const collections = await loadCollections(services);
  const slugs = [...collections.values()].map((one) => one.slug);
  const targets = refs.flatMap((ref) =>
    ref.includes("/") ? [ref] : [ref, ...slugs.map((slug) => `${slug}/${ref}`)],
  );
  const loaded = await loadEntries(services, targets);
  const picked = refs.map((ref) => pickEntry(ref, loaded, collections, at));
  const unknown = refs.filter((_, i) => picked[i] === undefined);
  if (unknown.length > 0) throw await entryNotFound(services, unknown, collections, at);
  return [...new Set(picked.filter((one) => one !== undefined))];
}

function pickEntry(
  ref: string,
  loaded: readonly Entry[],
  collections: ReadonlyMap<string, Collection>,
  at: string,
): Entry | undefined {
  const path = (one: Entry) => `${collections.get(one.collectionId)?.slug ?? ""}/${one.slug}`;
  const exact = loaded.find((one) => one.id === ref || path(one) === ref);
  if (exact !== undefined) return exact;
  const bySlug = loaded.filter((one) => one.slug === ref);
  if (bySlug.length > 1) {
    throw fail("ambiguous_reference", `Several entries have the slug “${ref}”.`, {
      at,
      hint: "Pass the id or collection/slug.",
      suggestions: bySlug.map((one) => ({ label: path(one), ref: one.id })),
    });
  }
  return bySlug[0];
}

async function entryNotFound(
  services: CmsServices,
  unknown: readonly string[],
  collections: ReadonlyMap<string, Collection>,
  at: string,
) {
  const rows = await newestDocuments(services, "entry");
  const candidates = rows.map((row) => {
    const path = `${collections.get(text(row, "parent_id"))?.slug ?? ""}/${text(row, "slug")}`;
    return {
      label: `${text(row, "title")} (${path})`,
      ref: text(row, "ref_id"),
      names: [path, text(row, "slug"), text(row, "title")],
    };
  });
  return notFound("entry", unknown, candidates, at, "entry_list or find lists entries.");
}

/** One entry by id, `collection/slug` or unambiguous slug. */
export async function resolveEntry(services: CmsServices, ref: string, at = "entry"): Promise<Entry> {
  return only(await resolveEntries(services, [ref], at));
}

/** One collection by id or slug. The refusal of an unknown one lists all there are, because they are few. */
export async function resolveCollection(
  services: CmsServices,
  ref: string,
  at = "collection",
): Promise<Collection> {
  const collections = [...(await loadCollections(services)).values()];
  const found = collections.find((one) => one.id === ref || one.slug === ref);
  if (found !== undefined) return found;
  const candidates = collections.map(({ id, name, slug }) => ({
    label: name,
    ref: id,
    value: slug,
    names: [name, slug],
  }));
  const near = nearest(ref, candidates);
  throw fail("not_found", `There is no collection “${ref}”.`, {
    at,
    hint:
      collections.length === 0
        ? "The site has no collections."
        : `The collections are: ${collections.map((one) => one.slug).join(", ")}.`,
    suggestions: near.length > 0 ? near : candidates.slice(0, NEAREST_MAX).map(({ names: _, ...one }) => one),
  });
}

const LIVE = "deleted_at IS NULL AND";
const IN_LIST = "IN (SELECT value FROM json_each(?2))";
/** Each looks its rows up by one index, so that none reads the whole site. */
const TARGETS = [
  `SELECT 'page' AS type, id, id AS ref FROM pages WHERE +env_id=?1 AND ${LIVE} id ${IN_LIST}`,
  `SELECT 'page' AS type, id, slug AS ref FROM pages WHERE env_id=?1 AND ${LIVE} slug ${IN_LIST}`,
  `SELECT 'entry' AS type, id, id AS ref FROM entries WHERE +env_id=?1 AND ${LIVE} id ${IN_LIST}`,
  `SELECT 'collection' AS type, id, slug AS ref FROM collections WHERE env_id=?1 AND ${LIVE} (id ${IN_LIST} OR slug ${IN_LIST})`,
  `SELECT 'image' AS type, id, id AS ref FROM images WHERE +env_id=?1 AND ${LIVE} id ${IN_LIST}`,
];

/** The ids of all these targets. Refuses `not_found` for the first that does not exist, at its field, with the nearest ones. */
export async function resolveTargets(services: CmsServices, wanted: readonly Wanted[]): Promise<IdOf> {
  const ids = new Map<string, string>();
  if (wanted.length > 0) {
    const refs = [...new Set(wanted.map((one) => one.ref))];
    const addresses = wanted.flatMap(({ type, ref }) => (type === "entry" && ref.includes("/") ? [ref] : []));
    const [rows, entries] = await Promise.all([
      batchOf(
        services,
        TARGETS.map((sql) => [sql, services.env, JSON.stringify(refs)] as const),
      ),
      addresses.length === 0 ? [] : entriesAt(services, addresses),
    ]);
    for (const [address, id] of entries) ids.set(`entry:${address}`, id);
    for (const row of rows.flat()) {
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

import type { FakeD1 } from "../../sim/site/d1.ts";
import type { Names } from "./names.ts";
import { readTables, withSet, type Row, type Tables } from "./tables.ts";

/**
 * A site as a person would describe it: things under names that do not change from run to run, each with its fields.
 * Read from the rows, not by the tools, so that a fault of the tools is seen. A field without a value is left out.
 */

export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };
export type Thing = Readonly<Record<string, Value>>;
export type SiteState = ReadonlyMap<string, Thing>;

/** The site, what visitors see of it, and what open change sets would make of it. */
export function readState(db: FakeD1, names: Names): SiteState {
  const tables = readTables(db);
  const sets = db.rows("SELECT * FROM change_sets ORDER BY created_at, id");
  const views = sets.flatMap((set) =>
    set["state"] === "open"
      ? [{ set: String(set["name"]), tables: withSet(db, tables, String(set["id"])) }]
      : [],
  );
  names.learn(tables);
  for (const view of views) names.learn(view.tables);
  const site = stateOf(tables, names);
  const state = new Map(site);
  for (const set of sets)
    state.set(
      `set ${String(set["name"])}`,
      thing({ state: set["state"], publishAt: timeText(set["publish_at"]), failure: set["publish_failure"] }),
    );
  for (const view of views)
    for (const [name, value] of differing(site, stateOf(view.tables, names)))
      state.set(`in ${view.set}: ${name}`, value);
  return state;
}

/** Everything that a visitor could see, as one string: equal strings mean that nothing public differs. */
export function publicView(db: FakeD1): string {
  const tables = readTables(db);
  return JSON.stringify([
    tables.published_docs.map(({ owner_id: id, doc }) => [id, doc]),
    (["header", "footer"] as const).map((location) =>
      navTree(tables, location, true, ({ id }) => String(id)),
    ),
    tables.redirects.map(({ from_path: from, target_id: to }) => [from, to]),
    tables.settings.map(({ key, value }) => [key, value]),
    tables.images.map(({ id, alt, caption }) => [id, alt, caption]),
  ]);
}

/**
 * Difference between a change set's view and the site: new things whole, changed ones with their changed fields, `gone`
 * for the others.
 */
function differing(site: SiteState, view: SiteState): Map<string, Thing> {
  const found = new Map<string, Thing>();
  for (const [name, now] of view) {
    const before = site.get(name) ?? {};
    const fields = new Set([...Object.keys(before), ...Object.keys(now)]);
    const changed = [...fields].filter((field) => text(before[field]) !== text(now[field]));
    if (changed.length > 0)
      found.set(name, Object.fromEntries(changed.map((field) => [field, now[field] ?? "(none)"])));
  }
  for (const name of site.keys()) if (!view.has(name)) found.set(name, { gone: true });
  return found;
}

const text = (value: Value | undefined): string => JSON.stringify(value ?? null);

function stateOf(tables: Tables, names: Names): SiteState {
  const state = new Map<string, Thing>();
  const content = (type: string, id: unknown): Record<string, unknown> => contentOf(tables, names, type, id);
  for (const page of tables.pages) {
    const sections = tables.sections.filter((one) => one["page_id"] === page["id"]).toSorted(bySortKey);
    state.set(
      names.of(page["id"]),
      thing({
        name: page["name"],
        slug: page["slug"],
        status: page["status"],
        indexing: page["indexing"] === 1,
        ...schedule(page),
        dirty: isDirty(page),
        order: sections.map(({ id }) => shortName(names.of(id))),
        ...content("page", page["id"]),
      }),
    );
    for (const one of sections)
      state.set(
        names.of(one["id"]),
        thing({
          page: names.of(page["id"]),
          template: one["template_key"],
          variant: one["variant"],
          hidden: one["hidden"] === 1,
          ...content("section", one["id"]),
        }),
      );
  }
  for (const entry of tables.entries)
    state.set(
      names.of(entry["id"]),
      thing({
        title: entry["title"],
        slug: entry["slug"],
        status: entry["status"],
        category: entry["category"],
        author: entry["author"],
        cover: names.link(entry["cover_image_id"]),
        ...schedule(entry),
        dirty: isDirty(entry),
        ...content("entry", entry["id"]),
      }),
    );
  for (const item of tables.nav_items)
    state.set(
      names.of(item["id"]),
      thing({
        label: item["label"],
        target: item["url"] ?? (item["target_type"] === "none" ? "none" : names.link(item["target_id"])),
        visible: item["visible"] === 1,
        ...content("nav", item["id"]),
      }),
    );
  for (const location of ["header", "footer"] as const)
    state.set(location, {
      all: navTree(tables, location, false, ({ label }) => String(label)).join(", "),
      visitors: navTree(tables, location, true, ({ label }) => String(label)).join(", "),
    });
  for (const image of tables.images)
    state.set(
      names.of(image["id"]),
      thing({
        filename: image["filename"],
        alt: image["alt"],
        caption: image["caption"] || null,
        tags: parsed(image["tags"]),
        attribution: parsed(image["attribution"]),
        ...content("image", image["id"]),
      }),
    );
  for (const setting of tables.settings)
    state.set(`setting ${String(setting["key"])}`, thing(named(names, parsed(setting["value"]))));
  for (const one of tables.redirects)
    state.set(`redirect ${String(one["from_path"])}`, { to: names.link(one["target_id"]) });
  for (const row of tables.published_docs) publish(state, names, JSON.parse(String(row["doc"])) as Document);
  return state;
}

interface Document {
  readonly type: "page" | "entry";
  readonly id: string;
  readonly name?: string;
  readonly slug: string;
  readonly indexing: boolean;
  readonly category?: string | null;
  readonly author?: string | null;
  readonly cover?: string | null;
  readonly publishedAt?: number | null;
  readonly meta?: Locales;
  readonly content?: Locales;
  readonly sections?: readonly {
    readonly id: string;
    readonly template: string;
    readonly variant: string;
    readonly content: Locales;
  }[];
}
type Locales = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The frozen document that visitors are shown, in the same words as the draft. */
function publish(state: Map<string, Thing>, names: Names, document: Document): void {
  const own = `public ${names.of(document.id)}`;
  const { slug } = document;
  if (document.type === "entry") {
    const { category, author, publishedAt } = document;
    const cover = names.link(document.cover);
    const date = names.date(publishedAt ?? null);
    state.set(
      own,
      thing({ slug, category, author, cover, date, ...named(names, flat(document.content ?? {})) }),
    );
    return;
  }
  const sections = document.sections ?? [];
  state.set(
    own,
    thing({
      name: document.name,
      slug,
      indexing: document.indexing,
      order: sections.map(({ id }) => shortName(names.of(id))),
      ...named(names, flat(document.meta ?? {})),
    }),
  );
  for (const { id, template, variant, content } of sections)
    state.set(
      `public ${names.of(id)}`,
      thing({ page: names.of(document.id), template, variant, ...named(names, flat(content)) }),
    );
}

const isDirty = (row: Row): boolean | null =>
  row["status"] === "published" ? row["version"] !== row["published_version"] : null;

const schedule = (row: Row): Record<string, unknown> => ({
  publishAt: timeText(row["publish_at"]),
  failure: row["publish_failure"],
});

/** `2026-02-01 09:00` in UTC. */
const timeText = (ms: unknown): string | null =>
  typeof ms === "number" ? new Date(ms).toISOString().slice(0, 16).replace("T", " ") : null;

const shortName = (name: string): string => name.replace(/^section /, "");
const bySortKey = (a: Row, b: Row): number => (String(a["sort_key"]) < String(b["sort_key"]) ? -1 : 1);
const parsed = (json: unknown): Record<string, unknown> | null =>
  typeof json === "string" ? (JSON.parse(json) as Record<string, unknown>) : null;

function contentOf(tables: Tables, names: Names, type: string, id: unknown): Record<string, unknown> {
  const rows = tables.contents.filter((one) => one["owner_type"] === type && one["owner_id"] === id);
  return named(
    names,
    flat(Object.fromEntries(rows.map((one) => [String(one["locale"]), parsed(one["data"]) ?? {}]))),
  );
}

/** Fields of the default language as they are, of others behind its code: `de.title`. */
function flat(locales: Locales): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(locales).flatMap(([locale, content]) =>
      Object.entries(content).map(([key, value]) => [locale === "en" ? key : `${locale}.${key}`, value]),
    ),
  );
}

/** The same with names in the place of ids. */
function named(names: Names, value: Record<string, unknown> | null): Record<string, unknown> {
  return names.within(value ?? {}) as Record<string, unknown>;
}

function thing(fields: Record<string, unknown>): Thing {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (field): field is [string, Value] => field[1] !== null && field[1] !== undefined,
    ),
  );
}

/** `Home, Blog [Packing light]`; what visitors do not see is left out for them, and stands in brackets for others. */
function navTree(
  tables: Tables,
  location: string,
  forVisitors: boolean,
  word: (item: Row) => string,
  parent: unknown = null,
): string[] {
  return tables.nav_items
    .filter((one) => one["location"] === location && one["parent_id"] === parent)
    .toSorted(bySortKey)
    .flatMap((item) => {
      const below = navTree(tables, location, forVisitors, word, item["id"]);
      const isShown = item["visible"] === 1;
      if (forVisitors && !isShown) return [];
      // The item goes alone; what is below it takes its place.
      if (forVisitors && !isPublic(tables, item)) return below;
      const own = isShown ? word(item) : `(${word(item)})`;
      return [below.length === 0 ? own : `${own} [${below.join(", ")}]`];
    });
}

function isPublic(tables: Tables, item: Row): boolean {
  const type = item["target_type"];
  if (type !== "page" && type !== "entry") return true;
  return tables.published_docs.some((one) => one["owner_id"] === item["target_id"]);
}

import * as z from "zod";
import { canonicalJson, type JsonObject } from "../../../cairn/core/log/json.ts";
import { defineKeyedTool, NONE } from "../edit/keyed.ts";
import { checkExpected, contentInput, counted, lineInput, refInput, versionInput } from "../edit/plan.ts";
import { resolveCollection } from "../edit/refs.ts";
import { nearestWord } from "../model/nearest.ts";
import { COLLECTION_SORT, type Field } from "../model/document.ts";
import { siteRoot } from "../model/environment.ts";
import { fail } from "../model/errors.ts";
import { minter } from "../model/ids.ts";
import { takeablePageSlug } from "../storage/slugs.ts";
import { slugify } from "../model/slugs.ts";
import type { Change, CmsContext, Collection, Plan, StateGuard, Written } from "../model/types.ts";
import { projectCollection, projectFields } from "../storage/collections.ts";
import { loadEnvironment, loadSite } from "../storage/load.ts";
import { mergeProjections, NO_PROJECTION, projectEntry } from "../storage/projections.ts";
import { slugInput } from "../tools/pages.ts";
import { changedField, definedField, FIELDS_MAX, twice } from "./field-definitions.ts";
import { countPublished, loadAffected, type Affected, type FieldChange } from "./values.ts";

/** Making a collection, and changing what its entries have. */

const COLLECTIONS_MAX = 50;
const FIELDS_A_CALL_MAX = 20;
/** The default field of a collection created without fields. */
const BODY: Field = { key: "body", label: "Body", type: "markdown" };

const input = z.strictObject({
  collection: refInput.describe("id or slug; without it a new one").optional(),
  slug: slugInput.describe("of a new one").optional(),
  name: lineInput(80).optional(),
  description: z.string().max(300).optional(),
  addFields: z
    .array(contentInput)
    .max(FIELDS_A_CALL_MAX)
    .describe("{key, type, label?, required?, min?, max?, options?, default?, item?, help?}")
    .optional(),
  updateFields: z.array(contentInput).max(FIELDS_A_CALL_MAX).describe("{key, …}; null clears").optional(),
  removeFields: z.array(refInput).max(FIELDS_A_CALL_MAX).describe("keys").optional(),
  sort: z.string().max(20).describe("such as title asc").optional(),
  expectedVersion: versionInput,
});

type Given = z.output<typeof input>;

export interface CollectionSaved extends Written {
  readonly collection: Omit<Collection, "deletedAt" | "updatedAt"> & { readonly url: string };
  /** what differs now: `name`, `fields.rating` … */
  readonly changed: readonly string[];
  /** entries whose draft has lost a value */
  readonly entriesChanged: number;
}

export const collectionSave = defineKeyedTool<typeof input, CollectionSaved>({
  name: "collection_save",
  version: 1,
  title: "Create or edit a collection",
  description:
    "Makes a collection of entries, such as recipes, or changes one: its name, sorting and fields. Values of a removed field go from the drafts.",
  input,
  verbs: ["create", "add", "update", "rename", "remove"],
  tier: "write",
  plan,
  policy: (_, { impact }) =>
    (impact.warnings ?? []).length === 0
      ? NONE
      : { need: "human", reason: "It takes values away, or visitors see it at once." },
  entities: ({ collection }, { collection: { id, name, slug } }) => [
    { op: collection === undefined ? "create" : "touch", type: "collection", id, name, slug },
  ],
});

async function plan(given: Given, context: CmsContext): Promise<Plan<CollectionSaved>> {
  if (given.sort !== undefined && !COLLECTION_SORT.test(given.sort))
    throw fail("invalid_input", `“${given.sort}” is no order of entries.`, {
      at: "sort",
      hint: "One of published_at, updated_at, created_at, title, then asc or desc.",
      suggestions: ["published_at desc", "title asc"].map((one) => ({ label: one, value: one })),
    });
  return given.collection === undefined
    ? planNew(given, context)
    : planChange(given, given.collection, context);
}

const pathOf = ({ slug }: Collection, env: string): string => `${siteRoot(env)}${slug}/`;

function brief({ deletedAt: _, updatedAt: __, ...collection }: Collection, env: string) {
  return { ...collection, url: pathOf({ ...collection, deletedAt: null, updatedAt: 0 }, env) };
}

async function planNew(given: Given, context: CmsContext): Promise<Plan<CollectionSaved>> {
  const { services, at } = context;
  const { environment, schemas } = await loadSite(services);
  const { name, addFields } = given;
  if (name === undefined)
    throw fail("invalid_input", "A new collection needs a name.", {
      at: "name",
      hint: "To change one, name it as collection.",
    });
  for (const key of ["updateFields", "removeFields"] as const)
    if (given[key] !== undefined)
      throw fail("invalid_input", "A new collection has no fields to change.", {
        at: key,
        hint: "Name the collection that is meant, or pass addFields.",
      });
  if (schemas.collections.size >= COLLECTIONS_MAX)
    throw fail("limit_exceeded", `A site has at most ${COLLECTIONS_MAX} collections.`);
  const wanted = given.slug ?? slugify(name);
  if (wanted === "")
    throw fail("invalid_input", `No slug can be made from “${name}”.`, { at: "slug", hint: "Pass a slug." });
  const slug = await takeablePageSlug(services, environment, wanted, null);
  const fields = addFields === undefined ? [BODY] : withAdded([], addFields);
  const { description = "", sort = "published_at desc" } = given;
  const collection: Collection = {
    id: minter(context.key)("co"),
    slug,
    name,
    description,
    fields,
    sort,
    version: 1,
    deletedAt: null,
    updatedAt: at,
  };
  const path = pathOf(collection, environment.id);
  const labels = fields.map((one) => one.label).join(", ") || "no fields";
  return {
    result: {
      ok: true,
      op: context.key,
      collection: brief(collection, environment.id),
      changed: ["name", ...fields.map((one) => `fields.${one.key}`)],
      entriesChanged: 0,
      publicNow: true,
      preview: { path },
      notes: [
        `Its list is at ${path}, empty, and nothing leads there yet (nav_edit with collection:${slug}).`,
        `entry_create writes into it.${addFields === undefined ? " It has the field body; addFields gives it others." : ""}`,
      ],
    },
    changes: [{ type: "collection", before: null, after: collection }],
    stateGuards: [noPage(services.env, slug)],
    projection: projectCollection(collection, environment.defaultLocale),
    impact: {
      title: `Make the collection “${name}”`,
      summary: `Make the collection “${name}” (${path}) with ${labels}; it has no entries yet.`,
      lines: [],
      public: true,
    },
  };
}

/** Pages and collections share their slugs, which no index of the database knows. */
const noPage = (env: string, slug: string): StateGuard => ({
  sql: "SELECT count(*) FROM pages WHERE env_id=?1->>0 AND slug=?1->>1 AND deleted_at IS NULL",
  json: JSON.stringify([env, slug]),
  equals: 0,
});

async function planChange(given: Given, ref: string, context: CmsContext): Promise<Plan<CollectionSaved>> {
  const { services, at } = context;
  const environment = await loadEnvironment(services);
  const before = await resolveCollection(services, ref);
  await checkExpected(
    services,
    { ...before, label: `The collection “${before.name}”` },
    given.expectedVersion,
  );
  if (given.slug !== undefined && given.slug !== before.slug)
    throw fail("invalid_input", "The slug of a collection stays: the URLs of its entries stand on it.", {
      at: "slug",
      hint: "Leave slug out. Another name is another title; the URLs stay.",
    });
  const edited = editedFields(before, given);
  const { name = before.name, description = before.description, sort = before.sort } = given;
  const wanted: Collection = { ...before, name, description, sort, fields: edited.fields };
  const changed = changedKeys(before, wanted);
  const path = pathOf(before, environment.id);
  const title = `Change the collection “${before.name}”`;
  if (changed.length === 0)
    return {
      result: {
        ok: true,
        op: context.key,
        collection: brief(before, environment.id),
        changed,
        entriesChanged: 0,
        publicNow: false,
      },
      changes: [],
      projection: NO_PROJECTION,
      impact: { title, summary: "Nothing changes.", lines: [], public: false },
    };
  const after: Collection = { ...wanted, version: before.version + 1, updatedAt: at };
  const { defaultLocale } = environment;
  const [affected, published] = await Promise.all([
    loadAffected(services, before, edited.changes, defaultLocale),
    countPublished(services, before.id),
  ]);
  const entries = affected.emptied.map(({ before: old, after: next }) => ({
    before: old,
    after: { ...next, version: old.version + 1, updatedAt: at },
  }));
  const shows = published > 0 && (name !== before.name || sort !== before.sort || edited.changes.length > 0);
  const drafts = new Set(entries.map((one) => one.after.id));
  return {
    result: {
      ok: true,
      op: context.key,
      collection: brief(after, environment.id),
      changed,
      entriesChanged: entries.length,
      publicNow: shows,
      preview: { path },
      ...(entries.length === 0 ? {} : { notes: ["undo puts the values back."] }),
    },
    changes: [
      { type: "collection", before, after },
      ...entries.map((one): Change => ({ type: "entry", ...one })),
    ],
    stateGuards: affected.guards,
    projection: mergeProjections(
      projectCollection(after, defaultLocale),
      await projectFields(services, before, after, defaultLocale, { drafts, published: new Set() }),
      ...entries.map((one) => projectEntry(one.after, after, defaultLocale)),
    ),
    impact: {
      title,
      summary: summaryOf(before, after, changed, entries.length),
      lines: [],
      warnings: warningsOf(before, after, affected, published, path),
      public: true,
    },
  };
}

function summaryOf(
  before: Collection,
  after: Collection,
  changed: readonly string[],
  emptied: number,
): string {
  const named = before.name === after.name ? `“${before.name}”` : `“${before.name}”, now “${after.name}”`;
  const of = emptied === 0 ? "" : `, and the values in ${emptied === 1 ? "1 entry" : `${emptied} entries`}`;
  return `Change ${changed.join(", ")} of the collection ${named}${of}.`;
}

function warningsOf(
  before: Collection,
  after: Collection,
  { warnings }: Affected,
  published: number,
  path: string,
): string[] {
  const readers = `${published === 1 ? "1 entry is" : `${published} entries are`} published`;
  return [
    ...warnings,
    ...(warnings.length > 0 && published > 0
      ? [
          `${readers}: public pages show at once only what the fields take; what was published is kept as it is until it is published again`,
        ]
      : []),
    ...(before.name !== after.name && published > 0
      ? [`${path} is titled “${after.name}” at once, and ${readers}`]
      : []),
  ];
}

function changedKeys(before: Collection, after: Collection): string[] {
  const own = (["name", "description", "sort"] as const).filter((key) => before[key] !== after[key]);
  const of = (fields: readonly Field[], key: string) => canonicalJson(fields.find((one) => one.key === key));
  const keys = [...new Set([...before.fields, ...after.fields].map((one) => one.key))];
  return [
    ...own,
    ...keys.filter((key) => of(before.fields, key) !== of(after.fields, key)).map((key) => `fields.${key}`),
  ];
}

/** The fields after all edits, and those that were there before and are not as they were. */
function editedFields(
  { name, fields }: Collection,
  given: Given,
): { readonly fields: readonly Field[]; readonly changes: readonly FieldChange[] } {
  const known = (key: string, at: string): Field => {
    const found = fields.find((one) => one.key === key);
    if (found !== undefined) return found;
    const keys = fields.map((one) => one.key);
    throw fail("unknown_field", `“${name}” has no field “${key}”.`, {
      at,
      hint: `Its fields are: ${keys.join(", ") || "none"}.`,
      suggestions: nearestWord(key, keys),
      details: { allowed: keys },
    });
  };
  const removed = new Set((given.removeFields ?? []).map((key, i) => known(key, `removeFields[${i}]`).key));
  const updated = new Map(
    (given.updateFields ?? []).map((one, i) => {
      const at = `updateFields[${i}]`;
      const before = known(typeof one["key"] === "string" ? one["key"] : "", `${at}.key`);
      if (removed.has(before.key))
        throw fail("invalid_input", `“${before.key}” cannot be changed and removed at once.`, { at });
      return [before.key, changedField(before, one, at)] as const;
    }),
  );
  const remaining = fields.flatMap((one) => (removed.has(one.key) ? [] : [updated.get(one.key) ?? one]));
  const changes = fields.flatMap((before): FieldChange[] => {
    const after = removed.has(before.key) ? null : (updated.get(before.key) ?? before);
    return canonicalJson(before) === canonicalJson(after) ? [] : [{ before, after }];
  });
  return { fields: withAdded(remaining, given.addFields ?? []), changes };
}

function withAdded(fields: readonly Field[], given: readonly JsonObject[]): readonly Field[] {
  const all = [...fields, ...given.map((one, i) => definedField(one, `addFields[${i}]`))];
  const key = twice(all);
  if (key !== null)
    throw fail("already_exists", `There would be two fields “${key}”.`, {
      at: "addFields",
      hint: "To change the one that is there, pass it in updateFields.",
    });
  if (all.length > FIELDS_MAX)
    throw fail("limit_exceeded", `A collection has at most ${counted(FIELDS_MAX, "field")}.`, {
      at: "addFields",
    });
  return all;
}

import { ownValue } from "../../../cairn/core/log/json.ts";
import { loadSite } from "../storage/load.ts";
import * as z from "zod";
import { checkEntry } from "../checks/checks.ts";
import { loadCheckFacts } from "../checks/facts.ts";
import { defineKeyedTool } from "../edit/keyed.ts";
import { contentInput, localeInput, pickLocale, refInput } from "../edit/plan.ts";
import { entryDocument, entryPath } from "../edit/publish.ts";
import { resolveCollection, resolveContents, resolveEntry } from "../edit/refs.ts";
import { UNSCHEDULED } from "../edit/status-targets.ts";
import { validateContent } from "../model/validate.ts";
import type { Content } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { minter } from "../model/ids.ts";
import { slugify } from "../model/slugs.ts";
import type { AnyPlan, CmsContext, Entry } from "../model/types.ts";
import { projectEntry } from "../storage/projections.ts";
import { slugInput } from "../tools/pages.ts";
import {
  coverOf,
  entryBrief,
  entryEntity,
  entryFields,
  entryTextInputs,
  entryTitleInput,
  givenContent,
  takeableEntrySlug,
} from "./entry-plan.ts";

export const entryCreateInput = z.strictObject({
  collection: refInput.default("blog").describe("id or slug"),
  title: entryTitleInput,
  slug: slugInput.describe("default: from the title").optional(),
  content: contentInput.optional(),
  ...entryTextInputs,
  copyFrom: refInput.describe("entry to begin with").optional(),
  locale: localeInput,
});

export const entryCreate = defineKeyedTool({
  name: "entry_create",
  version: 1,
  title: "Create an entry",
  description:
    "Creates a draft entry of a collection, such as a blog post. It never overwrites. Publish it with set_status.",
  input: entryCreateInput,
  verbs: ["create", "add"],
  tier: "write",
  plan: planEntry,
  entities: (_, { entry }) => [entryEntity("create", entry)],
});

/** `date`: of its first publication, where it comes from elsewhere and had one; ms. */
export async function planEntry(
  given: z.output<typeof entryCreateInput>,
  context: CmsContext,
  date: number | null = null,
) {
  const { services, at } = context;
  const { environment, schemas } = await loadSite(services);
  const collection = await resolveCollection(services, given.collection);
  const locale = pickLocale(environment, given.locale);
  const source =
    given.copyFrom === undefined ? null : await resolveEntry(services, given.copyFrom, "copyFrom");
  if (source !== null && source.collectionId !== collection.id) {
    throw fail("invalid_input", `“${source.title}” belongs to another collection, with other fields.`, {
      at: "copyFrom",
      hint: "Name its collection, or pass the content.",
    });
  }
  const fields = entryFields(collection);
  // A copy has its required fields from its source.
  const mode = source === null && locale === environment.defaultLocale ? "create" : "patch";
  const checked = validateContent(fields, givenContent(given.content, given.excerpt), mode, "content");
  const [stored = {}] = await resolveContents(services, [{ fields, content: checked, at: "content" }]);
  const slug = await takeableEntrySlug(services, environment, collection, slugOf(given), null);
  const own: Content = {
    ...ownValue(source?.content, locale),
    ...stored,
    ...(locale === environment.defaultLocale ? {} : { title: given.title }),
  };
  const entry: Entry = {
    id: minter(context.key)("en"),
    collectionId: collection.id,
    slug,
    title: given.title,
    status: "draft",
    category: given.category ?? source?.category ?? null,
    author: given.author ?? source?.author ?? null,
    cover: given.cover === undefined ? (source?.cover ?? null) : await coverOf(services, given.cover),
    indexing: source?.indexing ?? true,
    version: 1,
    publishedVersion: null,
    publishedAt: date,
    ...UNSCHEDULED,
    deletedAt: null,
    createdAt: at,
    updatedAt: at,
    content: { ...source?.content, [locale]: own },
  };
  const document = entryDocument(entry, environment.defaultLocale);
  const path = entryPath(entry, collection.slug, environment);
  return {
    result: {
      ok: true,
      op: context.key,
      entry: entryBrief(entry, collection, environment),
      checks: checkEntry(document, await loadCheckFacts(services, environment, document, schemas)),
      publicNow: false,
      preview: { path },
      notes: ["The entry is a draft. set_status publishes it."],
    },
    changes: [{ type: "entry", before: null, after: entry }],
    guards: [{ table: "collections", id: collection.id, version: collection.version }],
    projection: projectEntry(entry, collection, environment.defaultLocale),
    impact: {
      title: `Create the entry “${entry.title}”`,
      summary: `Create the draft “${entry.title}” (${path}) in ${collection.name}; visitors see nothing of it yet.`,
      lines: [],
      public: false,
    },
  } satisfies AnyPlan;
}

function slugOf(given: z.output<typeof entryCreateInput>): string {
  const slug = given.slug ?? slugify(given.title);
  if (slug !== "") return slug;
  throw fail("invalid_input", `No slug can be made from “${given.title}”.`, {
    at: "slug",
    hint: "Pass a slug.",
  });
}

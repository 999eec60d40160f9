import * as z from "zod";
import { canonicalJson, type Json, ownValue } from "../../../cairn/core/log/json.ts";
import { defineKeyedTool, NONE } from "../edit/keyed.ts";
import {
  checkExpected,
  contentInput,
  counted,
  localeInput,
  pickLocale,
  refInput,
  versionInput,
} from "../edit/plan.ts";
import { entryPath, isDirty } from "../edit/publish.ts";
import { resolveCollection, resolveContents, resolveEntry } from "../edit/refs.ts";
import { checkSize, patched, validateContent } from "../model/validate.ts";
import type { Content } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import type { Change, CmsContext, Collection, Entry, Environment, Plan, Written } from "../model/types.ts";
import { loadEnvironment, loadInbound, loadPublished } from "../storage/load.ts";
import { projectEntry } from "../storage/projections.ts";
import { planRedirects, slugInput } from "../tools/pages.ts";
import {
  coverOf,
  entryBrief,
  type EntryBrief,
  entryEntity,
  entryFields,
  entryTextInputs,
  entryTitleInput,
  givenContent,
  takeableEntrySlug,
} from "./entry-plan.ts";

interface EntryUpdateOutput extends Written {
  readonly entry: EntryBrief;
  /** what differs now: `title`, `slug`, `cover`, `content.body` … */
  readonly changed: readonly string[];
  /** the old path, which leads to the new one from now on */
  readonly redirect?: string;
}

const COLUMNS = ["category", "author", "cover"] as const;

const input = z.strictObject({
  entry: refInput.describe("id or collection/slug"),
  title: entryTitleInput.optional(),
  slug: slugInput.optional(),
  content: contentInput.optional(),
  ...entryTextInputs,
  unset: z.array(z.string().max(40)).max(20).describe("clear: category, author, cover, fields").optional(),
  locale: localeInput,
  expectedVersion: versionInput,
});

export const entryUpdate = defineKeyedTool<typeof input, EntryUpdateOutput>({
  name: "entry_update",
  version: 1,
  title: "Edit an entry",
  description:
    "Changes the given fields of an entry, such as a blog post; the others stay. Links follow a new slug.",
  input,
  verbs: ["update", "rename"],
  tier: "write",
  plan,
  policy: (_, { impact }) =>
    impact.public ? { need: "human", reason: "The public URL changes at once." } : NONE,
  entities: (_, { entry }) => [entryEntity("touch", entry)],
});

async function plan(given: z.output<typeof input>, context: CmsContext): Promise<Plan<EntryUpdateOutput>> {
  const { services } = context;
  const environment = await loadEnvironment(services);
  const old = await resolveEntry(services, given.entry);
  const collection = await resolveCollection(services, old.collectionId);
  await checkExpected(services, { ...old, label: `The entry “${old.title}”` }, given.expectedVersion);
  const next = await edited(given, old, collection, environment, context);
  const changed = changedKeys(old, next);
  const brief = (entry: Entry) => entryBrief(entry, collection, environment);
  const moves = old.status === "published" && next.slug !== old.slug;
  // The URL is public at once, so an entry that had nothing else to publish has still nothing.
  const isClean = moves && !isDirty(old) && changed.length === 1;
  const version = changed.length === 0 ? old.version : old.version + 1;
  const entry: Entry = {
    ...next,
    version,
    publishedVersion: isClean ? version : old.publishedVersion,
    updatedAt: context.at,
  };
  const paths: Paths = {
    from: entryPath(old, collection.slug, environment),
    to: entryPath(entry, collection.slug, environment),
  };
  return {
    result: {
      ok: true,
      op: context.key,
      entry: brief(entry),
      changed,
      ...(moves ? { redirect: paths.from } : {}),
      publicNow: moves,
      preview: { path: paths.to },
    },
    changes: [
      { type: "entry", before: old, after: entry },
      ...(moves ? await publicMove(old, entry, paths, context) : []),
    ],
    guards: [{ table: "collections", id: collection.id, version: collection.version }],
    projection: projectEntry(entry, collection, environment.defaultLocale),
    impact: await impactOf(old, changed, moves ? paths : null, context),
  };
}

/** The entry with what was given, its version still the old one. */
async function edited(
  given: z.output<typeof input>,
  old: Entry,
  collection: Collection,
  environment: Environment,
  { services }: CmsContext,
): Promise<Entry> {
  const locale = pickLocale(environment, given.locale);
  const isDefault = locale === environment.defaultLocale;
  const unset = given.unset ?? [];
  if (unset.includes("title") && isDefault)
    throw fail("required_field", "An entry keeps a title.", { at: "unset", hint: "Pass another title." });
  const clears = (key: string) => unset.includes(key);
  const column = (key: "category" | "author") => (clears(key) ? null : (given[key] ?? old[key]));
  const fields = entryFields(collection);
  const checked = validateContent(fields, givenContent(given.content, given.excerpt), "patch", "content");
  const [stored = {}] = await resolveContents(services, [{ fields, content: checked, at: "content" }]);
  const before = ownValue(old.content, locale) ?? {};
  const keys = unset.filter((key) => key !== "title" && !COLUMNS.some((one) => one === key));
  const content: { [key: string]: Json } = { ...patched(fields, before, stored, keys, isDefault) };
  if (!isDefault && given.title !== undefined) content.title = given.title;
  if (clears("title")) delete content.title;
  return {
    ...old,
    title: isDefault ? (given.title ?? old.title) : old.title,
    slug:
      given.slug === undefined || given.slug === old.slug
        ? old.slug
        : await takeableEntrySlug(services, environment, collection, given.slug, old.id),
    category: column("category"),
    author: column("author"),
    cover: clears("cover")
      ? null
      : given.cover === undefined
        ? old.cover
        : await coverOf(services, given.cover),
    content: { ...old.content, [locale]: checkSize(content, "content") },
  };
}

function changedKeys(old: Entry, now: Entry): string[] {
  const own = (["title", "slug", ...COLUMNS] as const).filter((key) => old[key] !== now[key]);
  const values = Object.keys(now.content).flatMap((locale): string[] => {
    const [before, after]: Content[] = [
      ownValue(old.content, locale) ?? {},
      ownValue(now.content, locale) ?? {},
    ];
    const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
    return keys
      .filter((key) => canonicalJson(before?.[key]) !== canonicalJson(after?.[key]))
      .map((key) => `content.${key}`);
  });
  return [...own, ...values];
}

interface Paths {
  readonly from: string;
  readonly to: string;
}

/** The public document takes the new URL, the old URL leads there; everything else that visitors see stays frozen. */
async function publicMove(old: Entry, now: Entry, paths: Paths, context: CmsContext): Promise<Change[]> {
  const before = (await loadPublished(context.services, [old.id])).get(old.id);
  const redirects = await planRedirects(paths.from, paths.to, { type: "entry", id: old.id }, context);
  if (before === undefined) return redirects;
  const after = { ...before, document: { ...before.document, slug: now.slug } };
  return [{ type: "published", before, after }, ...redirects];
}

async function impactOf(
  old: Entry,
  changed: readonly string[],
  paths: Paths | null,
  { services }: CmsContext,
) {
  const title = `Edit the entry “${old.title}”`;
  if (paths === null) {
    const draft = old.status === "published" ? "; the public entry stays as it is until it is published" : "";
    return {
      title,
      summary: `Change ${changed.join(", ")} of “${old.title}”${draft}.`,
      lines: [],
      public: false,
    };
  }
  const inbound = await loadInbound(services, [old.id]);
  const links = new Set(inbound.map((one) => `${one.ownerId}/${one.path}`)).size;
  return {
    title,
    summary: `“${old.title}” moves from ${paths.from} to ${paths.to} at once; the old URL redirects there.`,
    lines: [
      `Old URL: ${paths.from} (redirects to the new one)`,
      `New URL: ${paths.to}`,
      ...(links === 0 ? [] : [`${counted(links, "inbound link")} follow${links === 1 ? "s" : ""}`]),
    ],
    public: true,
  };
}

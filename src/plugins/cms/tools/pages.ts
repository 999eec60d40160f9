import * as z from "zod";
import { canonicalJson, ownValue } from "../../../cairn/core/log/json.ts";
import { defineKeyedTool, NONE } from "../edit/keyed.ts";
import {
  checkExpected,
  counted,
  editPage,
  lineInput,
  localeInput,
  pageBrief,
  pickLocale,
  refInput,
  versionInput,
} from "../edit/plan.ts";
import { isDirty, pagePath } from "../edit/publish.ts";
import { resolvePage } from "../edit/refs.ts";
import { planMeta } from "../edit/section-plan.ts";
import { imageInput } from "../model/validate.ts";
import { fail } from "../model/errors.ts";
import { takeablePageSlug } from "../storage/slugs.ts";
import type {
  Change,
  CmsContext,
  Environment,
  Page,
  PageBrief,
  Plan,
  PublishedRow,
  Redirect,
  Written,
} from "../model/types.ts";
import {
  loadEnvironment,
  loadInbound,
  loadPublished,
  loadRedirects,
  loadTemplates,
} from "../storage/load.ts";
import { mergeProjections, projectPage } from "../storage/projections.ts";

export interface PageUpdateOutput extends Written {
  readonly page: PageBrief;
  /** what differs now: `name`, `slug`, `indexing`, `meta.title` … */
  readonly changed: readonly string[];
  /** the old path, which leads to the new one from now on */
  readonly redirect?: string;
}

export const metaInput = z.strictObject({
  title: z.string().max(120).optional(),
  description: z.string().max(320).optional(),
  ogImage: imageInput.optional(),
});
export const slugInput = z.string().trim().min(1).max(64).describe("Address: small letters, digits, hyphens");
export const nameInput = lineInput(120);

const input = z.strictObject({
  page: refInput.describe("Page: id or slug"),
  name: nameInput.optional(),
  slug: slugInput.optional(),
  meta: metaInput.describe("Title and description: the keys to change; others stay").optional(),
  unset: z
    .array(z.enum(["title", "description", "ogImage"]))
    .max(3)
    .describe("Clear: meta keys")
    .optional(),
  indexing: z.boolean().describe("Search engines: whether they may list it").optional(),
  locale: localeInput,
  expectedVersion: versionInput,
});

export const pageUpdate = defineKeyedTool<typeof input, PageUpdateOutput>({
  name: "page_update",
  lean: true,
  version: 1,
  title: "Edit page properties",
  description:
    "Changes name, slug, meta or indexing of a page. Links follow a new slug, and the old URL redirects.",
  input,
  verbs: ["update", "rename"],
  tier: "write",
  plan,
  policy: (_, { impact }) =>
    impact.public ? { need: "human", reason: "The public URL or its indexing changes at once." } : NONE,
  entities: (_, { page }) => [{ op: "touch", type: "page", id: page.id, name: page.name, slug: page.slug }],
});

async function plan(given: z.output<typeof input>, context: CmsContext): Promise<Plan<PageUpdateOutput>> {
  const { services } = context;
  const [environment, templates] = await Promise.all([loadEnvironment(services), loadTemplates(services)]);
  const before = await resolvePage(services, given.page);
  const old = before.page;
  await checkExpected(services, { ...old, label: `The page “${old.name}”` }, given.expectedVersion);
  const locale = pickLocale(environment, given.locale);
  const hasMeta = given.meta !== undefined || given.unset !== undefined;
  if (!hasMeta && given.name === undefined && given.slug === undefined && given.indexing === undefined) {
    throw fail("invalid_input", "Nothing to change: pass name, slug, meta, unset or indexing.", {
      at: "name",
    });
  }
  const slug =
    given.slug === undefined || given.slug === old.slug
      ? old.slug
      : await newSlug(given.slug, old, environment, context);
  const meta = hasMeta
    ? await planMeta(services, old.meta, givenMeta(given.meta), given.unset ?? [], locale)
    : old.meta;
  const next = { name: given.name ?? old.name, slug, indexing: given.indexing ?? old.indexing, meta };
  const changed = changedKeys(old, { ...old, ...next }, locale);

  const isPublic = old.status === "published" && (slug !== old.slug || next.indexing !== old.indexing);
  const published = isPublic ? (await loadPublished(services, [old.id])).get(old.id) : undefined;
  const edited = editPage(before, { page: next }, context.at);
  // The URL and its indexing are public at once, so a page that had nothing else to publish has still nothing.
  const isClean =
    isPublic && !isDirty(old) && next.name === old.name && canonicalJson(meta) === canonicalJson(old.meta);
  const page: Page = isClean
    ? { ...edited.after.page, publishedVersion: edited.after.page.version }
    : edited.after.page;
  const after = { page, sections: before.sections };
  const [oldPath, newPath] = [pagePath(old, environment), pagePath(page, environment)];
  const moves = old.status === "published" && oldPath !== newPath;
  const redirects = moves ? await planRedirects(oldPath, newPath, { type: "page", id: old.id }, context) : [];
  return {
    result: {
      ok: true,
      op: context.key,
      page: pageBrief(page, environment),
      changed,
      ...(moves ? { redirect: oldPath } : {}),
      publicNow: isPublic,
      preview: { path: newPath },
    },
    changes: [
      { type: "page", before: old, after: page },
      ...(published === undefined ? [] : [publishedChange(published, page)]),
      ...redirects,
    ],
    projection: mergeProjections(projectPage(after, templates, environment.defaultLocale, new Set())),
    impact: await impactOf(old, page, changed, isPublic, environment, context),
  };
}

async function newSlug(
  slug: string,
  old: Page,
  environment: Environment,
  { services }: CmsContext,
): Promise<string> {
  if (old.kind === "layout")
    throw fail("protected_page", "The layout has no URL, and keeps its slug.", { at: "slug" });
  return takeablePageSlug(services, environment, slug, old.id);
}

/** Meta as content: an absent key stays absent. */
export function givenMeta(meta: z.output<typeof metaInput> | undefined) {
  const { title, description, ogImage } = meta ?? {};
  const image =
    typeof ogImage === "object"
      ? Object.fromEntries(Object.entries(ogImage).filter(([, one]) => one !== undefined))
      : ogImage;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(image === undefined ? {} : { ogImage: image }),
  };
}

function changedKeys(old: Page, now: Page, locale: string): string[] {
  const own = (["name", "slug", "indexing"] as const).filter((key) => old[key] !== now[key]);
  const [before, after] = [ownValue(old.meta, locale) ?? {}, ownValue(now.meta, locale) ?? {}];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return [
    ...own,
    ...keys
      .filter((key) => canonicalJson(before[key]) !== canonicalJson(after[key]))
      .map((key) => `meta.${key}`),
  ];
}

/** The public document follows the URL and the indexing; everything else of it stays frozen. */
function publishedChange(before: PublishedRow, page: Page): Change {
  const document = { ...before.document, slug: page.slug, indexing: page.indexing };
  return { type: "published", before, after: { ...before, document } };
}

/** The old path leads to the page or entry; a redirect away from the new path, if there is one, goes. */
export async function planRedirects(
  oldPath: string,
  newPath: string,
  target: { readonly type: "page" | "entry"; readonly id: string },
  { services, at }: CmsContext,
): Promise<Change[]> {
  const existing = await loadRedirects(services, [oldPath, newPath]);
  const stale = existing.find((one) => one.fromPath === newPath);
  const after: Redirect = { fromPath: oldPath, targetType: target.type, targetId: target.id, createdAt: at };
  return [
    { type: "redirect", before: existing.find((one) => one.fromPath === oldPath) ?? null, after },
    ...(stale === undefined ? [] : [{ type: "redirect" as const, before: stale, after: null }]),
  ];
}

async function impactOf(
  old: Page,
  page: Page,
  changed: readonly string[],
  isPublic: boolean,
  environment: Environment,
  { services }: CmsContext,
) {
  const title = `Edit the page “${old.name}”`;
  if (!isPublic) {
    const draft = old.status === "published" ? "; the public page stays as it is until it is published" : "";
    return {
      title,
      summary: `Change ${changed.join(", ")} of “${old.name}”${draft}.`,
      lines: [],
      public: false,
    };
  }
  const [oldPath, newPath] = [pagePath(old, environment), pagePath(page, environment)];
  const inbound = await loadInbound(services, [old.id]);
  const nav = inbound.filter((one) => one.ownerType === "nav_item");
  const links = new Set(
    inbound.filter((one) => one.ownerType !== "nav_item").map((one) => `${one.ownerId}/${one.path}`),
  );
  const indexing = page.indexing ? "search engines may list it" : "search engines are asked not to list it";
  return {
    title,
    summary:
      oldPath === newPath
        ? `“${old.name}” stays public at ${newPath}; ${indexing}.`
        : `“${old.name}” moves from ${oldPath} to ${newPath} at once; the old URL redirects there.`,
    lines: [
      ...(oldPath === newPath
        ? []
        : [`Old URL: ${oldPath} (redirects to the new one)`, `New URL: ${newPath}`]),
      ...(page.indexing === old.indexing ? [] : [`Indexing: ${old.indexing ? "on → off" : "off → on"}`]),
      ...nav.map((one) => `The navigation item “${one.rootName}” (${one.ownerId}) follows`),
      ...(links.size === 0
        ? []
        : [`${counted(links.size, "inbound link")} follow${links.size === 1 ? "s" : ""}`]),
    ],
    public: true,
  };
}

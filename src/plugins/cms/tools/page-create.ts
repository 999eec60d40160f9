import * as z from "zod";
import { checkPage } from "../checks/checks.ts";
import { loadCheckFacts } from "../checks/facts.ts";
import { defineKeyedTool } from "../edit/keyed.ts";
import { applyNavOp } from "../edit/nav-plan.ts";
import { findItem, keysOf } from "../edit/nav-tree.ts";
import {
  contentInput,
  counted,
  lineInput,
  localeInput,
  pageBrief,
  pickLocale,
  positionInput,
  refInput,
  sectionBriefs,
} from "../edit/plan.ts";
import { pagePath, workingPageDocument } from "../edit/publish.ts";
import { resolvePage } from "../edit/refs.ts";
import { planMeta, planSections } from "../edit/section-plan.ts";
import { UNSCHEDULED } from "../edit/status-targets.ts";
import { sectionEntity } from "../model/entity.ts";
import { fail } from "../model/errors.ts";
import { minter } from "../model/ids.ts";
import { keysBetween } from "../model/order.ts";
import { takeablePageSlug } from "../storage/slugs.ts";
import { slugify } from "../model/slugs.ts";
import type {
  Change,
  CmsContext,
  Page,
  PageAggregate,
  AnyPlan,
  Section,
  StoredNavItem,
} from "../model/types.ts";
import { loadNav, loadSite } from "../storage/load.ts";
import { mergeProjections, projectNav, projectPage } from "../storage/projections.ts";
import { navChanges } from "./nav.ts";
import { givenMeta, metaInput, nameInput, slugInput } from "./pages.ts";

const navInput = z.strictObject({
  location: z.enum(["header", "footer", "both"]),
  label: lineInput(80).describe("default: the page's name").optional(),
  parent: refInput.describe("id or unique label of an item").optional(),
  position: positionInput.optional(),
});
const input = z.strictObject({
  name: nameInput,
  slug: slugInput.describe("default: from the name").optional(),
  copyFrom: refInput.describe("page to copy meta and sections from, instead of sections").optional(),
  meta: metaInput.optional(),
  indexing: z.boolean().optional(),
  sections: z
    .array(
      z.strictObject({
        template: z.string().max(64).describe("template key (schema_list)"),
        variant: z.string().max(40).optional(),
        content: contentInput,
        hidden: z.boolean().optional(),
      }),
    )
    .max(20)
    .optional(),
  nav: navInput.optional(),
  locale: localeInput,
});

export const pageCreate = defineKeyedTool({
  name: "page_create",
  version: 1,
  title: "Create a page",
  description:
    "Creates a draft page with its sections and navigation items in one step, all or nothing. Publish it with set_status.",
  input,
  verbs: ["create", "add", "attach"],
  tier: "write",
  plan,
  entities: (_, { page, sections, nav }) => [
    { op: "create", type: "page", id: page.id, name: page.name, slug: page.slug },
    ...sections.map((section) => sectionEntity("create", section, page.id)),
    ...nav.map(({ id, label }) => ({ op: "create" as const, type: "nav_item", id, name: label })),
  ],
});

async function plan(given: z.output<typeof input>, context: CmsContext) {
  const { services, at } = context;
  const { environment, schemas } = await loadSite(services);
  const locale = pickLocale(environment, given.locale);
  if (given.copyFrom !== undefined && given.sections !== undefined) {
    throw fail("invalid_input", "Pass either sections or copyFrom.", {
      at: "copyFrom",
      hint: "Add more with section_add.",
    });
  }
  const source =
    given.copyFrom === undefined ? null : await resolvePage(services, given.copyFrom, "copyFrom");
  if (source?.page.kind === "layout")
    throw fail("protected_page", "The layout cannot be copied.", { at: "copyFrom" });
  const slug = await takeablePageSlug(services, environment, slugFor(given), null);
  const mint = minter(context.key);
  const page: Page = {
    id: mint("pg"),
    kind: "page",
    slug,
    name: given.name,
    status: "draft",
    indexing: given.indexing ?? source?.page.indexing ?? true,
    version: 1,
    publishedVersion: null,
    publishedAt: null,
    ...UNSCHEDULED,
    deletedAt: null,
    createdAt: at,
    updatedAt: at,
    meta: await planMeta(services, source?.page.meta ?? {}, givenMeta(given.meta), [], locale),
  };
  const made =
    source === null
      ? await planSections(
          services,
          environment,
          schemas.templates,
          page,
          (given.sections ?? []).map((one, i) => ({ ...one, at: `sections[${i}]` })),
          locale,
        )
      : source.sections.map(({ template, ...one }) => ({ ...one, template: { key: template } }));
  const keys = keysBetween(null, null, made.length);
  const sections = made.map(({ template, variant, hidden, content }, i): Section => ({
    id: mint("sc"),
    pageId: page.id,
    template: template.key,
    variant,
    hidden,
    sortKey: keys[i] ?? "",
    version: 1,
    deletedAt: null,
    createdAt: at,
    updatedAt: at,
    content,
  }));
  const aggregate: PageAggregate = { page, sections };
  const nav =
    given.nav === undefined
      ? []
      : await planNav(given.nav, page, locale, environment.defaultLocale, mint, context);
  const items = nav.flatMap((one) => (one.type === "nav_item" ? [one.after] : []));
  const document = workingPageDocument(aggregate);
  const facts = await loadCheckFacts(
    services,
    environment,
    document,
    schemas,
    new Set(),
    nav.length > 0 ? [`page:${page.id}`] : [],
  );
  const checks = checkPage(document, facts);
  return {
    result: {
      ok: true,
      op: context.key,
      page: pageBrief(page, environment),
      sections: sectionBriefs(aggregate, schemas.templates, environment),
      nav: items.map(({ id, label, location, version }) => ({ id, label, location, version })),
      checks,
      publicNow: false,
      preview: { path: pagePath(page, environment) },
      notes: ["The page is a draft. set_status publishes it, and its navigation items appear with it."],
    },
    changes: [
      { type: "page", before: null, after: page },
      ...sections.map((one): Change => ({ type: "section", before: null, after: one })),
      ...nav,
    ],
    projection: mergeProjections(
      projectPage(aggregate, schemas.templates, environment.defaultLocale),
      projectNav(items),
    ),
    impact: {
      title: `Create the page “${page.name}”`,
      summary: `Create the draft page “${page.name}” (${page.slug}) with ${counted(sections.length, "section")} and ${counted(items.length, "navigation item")}; visitors see nothing of it yet.`,
      lines: [],
      public: false,
    },
  } satisfies AnyPlan;
}

function slugFor(given: z.output<typeof input>): string {
  const slug = given.slug ?? slugify(given.name);
  if (slug !== "") return slug;
  throw fail("invalid_input", `No slug can be made from “${given.name}”.`, {
    at: "slug",
    hint: "Pass a slug.",
  });
}

/** Nav items to the new page. They lead to a draft, so they are not rendered until it is published. */
async function planNav(
  given: z.output<typeof navInput>,
  page: Page,
  locale: string,
  defaultLocale: string,
  mint: ReturnType<typeof minter>,
  { services, at }: CmsContext,
): Promise<Change[]> {
  const before = await loadNav(services);
  if (given.location === "both" && (given.parent !== undefined || typeof given.position === "object")) {
    throw fail("invalid_input", "A parent or a neighbour belongs to one location.", {
      at: "nav.location",
      hint: "Name header or footer.",
    });
  }
  if (given.location !== "both" && given.parent !== undefined)
    findItem(before, given.parent, "nav.parent", given.location);
  const edit = { locale, defaultLocale, at, usedKeys: keysOf(before) };
  const { label = page.name, parent, position } = given;
  let after: StoredNavItem[] = before;
  for (const location of given.location === "both" ? (["header", "footer"] as const) : [given.location]) {
    const target = { type: "page", id: page.id } as const;
    after = applyNavOp(
      after,
      { op: "add", id: mint("nv"), location, label, target, parent, position },
      edit,
      "nav",
    );
  }
  return navChanges(before, after, at);
}

import * as z from "zod";
import { fail } from "../model/errors.ts";
import { defineKeyedTool } from "../edit/keyed.ts";
import {
  loadEnvironment,
  loadInbound,
  loadNav,
  loadPublished,
  loadTemplates,
  type Inbound,
} from "../storage/load.ts";
import { navChanges } from "./nav.ts";
import { remove } from "../edit/nav-plan.ts";
import { keysOf } from "../edit/nav-tree.ts";
import { counted, refInput, sectionName } from "../edit/plan.ts";
import { mergeProjections, projectNav, projectPageGone } from "../storage/projections.ts";
import { pagePath } from "../edit/publish.ts";
import { resolvePages } from "../edit/refs.ts";
import { releasedImages } from "../edit/released.ts";
import type {
  Change,
  CmsContext,
  Environment,
  PageAggregate,
  AnyPlan,
  StateGuard,
  StoredNavItem,
  Template,
} from "../model/types.ts";

const input = z.strictObject({ pages: z.array(refInput.describe("Page: id or slug")).min(1).max(10) });

export const pageDelete = defineKeyedTool({
  name: "page_delete",
  version: 1,
  title: "Delete pages",
  description: "Deletes pages with their sections and their navigation items, all or none. A person decides.",
  input,
  verbs: ["delete"],
  tier: "publish",
  plan,
  entities: (_, { deleted, navRemoved }) => [
    ...deleted.flatMap(({ id, name, slug, sections }) => [
      { op: "delete" as const, type: "page", id, name, slug },
      ...sections.map((one) => ({
        op: "delete" as const,
        type: "section",
        id: one,
        name: one,
        parent: { type: "page", id },
      })),
    ]),
    ...navRemoved.map(({ id, label }) => ({ op: "delete" as const, type: "nav_item", id, name: label })),
  ],
});

async function plan(given: z.output<typeof input>, context: CmsContext) {
  const { services, at } = context;
  const [environment, templates, nav] = await Promise.all([
    loadEnvironment(services),
    loadTemplates(services),
    loadNav(services),
  ]);
  const pages = await resolvePages(services, given.pages);
  for (const { page } of pages) checkDeletable(page, environment);
  const ids = pages.map((one) => one.page.id);
  const [inbound, published, released] = await Promise.all([
    loadInbound(services, ids),
    loadPublished(services, ids),
    releasedImages(services, ids),
  ]);
  const { changes: navEdits, items: navAfter, removed } = navWithout(nav, ids, at);
  const dead = deadLinks(inbound, ids);
  const deleted = pages.map(({ page, sections }) => {
    return {
      id: page.id,
      slug: page.slug,
      name: page.name,
      sections: sections.map((one) => one.id),
      version: page.version + 1,
    };
  });
  const isPublic = pages.some((one) => one.page.status === "published");
  return {
    result: {
      ok: true,
      op: context.key,
      deleted,
      navRemoved: removed.map(({ id, label, location, version }) => ({ id, label, location, version })),
      deadLinks: dead.map((one) => ({ owner: one.ownerId, ownerName: one.rootName, field: one.path })),
      publicNow: isPublic,
    },
    changes: [
      ...pages.map(({ page }): Change => {
        return {
          type: "page",
          before: page,
          after: { ...page, version: page.version + 1, deletedAt: at, updatedAt: at },
        };
      }),
      ...[...published.values()].map((one): Change => ({ type: "published", before: one, after: null })),
      ...navEdits,
    ],
    stateGuards: [inboundGuard(ids, inbound.length)],
    projection: mergeProjections(...pages.map(projectPageGone), projectNav(navAfter)),
    impact: {
      title:
        pages.length === 1
          ? `Delete the page “${pages[0]?.page.name ?? ""}”`
          : `Delete ${counted(pages.length, "page")}`,
      summary: summaryOf(pages, removed.length, dead.length, isPublic),
      lines: [
        ...pages.flatMap((one) => pageLines(one, templates, environment)),
        ...removed.map(
          (one) => `The navigation item “${one.label}” (${one.id}) is removed from the ${one.location}`,
        ),
        ...navAfter
          .filter((one) => one.deletedAt === null)
          .map((one) => `The navigation item “${one.label}” (${one.id}) takes the place of its parent`),
        ...released.map(
          (one) => `The image ${one.filename} (${one.id}) is then used nowhere else; it stays in the library`,
        ),
        "It can be undone",
      ],
      warnings: [...new Set(dead.map((one) => one.rootName))].map(
        (root) => `Links to it on “${root}” lead nowhere then, and show as text`,
      ),
      public: isPublic,
    },
  } satisfies AnyPlan;
}

function checkDeletable(page: PageAggregate["page"], environment: Environment): void {
  if (page.kind === "layout") {
    throw fail("protected_page", "The layout holds header and footer of every page, and cannot be deleted.", {
      at: "pages",
    });
  }
  if (page.id === environment.homePageId) {
    throw fail("protected_page", `“${page.name}” is the home page.`, {
      at: "pages",
      hint: "Set another home first.",
    });
  }
}

/** The navigation without the items that lead to these things; what stood below them moves up. */
export function navWithout(nav: readonly StoredNavItem[], ids: readonly string[], at: number) {
  let after: readonly StoredNavItem[] = nav;
  for (const { id, target } of nav) {
    // Looked up anew: an item removed before may have moved this one up.
    const item = after.find((one) => one.id === id);
    if (item === undefined || !("id" in target) || !ids.includes(target.id)) continue;
    after = remove(after, item, "promote", keysOf(nav));
  }
  const changes = navChanges(nav, after, at);
  const items = changes.flatMap((one) => (one.type === "nav_item" ? [one.after] : []));
  return { changes, items, removed: items.filter((one) => one.deletedAt !== null) };
}

/** Links in content: once a field, whatever the locale, and drafts and published documents taken together. */
export function deadLinks(inbound: readonly Inbound[], ids: readonly string[]): Inbound[] {
  const links = inbound.filter((one) => one.ownerType !== "nav_item" && !ids.includes(one.rootId));
  const key = (one: Inbound) => `${one.ownerId}/${one.path}/${one.targetId}`;
  return [...new Map(links.map((one) => [key(one), one])).values()];
}

/** As many uses of these things as the plan saw, by the same condition as `loadInbound`. */
export function inboundGuard(ids: readonly string[], equals: number): StateGuard {
  return {
    sql: `SELECT count(*) FROM asset_refs WHERE target_type IN('image','page','entry','collection')
      AND target_id IN (SELECT value FROM json_each(?1)) AND root_id<>target_id`,
    json: JSON.stringify(ids),
    equals,
  };
}

function summaryOf(pages: readonly PageAggregate[], nav: number, dead: number, isPublic: boolean): string {
  const names = pages.map((one) => `“${one.page.name}”`).join(", ");
  const effects = [
    ...(isPublic ? ["its URL answers 404 at once"] : []),
    ...(nav > 0 ? [`${counted(nav, "navigation item")} go${nav === 1 ? "es" : ""} with it`] : []),
    ...(dead > 0 ? [`${counted(dead, "link")} to it lead${dead === 1 ? "s" : ""} nowhere`] : []),
  ];
  return `Delete ${names}${effects.length === 0 ? "" : `: ${effects.join(", ")}`}.`;
}

function pageLines(
  { page, sections }: PageAggregate,
  templates: ReadonlyMap<string, Template>,
  environment: Environment,
): string[] {
  const path = pagePath(page, environment);
  const names = sections.map((one) => sectionName(one, templates, environment)).join(", ");
  return [
    page.status === "published"
      ? `${path} will answer 404 (“${page.name}”)`
      : `“${page.name}” (${path}) is not public`,
    `${counted(sections.length, "section")} of “${page.name}”${names === "" ? "" : `: ${names}`}`,
  ];
}

import * as z from "zod";
import { defineTool } from "../../../cairn/tools/define.ts";
import { isDirty, pagePath } from "../edit/publish.ts";
import { isoTime, LIST_DEFAULT, LIST_MAX, localContent, localeChain } from "../edit/read-shape.ts";
import { resolvePage } from "../edit/refs.ts";
import { META_FIELDS } from "../model/validate.ts";
import type { Content, SectionDocument } from "../model/document.ts";
import { sectionEntity } from "../model/entity.ts";
import { fail } from "../model/errors.ts";
import { cursorAfter, positionOf } from "../model/ids.ts";
import {
  WALKED_MAX,
  type CmsContext,
  type CmsServices,
  type Environment,
  type PageAggregate,
  type Template,
} from "../model/types.ts";
import { loadCounts, type Counts } from "../storage/counts.ts";
import { loadEnvironment, loadPublished, loadTemplates } from "../storage/load.ts";
import { headingOf } from "../storage/projections.ts";
import { batchOf, rowsOf } from "../storage/rows.ts";
import { number, text, type Row } from "../model/columns.ts";
import { pageOf } from "../model/tables.ts";

const listInput = z.strictObject({
  status: z.enum(["draft", "published", "all"]).default("all"),
  dirtyOnly: z.boolean().optional().describe("only pages with unpublished edits"),
  q: z.string().max(200).optional().describe("part of the name or slug"),
  sort: z.enum(["name", "updated"]).default("name"),
  limit: z.int().min(1).max(LIST_MAX).default(LIST_DEFAULT),
  cursor: z.string().max(500).optional(),
});

/** Sort column of a list, and the condition for rows after the cursor (?2, ?3). */
const ORDERS = {
  name: { by: "p.name COLLATE NOCASE", behind: ">", direction: "" },
  updated: { by: "p.updated_at", behind: "<", direction: "DESC" },
} as const;

/** The pages from a place on, as far as one call walks, in the order of an index. */
function walked(sort: keyof typeof ORDERS, isFurther: boolean): string {
  const { by, behind, direction } = ORDERS[sort];
  const pageFilter = `AND ${by} ${behind}= ?2 AND (${by} ${behind} ?2 OR p.id > ?3)`;
  return `SELECT p.*, ${by} AS place FROM pages p WHERE p.env_id = ?1 AND p.deleted_at IS NULL AND p.kind = 'page'
    ${isFurther ? pageFilter : ""} ORDER BY place ${direction}, p.id`;
}

/** ?4 status or null, ?5 dirty only, ?6 part of name or slug or null */
const FILTERED = `(?4 IS NULL OR w.status = ?4)
  AND (?5 = 0 OR w.published_version IS NULL OR w.version > w.published_version)
  AND (?6 IS NULL OR instr(lower(w.name), lower(?6)) > 0 OR instr(w.slug, lower(?6)) > 0)`;

export const pageList = defineTool({
  name: "page_list",
  lean: true,
  version: 1,
  title: "List pages",
  description: "Lists the pages of the site with status, section count and URL. Filters combine.",
  input: listInput,
  effect: "read",
  tier: "open",
  reads: "private",
  run: async (input, { services }: CmsContext) => {
    const environment = await loadEnvironment(services);
    const after = positionOf(input.sort, input.cursor);
    const walk = walked(input.sort, after !== null);
    const from = after === null ? [services.env] : [services.env, after.sort, after.id];
    const padded = [services.env, after?.sort ?? null, after?.id ?? null];
    const filter = [
      input.status === "all" ? null : input.status,
      input.dirtyOnly === true ? 1 : 0,
      input.q ?? null,
    ] as const;
    const isCounted = input.dirtyOnly !== true && input.q === undefined;
    const [rows = [], [found] = []] = await batchOf(services, [
      [
        `SELECT w.* FROM (${walk} LIMIT ${WALKED_MAX}) w WHERE ${FILTERED} LIMIT ?7`,
        ...padded,
        ...filter,
        input.limit + 1,
      ],
      ...(isCounted
        ? []
        : [
            [
              `SELECT count(*) AS total FROM (${walked(input.sort, false)} LIMIT ${WALKED_MAX}) w WHERE ${FILTERED}`,
              services.env,
              null,
              null,
              ...filter,
            ] as const,
          ]),
    ]);
    const shown = rows.slice(0, input.limit);
    const ids = shown.map((row) => text(row, "id"));
    const [sections, inNav, counts] = await Promise.all([
      sectionCounts(services, ids),
      pagesInNav(services, ids),
      isCounted ? loadCounts(services, environment) : null,
    ]);
    // Where less was found than asked for, the walk may have ended before the site does.
    const last =
      rows.length > input.limit
        ? shown.at(-1)
        : (
            await rowsOf(
              services,
              `SELECT w.id, w.name, w.updated_at FROM (${walk} LIMIT 1 OFFSET ${WALKED_MAX - 1}) w`,
              ...from,
            )
          )[0];
    return {
      items: shown.map((row) => listItem(row, environment, sections, inNav)),
      total:
        counts === null ? (found === undefined ? 0 : number(found, "total")) : totalOf(counts, input.status),
      ...(last === undefined
        ? {}
        : {
            nextCursor: cursorAfter(input.sort, { sort: sortValue(last, input.sort), id: text(last, "id") }),
          }),
    };
  },
  entities: (_, output) =>
    output.items.slice(0, 5).map(({ id, name, slug }) => ({ op: "touch", type: "page", id, name, slug })),
});

function totalOf(counts: Counts, status: "draft" | "published" | "all"): number {
  if (status !== "all") return counts.pages(status);
  return counts.pages("draft") + counts.pages("published") + counts.pages("unpublished");
}

/** How many live sections each of these pages has. */
async function sectionCounts(
  services: CmsServices,
  pages: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await rowsOf(
    services,
    `SELECT page_id FROM sections WHERE deleted_at IS NULL AND page_id IN (SELECT value FROM json_each(?1))`,
    JSON.stringify(pages),
  );
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(text(row, "page_id"), (counts.get(text(row, "page_id")) ?? 0) + 1);
  return counts;
}

/** Those of these pages that the navigation shows. */
async function pagesInNav(services: CmsServices, pages: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await rowsOf(
    services,
    `SELECT target_id FROM nav_items WHERE env_id=?1 AND deleted_at IS NULL AND visible=1 AND target_type='page'
      AND target_id IN (SELECT value FROM json_each(?2))`,
    services.env,
    JSON.stringify(pages),
  );
  return new Set(rows.map((row) => text(row, "target_id")));
}

function sortValue(row: Row, sort: keyof typeof ORDERS): string | number {
  return sort === "name" ? text(row, "name") : number(row, "updated_at");
}

function listItem(
  row: Row,
  environment: Environment,
  sections: ReadonlyMap<string, number>,
  inNav: ReadonlySet<string>,
) {
  const page = pageOf(row);
  return {
    id: page.id,
    slug: page.slug,
    name: page.name,
    status: page.status,
    dirty: isDirty(page),
    sectionCount: sections.get(page.id) ?? 0,
    inNav: inNav.has(page.id),
    url: pagePath(page, environment),
    updatedAt: isoTime(page.updatedAt),
  };
}

const getInput = z.strictObject({
  page: z.string().min(1).max(100).describe("id or slug"),
  detail: z.enum(["outline", "full"]).default("outline").describe("full adds the content of every section"),
  sections: z.array(z.string()).max(20).optional().describe("ids of sections whose content is wanted"),
  state: z.enum(["draft", "published"]).default("draft"),
  locale: z.string().max(20).optional(),
});

export const pageGet = defineTool({
  name: "page_get",
  lean: true,
  version: 1,
  title: "Read a page",
  description:
    "Reads a page: its meta and its sections in order, with ids. detail full, or sections, adds their content.",
  input: getInput,
  effect: "read",
  tier: "open",
  reads: "private",
  observationMax: 16_384,
  run: async (input, { services }: CmsContext) => {
    const environment = await loadEnvironment(services);
    const chain = localeChain(environment, input.locale);
    const templates = await loadTemplates(services);
    const draft = await resolvePage(services, input.page);
    const shown = input.state === "draft" ? copyOf(draft) : await publicCopyOf(services, draft);
    const wanted = new Set(input.sections ?? []);
    refuseUnknown(wanted, shown);
    const sections = shown.sections.map((section, at) => {
      const read = localContent(templates.get(section.template)?.fields ?? [], section.content, chain);
      const isFull = input.detail === "full" || wanted.has(section.id);
      return {
        ...outlineOf(section, at + 1, templates.get(section.template), read.content),
        ...(section.version === undefined ? {} : { version: section.version }),
        ...(isFull ? read : {}),
      };
    });
    const { page } = draft;
    return {
      page: {
        id: page.id,
        slug: shown.slug,
        name: shown.name,
        kind: page.kind,
        status: page.status,
        dirty: isDirty(page),
        indexing: shown.indexing,
        url: pagePath({ id: page.id, slug: shown.slug }, environment),
        state: input.state,
        locale: chain[0] ?? environment.defaultLocale,
        meta: localContent(META_FIELDS, shown.meta, chain).content,
        version: page.version,
        publishedVersion: page.publishedVersion,
        publishedAt: isoTime(page.publishedAt),
        ...(page.publishAt === null ? {} : { publishAt: isoTime(page.publishAt) }),
        ...(page.publishFailure === null ? {} : { publishFailure: page.publishFailure }),
        updatedAt: isoTime(page.updatedAt),
      },
      sections,
    };
  },
  entities: (_, { page, sections }) => [
    { op: "touch", type: "page", id: page.id, name: page.name, slug: page.slug },
    ...sections.map((section) => sectionEntity("touch", section, page.id)),
  ],
});

interface Copy {
  readonly slug: string;
  readonly name: string;
  readonly indexing: boolean;
  readonly meta: PageAggregate["page"]["meta"];
  readonly sections: readonly (SectionDocument & { readonly version?: number })[];
}

function copyOf({ page, sections }: PageAggregate): Copy {
  return { slug: page.slug, name: page.name, indexing: page.indexing, meta: page.meta, sections };
}

async function publicCopyOf(services: CmsServices, { page }: PageAggregate): Promise<Copy> {
  const row = (await loadPublished(services, [page.id])).get(page.id);
  if (row?.document.type === "page") return row.document;
  throw fail("not_found", `The page “${page.name}” is not public; it has no published version.`, {
    at: "state",
    hint: "Read it with state draft.",
    suggestions: [{ label: `${page.name} (draft)`, ref: page.id }],
  });
}

function refuseUnknown(wanted: ReadonlySet<string>, copy: Copy): void {
  const known = new Set(copy.sections.map((section) => section.id));
  const unknown = [...wanted].filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw fail(
    "not_found",
    `The page “${copy.name}” has no section ${unknown.map((id) => `“${id}”`).join(", ")}.`,
    {
      at: "sections",
      hint: "page_get without sections lists the sections of the page.",
      suggestions: copy.sections.slice(0, 3).map(({ id, template }) => ({ label: template, ref: id })),
      details: { unknown },
    },
  );
}

function outlineOf(
  section: SectionDocument,
  position: number,
  template: Template | undefined,
  content: Content,
) {
  return {
    id: section.id,
    template: section.template,
    templateName: template?.name ?? section.template,
    variant: section.variant,
    position,
    hidden: section.hidden,
    heading: headingOf(template?.fields ?? [], content),
  };
}

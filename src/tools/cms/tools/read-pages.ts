import * as z from "zod";
import { defineTool } from "../../define.ts";
import { isDirty, pagePath } from "../edit/publish.ts";
import { isoTime, LIST_DEFAULT, LIST_MAX, localContent, localeChain } from "../edit/read-shape.ts";
import { resolvePage } from "../edit/refs.ts";
import { META_FIELDS } from "../edit/validate.ts";
import type { Content, SectionDocument } from "../model/document.ts";
import { sectionEntity } from "../model/entity.ts";
import { fail } from "../model/errors.ts";
import { cursorAfter, placeOf } from "../model/ids.ts";
import type { CmsContext, CmsServices, Environment, PageAggregate, Template } from "../model/types.ts";
import { batchOf, loadEnvironment, loadPublished, loadTemplates } from "../storage/load.ts";
import { headingOf } from "../storage/projections.ts";
import { number, text, type Row } from "../storage/rows.ts";
import { pageOf } from "../storage/tables.ts";

const listInput = z.strictObject({
  status: z.enum(["draft", "published", "all"]).default("all"),
  dirtyOnly: z.boolean().optional().describe("only pages with unpublished edits"),
  q: z.string().max(200).optional().describe("part of the name or slug"),
  sort: z.enum(["name", "updated"]).default("name"),
  limit: z.int().min(1).max(LIST_MAX).default(LIST_DEFAULT),
  cursor: z.string().max(500).optional(),
});

/** ?1 environment, ?2 status or null, ?3 dirty only, ?4 part of name or slug or null */
const LISTED = `p.env_id = ?1 AND p.deleted_at IS NULL AND p.kind = 'page' AND (?2 IS NULL OR p.status = ?2)
  AND (?3 = 0 OR p.published_version IS NULL OR p.version > p.published_version)
  AND (?4 IS NULL OR instr(lower(p.name), lower(?4)) > 0 OR instr(p.slug, lower(?4)) > 0)`;
const PAGE_ROWS = `SELECT p.*,
  (SELECT count(*) FROM sections s WHERE s.page_id = p.id AND s.deleted_at IS NULL) AS section_count,
  EXISTS (SELECT 1 FROM nav_items n WHERE n.env_id = p.env_id AND n.target_type = 'page' AND n.target_id = p.id
    AND n.deleted_at IS NULL AND n.visible = 1) AS in_nav
  FROM pages p WHERE ${LISTED}`;
const ORDERS = {
  name: `AND (?5 IS NULL OR p.name > ?5 COLLATE NOCASE OR (p.name = ?5 COLLATE NOCASE AND p.id > ?6))
    ORDER BY p.name COLLATE NOCASE, p.id LIMIT ?7`,
  updated: `AND (?5 IS NULL OR p.updated_at < ?5 OR (p.updated_at = ?5 AND p.id > ?6))
    ORDER BY p.updated_at DESC, p.id LIMIT ?7`,
} as const;

export const pageList = defineTool({
  name: "page_list",
  version: 1,
  title: "List pages",
  description: "Lists the pages of the site with status, section count and URL. Filters combine.",
  input: listInput,
  effect: "read",
  tier: "open",
  reads: "private",
  run: async (input, { services }: CmsContext) => {
    const environment = await loadEnvironment(services);
    const after = placeOf(input.sort, input.cursor);
    const filter = [
      services.env,
      input.status === "all" ? null : input.status,
      input.dirtyOnly === true ? 1 : 0,
      input.q ?? null,
    ] as const;
    const [rows = [], counts = []] = await batchOf(services, [
      [
        `${PAGE_ROWS} ${ORDERS[input.sort]}`,
        ...filter,
        after?.sort ?? null,
        after?.id ?? null,
        input.limit + 1,
      ],
      [`SELECT count(*) AS total FROM pages p WHERE ${LISTED}`, ...filter],
    ]);
    const shown = rows.slice(0, input.limit);
    const last = shown.at(-1);
    return {
      items: shown.map((row) => listItem(row, environment)),
      total: counts[0] === undefined ? 0 : number(counts[0], "total"),
      ...(rows.length > input.limit && last !== undefined
        ? { nextCursor: cursorAfter(input.sort, { sort: sortValue(last, input.sort), id: text(last, "id") }) }
        : {}),
    };
  },
  entities: (_, output) =>
    output.items.slice(0, 5).map(({ id, name, slug }) => ({ op: "touch", type: "page", id, name, slug })),
});

function sortValue(row: Row, sort: keyof typeof ORDERS): string | number {
  return sort === "name" ? text(row, "name") : number(row, "updated_at");
}

function listItem(row: Row, environment: Environment) {
  const page = pageOf(row);
  return {
    id: page.id,
    slug: page.slug,
    name: page.name,
    status: page.status,
    dirty: isDirty(page),
    sectionCount: number(row, "section_count"),
    inNav: number(row, "in_nav") === 1,
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

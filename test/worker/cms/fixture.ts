import { env } from "cloudflare:workers";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { EntityRef, Preview, ToolFailure } from "../../../src/cairn/core/log/tool.ts";
import { ToolError, type AnyTool } from "../../../src/cairn/tools/define.ts";
import type { Field } from "../../../src/plugins/cms/model/document.ts";
import type { CmsContext, CmsServices } from "../../../src/plugins/cms/model/types.ts";

/** The smallest site that the write tools can work on: two locales, three templates and a layout, no pages. */

export const T0 = Date.UTC(2026, 0, 1);
export const services: CmsServices = { db: env.DB, media: env.MEDIA, env: "env_main" };

const text = (key: string, max: number, required = false): Field => ({
  key,
  label: key,
  type: "text",
  max,
  required,
});
const TEMPLATES: readonly {
  key: string;
  name: string;
  region: string;
  fields: readonly Field[];
  variants: readonly string[];
}[] = [
  {
    key: "hero",
    name: "Hero",
    region: "main",
    variants: ["default", "centered"],
    fields: [
      text("title", 120, true),
      text("subtitle", 240),
      { key: "image", label: "Image", type: "image" },
      text("ctaText", 40),
      { key: "ctaLink", label: "Link", type: "link" },
    ],
  },
  {
    key: "feature",
    name: "Feature",
    region: "main",
    variants: ["default", "list"],
    fields: [
      text("heading", 120, true),
      { key: "description", label: "Description", type: "markdown", max: 2_000 },
      {
        key: "items",
        label: "Items",
        type: "list",
        min: 0,
        max: 12,
        item: [
          text("title", 80, true),
          text("description", 300),
          { key: "icon", label: "Icon", type: "image" },
        ],
      },
    ],
  },
  {
    key: "cta",
    name: "Call to action",
    region: "main",
    variants: ["default", "banner"],
    fields: [
      text("heading", 120, true),
      { key: "description", label: "Description", type: "markdown", max: 1_000 },
      text("buttonText", 40, true),
      { key: "buttonLink", label: "Link", type: "link", required: true },
    ],
  },
  {
    key: "footer",
    name: "Footer",
    region: "footer",
    variants: ["default"],
    fields: [text("companyName", 80, true)],
  },
];

/** Empties all tables of the site. */
export async function emptySite(): Promise<void> {
  const { db } = services;
  const empty = [
    "change_set_rows",
    "change_set_things",
    "change_sets",
    "revisions",
    "operations",
    "asset_refs",
    "search_docs",
    "published_docs",
    "contents",
    "redirects",
    "nav_items",
  ];
  const roots = ["sections", "entries", "collections", "images", "pages", "section_templates", "sites"];
  await db.batch([...empty, ...roots].map((table) => db.prepare(`DELETE FROM ${table}`)));
}

/** Empties the content tables and writes the site anew. */
export async function makeSite(): Promise<void> {
  const { db } = services;
  await emptySite();
  await db.batch([
    db
      .prepare("INSERT INTO sites(id,name,created_at,updated_at) VALUES('site_main','Fern & Fell',?1,?1)")
      .bind(T0),
    db.prepare("INSERT INTO environments(id,site_id,name) VALUES('env_main','site_main','main')"),
    db.prepare("INSERT INTO locales(env_id,code,name,is_default) VALUES('env_main','en','English',1)"),
    db.prepare("INSERT INTO locales(env_id,code,name,fallback) VALUES('env_main','de','Deutsch','en')"),
    db
      .prepare(
        `INSERT INTO section_templates(key,name,description,region,fields,variants)
         SELECT value->>'key', value->>'name', '', value->>'region', value->'fields', value->'variants' FROM json_each(?1)`,
      )
      .bind(JSON.stringify(TEMPLATES)),
    db
      .prepare(
        `INSERT INTO pages(id,env_id,kind,slug,name,status,created_at,updated_at)
         VALUES('pg_layout','env_main','layout','_layout','Layout','published',?1,?1)`,
      )
      .bind(T0),
    db
      .prepare(
        "INSERT INTO collections(id,env_id,slug,name,fields,updated_at) VALUES('co_blog','env_main','blog','Blog',?1,?2)",
      )
      .bind(JSON.stringify([{ key: "body", label: "Body", type: "markdown", required: true }]), T0),
    db
      .prepare(
        `INSERT INTO images(id,env_id,sha256,filename,media_type,ext,byte_size,alt,alt_source,origin,created_at,updated_at)
         VALUES('im_ridge','env_main','00','ridge.png','image/png','png',1000,'A ridge at dawn','human','seed',?1,?1)`,
      )
      .bind(T0),
  ]);
}

let calls = 0;

/** A context with a key of its own, later than the one before. */
export function contextOf(more: Partial<CmsContext> = {}): CmsContext {
  calls += 1;
  return {
    key: `s1/r1s1c${calls}`,
    call: `r1s1c${calls}`,
    attempt: 1,
    at: T0 + calls * 1_000,
    signal: new AbortController().signal,
    services,
    facts: { session: "s1", run: "r1", subject: "user:1" },
    approved: null,
    log: () => {},
    progress: () => {},
    spend: () => {},
    ...more,
  };
}

interface Called {
  readonly output: JsonObject & { readonly [key: string]: never };
  readonly context: CmsContext;
}

/** Runs a tool as the loop does: input parsed, a preview first, approved with what it showed, output as plain JSON. */
export async function call<Output = Called["output"]>(
  tool: AnyTool<CmsServices>,
  args: object,
  context: CmsContext = contextOf(),
): Promise<Output> {
  const { definition } = tool;
  const input = definition.input.parse(args);
  const preview = await definition.preview?.(input, context);
  const isAsked = preview !== undefined && preview.need.kind === "ask";
  const approved = isAsked ? { approval: "ap_1", basis: preview.basis } : null;
  const output = await definition.run(input, { ...context, approved });
  return JSON.parse(JSON.stringify(output)) as Output;
}

export async function previewOf(
  tool: AnyTool<CmsServices>,
  args: object,
  context = contextOf(),
): Promise<Preview> {
  const preview = await tool.definition.preview?.(tool.definition.input.parse(args), context);
  if (preview === undefined) throw new Error("this tool has no preview");
  return preview;
}

/** The refusal of a promise; one that succeeds fails the test. */
export async function refusal(promise: Promise<unknown>): Promise<ToolFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ToolError) return error.failure;
    throw error;
  }
  throw new Error("expected a refusal");
}

export function entities(tool: AnyTool<CmsServices>, args: object, output: unknown): readonly EntityRef[] {
  return tool.definition.entities?.(tool.definition.input.parse(args), output) ?? [];
}

const COUNTED = [
  "pages",
  "sections",
  "contents",
  "nav_items",
  "operations",
  "revisions",
  "asset_refs",
  "search_docs",
  "published_docs",
];

/** How many rows each table has. */
export async function rowCounts(): Promise<Record<string, number>> {
  const sql = COUNTED.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(", ");
  const row = await services.db.prepare(`SELECT ${sql}`).first<Record<string, number>>();
  if (row === null) throw new Error("a count has one row");
  return row;
}

export async function rows<Row>(sql: string, ...values: (string | number)[]): Promise<Row[]> {
  const { results } = await services.db
    .prepare(sql)
    .bind(...values)
    .all<Row>();
  return results;
}

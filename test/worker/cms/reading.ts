import { env } from "cloudflare:workers";
import type { EntityRef, ToolFailure } from "../../../src/cairn/core/log/tool.ts";
import { entryDocument, publishedPageDocument } from "../../../src/plugins/cms/edit/publish.ts";
import type { ByLocale, Content, Field } from "../../../src/plugins/cms/model/document.ts";
import type {
  Change,
  CmsContext,
  CmsServices,
  Collection,
  Entry,
  Page,
  Section,
  Setting,
  StoredNavItem,
  Template,
} from "../../../src/plugins/cms/model/types.ts";
import { changeStatements } from "../../../src/plugins/cms/storage/changes.ts";
import { projectionStatements } from "../../../src/plugins/cms/storage/commit.ts";
import {
  mergeProjections,
  NO_PROJECTION,
  projectEntry,
  projectNav,
  projectPage,
  projectPublished,
  projectSetting,
} from "../../../src/plugins/cms/storage/projections.ts";
import { ToolError, type AnyTool } from "../../../src/cairn/tools/define.ts";

export type OutputOf<T extends { readonly definition: { run(...given: never[]): Promise<unknown> } }> =
  Awaited<ReturnType<T["definition"]["run"]>>;

/** A small site for the read tools: three pages, a layout, a blog with three entries, three images, two locales. */

export const AT = Date.UTC(2026, 0, 10);
export const services: CmsServices = { db: env.DB, media: env.MEDIA, env: "env_main" };

export function contextOf(key: string, more: Partial<CmsContext> = {}): CmsContext {
  return {
    key,
    call: "r1s1c0",
    attempt: 1,
    at: AT + 1_000,
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

let calls = 0;

/** Runs a tool as the loop would: input parsed, output made plain JSON. */
export async function call<Output>(
  tool: AnyTool<CmsServices>,
  args: object,
  context?: CmsContext,
): Promise<Output> {
  const { definition } = tool;
  const output = await definition.run(definition.input.parse(args), context ?? contextOf(`s1/c${calls++}`));
  return JSON.parse(JSON.stringify(output)) as Output;
}

/** Entities that the tool's real output puts into working memory. */
export async function entitiesOf(tool: AnyTool<CmsServices>, args: object): Promise<readonly EntityRef[]> {
  const { definition } = tool;
  const input = definition.input.parse(args);
  const output = await definition.run(input, contextOf(`s1/c${calls++}`));
  return definition.entities?.(input, output) ?? [];
}

/** The refusal of a call; a call that succeeds fails the test. */
export async function refusalOf(tool: AnyTool<CmsServices>, args: object): Promise<ToolFailure> {
  try {
    await call(tool, args);
  } catch (error) {
    if (error instanceof ToolError) return error.failure;
    throw error;
  }
  throw new Error(`${tool.definition.name} was expected to refuse ${JSON.stringify(args)}`);
}

export const TEMPLATES: readonly Template[] = [
  template("hero", "Hero", [
    { key: "title", label: "Title", type: "text", required: true, max: 120 },
    { key: "subtitle", label: "Subtitle", type: "text", max: 240 },
    { key: "image", label: "Image", type: "image" },
    { key: "ctaText", label: "Button text", type: "text", max: 40 },
    { key: "ctaLink", label: "Button link", type: "link" },
  ]),
  template("feature", "Feature", [
    { key: "heading", label: "Heading", type: "text", required: true, max: 120 },
    {
      key: "items",
      label: "Items",
      type: "list",
      min: 0,
      max: 12,
      item: [
        { key: "title", label: "Title", type: "text", required: true, max: 80 },
        { key: "icon", label: "Icon", type: "image" },
      ],
    },
  ]),
  template("gallery", "Gallery", [
    { key: "title", label: "Title", type: "text", max: 120 },
    { key: "images", label: "Images", type: "image_list", required: true, min: 1, max: 3 },
    { key: "layout", label: "Layout", type: "select", options: ["grid", "masonry"], default: "grid" },
  ]),
  {
    ...template("footer", "Footer", [{ key: "note", label: "Note", type: "text", max: 200 }]),
    region: "footer",
  },
];

function template(key: string, name: string, fields: readonly Field[]): Template {
  return {
    key,
    name,
    description: `A ${key}`,
    region: "main",
    fields,
    variants: ["default", "centered"],
    version: 1,
  };
}

export const BLOG: Collection = {
  id: "co_blog",
  slug: "blog",
  name: "Blog",
  description: "Notes from the fells",
  fields: [
    { key: "body", label: "Body", type: "markdown", required: true },
    { key: "tags", label: "Tags", type: "tags", max: 10 },
  ],
  sort: "published_at desc",
  deletedAt: null,
  version: 1,
  updatedAt: AT,
};
const NOTES: Collection = { ...BLOG, id: "co_notes", slug: "notes", name: "Notes", description: "" };

const LIFE = {
  publishAt: null,
  publishVersion: null,
  publishFailure: null,
  deletedAt: null,
  createdAt: AT,
  updatedAt: AT,
};

function page(id: string, slug: string, name: string, more: Partial<Page> = {}): Page {
  const isPublic = { status: "published", version: 2, publishedVersion: 2, publishedAt: AT } as const;
  return { id, kind: "page", slug, name, indexing: true, ...isPublic, ...LIFE, meta: {}, ...more };
}

function section(
  id: string,
  pageId: string,
  template: string,
  sortKey: string,
  content: ByLocale<Content>,
): Section {
  const row = {
    variant: "default",
    hidden: false,
    version: 1,
    deletedAt: null,
    createdAt: AT,
    updatedAt: AT,
  };
  return { id, pageId, template, sortKey, content, ...row };
}

const HOME = page("pg_home", "home", "Home", {
  meta: { en: { title: "Fern & Fell", description: "Walks" } },
});
const ABOUT = page("pg_about", "about", "About", {
  version: 3,
  updatedAt: AT + 500,
  meta: { en: { title: "About us", description: "Who guides you", ogImage: { image: "im_ridge" } } },
});
const PLANS = page("pg_plans", "plans", "Plans for winter", {
  status: "draft",
  version: 1,
  publishedVersion: null,
  publishedAt: null,
});
const LAYOUT = page("pg_layout", "_layout", "Layout", { kind: "layout" });
const PAGES = [
  {
    page: HOME,
    sections: [
      section("sc_home_hero", "pg_home", "hero", "a", {
        en: {
          title: "Walk the fells with us",
          subtitle: "Small groups",
          image: { image: "im_ridge", alt: "Ridge in fog" },
          ctaText: "About the guides",
          ctaLink: { kind: "page", id: "pg_about", anchor: "team" },
        },
        de: { title: "Wandern Sie mit uns" },
      }),
      section("sc_home_feature", "pg_home", "feature", "b", {
        en: {
          heading: "What we carry",
          items: [{ title: "A map", icon: { image: "im_compass" } }, { title: "A stove" }],
        },
      }),
    ],
  },
  {
    page: ABOUT,
    sections: [
      section("sc_about_gallery", "pg_about", "gallery", "a", {
        en: { title: "Our paths", images: [{ image: "im_ridge" }, { image: "im_compass" }], layout: "grid" },
      }),
      {
        ...section("sc_about_hidden", "pg_about", "hero", "b", { en: { title: "Secret sale" } }),
        hidden: true,
      },
    ],
  },
  { page: PLANS, sections: [] },
  {
    page: LAYOUT,
    sections: [section("sc_footer", "pg_layout", "footer", "a", { en: { note: "Fern & Fell" } })],
  },
];

function entry(id: string, slug: string, title: string, content: Content, more: Partial<Entry> = {}): Entry {
  return {
    id,
    collectionId: "co_blog",
    slug,
    title,
    status: "published",
    author: "Ada",
    cover: null,
    indexing: true,
    category: "Guides",
    version: 2,
    publishedVersion: 2,
    publishedAt: AT,
    ...LIFE,
    content: { en: content },
    ...more,
  };
}

const ENTRIES = [
  entry(
    "en_packing",
    "packing-light",
    "Packing light",
    { excerpt: "Carry less", body: "A map and a [guide](page:pg_about).", tags: ["gear"] },
    { cover: "im_ridge" },
  ),
  entry(
    "en_weather",
    "reading-the-weather",
    "Reading the weather",
    { body: "Clouds", tags: ["weather", "gear"] },
    {
      publishedAt: AT + 100,
    },
  ),
  entry(
    "en_winter",
    "winter-routes",
    "Winter routes",
    { excerpt: "Snow", body: "Crampons", tags: ["winter"] },
    {
      status: "draft",
      category: "News",
      version: 1,
      publishedVersion: null,
      publishedAt: null,
    },
  ),
];

function navItem(id: string, sortKey: string, label: string, more: Partial<StoredNavItem>): StoredNavItem {
  return {
    id,
    location: "header",
    parentId: null,
    sortKey,
    label,
    target: { type: "none" },
    visible: true,
    version: 1,
    deletedAt: null,
    createdAt: AT,
    updatedAt: AT,
    labels: {},
    ...more,
  };
}

const NAV = [
  navItem("nv_home", "a", "Home", { target: { type: "page", id: "pg_home" } }),
  navItem("nv_blog", "b", "Blog", { target: { type: "collection", id: "co_blog" } }),
  navItem("nv_packing", "a", "Packing light", {
    parentId: "nv_blog",
    target: { type: "entry", id: "en_packing" },
  }),
  navItem("nv_map", "a", "Map", {
    location: "footer",
    target: { type: "url", url: "https://example.org/map" },
  }),
];

const SETTINGS: readonly Setting[] = [
  { key: "home", value: { page: "pg_home" }, version: 1, updatedAt: AT },
  {
    key: "identity",
    value: { title: "Fern & Fell", logo: { image: "im_compass" } },
    version: 1,
    updatedAt: AT,
  },
];

export const IMAGES = [
  {
    id: "im_ridge",
    filename: "ridge.png",
    alt: "A ridge in fog",
    source: "human",
    tags: ["ridge", "fog"],
    origin: "seed",
  },
  {
    id: "im_compass",
    filename: "compass.svg",
    alt: "A compass",
    source: "human",
    tags: ["gear"],
    origin: "seed",
  },
  { id: "im_phone", filename: "IMG_1234.jpg", alt: "", source: "none", tags: [], origin: "chat" },
] as const;

/** Writes the whole site in one batch, through the statements and the projections that the write tools use. */
export async function layOutSite(): Promise<void> {
  const templates = new Map(TEMPLATES.map((one) => [one.key, one]));
  const collections = new Map([BLOG, NOTES].map((one) => [one.id, one]));
  const changes: Change[] = [
    ...PAGES.flatMap((one) => [
      { type: "page" as const, before: null, after: one.page },
      ...one.sections.map((after) => ({ type: "section" as const, before: null, after })),
    ]),
    ...ENTRIES.map((after) => ({ type: "entry" as const, before: null, after })),
    ...NAV.map((after) => ({ type: "nav_item" as const, before: null, after })),
    ...SETTINGS.map((after) => ({ type: "setting" as const, before: null, after })),
  ];
  const publicPages = PAGES.filter((one) => one.page.status === "published").map((one) => {
    const document = publishedPageDocument(one);
    // The about page was edited after it was published: the public copy has another name.
    return one.page.id === "pg_about" ? { ...document, name: "About (old)" } : document;
  });
  const publicEntries = ENTRIES.filter((one) => one.status === "published").map((one) =>
    entryDocument(one, "en"),
  );
  for (const document of [...publicPages, ...publicEntries]) {
    const after = { ownerType: document.type, ownerId: document.id, version: 2, publishedAt: AT, document };
    changes.push({ type: "published", before: null, after });
  }
  const projection = mergeProjections(
    ...PAGES.map((one) => projectPage(one, templates, "en")),
    ...ENTRIES.map((one) => projectEntry(one, BLOG, "en")),
    ...[...publicPages, ...publicEntries].map((one) => projectPublished(one, one, templates, collections)),
    projectNav(NAV),
    ...SETTINGS.map((one) => projectSetting(one, "env_main")),
    { ...NO_PROJECTION, documents: IMAGES.map(imageDocument) },
  );
  await services.db.batch([
    ...placeStatements(),
    ...changeStatements(services, changes, AT),
    ...projectionStatements(services, projection, AT),
  ]);
}

function imageDocument(image: (typeof IMAGES)[number]) {
  const title = image.alt || image.filename;
  const body = image.tags.join(" ");
  const rest = { locale: "en", status: "published", slug: "", parentId: null } as const;
  return { kind: "image" as const, refId: image.id, title, body, ...rest };
}

export function insertImage(image: {
  readonly id: string;
  readonly filename: string;
  readonly alt: string;
  readonly source: string;
  readonly tags: readonly string[];
  readonly origin: string;
}): D1PreparedStatement[] {
  const isPortrait = image.origin === "chat";
  return [
    services.db
      .prepare(
        `INSERT INTO images(id,env_id,sha256,filename,media_type,ext,byte_size,width,height,alt,alt_source,origin,session_id,created_at,updated_at)
         VALUES(?1,'env_main','sha-'||?1,?2,'image/png','png',1000,?3,?4,?5,?6,?7,?8,?9,?9)`,
      )
      .bind(
        image.id,
        image.filename,
        isPortrait ? 900 : 1600,
        isPortrait ? 1600 : 900,
        image.alt,
        image.source,
        image.origin,
        isPortrait ? "s1" : null,
        AT,
      ),
    services.db
      .prepare("INSERT INTO image_metadata(image_id,status,tags,detail) VALUES(?1,'done',?2,?3)")
      .bind(
        image.id,
        JSON.stringify(image.tags),
        JSON.stringify({ colors: isPortrait ? ["red"] : ["grey"] }),
      ),
  ];
}

/** The rows that no write tool makes: site, environment, locales, templates, collections, images. */
function placeStatements(): D1PreparedStatement[] {
  const run = (sql: string, ...values: (string | number | null)[]) =>
    services.db.prepare(sql).bind(...values);
  return [
    run(
      "INSERT INTO sites(id,name,base_url,created_at,updated_at) VALUES('site_main','Fern & Fell',NULL,?1,?1)",
      AT,
    ),
    run("INSERT INTO environments(id,site_id,name) VALUES('env_main','site_main','main')"),
    run("INSERT INTO locales(env_id,code,name,is_default) VALUES('env_main','en','English',1)"),
    run("INSERT INTO locales(env_id,code,name,fallback) VALUES('env_main','de','Deutsch','en')"),
    ...TEMPLATES.map((one) =>
      run(
        "INSERT INTO section_templates(key,name,description,region,fields,variants) VALUES(?1,?2,?3,?4,?5,?6)",
        one.key,
        one.name,
        one.description,
        one.region,
        JSON.stringify(one.fields),
        JSON.stringify(one.variants),
      ),
    ),
    ...[BLOG, NOTES].map((one) =>
      run(
        "INSERT INTO collections(id,env_id,slug,name,description,fields,updated_at) VALUES(?1,'env_main',?2,?3,?4,?5,?6)",
        one.id,
        one.slug,
        one.name,
        one.description,
        JSON.stringify(one.fields),
        AT,
      ),
    ),
    ...IMAGES.flatMap(insertImage),
  ];
}

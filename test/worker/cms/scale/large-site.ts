import { entryDocument, publishedPageDocument } from "../../../../src/plugins/cms/edit/publish.ts";
import type { ByLocale, Content, PageDocument } from "../../../../src/plugins/cms/model/document.ts";
import { keysBetween } from "../../../../src/plugins/cms/model/order.ts";
import type {
  Change,
  CmsServices,
  Entry,
  Image,
  Page,
  PageAggregate,
  Projection,
  Section,
  StoredNavItem,
} from "../../../../src/plugins/cms/model/types.ts";
import { changeStatements, revisionStatements } from "../../../../src/plugins/cms/storage/changes.ts";
import { projectionStatements } from "../../../../src/plugins/cms/storage/commit.ts";
import { projectImage } from "../../../../src/plugins/cms/storage/images.ts";
import { loadCollections, loadTemplates } from "../../../../src/plugins/cms/storage/load.ts";
import {
  mergeProjections,
  NO_PROJECTION,
  projectEntry,
  projectNav,
  projectPage,
  projectPublished,
  projectSetting,
} from "../../../../src/plugins/cms/storage/projections.ts";

/** A site of any size on top of that of the fixture, the same at every run: rows and projections as the tools write them. */

export interface SiteSize {
  readonly pages: number;
  readonly sectionsPerPage: number;
  readonly images: number;
  readonly collections: number;
  readonly entriesPerCollection: number;
  /** of the page `pg_1`, each by an operation of its own */
  readonly revisions: number;
  readonly sessions: number;
  readonly operationsPerSession: number;
}

/** The promise of the site's size: 10,000 pages, 100,000 sections, 5,000 images, 1,000 revisions of one page. */
export const LARGE: SiteSize = {
  pages: 10_000,
  sectionsPerPage: 10,
  images: 5_000,
  collections: 3,
  entriesPerCollection: 2_000,
  revisions: 1_000,
  sessions: 500,
  operationsPerSession: 20,
};

const FROM = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const NAV_ITEMS = 20;
const PAGES_PER_BATCH = 100;

const WORDS = (
  "ridge valley shelter map compass winter route weather packing guide river stone bridge lake forest trail summit " +
  "meadow harbour island lantern kettle blanket rope boot gaiter stove tent cairn beacon fog snow thaw spring autumn"
).split(" ");
/** `count` words, others for each number. */
const words = (n: number, count: number): string =>
  Array.from({ length: count }, (_, i) => WORDS[(n * 7 + i * (3 + (n % 11))) % WORDS.length]).join(" ");
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const at = (n: number): number => FROM + n * MINUTE_MS;

const LIFE = { publishAt: null, publishVersion: null, publishFailure: null, deletedAt: null };

export const pageName = (n: number): string => `${capital(words(n, 2))} ${n}`;

function pageOf(n: number): Page {
  // Eight pages of ten are public, one of those with changes; the others are drafts.
  const isDraft = n % 10 >= 8;
  return {
    id: `pg_${n}`,
    kind: "page",
    slug: `page-${n}`,
    name: pageName(n),
    indexing: true,
    ...LIFE,
    ...(isDraft
      ? { status: "draft", version: 1, publishedVersion: null, publishedAt: null }
      : { status: "published", version: n % 10 === 7 ? 3 : 2, publishedVersion: 2, publishedAt: at(n) }),
    createdAt: at(n),
    updatedAt: at(n),
    meta: { en: { title: `${pageName(n)} – walks`, description: capital(words(n + 1, 12)) } },
  };
}

function sectionsOf(n: number, { sectionsPerPage, images, pages }: SiteSize): Section[] {
  return keysBetween(null, null, sectionsPerPage).map((sortKey, i) => {
    const seed = n * sectionsPerPage + i;
    const heading = capital(words(seed, 4));
    const link = { kind: "page", id: `pg_${(n % pages) + 1}` };
    const image = { image: `im_${(seed % images) + 1}` };
    const [template, en]: [string, Content] =
      i === 0
        ? ["hero", { title: heading, subtitle: words(seed + 1, 8), image, ctaText: "Go", ctaLink: link }]
        : i % 3 === 1
          ? ["cta", { heading, description: words(seed + 2, 20), buttonText: "Go", buttonLink: link }]
          : ["feature", { heading, description: words(seed + 3, 30), items: [{ title: words(seed, 2) }] }];
    const de: Content = i === 0 ? { title: `Über ${heading}` } : { heading: `Über ${heading}` };
    const content: ByLocale<Content> = n % 4 === 0 ? { en, de } : { en };
    return {
      id: `sc_${n}_${i}`,
      pageId: `pg_${n}`,
      template,
      variant: "default",
      sortKey,
      hidden: false,
      version: 1,
      deletedAt: null,
      createdAt: at(n),
      updatedAt: at(n),
      content,
    };
  });
}

function entryOf(collectionId: string, prefix: string, n: number, images: number): Entry {
  const isDraft = n % 10 === 9;
  return {
    id: `${prefix}_${n}`,
    collectionId,
    slug: `entry-${n}`,
    title: `${capital(words(n, 3))} ${n}`,
    ...LIFE,
    ...(isDraft
      ? { status: "draft", version: 1, publishedVersion: null, publishedAt: null }
      : { status: "published", version: 2, publishedVersion: 2, publishedAt: at(n) }),
    category: n % 2 === 0 ? "News" : "Guides",
    author: "Ada",
    cover: `im_${(n % images) + 1}`,
    indexing: true,
    createdAt: at(n),
    updatedAt: at(n),
    content: { en: { excerpt: words(n, 10), body: `${capital(words(n, 60))}. See [this](page:pg_1).` } },
  };
}

function imageOf(n: number): Image {
  return {
    id: `im_${n}`,
    sha256: n.toString(16).padStart(64, "0"),
    filename: `${words(n, 2).replace(" ", "-")}-${n}.png`,
    mediaType: "image/png",
    ext: "png",
    byteSize: 1_000 + n,
    width: 1_600,
    height: 900,
    ...(n % 5 === 0 ? { alt: "", altSource: "none" } : { alt: capital(words(n, 5)), altSource: "human" }),
    caption: "",
    origin: n % 2 === 0 ? "chat" : "seed",
    sourceRef: null,
    attribution: null,
    session: `s${n % 50}`,
    tags: JSON.stringify([WORDS[n % WORDS.length], WORDS[(n * 5) % WORDS.length]]),
    version: 1,
    deletedAt: null,
    createdAt: at(n),
    updatedAt: at(n),
    texts: {},
  };
}

function navOf(n: number): StoredNavItem {
  const sortKey = keysBetween(null, null, NAV_ITEMS)[n - 1] ?? "";
  return {
    id: `nv_${n}`,
    location: "header",
    parentId: null,
    sortKey,
    label: pageName(n),
    visible: true,
    labels: {},
    target: { type: "page", id: `pg_${n}` },
    version: 1,
    deletedAt: null,
    createdAt: FROM,
    updatedAt: FROM,
  };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

function* batches(items: readonly number[], size: number): Generator<readonly number[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** Fills the site of the fixture. */
export async function makeLarge(services: CmsServices, size: SiteSize): Promise<void> {
  const { db, env } = services;
  const write = async (changes: readonly Change[], projection: Projection): Promise<void> => {
    await db.batch([
      ...changeStatements(services, changes, FROM),
      ...projectionStatements(services, projection, FROM),
    ]);
  };
  await db.batch(
    numbers(size.collections).map((n) =>
      db
        .prepare(
          `INSERT INTO collections(id,env_id,slug,name,fields,updated_at)
           SELECT ?1, env_id, ?2, ?2, fields, updated_at FROM collections WHERE id='co_blog'`,
        )
        .bind(`co_${n}`, `list-${n}`),
    ),
  );
  const [templates, collections] = await Promise.all([loadTemplates(services), loadCollections(services)]);

  for (const some of batches(numbers(size.images), 1_000)) {
    const images = some.map(imageOf);
    await write(
      images.map((after) => ({ type: "image", before: null, after })),
      mergeProjections(...images.map((one) => projectImage(one, { description: "", tags: [] }, "en"))),
    );
  }
  await db.prepare("UPDATE image_metadata SET status='skipped'").run();
  // The picture of the fixture has a digest of two letters, and no file could have it.
  await db.prepare("UPDATE images SET sha256=?1 WHERE id='im_ridge'").bind("f".repeat(64)).run();

  const writePages = async (aggregates: readonly PageAggregate[]): Promise<void> => {
    const changes = aggregates.flatMap(({ page, sections }): Change[] => {
      const document = publishedPageDocument({ page, sections });
      const own = { ownerType: "page", ownerId: page.id, version: 2, publishedAt: page.updatedAt } as const;
      return [
        { type: "page", before: null, after: page },
        ...sections.map((after): Change => ({ type: "section", before: null, after })),
        ...(page.status === "published"
          ? [{ type: "published", before: null, after: { ...own, document } } satisfies Change]
          : []),
      ];
    });
    const projections = aggregates.flatMap((one) => [
      projectPage(one, templates, "en"),
      ...(one.page.status === "published"
        ? [
            projectPublished(
              { type: "page", id: one.page.id },
              publishedPageDocument(one),
              templates,
              collections,
            ),
          ]
        : []),
    ]);
    await write(changes, mergeProjections(...projections));
  };
  for (const some of batches(numbers(size.pages), PAGES_PER_BATCH))
    await writePages(some.map((n) => ({ page: pageOf(n), sections: sectionsOf(n, size) })));

  for (const collection of [...collections.values()].filter((one) => one.id !== "co_blog")) {
    for (const some of batches(numbers(size.entriesPerCollection), 500)) {
      const entries = some.map((n) =>
        entryOf(collection.id, collection.id.replace("co", "en"), n, size.images),
      );
      const isPublic = entries.filter((one) => one.status === "published");
      await write(
        [
          ...entries.map((after): Change => ({ type: "entry", before: null, after })),
          ...isPublic.map((one): Change => {
            const own = {
              ownerType: "entry",
              ownerId: one.id,
              version: 2,
              publishedAt: one.updatedAt,
            } as const;
            return { type: "published", before: null, after: { ...own, document: entryDocument(one, "en") } };
          }),
        ],
        mergeProjections(
          ...entries.map((one) => projectEntry(one, collection, "en")),
          ...isPublic.map((one) =>
            projectPublished({ type: "entry", id: one.id }, entryDocument(one, "en"), templates, collections),
          ),
        ),
      );
    }
  }
  await writeFrame(services, write);
  await writeHistory(services, size);
  await db.prepare("UPDATE environments SET epoch=epoch+1 WHERE id=?1").bind(env).run();
}

/** The navigation, the home page and the layout with its document. */
async function writeFrame(
  services: CmsServices,
  write: (changes: readonly Change[], projection: Projection) => Promise<void>,
): Promise<void> {
  const { db, env } = services;
  const items = numbers(NAV_ITEMS).map(navOf);
  const home = { key: "home", value: { page: "pg_1" }, version: 1, updatedAt: FROM } as const;
  await write(
    [
      ...items.map((after): Change => ({ type: "nav_item", before: null, after })),
      { type: "setting", before: null, after: home },
    ],
    mergeProjections(projectNav(items), projectSetting(home, env)),
  );
  const layout: PageDocument = {
    ...({ v: 1, type: "page", kind: "layout" } as const),
    id: "pg_layout",
    slug: "_layout",
    name: "Layout",
    indexing: true,
    meta: {},
    sections: [],
  };
  const own = { ownerType: "page", ownerId: "pg_layout", version: 1, publishedAt: FROM } as const;
  await write([{ type: "published", before: null, after: { ...own, document: layout } }], NO_PROJECTION);
  await db.prepare("UPDATE sites SET base_url='https://walks.example' WHERE id='site_main'").run();
}

/** Operations of many sessions, and the revisions of one page. */
async function writeHistory(services: CmsServices, size: SiteSize): Promise<void> {
  const { db, env } = services;
  const page = pageOf(1);
  const named = (n: number): Page => ({ ...page, name: `${page.name} (${n})`, version: page.version + n });
  for (const some of batches(numbers(size.revisions), 50)) {
    await db.batch(
      some.flatMap((n) => [
        db
          .prepare(
            `INSERT INTO operations(key,env_id,tool,args_digest,result,actor,session_id,run_id,summary,created_at)
             VALUES(?1,?2,'page_update','','{}','agent:s0','s0','r1','Rename the page.',?3)`,
          )
          .bind(`s0/rev/${n}`, env, at(n)),
        ...revisionStatements(
          services,
          [{ type: "page", before: named(n - 1), after: named(n) }],
          `s0/rev/${n}`,
          at(n),
        ),
      ]),
    );
  }
  const last = named(size.revisions);
  await db.batch(changeStatements(services, [{ type: "page", before: page, after: last }], FROM));
  // Each session renames the same few pages by turns.
  await db.batch([
    db
      .prepare(
        `INSERT INTO operations(key,env_id,tool,args_digest,result,actor,session_id,run_id,summary,created_at)
         SELECT 's'||s.value||'/'||o.value, ?1, 'page_update', '', '{}', 'agent:s'||s.value, 's'||s.value, 'r'||(1+o.value/5),
           'Rename a page.', ?2+(s.value*?4+o.value)*1000
           FROM json_each(?3) s, json_each(?5) o`,
      )
      .bind(
        env,
        FROM,
        JSON.stringify(numbers(size.sessions)),
        size.operationsPerSession,
        JSON.stringify(numbers(size.operationsPerSession)),
      ),
    db
      .prepare(
        `INSERT INTO revisions(id,op_key,seq,env_id,entity_type,entity_id,version_before,version_after,before,after,created_at)
         SELECT 'rv_'||key, key, 0, env_id, 'page', 'pg_'||(2+created_at/1000%?1), 1, 2, '{"name":"A"}', '{"name":"B"}', created_at
           FROM operations WHERE key NOT LIKE 's0/%'`,
      )
      .bind(size.pages - 1),
  ]);
}

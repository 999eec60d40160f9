import { env } from "cloudflare:workers";
import type { Chance } from "../../../sim/platform/chance.ts";
import { collectionSave } from "../../../../src/plugins/cms/collections/collection-save.ts";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { entryDelete } from "../../../../src/plugins/cms/entries/entry-delete.ts";
import { entryUpdate } from "../../../../src/plugins/cms/entries/entry-update.ts";
import { settingsUpdate } from "../../../../src/plugins/cms/settings/settings-update.ts";
import { imageDelete } from "../../../../src/plugins/cms/media/image-delete.ts";
import { imageImport } from "../../../../src/plugins/cms/media/image-import.ts";
import { imageReplace } from "../../../../src/plugins/cms/media/image-replace.ts";
import { imageUpdate } from "../../../../src/plugins/cms/media/image-update.ts";
import { imageAttach } from "../../../../src/plugins/cms/tools/image-attach.ts";
import { navEdit } from "../../../../src/plugins/cms/tools/nav.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { pageDelete } from "../../../../src/plugins/cms/tools/page-delete.ts";
import { pageUpdate } from "../../../../src/plugins/cms/tools/pages.ts";
import { sectionDelete } from "../../../../src/plugins/cms/tools/section-delete.ts";
import { sectionAdd, sectionMove, sectionUpdate } from "../../../../src/plugins/cms/tools/sections.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import type { CmsServices } from "../../../../src/plugins/cms/model/types.ts";
import { webOf } from "../../../plugins/web/dns.ts";
import { png } from "../media/image-bytes.ts";
import type { AnyTool } from "../../../../src/cairn/tools/define.ts";

/** One act of every tool that writes the site, each time with something else. */

export type Act = readonly [AnyTool<CmsServices>, object];

/** Everything that an act could be about is deleted. */
class NothingLeft extends Error {}

export const pick = <Item>(chance: Chance, items: readonly Item[]): Item => {
  const item = items[chance.below(items.length)];
  if (item === undefined) throw new NothingLeft("nothing to pick from");
  return item;
};

/** where the things are looked up that the acts are about */
export const view = { db: env.DB };

const ids = async (sql: string): Promise<string[]> => {
  const found = await view.db.prepare(`${sql} AND deleted_at IS NULL ORDER BY id`).all<{ id: string }>();
  return found.results.map((row) => row.id);
};

export const ACTS: readonly ((chance: Chance, n: number) => Promise<Act>)[] = [
  async (chance, n) => [
    pageCreate,
    {
      name: `Page ${n}`,
      sections: [{ template: "hero", content: { title: `Title ${n}`, image: "im_valley" } }],
      ...(chance.once(2) ? { nav: { location: "both" } } : {}),
    },
  ],
  async (chance, n) => [
    pageUpdate,
    {
      page: await page(chance),
      ...pick(chance, [{ slug: `slug-${n}` }, { name: `Name ${n}` }, { indexing: chance.once(2) }]),
      ...(chance.once(3) ? { meta: { title: `Meta ${n}` }, locale: "de" } : {}),
    },
  ],
  async (chance) => [pageDelete, { pages: [await page(chance)] }],
  async (chance, n) => [
    sectionAdd,
    {
      page: await page(chance),
      template: "hero",
      content: { title: `Hero ${n}`, ctaText: "Go", ctaLink: `page:${await page(chance)}` },
      position: 1,
    },
  ],
  async (chance, n) => [
    sectionUpdate,
    {
      section: await section(chance),
      ...pick(chance, [
        { hidden: chance.once(2) },
        { content: { title: `New ${n}` } },
        { content: { heading: `New ${n}` } },
      ]),
      ...(chance.once(3) ? { locale: "de" } : {}),
    },
  ],
  async (chance) => [
    sectionMove,
    {
      section: await section(chance),
      position: 1 + chance.below(4),
      ...(chance.once(2) ? { toPage: await page(chance) } : {}),
    },
  ],
  async (chance) => [sectionDelete, { sections: [await section(chance)] }],
  async (chance) => [
    imageAttach,
    {
      image: pick(chance, ["im_ridge", "im_shelter"]),
      target: { type: "section", ref: await section(chance) },
      field: "image",
    },
  ],
  async (chance) => [
    imageAttach,
    {
      image: pick(chance, ["im_ridge", "im_shelter"]),
      target: { type: "entry", ref: await entry(chance) },
      field: "cover",
    },
  ],
  async (chance) => [
    imageAttach,
    {
      image: pick(chance, ["im_ridge", "im_logo"]),
      target: { type: "setting", ref: "identity" },
      field: "logo",
    },
  ],
  async (chance, n) => [
    navEdit,
    {
      ops: [
        {
          op: "add",
          location: pick(chance, ["header", "footer"]),
          label: `Item ${n}`,
          target: `page:${await page(chance)}`,
          position: 1,
        },
        { op: "move", item: await item(chance), location: "footer", position: 1 },
      ],
    },
  ],
  async (chance) => [
    navEdit,
    { ops: [{ op: "remove", item: await item(chance), children: pick(chance, ["promote", "remove"]) }] },
  ],
  async (chance) => [
    navEdit,
    {
      ops: [{ op: "update", item: await item(chance), label: "Los", visible: chance.once(2) }],
      locale: pick(chance, ["en", "de"]),
    },
  ],
  async (_chance, n) => [
    entryCreate,
    { title: `Post ${n}`, content: { body: `About [us](page:about), number ${n}.` }, excerpt: "Short." },
  ],
  async (chance, n) => [
    entryUpdate,
    {
      entry: await entry(chance),
      ...pick(chance, [
        { title: `Title ${n}` },
        { slug: `post-${n}` },
        { content: { body: `Body ${n}` } },
        { category: "News", excerpt: "" },
        { unset: ["category", "cover"] },
      ]),
    },
  ],
  async (chance) => [entryDelete, { entries: [await entry(chance)] }],
  async (chance, n) => [
    settingsUpdate,
    pick(chance, [
      { set: { identity: { title: `Site ${n}` } } },
      { set: { theme: { accent: "#123456" } } },
      { unset: ["identity.tagline"] },
    ]),
  ],
  async (chance, n) => [
    settingsUpdate,
    {
      locales: pick(chance, [
        { add: { code: pick(chance, ["fr", "it"]), name: `Language ${n}`, fallback: "de" } },
        { activate: pick(chance, ["fr", "it", "de"]) },
        { deactivate: pick(chance, ["fr", "it", "de"]) },
        { add: { code: "de", name: `Deutsch ${n}` } },
      ]),
    },
  ],
  async (chance, n) => [
    collectionSave,
    { name: `Recipes ${n}`, ...(chance.once(2) ? { addFields: [RATING, PHOTO] } : {}) },
  ],
  async (chance, n) => [
    collectionSave,
    {
      collection: await collection(chance),
      ...pick(chance, [
        { name: `Notes ${n}`, description: `About ${n}` },
        { sort: "title asc" },
        { addFields: [RATING, PHOTO] },
        { addFields: [{ key: `field${n}`, type: "text" }] },
        { updateFields: [{ key: "body", label: `Text ${n}` }] },
        { updateFields: [{ key: "tags", type: "text" }] },
        { removeFields: ["tags"] },
        { removeFields: ["photo"] },
      ]),
    },
  ],
  async (chance, n) => [
    entryCreate,
    { collection: await collection(chance), title: `Dish ${n}`, content: { body: `Boil for ${n}.` } },
  ],
  async (chance, n) => [
    entryUpdate,
    {
      entry: await entry(chance),
      content: pick(chance, [{ photo: "im_ridge" }, { rating: n % 5 }, { tags: [`tag ${n}`] }]),
      ...(chance.once(3) ? { locale: pick(chance, ["de", "fr"]) } : {}),
    },
  ],
  async (chance, n) => [
    imageUpdate,
    {
      image: await image(chance),
      ...pick(chance, [
        { alt: `Alt ${n}`, tags: [`tag ${n}`] },
        { caption: `Caption ${n}`, attribution: { photographer: `P. ${n}` } },
        { unset: ["alt", "caption"] },
        { alt: `Bild ${n}`, locale: "de" },
      ]),
    },
  ],
  async (_, n) => [imageImport, { source: "url", url: `https://photos.example.com/${n}.png` }],
  async (chance) => [imageReplace, { from: await image(chance), to: await image(chance) }],
  async (chance) => [
    imageDelete,
    {
      images: [await image(chance)],
      ...pick(chance, [{}, { onUse: "detach" }, { onUse: "replace", replacement: await image(chance) }]),
    },
  ],
  async (chance) => [
    setStatus,
    {
      targets: [{ type: "page", ref: await page(chance) }],
      to: pick(chance, ["published", "published", "unpublished"]),
    },
  ],
  async (chance) => [
    setStatus,
    {
      targets: [{ type: "entry", ref: await entry(chance) }],
      to: pick(chance, ["published", "unpublished", "archived"]),
    },
  ],
];

const page = async (chance: Chance): Promise<string> =>
  pick(chance, await ids("SELECT id FROM pages WHERE kind='page'"));
const section = async (chance: Chance): Promise<string> =>
  pick(
    chance,
    await ids(
      "SELECT id FROM sections WHERE page_id IN (SELECT id FROM pages WHERE deleted_at IS NULL AND kind='page')",
    ),
  );
/** Any act; null where nothing is left that it could be about. */
export async function made(chance: Chance, n: number): Promise<Act | null> {
  try {
    return await pick(chance, ACTS)(chance, n);
  } catch (error) {
    if (error instanceof NothingLeft) return null;
    throw error;
  }
}

const RATING = { key: "rating", label: "Rating", type: "number", max: 5 };
const PHOTO = { key: "photo", type: "image" };
const collection = async (chance: Chance): Promise<string> =>
  pick(chance, await ids("SELECT id FROM collections WHERE true"));
const entry = async (chance: Chance): Promise<string> =>
  pick(chance, await ids("SELECT id FROM entries WHERE true"));
const item = async (chance: Chance): Promise<string> =>
  pick(chance, [...(await ids("SELECT id FROM nav_items WHERE true")), "nv_nowhere"]);
const image = async (chance: Chance): Promise<string> =>
  pick(chance, await ids("SELECT id FROM images WHERE true"));

/** Another picture at each address. */
export const photos = webOf((url) =>
  Promise.resolve(new Response(png({ seed: Number(/(\d+)\.png$/.exec(url)?.[1] ?? 0) }))),
);

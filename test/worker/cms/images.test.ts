import { beforeAll, describe, expect, it } from "vitest";
import type { OutputOf } from "./reading.ts";
import { imageSearch } from "../../../src/plugins/cms/media/image-search.ts";
import { imageAttach } from "../../../src/plugins/cms/tools/image-attach.ts";
import { entryGet } from "../../../src/plugins/cms/tools/entries.ts";
import { pageGet } from "../../../src/plugins/cms/tools/read-pages.ts";
import { siteOverview } from "../../../src/plugins/cms/tools/overview.ts";
import { call, contextOf, entitiesOf, layOutSite, refusalOf, services } from "./reading.ts";

beforeAll(layOutSite);

const search = (args: object) => call<OutputOf<typeof imageSearch>>(imageSearch, args);
const ids = ({ items }: OutputOf<typeof imageSearch>) => items.map((one) => one.id);
const gallery = { type: "section", ref: "sc_about_gallery" } as const;

async function count(sql: string): Promise<number> {
  return (await services.db.prepare(sql).first<number>("n")) ?? -1;
}

describe("image_search", () => {
  it("lists the library newest first with alt text, size, URL and use", async () => {
    const { items, total } = await search({});
    expect(total).toBe(3);
    expect(items.find((one) => one.id === "im_ridge")).toEqual({
      id: "im_ridge",
      filename: "ridge.png",
      alt: "A ridge in fog",
      altSource: "human",
      tags: ["ridge", "fog"],
      width: 1600,
      height: 900,
      url: "/media/sha-im_ridge/ridge.png",
      usageCount: 4,
    });
  });

  it("is whole when read in pages of one", async () => {
    const read: string[] = [];
    for (let cursor: string | undefined; ;) {
      const part: OutputOf<typeof imageSearch> = await search({
        limit: 1,
        ...(cursor === undefined ? {} : { cursor }),
      });
      read.push(...ids(part));
      cursor = part.nextCursor;
      if (cursor === undefined) break;
    }
    expect(read).toEqual(ids(await search({})));
  });

  it("combines its filters", async () => {
    expect(ids(await search({ tags: ["GEAR"] }))).toEqual(["im_compass"]);
    expect(ids(await search({ tags: ["ridge", "gear"] }))).toEqual([]);
    expect(ids(await search({ origin: "chat" }))).toEqual(["im_phone"]);
    expect(ids(await search({ session: "current" }))).toEqual(["im_phone"]);
    expect(ids(await search({ unused: true }))).toEqual(["im_phone"]);
    expect(ids(await search({ missingAlt: true }))).toEqual(["im_phone"]);
    expect(ids(await search({ missingAlt: true, origin: "seed" }))).toEqual([]);
    expect(ids(await search({ orientation: "portrait" }))).toEqual(["im_phone"]);
    expect(ids(await search({ color: "Grey" }))).toEqual(["im_compass", "im_ridge"]);
    expect(await search({ ids: ["im_ridge", "im_gone"] })).toMatchObject({
      items: [{ id: "im_ridge" }],
      note: "Not found within these filters: im_gone.",
    });
  });

  it("lists the images of another session to that session only", async () => {
    const facts = { session: "s2", run: "r1", subject: "user:1" };
    const input = imageSearch.definition.input.parse({ session: "current" });
    expect(await imageSearch.definition.run(input, contextOf("s2/c1", { facts }))).toMatchObject({
      items: [],
      total: 0,
    });
  });

  it("scores a query, inside the filters", async () => {
    expect((await search({ query: "ridge in fog" })).items[0]).toMatchObject({
      id: "im_ridge",
      score: 0.97,
      band: "strong",
    });
    expect((await search({ query: "A ridge in fog" })).items[0]).toMatchObject({ id: "im_ridge", score: 1 });
    expect(ids(await search({ query: "gear" }))).toEqual(["im_compass"]);
    expect(ids(await search({ query: "gear", origin: "chat" }))).toEqual([]);
    expect(ids(await search({ query: "im_phone", session: "current" }))).toEqual(["im_phone"]);
  });

  it("tells where an image is used, draft and published apart", async () => {
    const { items } = await search({ ids: ["im_compass"], usages: true });
    expect(items[0]?.usageCount).toBe(3);
    expect(items[0]?.usages).toEqual([
      ...["draft", "published"].map((state) => ({
        ownerType: "section",
        ownerId: "sc_about_gallery",
        ownerName: "About",
        field: "images[1]",
        locale: "en",
        state,
      })),
      ...["draft", "published"].map((state) => ({
        ownerType: "section",
        ownerId: "sc_home_feature",
        ownerName: "Home",
        field: "items[0].icon",
        locale: "en",
        state,
      })),
      {
        ownerType: "setting",
        ownerId: "identity",
        ownerName: "identity",
        field: "logo",
        locale: "",
        state: "live",
      },
    ]);
  });

  it("hands the first three to working memory", async () => {
    expect(await entitiesOf(imageSearch, { query: "A ridge in fog" })).toEqual([
      { op: "touch", type: "image", id: "im_ridge", name: "A ridge in fog" },
    ]);
    expect(await entitiesOf(imageSearch, { missingAlt: true })).toEqual([
      { op: "touch", type: "image", id: "im_phone", name: "IMG_1234.jpg" },
    ]);
  });
});

describe("image_attach", () => {
  it("lists the slots for a wrong one", async () => {
    expect(
      await refusalOf(imageAttach, { image: "im_phone", target: gallery, field: "image" }),
    ).toMatchObject({
      code: "unknown_field",
      class: "invalid_args",
      at: "field",
      hint: "Its image slots are: images[0], images[1], images[2].",
      suggestions: [{ value: "images[0]" }, { value: "images[1]" }, { value: "images[2]" }],
    });
    const feature = { type: "section", ref: "sc_home_feature" };
    const inList = await refusalOf(imageAttach, {
      image: "im_phone",
      target: feature,
      field: "items[7].icon",
    });
    expect(inList.hint).toBe("Its image slots are: items[0].icon, items[1].icon.");
    const entry = { type: "entry", ref: "blog/packing-light" };
    expect((await refusalOf(imageAttach, { image: "im_phone", target: entry, field: "hero" })).hint).toMatch(
      /cover/,
    );
    const footer = { type: "section", ref: "sc_footer" };
    expect(
      (await refusalOf(imageAttach, { image: "im_phone", target: footer, field: "image" })).hint,
    ).toMatch(/no image slots/);
  });

  it("refuses unknown images, targets, settings and versions, and writes nothing", async () => {
    const refused = [
      await refusalOf(imageAttach, { image: "im_fone", target: gallery, field: "images[0]" }),
      await refusalOf(imageAttach, {
        image: "im_phone",
        target: { type: "section", ref: "sc_x" },
        field: "image",
      }),
      await refusalOf(imageAttach, {
        image: "im_phone",
        target: { type: "setting", ref: "theme" },
        field: "logo",
      }),
      await refusalOf(imageAttach, {
        image: "im_phone",
        target: gallery,
        field: "images[0]",
        expectedVersion: 9,
      }),
      await refusalOf(imageAttach, {
        image: "im_phone",
        target: { type: "entry", ref: "en_packing" },
        field: "cover",
        alt: "A phone",
      }),
    ];
    expect(refused.map(({ code, at }) => [code, at])).toEqual([
      ["not_found", "image"],
      ["not_found", "target.ref"],
      ["not_found", "target.ref"],
      ["version_conflict", "expectedVersion"],
      ["invalid_input", "alt"],
    ]);
    expect(await count("SELECT count(*) AS n FROM operations")).toBe(0);
  });

  it("puts an image into a slot of a section, once for one key", async () => {
    const args = { image: "im_phone", target: gallery, field: "images[2]", alt: "A phone" };
    const done = await call<OutputOf<typeof imageAttach>>(imageAttach, args, contextOf("s1/attach"));
    expect(done).toEqual({
      ok: true,
      op: "s1/attach",
      publicNow: false,
      target: {
        type: "section",
        id: "sc_about_gallery",
        name: "Our paths",
        parent: { type: "page", id: "pg_about" },
        version: 2,
        field: "images[2]",
      },
      image: { id: "im_phone", filename: "IMG_1234.jpg", url: "/media/sha-im_phone/IMG_1234.jpg" },
      alt: "A phone",
      preview: { path: "/site/about", section: "sc_about_gallery" },
    });
    const again = await call<OutputOf<typeof imageAttach>>(imageAttach, args, contextOf("s1/attach"));
    expect(again).toEqual({ ...done, replayed: true });
    const { page, sections } = await call<OutputOf<typeof pageGet>>(pageGet, {
      page: "about",
      sections: ["sc_about_gallery"],
    });
    expect(page).toMatchObject({ version: 4, dirty: true });
    expect(sections[0]?.content?.images).toEqual([
      { image: "im_ridge" },
      { image: "im_compass" },
      { image: "im_phone", alt: "A phone" },
    ]);
    expect((await search({ ids: ["im_phone"], usages: true })).items[0]?.usages).toEqual([
      {
        ownerType: "section",
        ownerId: "sc_about_gallery",
        ownerName: "About",
        field: "images[2]",
        locale: "en",
        state: "draft",
      },
    ]);
    expect(await count("SELECT count(*) AS n FROM operations")).toBe(1);
    const full = await refusalOf(imageAttach, { image: "im_phone", target: gallery, field: "images[3]" });
    expect(full.hint).toBe("Its image slots are: images[0], images[1], images[2].");
  });

  it("puts an image into an element of a list, without losing its neighbours", async () => {
    const target = { type: "section", ref: "sc_home_feature" };
    await call(imageAttach, { image: "im_phone", target, field: "items[1].icon", decorative: true });
    const { sections } = await call<OutputOf<typeof pageGet>>(pageGet, {
      page: "home",
      sections: ["sc_home_feature"],
    });
    expect(sections[1]?.content?.items).toEqual([
      { title: "A map", icon: { image: "im_compass" } },
      { title: "A stove", icon: { image: "im_phone", decorative: true } },
    ]);
  });

  it("begins the list of another locale with what that locale shows", async () => {
    await call(imageAttach, { image: "im_phone", target: gallery, field: "images[0]", locale: "de" });
    const german = await call<OutputOf<typeof pageGet>>(pageGet, {
      page: "about",
      sections: ["sc_about_gallery"],
      locale: "de",
    });
    expect(german.sections[0]?.content?.images).toMatchObject([
      { image: "im_phone" },
      { image: "im_compass" },
      { image: "im_phone" },
    ]);
    const english = await call<OutputOf<typeof pageGet>>(pageGet, {
      page: "about",
      sections: ["sc_about_gallery"],
    });
    expect(english.sections[0]?.content?.images).toMatchObject([
      { image: "im_ridge" },
      { image: "im_compass" },
      { image: "im_phone" },
    ]);
  });

  it("sets the cover of an entry and the share image of a page", async () => {
    await call(imageAttach, {
      image: "im_compass",
      target: { type: "entry", ref: "blog/packing-light" },
      field: "cover",
    });
    const { entry } = await call<OutputOf<typeof entryGet>>(entryGet, { entry: "en_packing" });
    expect(entry).toMatchObject({ cover: { image: "im_compass" }, version: 3, dirty: true });
    expect("cover" in entry.content).toBe(false);
    await call(imageAttach, {
      image: "im_compass",
      target: { type: "page", ref: "home" },
      field: "meta.ogImage",
    });
    const { page } = await call<OutputOf<typeof pageGet>>(pageGet, { page: "home" });
    expect(page.meta).toEqual({
      title: "Fern & Fell",
      description: "Walks",
      ogImage: { image: "im_compass" },
    });
  });

  it("says when the image has nothing for a screen reader", async () => {
    const target = { type: "section", ref: "sc_home_hero" };
    const done = await call<OutputOf<typeof imageAttach>>(imageAttach, {
      image: "im_phone",
      target,
      field: "image",
    });
    expect(done.alt).toBe("");
    expect(done.notes).toEqual(["The image has no alternative text; that blocks publishing."]);
  });

  it("asks a person about a setting, shows both images, and changes the public site only after the yes", async () => {
    const input = imageAttach.definition.input.parse({
      image: "im_ridge",
      target: { type: "setting", ref: "identity" },
      field: "logo",
    });
    const preview = await imageAttach.definition.preview?.(input, contextOf("s1/logo"));
    expect(preview).toMatchObject({
      need: { kind: "ask" },
      impact: ["setting identity: logo: compass.svg → ridge.png", "Alternative text: “A ridge in fog”"],
    });
    await expect(imageAttach.definition.run(input, contextOf("s1/logo"))).rejects.toMatchObject({
      failure: { code: "approval_stale" },
    });
    const before = await count("SELECT epoch AS n FROM environments");
    const approved = { approval: "ap_1", basis: preview?.basis ?? null };
    const done = await imageAttach.definition.run(input, contextOf("s1/logo", { approved }));
    expect(done).toMatchObject({ publicNow: true });
    const { settings } = await call<OutputOf<typeof siteOverview>>(siteOverview, {});
    expect(settings.identity).toEqual({ title: "Fern & Fell", logo: { image: "im_ridge" } });
    expect(await count("SELECT epoch AS n FROM environments")).toBe(before + 1);
    expect(imageAttach.definition.entities?.(input, done)).toEqual([
      { op: "touch", type: "image", id: "im_ridge", name: "ridge.png" },
      { op: "touch", type: "site", id: "site_main", name: "Fern & Fell" },
    ]);
  });

  it("asks nobody about a draft", async () => {
    const input = imageAttach.definition.input.parse({
      image: "im_ridge",
      target: gallery,
      field: "images[0]",
    });
    const preview = await imageAttach.definition.preview?.(input, contextOf("s1/draft"));
    expect(preview?.need).toEqual({ kind: "none" });
  });

  it("hands the image and its owner to working memory", async () => {
    const args = { image: "im_ridge", target: gallery, field: "images[0]" };
    expect(await entitiesOf(imageAttach, args)).toEqual([
      { op: "touch", type: "image", id: "im_ridge", name: "ridge.png" },
      {
        op: "touch",
        type: "section",
        id: "sc_about_gallery",
        name: "Our paths",
        parent: { type: "page", id: "pg_about" },
      },
    ]);
    expect(
      await entitiesOf(imageAttach, { ...args, target: { type: "entry", ref: "en_winter" }, field: "cover" }),
    ).toEqual([
      { op: "touch", type: "image", id: "im_ridge", name: "ridge.png" },
      {
        op: "touch",
        type: "entry",
        id: "en_winter",
        name: "Winter routes",
        slug: "winter-routes",
        parent: { type: "collection", id: "co_blog" },
      },
    ]);
  });
});

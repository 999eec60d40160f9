import { beforeAll, describe, expect, it } from "vitest";
import type { OutputOf } from "./reading.ts";
import type { SearchDocument } from "../../../src/plugins/cms/model/types.ts";
import { projectionStatements } from "../../../src/plugins/cms/storage/commit.ts";
import { NO_PROJECTION } from "../../../src/plugins/cms/storage/projections.ts";
import { find } from "../../../src/plugins/cms/tools/find.ts";
import { AT, call, contextOf, entitiesOf, layOutSite, refusalOf, services } from "./reading.ts";

beforeAll(layOutSite);

const search = (args: object) => call<OutputOf<typeof find>>(find, args);
const brief = ({ items }: OutputOf<typeof find>) =>
  items.map(({ type, id, score, match }) => [type, id, score, match]);

/** Adds search documents for the time of one test; each test uses words of its own. */
async function index(...documents: readonly Partial<SearchDocument>[]): Promise<void> {
  const whole = documents.map((one): SearchDocument => ({
    kind: "page",
    refId: "pg_x",
    locale: "en",
    status: "published",
    title: "",
    slug: "",
    body: "",
    parentId: null,
    ...one,
  }));
  await services.db.batch(projectionStatements(services, { ...NO_PROJECTION, documents: whole }, AT));
}

describe("a query with one typing mistake", () => {
  it.each([
    ["swapped letters", "quayisde market"],
    ["a missing letter", "quaside market"],
    ["a letter too many", "quayyside market"],
    ["a wrong letter", "quaysida market"],
    ["a mistake in each word", "quayisde marekt"],
  ])("finds what is meant, though a word of it stands elsewhere: %s", async (_, query) => {
    await index(
      { refId: "pg_quay", title: "Quayside market", slug: "quayside-market" },
      { refId: "pg_other", title: "The market of ideas", slug: "ideas", body: "A market." },
    );
    const [first] = brief(await search({ query, types: ["page"] }));
    expect([first?.[1], first?.[3]]).toEqual(["pg_quay", "fuzzy"]);
  });

  it("stands behind what has the words as they were typed", async () => {
    await index(
      { refId: "pg_ferris", title: "Ferris", slug: "ferris" },
      { refId: "pg_ferrys", title: "Ferrys", slug: "ferrys" },
    );
    expect(
      brief(await search({ query: "ferrys", types: ["page"] })).map(([, id, , match]) => [id, match]),
    ).toEqual([["pg_ferrys", "exact"]]);
  });
});

describe("find", () => {
  it("returns the section although forty images are nearer in wording", async () => {
    await index(
      ...Array.from({ length: 40 }, (_, n) => ({
        kind: "image" as const,
        refId: `im_lantern${n}`,
        title: `Lantern lantern ${n}`,
        body: "lantern lantern lantern",
      })),
      {
        kind: "section" as const,
        refId: "sc_lantern",
        title: "Hero Evening walks",
        body: "Bring a lantern for the way back, and a friend who knows the path.",
        parentId: "pg_home",
      },
    );
    const { items } = await search({ query: "lantern", types: ["section"] });
    expect(items).toEqual([
      {
        type: "section",
        id: "sc_lantern",
        name: "Hero Evening walks",
        parent: { type: "page", id: "pg_home" },
        score: 0.6,
        band: "good",
        match: "text",
        snippet: "Bring a lantern for the way back, and a friend who knows…",
      },
    ]);
  });

  it("scores an exact title, slug or id 1 and sorts it first", async () => {
    await index({
      kind: "entry",
      refId: "en_more",
      title: "About the weather about us",
      body: "about about about",
    });
    for (const query of ["About", "about", "pg_about"]) {
      const { items } = await search({ query });
      expect(items[0]).toMatchObject({
        type: "page",
        id: "pg_about",
        score: 1,
        band: "strong",
        match: "exact",
      });
    }
    expect(brief(await search({ query: "blog/winter-routes" }))[0]?.slice(0, 2)).toEqual([
      "entry",
      "en_winter",
    ]);
    expect((await search({ query: "Winter routes" })).items[0]).toMatchObject({ id: "en_winter", score: 1 });
  });

  it("is not starved of an exact title by a hundred longer ones", async () => {
    await index(
      ...Array.from({ length: 100 }, (_, n) => ({
        refId: `pg_tarn${n}`,
        title: `Tarn tarn ${n}`,
        body: "tarn tarn",
      })),
      { refId: "pg_tarn", title: "Tarn", body: "A lake. ".repeat(400) },
    );
    expect((await search({ query: "tarn", limit: 2 })).items[0]).toMatchObject({ id: "pg_tarn", score: 1 });
  });

  it("falls in score from all words to some, and drops what is too weak", async () => {
    await index(
      { refId: "pg_a", title: "Bothy kettle", body: "x" },
      { refId: "pg_b", title: "Bothy", body: "a kettle" },
      { refId: "pg_c", title: "Bothy", body: "x" },
      { refId: "pg_d", title: "Cups", body: "a kettle, filled" },
    );
    expect(brief(await search({ query: "bothy kettle", types: ["page"] }))).toEqual([
      ["page", "pg_a", 1, "exact"],
      ["page", "pg_b", 0.8, "text"],
      ["page", "pg_c", 0.5, "text"],
      ["page", "pg_d", 0.3, "text"],
    ]);
    expect(brief(await search({ query: "kettle spoon fork", types: ["page"] })).map(([, id]) => id)).toEqual([
      "pg_a",
    ]);
  });

  it("filters by status, type and locale before it cuts", async () => {
    expect(brief(await search({ query: "winter", status: "draft" })).map(([type, id]) => [type, id])).toEqual(
      [
        ["entry", "en_winter"],
        ["page", "pg_plans"],
      ],
    );
    expect(brief(await search({ query: "winter", status: "draft", types: ["page"] }))).toEqual([
      ["page", "pg_plans", 0.97, "text"],
    ]);
    expect((await search({ query: "wandern" })).items[0]).toMatchObject({ id: "sc_home_hero" });
    expect(brief(await search({ query: "wandern", locale: "en" }))).toEqual([]);
    expect((await search({ query: "wandern", locale: "de" })).items[0]).toMatchObject({ id: "sc_home_hero" });
    expect(await refusalOf(find, { query: "x", locale: "fr" })).toMatchObject({ code: "locale_unknown" });
  });

  it("shows the locales of one thing once", async () => {
    await index(
      { refId: "pg_cairn", title: "Cairn hut", locale: "en", body: "stones" },
      { refId: "pg_cairn", title: "Cairn", locale: "de", body: "Steine" },
    );
    expect(brief(await search({ query: "cairn" }))).toEqual([["page", "pg_cairn", 1, "exact"]]);
  });

  it("finds names that look alike when no word matches, and says that it guessed", async () => {
    const { items } = await search({ query: "packng light", types: ["entry"] });
    expect(items[0]).toMatchObject({ id: "en_packing", match: "fuzzy" });
    const guessed = await search({ query: "contuor", types: ["page"] });
    expect(guessed.items).toEqual([]);
    await index({ refId: "pg_contours", title: "Contours", slug: "contours" });
    const [hit] = (await search({ query: "contourrss", types: ["page"] })).items;
    expect(hit).toMatchObject({ id: "pg_contours", match: "fuzzy", band: "weak" });
    expect(hit?.score).toBeLessThanOrEqual(0.5);
  });

  it("names the types that it searched when it finds nothing", async () => {
    const answer = await search({ query: "zzyzx", types: ["page", "entry"], status: "draft" });
    expect(answer).toEqual({
      items: [],
      total: 0,
      note: "Nothing like “zzyzx” among page, entry with status draft. Try fewer or other words, or a list tool.",
    });
  });

  it("matches scripts without spaces by substring, and others by prefix", async () => {
    await index(
      { refId: "pg_hut", title: "山小屋の予約", body: "霧の日は歩かない" },
      { refId: "pg_ko", title: "등산 안내" },
    );
    expect(brief(await search({ query: "小屋" }))).toEqual([["page", "pg_hut", 0.85, "text"]]);
    expect(brief(await search({ query: "日は歩" }))).toEqual([["page", "pg_hut", 0.5, "text"]]);
    expect(brief(await search({ query: "등산" }))).toEqual([["page", "pg_ko", 0.97, "text"]]);
  });

  it.each([
    '" OR title:*',
    "a AND NOT b",
    "title:home*",
    "(((",
    "^^",
    "'; DROP TABLE pages; --",
    "𞤀𞤣",
    "…",
    "NEAR(a b)",
  ])("takes %j as words, never as a query language", async (query) => {
    expect((await search({ query })).items).toBeInstanceOf(Array);
  });

  it("scores nothing by an empty query", () => {
    expect(find.definition.input.safeParse({ query: "  " }).success).toBe(false);
  });

  it("hands the three best to working memory, and no template ever", async () => {
    expect(await entitiesOf(find, { query: "Winter routes", types: ["entry"] })).toEqual([
      {
        op: "touch",
        type: "entry",
        id: "en_winter",
        name: "Winter routes",
        slug: "winter-routes",
        parent: { type: "collection", id: "co_blog" },
      },
    ]);
    await index({ kind: "template", refId: "gallery", title: "Gallery", body: "Images" });
    expect((await search({ query: "gallery" })).items[0]).toMatchObject({
      type: "template",
      id: "gallery",
      score: 1,
    });
    expect(await entitiesOf(find, { query: "gallery", types: ["template"] })).toEqual([]);
    const input = find.definition.input.parse({ query: "lantern" });
    const output = await find.definition.run(input, contextOf("s1/three"));
    expect(find.definition.entities?.(input, output)).toHaveLength(3);
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { maintainEmbeddings } from "../../../../src/plugins/cms/maintenance/embeddings.ts";
import type { Meaning } from "../../../../src/plugins/cms/model/meaning.ts";
import type { CmsServices, SearchDocument } from "../../../../src/plugins/cms/model/types.ts";
import { SCAN } from "../../../../src/plugins/cms/search/meaning.ts";
import { projectionStatements } from "../../../../src/plugins/cms/storage/commit.ts";
import { NO_PROJECTION } from "../../../../src/plugins/cms/storage/projections.ts";
import { changesBegin } from "../../../../src/plugins/cms/changes/collect.ts";
import { withinSet } from "../../../../src/plugins/cms/changes/within.ts";
import { find } from "../../../../src/plugins/cms/tools/find.ts";
import { imageSearch } from "../../../../src/plugins/cms/media/image-search.ts";
import { pageCreate } from "../../../../src/plugins/cms/tools/page-create.ts";
import { siteOverview } from "../../../../src/plugins/cms/tools/overview.ts";
import { wordsIn } from "../../../e2e/models/concepts.ts";
import { call, contextOf, makeSite, rows, services, T0 } from "../fixture.ts";
import { embedderOf, indexOf, refused } from "./embedders.ts";
import { QUESTIONS } from "./questions.ts";

/** Search by meaning: documents that share no word with the question, and questions without an embedding. */

const page = (one: Partial<SearchDocument>): SearchDocument => ({
  ...({ kind: "page", refId: "pg_x", locale: "en", status: "published" } as const),
  title: "",
  slug: "",
  body: "",
  parentId: null,
  ...one,
});
const write = (documents: readonly SearchDocument[], env = services.env) =>
  services.db.batch(projectionStatements({ ...services, env }, { ...NO_PROJECTION, documents }, T0));
const QUESTIONED = QUESTIONS.map(([refId, title, body]) => page({ refId, title, body }));

const embedder = embedderOf();
const meaning: Meaning = { embedder, index: null };
const understanding = (one: Meaning = meaning): CmsServices => ({ ...services, meaning: one });
const embed = async (one: Meaning = meaning) => {
  let done = 0;
  for (let more = 1; more > 0; done += more) more = await maintainEmbeddings({ db: services.db, ...one }, T0);
  return done;
};

interface Answer {
  readonly items: readonly { id: string; score: number; band: string; match: string }[];
  readonly total: number;
  readonly note?: string;
}
const search = (args: object, one: Meaning = meaning) =>
  call<Answer>(find, args, contextOf({ services: understanding(one) }));
const idsOf = ({ items }: Answer): string[] => items.map(({ id }) => id);

beforeEach(async () => {
  await makeSite();
  embedder.asked.length = 0;
});
afterEach(() => vi.restoreAllMocks());

describe("with the vectors in D1", () => {
  test("thirty questions find a page with which they share no word", async () => {
    expect(QUESTIONS).toHaveLength(30);
    await write(QUESTIONED);
    expect(await embed()).toBe(30);
    for (const [id, title, body, question] of QUESTIONS) {
      const said = new Set(wordsIn(`${title} ${body}`));
      expect(
        wordsIn(question).filter((word) => said.has(word)),
        question,
      ).toEqual([]);
      const worded = await call<Answer>(find, { query: question, types: ["page"] });
      expect(worded.items.find((one) => one.id === id)?.match ?? "none", question).not.toBe("text");
      const { items } = await search({ query: question, limit: 3 });
      expect(
        items.find((one) => one.id === id),
        question,
      ).toMatchObject({ id, match: "semantic" });
    }
  });

  test("what is found in both ways comes before what is found in one, and a whole title before all", async () => {
    await write([
      page({ refId: "pg_both", title: "Hut on the lake", body: "Beds for a night in a cabin" }),
      page({
        refId: "pg_word",
        title: "A hut",
        body: "Dogs, insurance, trains, vouchers, children, refunds, careers",
      }),
      page({
        refId: "pg_less",
        title: "Sweets",
        body: "A hut, dogs, insurance, trains, vouchers, children, careers",
      }),
      page({ refId: "pg_mean", title: "Lodge", body: "Sleep and shelter" }),
      page({ refId: "pg_name", title: "Hut", body: "Made of paper, glue, string, cardboard, tape" }),
    ]);
    await embed();
    const { items } = await search({ query: "hut" });
    expect(items.map(({ id, match }) => [id, match])).toEqual([
      ["pg_name", "exact"],
      ["pg_both", "text"],
      ["pg_mean", "semantic"],
      ["pg_word", "text"],
      ["pg_less", "text"],
    ]);
    expect(items.every(({ match, score }) => match !== "semantic" || score <= 0.9)).toBe(true);
  });

  test("kind, locale, status and environment are filters; nothing of another environment is near", async () => {
    await rows("INSERT INTO environments(id,site_id,name) VALUES('env_other','site_main','other')");
    await write([
      page({ refId: "pg_en", title: "Cabins" }),
      page({ refId: "pg_de", title: "Cabins", locale: "de" }),
      page({ refId: "pg_draft", title: "Cabins", status: "draft" }),
      page({ kind: "entry", refId: "en_post", title: "Cabins" }),
    ]);
    await write([page({ refId: "pg_secret", title: "Cabins" })], "env_other");
    expect(await embed()).toBe(5);
    const query = "overnight stay";
    expect(idsOf(await search({ query })).toSorted()).toEqual(["en_post", "pg_de", "pg_draft", "pg_en"]);
    expect(idsOf(await search({ query, types: ["entry"] }))).toEqual(["en_post"]);
    expect(idsOf(await search({ query, status: "draft" }))).toEqual(["pg_draft"]);
    expect(idsOf(await search({ query, locale: "en", types: ["page"] })).toSorted()).toEqual([
      "pg_draft",
      "pg_en",
    ]);
  });

  test("a text that has changed is not found by what it meant, and by what it means after the next pass", async () => {
    await write([page({ refId: "pg_a", title: "Cabins" })]);
    await embed();
    expect(idsOf(await search({ query: "overnight" }))).toEqual(["pg_a"]);
    await write([page({ refId: "pg_a", title: "Cheese" })]);
    expect(idsOf(await search({ query: "overnight" }))).toEqual([]);
    await embed();
    expect(idsOf(await search({ query: "overnight" }))).toEqual([]);
    expect(idsOf(await search({ query: "meals" }))).toEqual(["pg_a"]);
  });

  test("a query whose meaning is not known is answered by words, and says so", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await write([page({ refId: "pg_a", title: "Cabins" })]);
    await embed();
    const zero = embedderOf((texts) => ({ kind: "embedded", vectors: texts.map(() => [0, 0, 0]) }));
    for (const broken of [embedderOf(refused(true)), zero]) {
      const found = await search({ query: "cabins" }, { embedder: broken, index: null });
      expect(found.items).toMatchObject([{ id: "pg_a", match: "exact" }]);
      expect(found.note).toBe("Found by words only: the embedding model did not answer.");
      const none = await search({ query: "overnight" }, { embedder: broken, index: null });
      expect([none.items, none.note]).toEqual([[], expect.stringContaining("Found by words only")]);
    }
  });

  test("a model that is slow is given up after its time", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await write([page({ refId: "pg_a", title: "Cabins" })]);
    await embed();
    const limits: number[] = [];
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      limits.push(ms);
      return AbortSignal.abort();
    });
    const slow: Meaning = {
      index: null,
      embedder: {
        ...embedder,
        embed: (_, signal) =>
          signal.aborted
            ? Promise.resolve({ kind: "failed", passing: true, message: "Late." })
            : new Promise(() => {}),
      },
    };
    const { items, note } = await search({ query: "cabins" }, slow);
    expect([items.length, note, limits]).toEqual([1, expect.stringContaining("by words only"), [3_000]]);
  });

  test("before the first pass nothing is asked of the model", async () => {
    await write([page({ refId: "pg_a", title: "Cabins" })]);
    const { note } = await search({ query: "cabins" });
    expect(note).toContain("nothing of this site is embedded yet");
    expect(embedder.asked).toEqual([]);
  });

  test("without a model the answer is as it was", async () => {
    await write([page({ refId: "pg_a", title: "Cabins" })]);
    expect(await call(find, { query: "cabins" })).not.toHaveProperty("note");
    expect(await call(siteOverview, {})).not.toHaveProperty("search");
  });

  test("images are found by meaning within the filters of the library", async () => {
    await write([
      page({
        kind: "image",
        refId: "im_ridge",
        title: "A ridge at dawn",
        body: "Alpine peaks",
        status: "live",
      }),
    ]);
    await embed();
    const context = contextOf({ services: understanding() });
    for (const filter of [{}, { origin: "seed" }])
      expect(await call(imageSearch, { query: "mountains", ...filter }, context)).toMatchObject({
        items: [{ id: "im_ridge" }],
      });
    expect(await call(imageSearch, { query: "mountains", origin: "chat" }, context)).toMatchObject({
      items: [],
    });
  });

  test("an open change set is searched by words only, and the result says so", async () => {
    await write([page({ refId: "pg_a", title: "Cabins" })]);
    await embed();
    const context = () => contextOf({ services: understanding() });
    await call(changesBegin, { name: "Later" }, context());
    const made = await call(withinSet(pageCreate), { name: "Bothies", slug: "bothies" }, context());
    expect(made).toMatchObject({ ok: true });
    await embed();
    expect(await rows("SELECT 1 FROM search_vectors WHERE env_id<>'env_main'")).toEqual([]);
    const found = await call<Answer>(withinSet(find), { query: "overnight stay" }, context());
    expect(idsOf(found)).toEqual(["pg_a"]);
    expect(found.note).toBe("What the open change set holds is found by words only.");
    const worded = await call<Answer>(withinSet(find), { query: "bothies" }, context());
    expect(worded.items).toMatchObject([{ match: "exact" }, { id: "pg_a", match: "semantic" }]);
  });

  test("the vectors are read by the index of their environment", async () => {
    const plan = await rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${SCAN}`, "e", "m", 4, 0, "[]", "[]", 1);
    expect(plan[0]?.detail).toBe(
      "SEARCH search_vectors USING INDEX ix_vectors_scope (env_id=? AND model=? AND rowid>?)",
    );
  });
});

describe("with Vectorize", () => {
  test("the index is asked, within environment, kind, locale and status", async () => {
    await write([
      ...QUESTIONED,
      page({ refId: "pg_draft", title: "Cabins", status: "draft" }),
      page({ kind: "entry", refId: "en_post", title: "Cabins" }),
    ]);
    const { index, stored, settle } = indexOf(96);
    const query = vi.spyOn(index, "query");
    const bound: Meaning = { embedder, index };
    await embed(bound);
    expect(idsOf(await search({ query: "overnight" }, bound))).toEqual([]);
    settle();
    expect(stored.size).toBe(32);
    for (const [id, , , question] of QUESTIONS)
      expect(idsOf(await search({ query: question, types: ["page"] }, bound)), question).toContain(id);
    const asked = { query: "a bed for the night" };
    expect(idsOf(await search({ ...asked, types: ["entry"] }, bound))).toEqual(["en_post"]);
    expect(idsOf(await search({ ...asked, status: "draft" }, bound))).toEqual(["pg_draft"]);
    expect(query).toHaveBeenCalledTimes(33);
  });

  test("a status that changes, and a document that goes, are so in the index after the next pass", async () => {
    await write([page({ refId: "pg_a", title: "Cabins" }), page({ refId: "pg_b", title: "Lodges" })]);
    const { index, stored, settle } = indexOf(96);
    const bound: Meaning = { embedder, index };
    await embed(bound);
    settle();
    const ids = [...stored.keys()];
    const calls = embedder.asked.length;
    await write([page({ refId: "pg_a", title: "Cabins", status: "draft" })]);
    await rows("DELETE FROM search_docs WHERE ref_id='pg_b'");
    await embed(bound);
    settle();
    expect([...stored.values()].map(({ metadata }) => metadata["status"])).toEqual(["draft"]);
    expect(ids).toContain([...stored.keys()][0]);
    expect(embedder.asked).toHaveLength(calls);
    expect(await rows("SELECT * FROM search_vectors_gone")).toEqual([]);
  });

  test("an index that does not answer leaves the vectors in D1, which do", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await write([page({ refId: "pg_a", title: "Cabins" })]);
    const { index } = indexOf(3);
    const bound: Meaning = { embedder, index };
    await embed(bound);
    expect(await rows("SELECT indexed FROM search_vectors")).toEqual([{ indexed: 0 }]);
    expect(await search({ query: "overnight" }, bound)).toMatchObject({
      items: [{ id: "pg_a", match: "semantic" }],
    });
  });
});

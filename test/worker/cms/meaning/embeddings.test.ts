import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { maintainEmbeddings } from "../../../../src/plugins/cms/maintenance/embeddings.ts";
import { VECTORS_SCANNED_MAX } from "../../../../src/plugins/cms/model/meaning.ts";
import type { SearchDocument } from "../../../../src/plugins/cms/model/types.ts";
import { projectionStatements } from "../../../../src/plugins/cms/storage/commit.ts";
import { NO_PROJECTION } from "../../../../src/plugins/cms/storage/projections.ts";
import { siteOverview } from "../../../../src/plugins/cms/tools/overview.ts";
import { call, contextOf, makeSite, rows, services, T0 } from "../fixture.ts";
import { embedderOf, indexOf, refused, understood } from "./embedders.ts";

/** Life of documents between a write and a search by meaning. */

const MINUTE = 60_000;
const page = (refId: string, title: string, body = ""): SearchDocument => ({
  ...({ kind: "page", refId, locale: "en", status: "published", title, slug: "", body } as const),
  parentId: null,
});
const write = (...documents: readonly SearchDocument[]) =>
  services.db.batch(projectionStatements(services, { ...NO_PROJECTION, documents }, T0));
const pass = (embedder = embedderOf(), now = T0) =>
  maintainEmbeddings({ db: services.db, embedder, index: null }, now);
const vectors = () =>
  rows<{ ref_id: string; length: number }>(
    `SELECT d.ref_id, length(v.vector)/4 AS length FROM search_vectors v JOIN search_docs d ON d.id=v.doc_id ORDER BY d.ref_id`,
  );
const attempts = () => rows("SELECT attempts, lease_until, error FROM embedding_attempts ORDER BY doc_id");
const waiting = async () =>
  (
    await rows<{ ref_id: string }>("SELECT ref_id FROM search_docs WHERE embedded_at IS NULL ORDER BY ref_id")
  ).map((row) => row.ref_id);

let complaints: string[] = [];
beforeEach(async () => {
  await makeSite();
  complaints = [];
  vi.spyOn(console, "error").mockImplementation((...words) => complaints.push(words.join(" ")));
});
afterEach(() => vi.restoreAllMocks());

test("each text is embedded once: not again when its page is written, or says again what it said", async () => {
  const embedder = embedderOf();
  await write(page("pg_a", "Cabins", "Beds"), page("pg_b", "Lakes"), page("pg_c", ""));
  expect(await pass(embedder)).toBe(3);
  expect(embedder.asked).toEqual([["Cabins\nBeds", "Lakes"]]);
  expect(await vectors()).toEqual([
    { ref_id: "pg_a", length: 96 },
    { ref_id: "pg_b", length: 96 },
  ]);
  await write(page("pg_a", "Cabins", "Beds"), { ...page("pg_b", "Lakes"), status: "draft" });
  expect(await waiting()).toEqual([]);
  await write(page("pg_a", "Huts"));
  expect(await waiting()).toEqual(["pg_a"]);
  await write(page("pg_a", "Cabins", "Beds"));
  expect([await pass(embedder), embedder.asked.length, await waiting()]).toEqual([1, 1, []]);
  await rows("DELETE FROM search_docs WHERE ref_id='pg_a'");
  expect(await vectors()).toEqual([{ ref_id: "pg_b", length: 96 }]);
});

test("the same words in two languages are asked once", async () => {
  const embedder = embedderOf();
  await write(page("pg_a", "Cabins"), { ...page("pg_a", "Cabins"), locale: "de" });
  expect([await pass(embedder), embedder.asked]).toEqual([2, [["Cabins"]]]);
});

describe("a failure", () => {
  test("is tried again, each time later, until it succeeds", async () => {
    await write(page("pg_a", "Cabins"));
    const broken = embedderOf(refused(true));
    expect(await pass(broken)).toBe(0);
    expect(await attempts()).toEqual([{ attempts: 1, lease_until: T0 + 5 * MINUTE, error: "No." }]);
    await pass(broken, T0 + 4 * MINUTE);
    expect(broken.asked).toHaveLength(1);
    await pass(broken, T0 + 5 * MINUTE);
    expect(await attempts()).toEqual([{ attempts: 2, lease_until: T0 + 15 * MINUTE, error: "No." }]);
    expect(await pass(embedderOf(), T0 + 15 * MINUTE)).toBe(1);
    expect([await attempts(), (await vectors()).length]).toEqual([[], 1]);
  });

  test("of the model ends the pass; the rest is asked in the next one", async () => {
    await write(...Array.from({ length: 40 }, (_, at) => page(`pg_${at}`, `Cabin number ${at}`)));
    const broken = embedderOf(refused(true));
    await pass(broken);
    expect(broken.asked.map((one) => one.length)).toEqual([32]);
    expect(await pass()).toBe(8);
  });

  test("of one text leaves the others embedded", async () => {
    await write(
      ...Array.from({ length: 6 }, (_, at) => page(`pg_${at}`, at === 3 ? "Poison" : `Cabin ${at}`)),
    );
    const choosy = embedderOf((texts) => (texts.includes("Poison") ? refused(false)() : understood(texts)));
    expect([await pass(choosy), await waiting()]).toEqual([5, ["pg_3"]]);
    expect(await attempts()).toHaveLength(1);
  });

  test("waits no more for a text that was changed", async () => {
    await write(page("pg_a", "Poison"));
    await pass(embedderOf(refused(false)));
    await write(page("pg_a", "Cabins"));
    expect(await pass()).toBe(1);
  });

  test.each([
    ["zeros", () => Array.from({ length: 96 }, () => 0)],
    ["another length", () => [1, 2, 3]],
    ["no numbers", () => null],
    ["no finite numbers", () => Array.from({ length: 96 }, () => Number.NaN)],
    ["numbers too large to be measured", () => Array.from({ length: 96 }, () => 1e308)],
    ["nothing", () => []],
  ])("is a vector of %s, which is never stored", async (_, bad) => {
    await write(page("pg_good", "Cabins"));
    await pass();
    await write(page("pg_bad", "Lakes"), page("pg_more", "Meals"));
    const one = embedderOf((texts) => ({
      kind: "embedded",
      vectors: texts.map((text) => (text === "Lakes" ? bad() : understood([text]).vectors[0]!)),
    }));
    expect([await pass(one), await waiting()]).toEqual([1, ["pg_bad"]]);
    expect((await vectors()).map((row) => row.ref_id)).toEqual(["pg_good", "pg_more"]);
    expect(await pass(embedderOf(), T0 + 5 * MINUTE)).toBe(1);
  });
});

test("two passes at once embed each document once", async () => {
  await write(...Array.from({ length: 10 }, (_, at) => page(`pg_${at}`, `Cabin ${at}`)));
  const embedder = embedderOf();
  const done = await Promise.all([pass(embedder), pass(embedder)]);
  expect([done[0] + done[1], embedder.asked.flat().length]).toEqual([10, 10]);
});

test("a text that changes while the model works is embedded anew", async () => {
  await write(page("pg_a", "Cabins"));
  const embedder = embedderOf();
  const racing = {
    ...embedder,
    embed: async (texts: readonly string[]) => {
      if (embedder.asked.length === 0) await write(page("pg_a", "Meals"));
      return embedder.embed(texts, new AbortController().signal);
    },
  };
  await maintainEmbeddings({ db: services.db, embedder: racing, index: null }, T0);
  expect([await waiting(), embedder.asked]).toEqual([[], [["Cabins"], ["Meals"]]]);
});

test("another model starts anew, because vectors of two models cannot be compared", async () => {
  await write(page("pg_a", "Cabins"));
  await pass();
  const other = { ...embedderOf(), model: "fixture:other" };
  expect(await pass(other)).toBe(1);
  expect(await rows("SELECT model FROM search_vectors")).toEqual([{ model: "fixture:other" }]);
});

test("without an index an environment has at most 2,000 vectors, pages first; that is said once, and in the overview", async () => {
  const filled = VECTORS_SCANNED_MAX - 1;
  await services.db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<${filled})
       INSERT INTO search_docs(doc_key,env_id,kind,ref_id,locale,status,title,embedded_at,updated_at)
       SELECT 'entry:en_'||i||':en','env_main','entry','en_'||i,'en','draft','',1,1 FROM n`,
    )
    .run();
  await rows(
    `INSERT INTO search_vectors(doc_id,env_id,model,kind,locale,digest,vector)
     SELECT id,'env_main','fixture:concepts','entry','en','',x'0000803f' FROM search_docs`,
  );
  // One number each: what is compared here is how many, not what.
  const short = embedderOf((texts) => ({ kind: "embedded", vectors: texts.map(() => [1]) }));
  await write({ ...page("en_late", "Lakes"), kind: "entry" }, page("pg_first", "Cabins"));
  expect([await pass(short), await waiting()]).toEqual([1, ["en_late"]]);
  expect(complaints).toEqual([expect.stringContaining("more than 2000 documents")]);
  expect(await pass(short)).toBe(0);
  expect(complaints).toHaveLength(1);
  const context = contextOf({ services: { ...services, meaning: { embedder: short, index: null } } });
  expect(await call(siteOverview, {}, context)).toMatchObject({
    search: { documents: 2_001, embedded: 2_000, failing: 0, note: expect.stringContaining("VECTORIZE") },
  });
  const { index } = indexOf(1);
  expect(await maintainEmbeddings({ db: services.db, embedder: short, index }, T0)).toBe(1);
});

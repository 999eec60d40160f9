import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { CmsServices, SearchDocument } from "../../../../src/plugins/cms/model/types.ts";
import { cmsPack } from "../../../../src/plugins/cms/pack.ts";
import { projectionStatements } from "../../../../src/plugins/cms/storage/commit.ts";
import { NO_PROJECTION } from "../../../../src/plugins/cms/storage/projections.ts";
import { find } from "../../../../src/plugins/cms/tools/find.ts";
import { call, contextOf, emptySite, makeSite, rows, services, T0 } from "../fixture.ts";
import type { OutputOf } from "../reading.ts";
import { Recorder } from "./recorder.ts";

/** A search reads what it may find and as much as it keeps, and finds what it should all the same. */

type Found = OutputOf<typeof find>;

const MANY = 400;
const page = (one: Partial<SearchDocument>): SearchDocument => ({
  ...({ kind: "page", refId: "pg_x", locale: "en", status: "published" } as const),
  title: "",
  slug: "",
  body: "",
  parentId: null,
  ...one,
});
const write = (documents: readonly SearchDocument[], of: CmsServices = services) =>
  of.db.batch(projectionStatements(of, { ...NO_PROJECTION, documents }, T0));
/** Pages that say these words in their text, and are newer than what was written before. */
const crowd = (body: string, one: Partial<SearchDocument> = {}) =>
  write(
    Array.from({ length: MANY }, (_, n) =>
      page({ refId: `pg_crowd${n}`, title: `Crowd ${n}`, body, ...one }),
    ),
  );
const idsOf = async (args: object, of: CmsServices = services): Promise<string[]> =>
  (await call<Found>(find, args, contextOf({ services: of }))).items.map(({ id }) => id);
/** A tool as sessions call it, in the change set that is open. */
const tool = <Output = unknown>(name: string, args: object, context = contextOf()): Promise<Output> => {
  const found = cmsPack.tools.find((one) => one.definition.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return call<Output>(found, args, context);
};

beforeEach(makeSite);
afterAll(emptySite);

describe("a search with more hits than it reads", () => {
  test("a name is found, and a whole name first", async () => {
    await write([
      page({ refId: "pg_named", title: "The old lantern" }),
      page({ refId: "pg_begun", title: "Lanterns" }),
      page({ refId: "pg_called", title: "Lántern" }),
    ]);
    await crowd("a lantern");
    expect((await idsOf({ query: "lantern" })).slice(0, 3)).toEqual(["pg_called", "pg_named", "pg_begun"]);
  });

  test("a whole name is found among as many longer ones", async () => {
    await write([page({ refId: "pg_two", title: "Fog-lantern" })]);
    await crowd("", { title: "Fog lantern walk" });
    expect((await idsOf({ query: "fog lantern" }))[0]).toBe("pg_two");
  });

  test("ranks one word in a name above two words in a text", async () => {
    await write([page({ refId: "pg_half", title: "Lantern", body: "in the fog" })]);
    await crowd("lantern and fog");
    expect((await idsOf({ query: "lantern fog" }))[0]).toBe("pg_half");
  });

  test("finds texts with most of the words, and with the rare one", async () => {
    await write([
      page({ refId: "pg_most", body: "lantern kettle blanket" }),
      page({ refId: "pg_rare", title: "Sundial" }),
    ]);
    await crowd("lantern", { kind: "section" });
    expect(await idsOf({ query: "lantern kettle blanket sundial", limit: 2 })).toEqual(["pg_most"]);
    expect(await idsOf({ query: "lantern sundial", limit: 1 })).toEqual(["pg_rare"]);
  });

  test("filters by status", async () => {
    const draft = page({ refId: "pg_draft", body: "a lantern", status: "draft" });
    await write([draft]);
    await crowd("a lantern");
    expect(await idsOf({ query: "lantern", status: "draft" })).toEqual(["pg_draft"]);
    await write([{ ...draft, status: "published" }]);
    expect(await idsOf({ query: "lantern", status: "draft" })).toEqual([]);
  });

  test("finds another kind and language", async () => {
    await write([page({ kind: "image", refId: "im_one", body: "a lantern" })]);
    await crowd("a lantern", { locale: "de" });
    expect(await idsOf({ query: "lantern", types: ["image"] })).toEqual(["im_one"]);
    expect(await idsOf({ query: "lantern", locale: "en" })).toEqual(["im_one"]);
  });

  test.each([
    "lantern",
    "lantern fog",
    "lantern in the fog",
    "lant",
    "lantern fog sundial kettle",
    "Crowd 1",
  ])("%j reads hundreds of rows, however many say it", async (query) => {
    await crowd("a lantern in the fog");
    await crowd("lantern fog", { kind: "section", refId: "sc_x" });
    const recorder = new Recorder(env.DB);
    expect(await idsOf({ query }, { ...services, db: recorder.db })).not.toEqual([]);
    // Fifty hits of each question, each with its row, and the environment.
    expect(recorder.cost().read).toBeLessThan(700);
  });
});

test("an environment finds what is its own, and what was moved to it", async () => {
  await rows("INSERT INTO environments(id,site_id,name) VALUES('env_other','site_main','other')");
  await rows("INSERT INTO locales(env_id,code,name,is_default) VALUES('env_other','en','English',1)");
  const other = { ...services, env: "env_other" };
  await write([page({ refId: "pg_main", title: "Lantern" })]);
  await write([page({ refId: "pg_other", title: "Lantern" })], other);
  expect(await idsOf({ query: "lantern" })).toEqual(["pg_main"]);
  expect(await idsOf({ query: "lantern" }, other)).toEqual(["pg_other"]);
  await rows("UPDATE search_docs SET env_id='env_main' WHERE env_id='env_other'");
  expect((await idsOf({ query: "lantern" })).toSorted()).toEqual(["pg_main", "pg_other"]);
  expect(await idsOf({ query: "lantern" }, other)).toEqual([]);
});

test("the words that say where a document belongs are no hits of a query", async () => {
  await write([page({ refId: "pg_code", body: "part 656e7zz" })]);
  await crowd("a lantern");
  // So begins the environment of each of them in the index.
  const marks = await rows<{ marks: string }>(
    "SELECT marks FROM search_docs WHERE marks LIKE '656e7%' LIMIT 1",
  );
  expect(marks).toHaveLength(1);
  expect(await idsOf({ query: "656e7" })).toEqual(["pg_code"]);
});

test("a change set finds what it has, and not what that replaces", async () => {
  await tool("page_create", { name: "Sundial" });
  await tool("page_create", { name: "Harbour" });
  await tool("changes_begin", {});
  await tool("page_update", { page: "sundial", name: "Barometer" });
  await tool("page_delete", { pages: ["harbour"] });
  await tool("page_create", { name: "Anemometer" });
  const named = async (query: string, session: "in the set" | "beside it"): Promise<string[]> => {
    const context =
      session === "in the set"
        ? contextOf()
        : contextOf({ facts: { session: "other", run: "r1", subject: "user:1" } });
    return (await tool<Found>("find", { query, types: ["page"] }, context)).items
      .filter(({ match }) => match !== "fuzzy")
      .map(({ name }) => name);
  };
  expect(await named("barometer", "in the set")).toEqual(["Barometer"]);
  expect(await named("anemometer", "in the set")).toEqual(["Anemometer"]);
  expect(await named("harbour", "in the set")).toEqual([]);
  // The slug has not changed.
  expect(await named("sundial", "in the set")).toEqual(["Barometer"]);
  expect(await named("sundial", "beside it")).toEqual(["Sundial"]);
  expect(await named("harbour", "beside it")).toEqual(["Harbour"]);
  expect(await named("barometer", "beside it")).toEqual([]);
});

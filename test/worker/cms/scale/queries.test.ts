import { expect, test } from "vitest";
import { inSet } from "../../../../src/plugins/cms/storage/change-sets.ts";
import { batchOf, rowsOf } from "../../../../src/plugins/cms/storage/rows.ts";
import type { CmsServices } from "../../../../src/plugins/cms/model/types.ts";
import { services } from "../fixture.ts";

/** Counts what reaches the database: how many statements each time. */
function counted(): { readonly site: CmsServices; readonly trips: number[] } {
  const trips: number[] = [];
  const { db } = services;
  const statements = new WeakMap<object, D1PreparedStatement>();
  const watched = (statement: D1PreparedStatement): D1PreparedStatement => {
    const one = {
      bind: (...values: unknown[]) => watched(statement.bind(...values)),
      all: async () => {
        trips.push(1);
        return await statement.all();
      },
    } as unknown as D1PreparedStatement;
    statements.set(one, statement);
    return one;
  };
  const live = {
    prepare: (sql: string) => watched(db.prepare(sql)),
    batch: async (all: D1PreparedStatement[]) => {
      trips.push(all.length);
      return await db.batch(all.map((one) => statements.get(one) ?? one));
    },
  } as unknown as D1Database;
  return { site: { ...services, db: live }, trips };
}

const number = async (site: CmsServices, n: number) => (await rowsOf(site, "SELECT ?1 AS n", n))[0]?.["n"];

test("queries of one moment are one round trip, and each gets its own rows", async () => {
  const { site, trips } = counted();
  const later = async (n: number) => await number(site, n);
  const all = await Promise.all([
    number(site, 1),
    later(2),
    batchOf(site, [["SELECT 3 AS n"], ["SELECT 4 AS n"]]),
  ]);
  expect(all).toEqual([1, 2, [[{ n: 3 }], [{ n: 4 }]]]);
  expect(trips).toEqual([4]);
});

test("a statement that depends on a result is a separate trip", async () => {
  const { site, trips } = counted();
  expect(await number(site, 1)).toBe(1);
  expect(await number(site, 2)).toBe(2);
  expect(trips).toEqual([1, 1]);
});

test("a change set and the site behind it are asked together", async () => {
  const { site, trips } = counted();
  const set = inSet(site, { id: "cs_1", name: "Spring" });
  const read = "SELECT count(*) AS n FROM pages WHERE env_id=?1";
  const [own, shown] = await Promise.all([rowsOf(site, read, site.env), rowsOf(set, read, site.env)]);
  expect(shown).toEqual(own);
  expect(trips).toEqual([2]);
});

test("a query that fails fails those beside it, and none after it", async () => {
  const { site } = counted();
  const asked = await Promise.allSettled([number(site, 1), rowsOf(site, "SELECT nothing FROM nowhere")]);
  expect(asked.map((one) => one.status)).toEqual(["rejected", "rejected"]);
  expect(await number(site, 2)).toBe(2);
});

test("no queries are no trip", async () => {
  const { site, trips } = counted();
  expect(await batchOf(site, [])).toEqual([]);
  expect(trips).toEqual([]);
});

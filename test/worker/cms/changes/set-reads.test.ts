import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { changesBegin } from "../../../../src/plugins/cms/changes/collect.ts";
import { searchSite } from "../../../../src/plugins/cms/search/search.ts";
import { inSet, openSetOf } from "../../../../src/plugins/cms/storage/change-sets.ts";
import { loadPages, loadPagesOfSections, loadPublished } from "../../../../src/plugins/cms/storage/load.ts";
import type { CmsServices } from "../../../../src/plugins/cms/model/types.ts";
import { shadowed } from "../../../../src/plugins/cms/storage/shadow.ts";
import { call, makeSite, services } from "../fixture.ts";

/** Reads through a change set use an index, as reads without one do: a large site is never scanned. */

beforeEach(makeSite);

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** The statements that an act sends to the database. */
async function sent(act: (services: CmsServices) => Promise<unknown>): Promise<Statement[]> {
  await call(changesBegin, {});
  const set = await openSetOf(services, "s1");
  if (set === null) throw new Error("no set is open");
  const seen: Statement[] = [];
  const watched = {
    batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
    prepare: (sql: string) => ({
      bind: (...values: unknown[]) => {
        seen.push({ sql, values });
        return env.DB.prepare(sql).bind(...values);
      },
    }),
  };
  await act(inSet({ ...services, db: watched as unknown as D1Database }, set));
  return seen;
}

/** Full scans of a statement, except for change sets and JSON, which are small. */
async function scansOf({ sql, values }: Statement): Promise<string[]> {
  const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return plan.results.map((row) => row.detail).filter((detail) => /^SCAN (?:b|main\.\w+)\b/.test(detail));
}

test.each<[string, (services: CmsServices) => Promise<unknown>]>([
  ["pages by id or slug", (one) => loadPages(one, ["about", "pg_layout"])],
  ["pages by their sections", (one) => loadPagesOfSections(one, ["sc_1"])],
  ["published documents", (one) => loadPublished(one, ["pg_layout"])],
  [
    "words",
    (one) =>
      searchSite(
        one,
        { query: "ridge walk", kinds: ["page", "section"], locales: ["en"], limit: 8 },
        new AbortController().signal,
      ),
  ],
])("%s", async (_, act) => {
  const statements = await sent(act);
  expect(statements.length).toBeGreaterThan(0);
  for (const one of statements) expect([one.sql, await scansOf(one)]).toEqual([one.sql, []]);
});

test("a scan would be found", async () => {
  const sql = shadowed("SELECT * FROM pages WHERE name=?1", { set: "cs_x", env: "env_main" });
  expect(await scansOf({ sql, values: ["x"] })).toEqual(["SCAN b"]);
});

test("only what a statement reads is put in place, whatever else it says", () => {
  const scope = { set: "cs_x", env: "env_main" };
  expect(shadowed("SELECT 1 FROM section_templates", scope)).toBe("SELECT 1 FROM section_templates");
  expect(shadowed("SELECT 'FROM' AS pages", scope)).toBe("SELECT 'FROM' AS pages");
  expect(shadowed("SELECT 1 FROM pages p JOIN sections s", scope)).toMatch(
    /^WITH pages AS \([\s\S]*\), sections AS \([\s\S]*\) SELECT 1 FROM pages p JOIN sections s$/,
  );
  expect(shadowed("WITH wanted(id) AS (SELECT 1) SELECT 1 FROM pages", scope)).toMatch(
    /^WITH pages AS [\s\S]*, wanted\(id\) AS/,
  );
  expect(shadowed("SELECT 1 FROM pages", { ...scope, set: "cs_'x" })).toContain("'cs_''x'");
});

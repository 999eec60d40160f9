import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";
import { shadowed } from "../../../../src/tools/cms/storage/shadow.ts";
import { emptySite, makeSite, services } from "../fixture.ts";
import { Round } from "./every-call.ts";
import { makeLarge, type SiteSize } from "./large-site.ts";
import { scansIn } from "./plan.ts";
import { Recorder, type Sent } from "./recorder.ts";

/** No statement reads a growing table whole: of all that is sent, by tools, visitors, doors and the clock. */

afterAll(emptySite);

const SMALL: SiteSize = {
  ...{ pages: 60, sectionsPerPage: 3, images: 50, collections: 2, entriesPerCollection: 40 },
  ...{ revisions: 10, sessions: 5, operationsPerSession: 20 },
};

async function planOf({ sql, values }: Sent): Promise<string[]> {
  const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return plan.results.map((row) => row.detail);
}

test("every statement looks its rows up by an index", async () => {
  await makeSite();
  await makeLarge(services, SMALL);
  const recorder = new Recorder(env.DB);
  const by = new Map<string, Sent & { readonly call: string }>();
  await new Round({ ...env, DB: recorder.db }, 1).all(async (call, act) => {
    await act();
    for (const one of recorder.sent.splice(0)) if (!by.has(one.sql)) by.set(one.sql, { ...one, call });
  });
  const faults: object[] = [];
  for (const one of by.values()) {
    const scans = scansIn(one, await planOf(one));
    if (scans.length > 0) faults.push({ call: one.call, scans, sql: one.sql.replaceAll(/\s+/g, " ") });
  }
  // Fewer would mean that the calls do not do what they are named for.
  expect(by.size).toBeGreaterThan(200);
  expect(faults).toEqual([]);
}, 120_000);

test.each([
  ["a whole table", "SELECT * FROM pages WHERE name='x'"],
  ["all of an environment", "SELECT id FROM pages WHERE env_id='env_main' AND status='draft'"],
  ["all that is sorted, for a few", "SELECT id FROM pages WHERE env_id='env_main' ORDER BY status LIMIT 3"],
  ["all of a type", "SELECT target_id FROM asset_refs WHERE target_type='image' AND path='image'"],
  [
    "a table behind a change set",
    shadowed("SELECT * FROM entries WHERE author='Ada'", { set: "cs_x", env: "env_main" }),
  ],
])("a statement that reads %s is found", async (_, sql) => {
  expect(scansIn({ sql }, await planOf({ sql, values: [] }))).toHaveLength(1);
});

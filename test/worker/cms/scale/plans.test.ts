import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";
import { NO_SEAL } from "../../../../src/plugins/cms/protocol/site-file.ts";
import { shadowed } from "../../../../src/plugins/cms/storage/shadow.ts";
import { emptySite, makeSite, services } from "../fixture.ts";
import { Round } from "./every-call.ts";
import { makeLarge, type SiteSize } from "./large-site.ts";
import {
  comeIn,
  manifestIn,
  membersOut,
  readBehind,
  sealedWith,
  type Member,
  type Request,
} from "./out-and-in.ts";
import { scansIn } from "./plan.ts";
import { Recorder, type Sent } from "./recorder.ts";

/** No statement reads a growing table whole: of all that is sent, by tools, visitors, doors and the clock. */

afterAll(emptySite);

const SMALL: SiteSize = {
  pages: 60,
  sectionsPerPage: 3,
  images: 50,
  collections: 2,
  entriesPerCollection: 40,
  revisions: 10,
  sessions: 5,
  operationsPerSession: 20,
};

async function planOf({ sql, values }: Sent): Promise<string[]> {
  const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return plan.results.map((row) => row.detail);
}

/** The statements of these calls, each once. */
class Statements {
  readonly recorder = new Recorder(env.DB);
  readonly env = { ...env, DB: this.recorder.db };
  readonly #by = new Map<string, Sent & { readonly call: string }>();

  get size(): number {
    return this.#by.size;
  }

  async of<Answer>(call: string, act: () => Promise<Answer>): Promise<Answer> {
    const answer = await act();
    for (const one of this.recorder.sent.splice(0))
      if (!this.#by.has(one.sql)) this.#by.set(one.sql, { ...one, call });
    return answer;
  }

  async faults(): Promise<object[]> {
    const faults: object[] = [];
    for (const one of this.#by.values()) {
      const scans = scansIn(one, await planOf(one));
      if (scans.length > 0) faults.push({ call: one.call, scans, sql: one.sql.replaceAll(/\s+/g, " ") });
    }
    return faults;
  }
}

test("every statement looks its rows up by an index", async () => {
  await makeSite();
  await makeLarge(services, SMALL);
  const by = new Statements();
  await new Round(by.env, 1).all((call, act) => by.of(call, act));
  // Fewer would mean that the calls do not do what they are named for.
  expect(by.size).toBeGreaterThan(200);
  expect(await by.faults()).toEqual([]);
}, 120_000);

test("so does every statement of a site that goes out and comes in", async () => {
  await makeSite();
  await makeLarge(services, SMALL);
  await env.DB.prepare(
    `INSERT INTO redirects(env_id,from_path,target_type,target_id,created_at)
      SELECT 'env_main','/site/old-'||value,'page','pg_1',1 FROM json_each(?1)`,
  )
    .bind(JSON.stringify(Array.from({ length: 20 }, (_, n) => n)))
    .run();
  const by = new Statements();
  const request: Request = (what, act) => by.of(what, act);
  const members: Member[] = [];
  for await (const one of membersOut(by.env, request)) members.push(one);
  const [first] = members;
  if (first === undefined) throw new Error("a site has members");
  const manifest = manifestIn(first);
  let seal = NO_SEAL;
  for (const one of members) seal = await sealedWith(seal, one);
  // Gone on with behind each kind of member.
  for (const [n, { name }] of members.entries())
    if (members[n + 1]?.name.split("/")[0] !== name.split("/")[0]) {
      const place = { after: name, seal, state: manifest.state };
      await by.of("export, gone on with", () => readBehind(by.env, place));
    }
  async function* sent(): AsyncGenerator<Member> {
    yield* members;
  }
  await comeIn(by.env, { name: "copy", manifest, seal }, sent(), request);
  expect(by.size).toBeGreaterThan(60);
  expect(await by.faults()).toEqual([]);
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

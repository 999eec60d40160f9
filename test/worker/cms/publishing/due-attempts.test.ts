import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { changesBegin } from "../../../../src/plugins/cms/changes/collect.ts";
import { publishDueSets } from "../../../../src/plugins/cms/changes/due-sets.ts";
import { changesPublish } from "../../../../src/plugins/cms/changes/publish.ts";
import { withinSet } from "../../../../src/plugins/cms/changes/within.ts";
import { entryCreate } from "../../../../src/plugins/cms/entries/entry-create.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { OPERATION_CHANGES_MAX } from "../../../../src/plugins/cms/model/limits.ts";
import type { CmsContext, Plan } from "../../../../src/plugins/cms/model/types.ts";
import { DUE_ATTEMPTS_MAX, waitAfter } from "../../../../src/plugins/cms/schedule/attempts.ts";
import { publishDue } from "../../../../src/plugins/cms/schedule/due.ts";
import { deliverNotices } from "../../../../src/plugins/cms/schedule/notices.ts";
import { checkPlan } from "../../../../src/plugins/cms/storage/commit.ts";
import { NO_PROJECTION } from "../../../../src/plugins/cms/storage/projections.ts";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { call, contextOf, makeSite, previewOf, refusal, rows, T0 } from "../fixture.ts";
import { dying } from "./dying.ts";

/** Work that is due at a time: how large it may be, what happens when it fails, and who gets to know. */

const AT = T0 + 30 * 86_400_000;
const at = new Date(AT).toISOString();
const MINUTE = 60_000;

beforeEach(async () => {
  await makeSite();
  await env.DB.batch(
    ["DELETE FROM due_attempts", "DELETE FROM due_notices"].map((sql) => env.DB.prepare(sql)),
  );
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const of = (session: string): Partial<CmsContext> => ({ facts: { session, run: "r1", subject: "user:1" } });
const entryIn = (session: string, title: string) =>
  call(withinSet(entryCreate), { title, content: { body: `About ${title}.` } }, contextOf(of(session)));
const publicTitles = async () =>
  (
    await rows<{ title: string }>(
      "SELECT e.title FROM published_docs d JOIN entries e ON e.id=d.owner_id ORDER BY e.title",
    )
  ).map(({ title }) => title);
const sets = () =>
  rows<{ name: string; state: string; publish_at: number | null; publish_failure: string | null }>(
    "SELECT name, state, publish_at, publish_failure FROM change_sets ORDER BY name",
  );

/** A set of one new entry, approved for a time. */
async function scheduled(session: string, time = at): Promise<void> {
  await call(changesBegin, { name: session }, contextOf(of(session)));
  await entryIn(session, `Entry of ${session}`);
  await call(changesPublish, { at: time }, contextOf(of(session)));
}

/** From now on the row of this set cannot be read. */
const poison = (session: string) =>
  env.DB.prepare("UPDATE change_sets SET publish_overwrite='[1]' WHERE session_id=?1").bind(session).run();

/** Runs passes a minute apart until so many have been made. */
async function passes(count: number, from = AT): Promise<void> {
  for (let pass = 0; pass < count; pass++) await publishDueSets(env.DB, from + pass * MINUTE);
}

describe("a large set", () => {
  test("of 330 entries is published at its time, and undone as one", { timeout: 240_000 }, async () => {
    await call(changesBegin, { name: "Large" });
    for (let n = 0; n < 330; n++)
      await call(withinSet(entryCreate), { title: `News number ${n}`, content: { body: "Read on." } });
    const preview = await previewOf(changesPublish, { at });
    expect(preview.summary).toContain("330 entries");
    await call(changesPublish, { at });
    expect(await publishDueSets(env.DB, AT)).toMatchObject([{ became: "published" }]);
    expect(await publicTitles()).toHaveLength(330);
    const [operation] = await rows<{ key: string; result: string }>(
      "SELECT key, result FROM operations WHERE key LIKE 'sched:set:%'",
    );
    const result = JSON.parse(operation?.result ?? "{}") as { items: unknown[]; changed: unknown[] };
    expect(result).toMatchObject({ moreItems: 270 });
    expect([result.items.length, result.changed.length]).toEqual([60, 60]);
    const undone: { moreRestored?: number } = await call(undo, { operation: operation?.key ?? "" });
    expect(undone).toMatchObject({ moreRestored: expect.any(Number) as number });
    expect(await publicTitles()).toEqual([]);
  });

  test("that could not be written is refused when its time is asked for, and keeps no time", async () => {
    await call(changesBegin, { name: "Heavy" });
    for (let n = 0; n < 15; n++)
      await call(withinSet(entryCreate), { title: `Long ${n}`, content: { body: "Text." } });
    // Each entry fits by itself; all of them together are too much for one operation.
    await env.DB.prepare(
      "UPDATE change_set_rows SET rows=json_set(rows,'$[0].data.body',?1) WHERE tbl='contents'",
    )
      .bind("word ".repeat(90_000))
      .run();
    const refused = await refusal(previewOf(changesPublish, { at }));
    expect(refused).toMatchObject({ code: "too_large", hint: "Do it in several parts." });
    expect(refused.message).toContain("over 12 MB");
    expect((await refusal(previewOf(changesPublish, {}))).code).toBe("too_large");
    expect(await sets()).toMatchObject([{ name: "Heavy", state: "open", publish_at: null }]);
  });

  test("plans with too many changes, too much text or too long an answer are refused before they are shown", () => {
    const page = { id: "pg", name: "x", content: { en: { text: "y".repeat(400_000) } } };
    const change = { type: "entry", before: null, after: page } as never;
    const plan = (count: number, result: object = {}): Plan<object> => ({
      result,
      changes: Array.from({ length: count }, () => change),
      projection: NO_PROJECTION,
      impact: { title: "", summary: "", lines: [], public: false },
    });
    const codeOf = (made: Plan<object>): string => {
      try {
        checkPlan(made);
        return "fits";
      } catch (error) {
        return (error as { failure: { code: string } }).failure.code;
      }
    };
    expect(codeOf(plan(20))).toBe("fits");
    expect(codeOf(plan(40))).toBe("too_large");
    expect(codeOf(plan(OPERATION_CHANGES_MAX + 1))).toBe("too_large");
    expect(codeOf(plan(1, { text: "z".repeat(70_000) }))).toBe("too_large");
  });
});

describe("a set that fails", () => {
  test("blocks no other, however many there are", async () => {
    for (let n = 0; n < 7; n++) {
      await scheduled(`bad${n}`);
      await poison(`bad${n}`);
    }
    await scheduled("good", new Date(AT + 1_000).toISOString());
    await passes(3);
    expect(await publicTitles()).toEqual(["Entry of good"]);
  });

  test("is attempted again after ever longer waits, then given up with a message for its session", async () => {
    await scheduled("bad");
    await poison("bad");
    await scheduled("other", new Date(AT + 86_400_000).toISOString());
    const attempted: number[] = [];
    for (let minute = 0; minute < 90; minute++) {
      const [one] = await publishDueSets(env.DB, AT + minute * MINUTE);
      if (one !== undefined) attempted.push(minute);
    }
    expect(attempted).toEqual([0, 1, 3, 7, 15, 31]);
    expect(attempted).toHaveLength(DUE_ATTEMPTS_MAX);
    const [bad] = await sets();
    expect(bad).toMatchObject({ name: "bad", state: "open", publish_at: null });
    expect(bad?.publish_failure).toContain("attempted 6 times");
    const [notice] = await rows<{ session_id: string; text: string; made_before: number }>(
      "SELECT session_id, text, made_before FROM due_notices",
    );
    // A session that is younger than the set is not the one that opened it.
    const [set] = await rows<{ created_at: number }>("SELECT created_at FROM change_sets WHERE name='bad'");
    expect(notice).toMatchObject({ session_id: "bad", made_before: set?.created_at });
    expect(notice?.made_before).toBeLessThan(AT);
    expect(notice?.text).toMatch(/^The change set “bad” was not published at .*attempted 6 times/);
    expect(await rows("SELECT 1 FROM due_attempts")).toEqual([]);
  });

  test("because the database refuses the batch is published when it takes it again", async () => {
    await scheduled("s1");
    expect(await publishDueSets(dying("before", 1), AT)).toMatchObject([{ became: "later" }]);
    expect(await publishDueSets(env.DB, AT)).toEqual([]);
    expect(await publishDueSets(env.DB, AT + waitAfter(1))).toMatchObject([{ became: "published" }]);
    expect(await rows("SELECT 1 FROM due_attempts")).toEqual([]);
  });

  test("because it was edited elsewhere is left at once, with a message for its session", async () => {
    await scheduled("s1");
    await entryIn("s1", "One more");
    expect(await publishDueSets(env.DB, AT)).toMatchObject([{ became: "left" }]);
    const notices = await rows<{ text: string }>("SELECT session_id, text, made_before FROM due_notices");
    const [set] = await rows<{ created_at: number }>("SELECT created_at FROM change_sets");
    expect(notices).toMatchObject([{ session_id: "s1", made_before: set?.created_at }]);
    expect(notices[0]?.text).toContain("written into after its publishing was approved");
  });

  test("in an attempt whose worker dies uses up that attempt", async () => {
    await scheduled("s1");
    const claimed = vi.spyOn(console, "error");
    const dead = new Proxy(env.DB, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "prepare")
          return typeof value === "function" ? (value as () => unknown).bind(target) : value;
        return (sql: string) => {
          if (sql.startsWith("SELECT * FROM change_sets WHERE env_id=?1 AND id=?2"))
            throw new Error("out of memory");
          return target.prepare(sql);
        };
      },
    });
    await publishDueSets(dead, AT);
    expect(await rows("SELECT attempts FROM due_attempts")).toEqual([{ attempts: 1 }]);
    expect(claimed).toHaveBeenCalled();
  });
});

/** A database that refuses every operation whose summary has this text. */
function refusing(text: string): D1Database {
  return new Proxy(env.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== "prepare")
        return typeof value === "function" ? (value as () => unknown).bind(target) : value;
      return (sql: string) => {
        const statement = target.prepare(sql);
        if (!sql.startsWith("INSERT INTO operations")) return statement;
        return {
          bind: (...values: unknown[]) =>
            values.some((one) => typeof one === "string" && one.includes(text))
              ? target.prepare("INSERT INTO operations(key) VALUES(NULL)")
              : statement.bind(...values),
        };
      };
    },
  });
}

describe("a page or an entry that fails", () => {
  const one = (title: string) => call(entryCreate, { title, content: { body: "Text." } });
  const time = (ref: string, when = at) =>
    call(setStatus, { targets: [{ type: "entry", ref }], to: "published", at: when });

  test(
    "keeps no other from being published, and its session gets a message",
    { timeout: 240_000 },
    async () => {
      for (let n = 0; n < 22; n++) {
        await one(`Bad ${n}`);
        await time(`bad-${n}`);
      }
      await one("Good");
      await time("good", new Date(AT + 1_000).toISOString());
      for (const minute of [0, 1]) await publishDue(refusing("“Bad"), AT + minute * MINUTE);
      expect(await publicTitles()).toEqual(["Good"]);
      for (const minute of [3, 4, 7, 8, 15, 16, 31, 32, 47, 63])
        await publishDue(refusing("“Bad"), AT + minute * MINUTE);
      expect(await rows("SELECT 1 FROM entries WHERE publish_at IS NOT NULL")).toEqual([]);
      const notices = await rows<{ text: string; made_before: number }>(
        "SELECT text, made_before FROM due_notices WHERE session_id='s1' ORDER BY made_before",
      );
      expect(notices).toHaveLength(22);
      // A session that is younger than the operation which named the time is not the one that asked.
      const asked = await rows<{ created_at: number }>(
        "SELECT created_at FROM operations WHERE tool='set_status' ORDER BY created_at LIMIT 22",
      );
      expect(notices.map((notice) => notice.made_before)).toEqual(asked.map((one) => one.created_at));
      expect(notices[0]?.text).toMatch(/^“Bad \d+” was not published at/);
    },
  );

  test("because it was changed after its approval is left with a message", async () => {
    await one("Path");
    await time("path");
    await env.DB.prepare("UPDATE entries SET version=version+1 WHERE slug='path'").run();
    expect(await publishDue(env.DB, AT)).toMatchObject([{ became: "left" }]);
    const [asked] = await rows<{ created_at: number }>(
      "SELECT created_at FROM operations WHERE tool='set_status'",
    );
    expect(await rows("SELECT session_id, made_before FROM due_notices")).toEqual([
      { session_id: "s1", made_before: asked?.created_at },
    ]);
  });
});

describe("messages", () => {
  const keep = (id: string, session: string) =>
    env.DB.prepare("INSERT INTO due_notices(id,session_id,made_before,text,at) VALUES(?1,?2,?3,?4,?3)")
      .bind(id, session, AT, `Text of ${id}`)
      .run();

  test("are delivered once; a session that cannot be reached blocks no other and is asked again later", async () => {
    await keep("a", "gone");
    await keep("b", "here");
    const sent: string[] = [];
    const send = (notice: { id: string; session: string }): Promise<boolean> => {
      sent.push(notice.id);
      return notice.session === "gone" ? Promise.reject(new Error("no answer")) : Promise.resolve(true);
    };
    expect(await deliverNotices(env.DB, send, AT)).toBe(1);
    expect(await deliverNotices(env.DB, send, AT)).toBe(0);
    expect(sent).toEqual(["a", "b"]);
    await deliverNotices(env.DB, send, AT + MINUTE);
    expect(sent).toEqual(["a", "b", "a"]);
    expect(await rows("SELECT id, attempts FROM due_notices")).toEqual([{ id: "a", attempts: 2 }]);
  });
});

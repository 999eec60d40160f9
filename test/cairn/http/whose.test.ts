import { Hono } from "hono/tiny";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sessionsWords } from "../../../src/plugins/channels/http/sessions.ts";
import {
  newScheduleId,
  newSessionId,
  newShareId,
  parseIdempotencyKey,
} from "../../../src/cairn/http/kit/idempotency.ts";
import { listSessions } from "../../../src/cairn/http/kit/index-reader.ts";
import type { HttpEnv } from "../../../src/cairn/http/kit/route.ts";
import { consentSchema } from "../../../src/plugins/mcp-server/oauth/access.ts";
import { userIdOf } from "../../../src/plugins/mcp-server/oauth/assistants.ts";
import {
  createOAuthStore,
  countClients,
  dropUnusedClient,
} from "../../../src/plugins/mcp-server/oauth/store.ts";
import type { Scope } from "../../../src/cairn/session/api/session-api.ts";
import { FakeD1 } from "../../sim/site/d1.ts";

/** Ownership: idempotency keys, session lists, and the records of assistants. */

interface Asked {
  readonly subject?: string;
  readonly path?: string;
  readonly key?: string | null;
  readonly body?: object;
}

/** The key of a request, as a route of the deployment reads it. */
async function keyOf({ subject = "ada", path = "/api/runs", key = "k", body = { a: 1 } }: Asked = {}) {
  const app = new Hono<HttpEnv>();
  app.post("*", (c) => {
    c.set("actor", { subject, scopes: ["send"], via: "http" });
    return Response.json(parseIdempotencyKey(c, body));
  });
  const headers: Record<string, string> = key === null ? {} : { "idempotency-key": key };
  const response = await app.request(path, { method: "POST", headers });
  return (await response.json()) as { ok: boolean; value: { key: string; digest: string } | null };
}

describe("an idempotency key", () => {
  test("is the same for the same request, and another for each person, path and key", async () => {
    const base = (await keyOf()).value;
    expect((await keyOf()).value).toEqual(base);
    expect((await keyOf({ path: "/api/runs?async=true" })).value).toEqual(base);
    const others: Asked[] = [{ subject: "bob" }, { path: "/api/sessions" }, { key: "l" }, { subject: "" }];
    for (const other of others) {
      const { value } = await keyOf(other);
      expect([other, value?.key === base?.key, value?.digest === base?.digest]).toEqual([other, false, true]);
    }
  });

  test("stands for its body: another one has another digest under the same key", async () => {
    const base = (await keyOf({ body: { a: 1, b: 2 } })).value;
    expect((await keyOf({ body: { b: 2, a: 1 } })).value).toEqual(base);
    const { value } = await keyOf({ body: { a: 1, b: 3 } });
    expect([value?.key === base?.key, value?.digest === base?.digest]).toEqual([true, false]);
  });

  test("is none where none was sent, and refused where it is malformed", async () => {
    expect(await keyOf({ key: null })).toEqual({ ok: true, value: null });
    for (const key of ["a b", "x".repeat(129), "\u00e9"])
      expect(await keyOf({ key })).toMatchObject({ ok: false, error: { code: "invalid_request" } });
    expect((await keyOf({ key: "x".repeat(128) })).ok).toBe(true);
  });

  test("names one session, one link and one schedule, of which none gives the others away", () => {
    const makers = [newSessionId, newShareId, newScheduleId];
    const key = { key: "k", digest: "d" };
    const named = makers.map((make) => make(key, () => "other"));
    expect(named.map((name) => name.slice(0, 4))).toEqual(["ses_", "shr_", "sch_"]);
    expect(new Set(named.map((name) => name.slice(4))).size).toBe(3);
    for (const [at, make] of makers.entries()) {
      expect(make({ ...key, digest: "e" }, () => "x")).toBe(named[at]);
      expect(make({ ...key, key: "l" }, () => "x")).not.toBe(named[at]);
      expect(make(null, () => "one")).not.toBe(make(null, () => "two"));
      expect(make(null, () => "one")).toMatch(/^s\w\w_[a-z0-9]{20}$/);
    }
  });
});

let d1: FakeD1;
let db: D1Database;
beforeEach(() => {
  d1 = new FakeD1();
  db = d1.binding;
});
afterEach(() => d1.close());

describe("the sessions of a person", () => {
  const add = (id: string, owner: string, at: number, { archived = 0, status = "idle" } = {}): void => {
    const view = JSON.stringify({ id, title: `*${id}*`, status, createdAt: new Date(at).toISOString() });
    d1.rows("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)", id, owner, status, archived, at, at, view);
  };
  beforeEach(() => {
    add("ses_one", "ada", 1);
    add("ses_two", "ada", 2, { status: "running" });
    add("ses_old", "ada", 3, { archived: 1 });
    add("ses_bob", "bob", 4);
    add("ses_two~r1s1c0", "ada", 5);
  });
  const alone = { isGroup: false };
  const words = (scopes: readonly Scope[], args = "", place = alone) =>
    sessionsWords(db, { subject: "ada", scopes, via: "http" }, place, args);

  test.each<[readonly Scope[], boolean]>([
    [["read"], true],
    [["admin"], true],
    [["read", "send"], true],
    [["send"], false],
    [["approve", "send"], false],
    [[], false],
  ])("are listed and chosen in a chat with the scopes %j: %s", async (scopes, may) => {
    const [listed, chosen] = [await words(scopes), await words(scopes, "1")];
    expect(listed.words.includes("two")).toBe(may);
    expect(chosen.goesOn).toEqual(may ? { session: "ses_two", sessionAt: 2 } : undefined);
    expect(listed).not.toHaveProperty("goesOn");
  });

  test("are their own, and those that they work in: for a group, nobody's", async () => {
    const listed = await words(["admin"]);
    for (const other of ["bob", "old", "r1s1c0"]) expect(listed.words).not.toContain(other);
    expect(listed.words).toMatch(/^1\. .*two.*\(running\)\n2\. .*one.*\(idle\)/);
    expect(listed.words).not.toContain("*ses_two*");
    const group = await words(["read"], "1", { isGroup: true });
    expect(group).toEqual({ words: expect.stringContaining("to me alone") as string });
  });

  test.each([
    ["1", { session: "ses_two", sessionAt: 2 }],
    [" 2 ", { session: "ses_one", sessionAt: 1 }],
    ["3", undefined],
    ["0", undefined],
    ["-1", undefined],
    ["1.0", undefined],
    ["constructor", undefined],
  ])("are chosen by number: %j", async (args, chosen) => {
    expect((await words(["read"], args)).goesOn).toEqual(chosen);
  });

  test("are read page after page, by owner, state and archive", async () => {
    const query = { owner: "ada", q: null, archived: false, status: null, before: null, limit: 1 };
    const idsOf = async (more: object) => {
      const { items, next } = await listSessions(db, { ...query, ...more });
      return [items.map(({ id }) => id), next];
    };
    expect(await idsOf({})).toEqual([["ses_two"], { at: 2, id: "ses_two" }]);
    expect(await idsOf({ before: { at: 2, id: "ses_two" } })).toEqual([["ses_one"], null]);
    expect(await idsOf({ limit: 2 })).toEqual([["ses_two", "ses_one"], null]);
    expect(await idsOf({ limit: 9, owner: null })).toEqual([["ses_bob", "ses_two", "ses_one"], null]);
    expect(await idsOf({ archived: true })).toEqual([["ses_old"], null]);
    expect(await idsOf({ status: "running" })).toEqual([["ses_two"], null]);
    expect(await idsOf({ q: "!?" })).toEqual([[], null]);
  });
});

describe("the records of assistants", () => {
  test("end at their second, and leave with the next that is written", async () => {
    let now = 10_000;
    const store = createOAuthStore(db, () => now);
    await store.put("token:a", "1", { expirationTtl: 60 });
    await store.put("token:b", "2", { expiration: 71 });
    await store.put("token:c", "3");
    const there = async () => {
      const got = await Promise.all(["a", "b", "c"].map((name) => store.get(`token:${name}`)));
      const { keys } = await store.list({ prefix: "token:" });
      return [got, keys.length];
    };
    now = 69_999;
    expect(await there()).toEqual([["1", "2", "3"], 3]);
    now = 70_000;
    expect(await there()).toEqual([[null, "2", "3"], 2]);
    now = 71_000;
    expect(await there()).toEqual([[null, null, "3"], 1]);
    await store.put("other", "x");
    expect(d1.rows("SELECT key FROM oauth_records ORDER BY key").map(({ key }) => key)).toEqual([
      "other",
      "token:c",
    ]);
    await store.put("token:c", "4", { expirationTtl: 1 });
    expect(await store.get("token:c")).toBe("4");
  });

  test("of clients that nobody allowed leave first, the one that ends soonest before the others", async () => {
    const store = createOAuthStore(db, () => 0);
    // Their names are in another order than their ends.
    for (const [at, name] of ["d", "c", "b", "a"].entries())
      await store.put(`client:${name}`, "{}", { expiration: 100 + at });
    await store.put("grant:u:1", JSON.stringify({ clientId: "d" }), { expiration: 50 });
    await store.put("clients", "{}");
    const left = () =>
      d1.rows("SELECT key FROM oauth_records WHERE key LIKE 'client:%' ORDER BY key").map(({ key }) => key);
    expect(await countClients(db, 0)).toBe(4);
    expect(await countClients(db, 100_000)).toBe(3);
    expect(await dropUnusedClient(db, 0)).toBe(true);
    expect(left()).toEqual(["client:a", "client:b", "client:d"]);
    // A grant that has ended holds nobody.
    expect(await dropUnusedClient(db, 50_000)).toBe(true);
    expect(left()).toEqual(["client:a", "client:b"]);
    for (const name of ["a", "b"]) await store.put(`grant:u:${name}`, JSON.stringify({ clientId: name }));
    expect(await dropUnusedClient(db, 0)).toBe(false);
    expect(await store.get("clients")).toBe("{}");
  });

  test("are under a name of their person that no other person has, and without the token", () => {
    const names = ["a:b", "a", "b", "ab", "a b", "\u00e9"].map(userIdOf);
    expect(new Set(names).size).toBe(6);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]+$/);
    expect(consentSchema.safeParse({}).success).toBe(false);
    expect(consentSchema.safeParse({ grant: null }).success).toBe(true);
  });
});

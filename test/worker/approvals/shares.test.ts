import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { signShare } from "../../../src/cairn/protocol/signed/share-link.ts";
import { makeSite } from "../cms/fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";
import { openApi } from "../sessions/session-fixture.ts";

/** Read-only links over real sessions, and facts that a person has forgotten. */

beforeAll(makeSite);

const DAY_MS = 86_400_000;
let now = Date.now();
const api = openApi({}, { now: () => now });

interface Share {
  readonly id: string;
  readonly run: string | null;
  readonly by: string;
  readonly url: string;
  readonly expiresAt: string;
}
interface Shown {
  readonly title: string;
  readonly run: string | null;
  readonly items: { role: string; text: string; outcome: string | null; receipt: object | null }[];
}

const share = (session: string, body: object = {}): Promise<Share> =>
  api.json(201, `/api/sessions/${session}/shares`, post(body));
/** where the page asks for what a link shows */
const pathOf = ({ url }: Share): string => `/shared/${url.split("/#/shared/")[1]}`;
const look = (path: string) => api.call(path, { who: null });
const shown = async (one: Share): Promise<Shown> => {
  const response = await look(pathOf(one));
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  return response.json();
};
const texts = ({ items }: Shown): string[] => items.map(({ role, text }) => `${role}: ${text}`);

describe("a read-only link", () => {
  test("shows what was said, answered and done, without a credential; no arguments, thoughts, memory or names", async () => {
    await api.json(201, "/api/sessions", post({ id: "ses_whole", title: "Of tones" }));
    await api.say(
      "ses_whole",
      '/call store_memory {"key":"tone","value":"hidden-argument"}\n/then\n/say It is noted.',
    );
    const one = await share("ses_whole");
    expect(one.url).toMatch(/^https:\/\/cairn\.example\/#\/shared\/[\w-]+\.[\w-]{43}$/);
    expect(one).toMatchObject({ run: null, by: "alice" });
    expect(Date.parse(one.expiresAt)).toBe(now + 7 * DAY_MS);
    const view = await shown(one);
    expect(texts(view)[1]).toBe("assistant: It is noted.");
    expect(view.title).toBe("Of tones");
    expect(view.items[1]).toMatchObject({ outcome: "answered", receipt: { failed: [], unknown: [] } });
    const { items, ...rest } = view;
    expect(JSON.stringify([rest, items[1]])).not.toMatch(/hidden-argument|alice|I will perform/);
    await api.say("ses_whole", "/say And more.");
    expect(texts(await shown(one)).slice(2)).toEqual(["user: /say And more.", "assistant: And more."]);
  });

  test("to one run shows that run, and what was added while it worked, and no other", async () => {
    await api.say("ses_one", "/say First.");
    await api.say("ses_one", "/say Second.");
    await api.say("ses_one", "/say Third.");
    const one = await share("ses_one", { run: "ses_one.r2" });
    expect(one.run).toBe("ses_one.r2");
    const view = await shown(one);
    expect(texts(view)).toEqual(["user: /say Second.", "assistant: Second."]);
    expect(JSON.stringify(view)).not.toContain("First");
    const body = post({ run: "ses_one.r9" });
    expect(await verdictOf(await api.call("/api/sessions/ses_one/shares", body))).toEqual([404, "not_found"]);
  });

  test("shows nothing that the conversation was cleared of", async () => {
    await api.say("ses_clear", "/say Soon gone.");
    const whole = await share("ses_clear");
    const run = await share("ses_clear", { run: "ses_clear.r1" });
    await clear("ses_clear");
    expect([(await shown(whole)).items, (await shown(run)).items]).toEqual([[], []]);
  });

  test("ends when it was said to, and is taken back at once", async () => {
    await api.say("ses_end", "/say Hello.");
    const brief = await share("ses_end", { ttlSeconds: 60 });
    const long = await share("ses_end");
    const listed = async (): Promise<string[]> =>
      (await api.json<{ items: Share[] }>(200, "/api/sessions/ses_end/shares")).items.map(({ url }) => url);
    expect(await listed()).toEqual([brief.url, long.url]);
    const before = now;
    now += 60_000;
    expect(await verdictOf(await look(pathOf(brief)))).toEqual([410, "gone"]);
    now = before;
    const at = `/api/sessions/ses_end/shares/${long.id}`;
    expect((await api.call(at, { method: "DELETE" })).status).toBe(204);
    expect(await verdictOf(await look(pathOf(long)))).toEqual([410, "gone"]);
    expect(await verdictOf(await api.call(at, { method: "DELETE" }))).toEqual([404, "not_found"]);
    expect(await listed()).toEqual([brief.url]);
  });

  test("that has ended is listed no more, takes no room, and is made anew by the same request", async () => {
    await api.say("ses_over", "/say Hello.");
    // The clock of the worker that makes these is behind the clock of the session.
    const late = openApi({}, { now: () => now - 120_000 });
    const path = "/api/sessions/ses_over/shares";
    const body = () => post({ ttlSeconds: 60 }, { "idempotency-key": "over" });
    const ended = await late.json<Share>(201, path, body());
    for (let n = 1; n < 20; n++) await late.json(201, path, post({ ttlSeconds: 60 }));
    expect(await api.json(200, path)).toEqual({ items: [] });
    expect(await verdictOf(await late.call(pathOf(ended), { who: null }))).toEqual([410, "gone"]);
    const gone = await api.call(`${path}/${ended.id}`, { method: "DELETE" });
    expect(await verdictOf(gone)).toEqual([404, "not_found"]);
    const anew = await api.json<Share>(201, path, body());
    expect(anew.id).not.toBe(ended.id);
    const { items } = await api.json<{ items: Share[] }>(200, path);
    expect(items.map(({ id }) => id)).toEqual([anew.id]);
  });

  test("is an address of the deployment's public URL, in the list too", async () => {
    await api.say("ses_public", "/say Hello.");
    const outside = openApi({ PUBLIC_URL: "https://public.example" }, { now: () => now });
    const path = "/api/sessions/ses_public/shares";
    const made = await outside.json<Share>(201, path, post({}));
    expect(made.url).toMatch(/^https:\/\/public\.example\/#\/shared\//);
    const { items } = await outside.json<{ items: Share[] }>(200, path);
    expect(items.map(({ url }) => url)).toEqual([made.url]);
  });

  test("of a session that was deleted shows nothing, also where another has its name", async () => {
    await api.say("ses_again", "/say Hello.");
    const one = await share("ses_again");
    expect((await api.call("/api/sessions/ses_again", { method: "DELETE" })).status).toBe(204);
    expect(await verdictOf(await look(pathOf(one)))).toEqual([410, "gone"]);
    await api.say("ses_again", "/say Another.");
    expect(await verdictOf(await look(pathOf(one)))).toEqual([410, "gone"]);
  });

  test("that is dead stays dead when the same request is sent again: taken back, or of a deleted session", async () => {
    const key = { "idempotency-key": "share-once" };
    const path = "/api/sessions/ses_key/shares";
    const make = (): Promise<Share> => api.json(201, path, post({}, key));
    await api.say("ses_key", "/say Hello.");
    const first = await make();
    expect((await make()).url).toBe(first.url);
    expect((await api.call(`${path}/${first.id}`, { method: "DELETE" })).status).toBe(204);
    const second = await make();
    expect(second.id).not.toBe(first.id);
    expect(await verdictOf(await look(pathOf(first)))).toEqual([410, "gone"]);
    expect((await shown(second)).items).toHaveLength(2);
    expect((await api.call("/api/sessions/ses_key", { method: "DELETE" })).status).toBe(204);
    await api.say("ses_key", "/say Another.");
    await make();
    expect(await verdictOf(await look(pathOf(first)))).toEqual([410, "gone"]);
    expect(await verdictOf(await look(pathOf(second)))).toEqual([410, "gone"]);
  });

  test("with a changed character is 404, and so is one that another secret signed", async () => {
    await api.say("ses_forged", "/say Hello.");
    const one = await share("ses_forged");
    const path = pathOf(one);
    for (const at of [10, path.indexOf("."), path.length - 2]) {
      const other = path[at] === "A" ? "B" : "A";
      expect((await look(path.slice(0, at) + other + path.slice(at + 1))).status).toBe(404);
    }
    const claims = { session: "ses_forged", id: one.id, expiresAt: now + DAY_MS };
    const forged = signShare("0".repeat(64), claims);
    expect(await verdictOf(await look(`/shared/${forged}`))).toEqual([404, "not_found"]);
    const secret = await env.DB.prepare("SELECT value FROM secrets WHERE name='share'").first<{
      value: string;
    }>();
    expect((await look(`/shared/${signShare(secret?.value ?? "", claims)}`)).status).toBe(200);
  });

  test("lasts up to thirty days, and is read so often in a minute, each link by itself", async () => {
    await api.say("ses_often_read", "/say Hello.");
    const month = await share("ses_often_read", { ttlSeconds: 30 * 86_400 });
    expect(Date.parse(month.expiresAt)).toBe(now + 30 * DAY_MS);
    const other = await share("ses_often_read");
    const few = openApi({ LIMITS: { requestsPerMinute: 2 } }, { now: () => now });
    const read = async (one: Share) => (await few.call(pathOf(one), { who: null })).status;
    expect([await read(month), await read(month), await read(month)]).toEqual([200, 200, 429]);
    expect(await read(other)).toBe(200);
    const before = now;
    now += 60_000;
    expect(await read(month)).toBe(200);
    now = before;
  });

  test("opens nothing else, and writes nothing", async () => {
    await api.say("ses_shut", "/say Hello.");
    const one = await share("ses_shut");
    const token = pathOf(one).slice("/shared/".length);
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ["/api/sessions/ses_shut", "/api/sessions/ses_shut/messages", `/a/${token}`])
      expect([401, 404]).toContain((await api.call(path, { who: null, headers })).status);
    expect((await api.call(pathOf(one), { ...post({ text: "Hi." }), who: null })).status).toBe(405);
  });

  test("is made once for one Idempotency-Key, and of as many as a session may have", async () => {
    await api.say("ses_many", "/say Hello.");
    const keyed = (body: object) =>
      api.call("/api/sessions/ses_many/shares", post(body, { "idempotency-key": "k1" }));
    const [first, again] = [await keyed({}), await keyed({})];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect((await again.json<Share>()).id).toBe((await first.json<Share>()).id);
    expect(await verdictOf(await keyed({ run: "ses_many.r1" }))).toEqual([409, "idempotency_conflict"]);
    for (let n = 1; n < 20; n++) await share("ses_many");
    const over = await api.call("/api/sessions/ses_many/shares", post({}));
    expect(await verdictOf(over)).toEqual([409, "too_many_links"]);
    for (const body of [{ ttlSeconds: 0 }, { ttlSeconds: 31 * 86_400 }, { scope: "send" }])
      expect((await api.call("/api/sessions/ses_many/shares", post(body))).status).toBe(400);
  });
});

describe("a fact that a person puts in", () => {
  const at = "/api/sessions/ses_put/memory/facts/";
  const put = (key: string, body: unknown) =>
    api.call(at + encodeURIComponent(key), { ...post(body), method: "PUT" });
  const facts = async () =>
    (await api.json<{ facts: { key: string; value: string }[] }>(200, "/api/sessions/ses_put/memory")).facts;

  test("is known to the agent, stands in the log with who said it, and once", async () => {
    await api.json(201, "/api/sessions", post({ id: "ses_put" }));
    const kept = await put("tone of voice / tone", { value: "Warm." });
    expect(await kept.json()).toEqual({ key: "tone of voice / tone", value: "Warm.", seq: 1 });
    expect(await (await put("tone of voice / tone", { value: "Warm." })).json()).toMatchObject({ seq: 1 });
    expect(await (await put("tone of voice / tone", { value: "Cool." })).json()).toMatchObject({ seq: 2 });
    const { items } = await api.json<{ items: object[] }>(200, "/api/sessions/ses_put/events");
    expect(items).toMatchObject(
      ["Warm.", "Cool."].map((value) => ({
        kind: "memory_changed",
        run: null,
        body: { by: "alice", facts: [{ op: "store", key: "tone of voice / tone", value }] },
      })),
    );
    await api.say("ses_put", '/call retrieve_memory {"key":"tone of voice / tone"}\n/then\n/say Done.');
    const { items: log } = await api.json<{ items: { kind: string }[] }>(200, "/api/sessions/ses_put/events");
    expect(JSON.stringify(log.find(({ kind }) => kind === "call_settled"))).toContain("Cool.");
  });

  test.each([
    [" ", { value: "x" }, 400],
    ["k".repeat(65), { value: "x" }, 400],
    ["tone", { value: "" }, 400],
    ["tone", { value: "ä".repeat(2_049) }, 400],
    ["tone", { value: 7 }, 400],
    ["tone", { value: "x", more: 1 }, 400],
    ["tone", ["x"], 400],
    ["../../ses_fact", { value: "x" }, 200],
    ["'; DROP TABLE facts;--", { value: "%00" }, 200],
  ])("under %j with %j is answered %i", async (key, body, status) => {
    const before = (await facts()).length;
    expect((await put(key, body)).status).toBe(status);
    expect((await facts()).length - before).toBe(status === 200 ? 1 : 0);
  });

  test("is refused once every key is in use, and those that are there can be changed", async () => {
    const free = 64 - (await facts()).length;
    for (let n = 0; n < free; n++) expect((await put(`key ${n}`, { value: "x" })).status).toBe(200);
    const full = await put("one more", { value: "x" });
    expect([full.status, (await full.json<{ error: { code: string } }>()).error.code]).toEqual([
      422,
      "memory_full",
    ]);
    expect((await put("key 0", { value: "y" })).status).toBe(200);
    expect(await facts()).toHaveLength(64);
  });
});

describe("a stored fact", () => {
  test("is forgotten by a person, who stands in the log; the agent knows it no more", async () => {
    await api.say(
      "ses_fact",
      '/call store_memory {"key":"tone of voice","value":"warm"}\n/call store_memory {"key":"colour","value":"green"}\n/then\n/say Noted.',
    );
    const at = "/api/sessions/ses_fact/memory?key=";
    const forget = async (key: string): Promise<number> =>
      (await api.call(at + encodeURIComponent(key), { method: "DELETE" })).status;
    expect(await forget("tone of voice")).toBe(204);
    const { facts } = await api.json<{ facts: { key: string }[] }>(200, "/api/sessions/ses_fact/memory");
    expect(facts.map(({ key }) => key)).toEqual(["colour"]);
    const { items } = await api.json<{ items: { kind: string; run: string | null; body: object }[] }>(
      200,
      "/api/sessions/ses_fact/events",
    );
    expect(items.at(-1)).toMatchObject({
      kind: "memory_changed",
      run: null,
      body: { by: "alice", facts: [{ op: "forget", key: "tone of voice" }] },
    });
    expect(await forget("tone of voice")).toBe(404);
    expect((await api.call("/api/sessions/ses_fact/memory", { method: "DELETE" })).status).toBe(400);
  });
});

/** As the page does it: over the socket of the session. */
async function clear(session: string): Promise<void> {
  const response = await api.call(`/agents/session/${session}`, { headers: { upgrade: "websocket" } });
  const socket = response.webSocket;
  if (socket === null) throw new Error(`no socket: ${response.status}`);
  socket.accept();
  socket.send(JSON.stringify({ type: "cf_agent_chat_clear" }));
  await expect
    .poll(async () => {
      const { items } = await api.json<{ items: { kind: string }[] }>(200, `/api/sessions/${session}/events`);
      return items.some(({ kind }) => kind === "session_cleared");
    })
    .toBe(true);
  socket.close();
}

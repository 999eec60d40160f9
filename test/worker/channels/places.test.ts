import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { Deps } from "../../../src/cairn/http/deps.ts";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import type { AppParts } from "./channel-routes.ts";
import { gated, openApi, type Api, type Person } from "../sessions/session-fixture.ts";
import { openChat, person } from "./chat.ts";

/** People who share a place, and commands that are repeated until they were carried out. */

let people = 0;
const somebody = (): string => `p-${(people += 1)}-${crypto.randomUUID().slice(0, 8)}`;

function open(parts: AppParts = {}) {
  const chat = openChat();
  const api = openApi({}, { channels: chat.channels, report: () => {}, ...parts });
  const hears = async (body: object): Promise<number> => {
    const init = { method: "POST", body: JSON.stringify(body), headers: { "x-secret": "right" }, who: null };
    return (await api.call("/channels/telegram", init)).status;
  };
  const last = (): string => chat.sent.at(-1)?.message.text ?? "";
  return { api, chat, hears, last };
}
const codeOf = async (api: Api, who: Person): Promise<string> =>
  (await api.json<{ code: string }>(201, "/api/links", { method: "POST", who })).code;

/** A chat of their own, in which somebody is linked as this person. */
async function linked({ api, hears }: ReturnType<typeof open>, who: Person, id = somebody()) {
  await hears(person(id).commands("link", await codeOf(api, who)));
  return { id, inGroup: (group: string) => person(id, group, { isGroup: true }) };
}
const sessionOf = async (place: string, subject: string): Promise<string> =>
  (await env.DB.prepare("SELECT session FROM channel_sessions WHERE place = ?1 AND subject = ?2")
    .bind(place, subject)
    .first<string>("session")) ?? "";
const ownerOf = async (api: Api, session: string, who: Person): Promise<number> =>
  (await api.call(`/api/sessions/${session}`, { who })).status;

test("two linked people in one group speak as themselves, each with a session of their own", async () => {
  const doors = open();
  const { api, hears, chat, last } = doors;
  const [ann, ben] = [await linked(doors, "alice"), await linked(doors, "bob")];
  const group = `g-${somebody()}`;
  chat.sent.length = 0;
  await hears(ann.inGroup(group).says("/say From Ann."));
  await hears(ben.inGroup(group).says("/say From Ben."));
  await hears(ann.inGroup(group).says("/say From Ann again."));
  expect(chat.sent.map(({ message }) => message.text)).toEqual([]);
  const [annas, bens] = [await sessionOf(group, "alice"), await sessionOf(group, "bob")];
  expect(annas).not.toBe(bens);
  expect([await ownerOf(api, annas, "alice"), await ownerOf(api, annas, "bob")]).toEqual([200, 404]);
  expect([await ownerOf(api, bens, "bob"), await ownerOf(api, bens, "alice")]).toEqual([200, 404]);
  const runs = await api.json<{ runCount: number }>(200, `/api/sessions/${annas}`);
  expect(runs.runCount).toBe(2);
  // A new conversation of one is none of the other.
  await hears(ben.inGroup(group).commands("new"));
  expect(await sessionOf(group, "alice")).toBe(annas);
  expect(await sessionOf(group, "bob")).not.toBe(bens);
  await hears(ben.inGroup(group).commands("stop"));
  expect(last()).toBe("Nothing is at work.");
});

describe("a group that becomes a supergroup goes on with its sessions", () => {
  const ids = (): { from: string; to: string } => {
    const n = Math.floor(Math.random() * 1e9);
    return { from: `-${n}`, to: `-100${n}` };
  };
  const runsOf = async (api: Api, session: string): Promise<number> =>
    (await api.json<{ runCount: number }>(200, `/api/sessions/${session}`)).runCount;

  test("whichever of its two reports comes, and however often", async () => {
    const doors = open();
    const { api, hears } = doors;
    const [ann, ben] = [await linked(doors, "alice"), await linked(doors, "bob")];
    const { from, to } = ids();
    await hears(ann.inGroup(from).says("/say One."));
    await hears(ben.inGroup(from).says("/say One of Ben."));
    const [annas, bens] = [await sessionOf(from, "alice"), await sessionOf(from, "bob")];
    const report = { kind: "moved", channel: "telegram", from, to, at: Date.now() };
    // A group that is upgraded leaves its old id, before or after it says so.
    const left = { ...ann.inGroup(from).says(""), kind: "shut" };
    for (const body of [left, report, left, report]) expect(await hears(body)).toBe(200);
    await hears(ann.inGroup(to).says("/say Two."));
    // Telegram brings late what was said before.
    await hears(ann.inGroup(from).says("/say Three."));
    expect([await sessionOf(to, "alice"), await sessionOf(to, "bob")]).toEqual([annas, bens]);
    expect([await sessionOf(from, "alice"), await runsOf(api, annas)]).toEqual(["", 3]);
    const blocked = "SELECT blocked_at FROM channel_places WHERE place = ?1";
    expect(await env.DB.prepare(blocked).bind(to).first<number>("blocked_at")).toBeNull();
    expect([await ownerOf(api, bens, "bob"), await ownerOf(api, bens, "alice")]).toEqual([200, 404]);
  });

  test("but never where others spoke before, and the operator learns of it", async () => {
    const report = vi.fn<Deps["report"]>();
    const doors = open({ report });
    const { hears } = doors;
    const [ann, ben] = [await linked(doors, "alice"), await linked(doors, "bob")];
    const { from, to } = ids();
    await hears(ann.inGroup(from).says("/say One."));
    await hears(ben.inGroup(to).says("/say Another group."));
    const before = [await sessionOf(from, "alice"), await sessionOf(to, "bob")];
    await hears({ kind: "moved", channel: "telegram", from, to, at: Date.now() + 3_600_000 });
    expect([await sessionOf(from, "alice"), await sessionOf(to, "bob")]).toEqual(before);
    expect(await sessionOf(to, "alice")).toBe("");
    expect(report.mock.calls.map(([error]) => String(error))).toEqual([
      `Error: telegram:${from} did not move to telegram:${to}, which is another place.`,
    ]);
  });

  test("and nobody who is not Telegram moves a group", async () => {
    const doors = open();
    const { api, hears } = doors;
    const ann = await linked(doors, "alice");
    const { from, to } = ids();
    await hears(ann.inGroup(from).says("/say One."));
    const body = JSON.stringify({ kind: "moved", channel: "telegram", from, to, at: Date.now() });
    const forged = { method: "POST", body, headers: { "x-secret": "wrong" }, who: null };
    expect((await api.call("/channels/telegram", forged)).status).toBe(401);
    expect(await sessionOf(from, "alice")).not.toBe("");
    expect(await sessionOf(to, "alice")).toBe("");
  });
});

test("a code that cannot be read whole in a group is void all the same", async () => {
  const report = vi.fn<Deps["report"]>();
  const { api, hears, last } = open({ report });
  const code = await codeOf(api, "alice");
  const fault = { code: "unknown", message: "Telegram gave no answer to getMe (502)." };
  expect(await hears({ kind: "posted", text: `/link@our_bot ${code}`, fault })).toBe(200);
  expect(report).toHaveBeenCalledTimes(1);
  await hears(person(somebody()).commands("link", code));
  expect(last()).toContain("That code is not one");
});

test("a chat that is linked anew works for its newly linked person, and for the one before when they come back", async () => {
  const doors = open();
  const { api, hears, chat } = doors;
  const { id } = await linked(doors, "alice");
  await hears(person(id).says("/say Of Alice."));
  const before = await sessionOf(id, "alice");
  await linked(doors, "bob", id);
  chat.sent.length = 0;
  await hears(person(id).says("/say Of Bob."));
  expect(chat.sent).toEqual([]);
  const bens = await sessionOf(id, "bob");
  expect([await ownerOf(api, bens, "bob"), await ownerOf(api, bens, "alice")]).toEqual([200, 404]);
  await linked(doors, "alice", id);
  await hears(person(id).says("/say Alice again."));
  expect(await sessionOf(id, "alice")).toBe(before);
  expect((await api.json<{ runCount: number }>(200, `/api/sessions/${before}`)).runCount).toBe(2);
});

test("a session whose name became somebody else's is replaced, and the message is not lost", async () => {
  const doors = open();
  const { api, hears, chat } = doors;
  const { id } = await linked(doors, "alice");
  await hears(person(id).says("/say First."));
  const session = await sessionOf(id, "alice");
  await vi.waitFor(
    async () => expect((await api.call(`/api/sessions/${session}`, { method: "DELETE" })).status).toBe(204),
    { timeout: 20_000 },
  );
  await api.call("/api/sessions", {
    method: "POST",
    who: "bob",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: session }),
  });
  chat.sent.length = 0;
  const message = person(id).says("/say Second.");
  expect([await hears(message), await hears(message)]).toEqual([200, 200]);
  expect(chat.sent).toEqual([]);
  const next = await sessionOf(id, "alice");
  expect(next).not.toBe(session);
  expect((await api.json<{ runCount: number }>(200, `/api/sessions/${next}`)).runCount).toBe(1);
});

test("the words and the stop of an admin never reach the session that has the name of their deleted one", async () => {
  const doors = open();
  const { api, hears, last } = doors;
  const { id } = await linked(doors, "root");
  const first = person(id).says("/say First.");
  await hears(first);
  const session = await sessionOf(id, "root");
  const remove = { method: "DELETE", who: "root" } as const;
  await vi.waitFor(
    async () => expect((await api.call(`/api/sessions/${session}`, remove)).status).toBe(204),
    { timeout: 20_000 },
  );
  const bob = { subject: "bob", scopes: ["read", "send"], via: "http" } as const;
  const sent = await sessionClient(env, session).send(bob, {
    id: "m1",
    parts: [{ type: "text", text: gated() }],
    mode: null,
    source: "api",
    request: null,
    ask: {},
  });
  expect(sent).toMatchObject({ ok: true });
  await hears(person(id).commands("stop"));
  expect(last()).toBe("Nothing is at work.");
  for (const message of [first, person(id).says("/say Second.")]) await hears(message);
  expect(await sessionOf(id, "root")).not.toBe(session);
  const events = await sessionClient(env, session).events(bob, 0, 200);
  const said = events.ok ? events.value.items.filter(({ kind }) => /^user_message$|cancel/.test(kind)) : [];
  expect(said).toMatchObject([{ kind: "user_message", body: { author: "bob" } }]);
});

describe("a file of an admin is stored only in the session that takes its words", () => {
  const file = { name: "notes.txt", type: "text/plain", size: 12 };
  const filesOf = async (session: string): Promise<number> =>
    (await env.MEDIA.list({ prefix: `uploads/${session}/` })).objects.length;
  /** A chat of an admin whose session was deleted. */
  async function deleted() {
    const doors = open();
    const { id } = await linked(doors, "root");
    await doors.hears(person(id).says("/say First."));
    const session = await sessionOf(id, "root");
    const remove = { method: "DELETE", who: "root" } as const;
    await vi.waitFor(
      async () => expect((await doors.api.call(`/api/sessions/${session}`, remove)).status).toBe(204),
      { timeout: 20_000 },
    );
    return { ...doors, id, session };
  }

  test("and no session is made in the name of a deleted one", async () => {
    const { api, hears, chat, id, session } = await deleted();
    chat.read.length = 0;
    await hears({ ...person(id).says("/say With a file."), files: [file] });
    const next = await sessionOf(id, "root");
    expect(next).not.toBe(session);
    expect((await api.call(`/api/sessions/${session}`, { who: "root" })).status).toBe(404);
    expect([await filesOf(session), await filesOf(next)]).toEqual([0, 1]);
    expect(chat.read).toEqual(["notes.txt"]);
  });

  test("and not in the session of somebody else that has the name now", async () => {
    const { api, hears, chat, id, session } = await deleted();
    await api.call("/api/sessions", {
      method: "POST",
      who: "bob",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: session }),
    });
    chat.read.length = 0;
    await hears({ ...person(id).says(""), files: [file] });
    const next = await sessionOf(id, "root");
    expect(next).not.toBe(session);
    expect([await filesOf(session), await filesOf(next)]).toEqual([0, 1]);
    expect(chat.read).toEqual(["notes.txt"]);
    const runs = await api.json<{ runCount: number }>(200, `/api/sessions/${session}`, { who: "bob" });
    expect(runs.runCount).toBe(0);
  });
});

test("a command whose server died before it was carried out is carried out by the next delivery, and once", async () => {
  let isDown = true;
  const stopped: string[] = [];
  const sessions: Deps["sessions"] = (id) => {
    const client = sessionClient(env, id);
    return {
      ...client,
      cancel: async (actor, command) => {
        if (isDown) throw new Error("the object was reset");
        stopped.push(command.id);
        return client.cancel(actor, command);
      },
    };
  };
  const doors = open({ sessions });
  const { hears, last } = doors;
  const { id } = await linked(doors, "alice");
  await hears(person(id).says("/say Hello."));
  const stop = person(id).commands("stop");
  expect(await hears(stop)).toBe(500);
  isDown = false;
  expect(await hears(stop)).toBe(200);
  expect(last()).toMatch(/^(?:Stopped|Nothing is at work)\.$/);
  expect(await hears(stop)).toBe(200);
  expect(stopped).toHaveLength(1);
});

/** Forgets that a delivery was carried out, as if the server had died right before it was written down. */
const forgetMarks = (): Promise<unknown> =>
  env.DB.prepare("DELETE FROM channel_deliveries WHERE session = ''").run();

test("a command that is carried out twice comes to the same as once", async () => {
  const doors = open();
  const { api, hears, last } = doors;
  const id = somebody();
  const link = person(id).commands("link", await codeOf(api, "alice"));
  await hears(link);
  await forgetMarks();
  await hears(link);
  expect(last()).toContain("You are linked as alice");
  const begin = person(id).commands("new");
  await hears(begin);
  const session = await sessionOf(id, "alice");
  await forgetMarks();
  await hears(begin);
  expect(await sessionOf(id, "alice")).toBe(session);
  // Somebody else's code makes no link again, and neither does a code after its link was ended.
  await hears(person(somebody()).commands("link", link.args));
  expect(last()).toContain("not one");
  await api.call(`/api/links/telegram/${id}`, { method: "DELETE" });
  await forgetMarks();
  await hears(link);
  expect(last()).toContain("not one");
});

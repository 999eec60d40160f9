import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { sessionClient, type SessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";

/** The command `notice`: a message about scheduled work of the site, from the cron trigger to the session that asked for it. */

const ada: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const scheduler: Actor = { subject: "system:schedule", scopes: [], via: "http" };
const text = "“About” was not published at 09:00: it was deleted.";

const api = (session: string): SessionClient => sessionClient(env, session);

async function log(session: string): Promise<readonly Entry[]> {
  const page = await api(session).events(ada, 0, 1_000);
  if (!page.ok) throw new Error(page.error.code);
  return page.value.items;
}

async function say(session: string, id: string): Promise<void> {
  const sent = await api(session).send(ada, {
    id,
    parts: [{ type: "text", text: "/say Hello." }],
    mode: null,
    source: "api",
    request: null,
    ask: {},
  });
  if (!sent.ok) throw new Error(sent.error.code);
  const run = await api(session).awaitRun(ada, sent.value.runId, 20_000);
  expect(run).toMatchObject({ ok: true, value: { outcome: "answered" } });
}

const notesOf = async (session: string): Promise<unknown[]> =>
  (await log(session)).flatMap(({ kind, body }) => (kind === "note" ? [body] : []));
const waiting = async (session: string): Promise<unknown[]> => {
  const page = await api(session).deliveries(ada, 10, null);
  if (!page.ok) throw new Error(page.error.code);
  return page.value.items.map(({ id, type, state }) => ({ id, type, state }));
};

test("a notice waits for the next message of the owner, and is in the log once, however often it is delivered", async () => {
  const session = "noticed";
  await say(session, "m1");
  const notice = { id: "due-1", text, createdBefore: Date.now() };
  for (let times = 0; times < 2; times += 1)
    expect(await api(session).notice(scheduler, notice)).toEqual({ ok: true, value: { stored: true } });
  expect(await waiting(session)).toEqual([{ id: "due-1", type: "note", state: "noted" }]);
  expect(await notesOf(session)).toEqual([]);
  await say(session, "m2");
  expect(await notesOf(session)).toMatchObject([{ text: expect.stringContaining(text) }]);
  // The cron pass died before it had deleted its row.
  expect(await api(session).notice(scheduler, notice)).toEqual({ ok: true, value: { stored: true } });
  await say(session, "m3");
  expect(await notesOf(session)).toHaveLength(1);
});

test("a notice is not taken by a session that does not exist, and creates none", async () => {
  const notice = { id: "due-1", text, createdBefore: Date.now() };
  expect(await api("unnoticed").notice(scheduler, notice)).toEqual({ ok: true, value: { stored: false } });
  expect(await api("unnoticed").view(ada)).toMatchObject({ ok: false, error: { code: "not_found" } });
});

test("a notice for a deleted session is not taken by the next session of the same name", async () => {
  const session = "noticed-again";
  await say(session, "m1");
  const createdBefore = Date.now();
  expect(await api(session).remove(ada)).toMatchObject({ ok: true });
  await expect.poll(() => Date.now()).toBeGreaterThan(createdBefore);
  await say(session, "m2");
  const notice = { id: "due-1", text, createdBefore };
  expect(await api(session).notice(scheduler, notice)).toEqual({ ok: true, value: { stored: false } });
  expect(await waiting(session)).toEqual([]);
});

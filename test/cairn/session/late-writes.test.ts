import { expect, test, vi } from "vitest";
import type { ChatCommand, SendCommand } from "../../../src/cairn/session/api/session-api.ts";
import { PLAIN_AGENTS, PLAIN_FILES } from "../../fixtures/agents.ts";
import { LiveSession } from "./sockets/session-fixture.ts";

/** Commands that wait between their admission and their write, while the name gets another owner. */

const UPLOAD = "/uploads/f_000000000000000000000000";
const message = (id: string, text: string): SendCommand => ({
  id,
  parts: [
    { type: "text", text },
    { type: "file", mediaType: "text/plain", url: UPLOAD },
  ],
  mode: null,
  source: "web",
  request: null,
  ask: {},
});
const body = (sent: SendCommand): ChatCommand => ({ decisions: [], answers: [], message: sent });
const rights = ["read", "send", "approve"] as const;

/** Replaces one function by one that waits until the test opens it, and answers what the first would. */
function gate<Name extends string>(
  holder: { [Key in Name]: (...args: never[]) => Promise<unknown> },
  name: Name,
): { reached: Promise<void>; open: () => void } {
  const inside = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const before = holder[name];
  vi.spyOn(holder as Record<string, (...args: never[]) => Promise<unknown>>, name).mockImplementationOnce(
    async (...args) => {
      inside.resolve();
      await opened.promise;
      return before(...args);
    },
  );
  return { reached: inside.promise, open: opened.resolve };
}

function twoPeople() {
  const session = new LiveSession([{ text: "One." }, { text: "Two." }]);
  const ann = session.actor(rights);
  const bob = session.actor(rights, "bob");
  /** Ann deletes her session, and Bob writes the first message of the next one. */
  const handOver = async (): Promise<void> => {
    await session.api.remove(ann);
    session.now += 1_000;
    expect(await session.api.send(bob, message("b1", "Bob's own words"))).toMatchObject({ ok: true });
  };
  const words = () =>
    session.store
      .entriesAfter(0, 100)
      .flatMap((entry) => (entry.kind === "user_message" ? [[entry.body.author, entry.body.id]] : []));
  return { session, ann, bob, handOver, words };
}

test("of two people who send the first message of one name, the second to be written is refused", async () => {
  const { session, ann, bob, words } = twoPeople();
  const [first, second] = await Promise.all([
    session.api.send(ann, message("a1", "Ann's plan")),
    session.api.send(bob, message("b1", "Bob's words")),
  ]);
  expect(first).toMatchObject({ ok: true });
  expect(second).toMatchObject({ ok: false, error: { code: "id_taken" } });
  expect(words()).toEqual([["ann", "a1"]]);
});

test("two first messages of one person are both taken", async () => {
  const { session, ann, words } = twoPeople();
  const both = await Promise.all([
    session.api.send(ann, message("a1", "The first")),
    session.api.send(ann, message("a2", "The second")),
  ]);
  expect(both).toMatchObject([{ ok: true }, { ok: true }]);
  expect(words()).toEqual([
    ["ann", "a1"],
    ["ann", "a2"],
  ]);
});

test.each<[string, (session: LiveSession) => Promise<unknown>, string]>([
  ["a message", (s) => s.api.send(s.actor(rights), message("late", "Ann's plan")), "id_taken"],
  ["a chat body", (s) => s.api.submit(s.actor(rights), body(message("late", "Ann's plan"))), "id_taken"],
  [
    "words for the live run",
    (s) => s.api.steer(s.actor(rights), { id: "late", parts: message("late", "Ann's plan").parts }),
    "id_taken",
  ],
])("%s that waits for its files does not enter the next session of the name", async (_, ask, code) => {
  const { session, ann, handOver, words } = twoPeople();
  await session.api.send(ann, message("a1", "Ann's first words"));
  const files = gate(PLAIN_FILES, "identify");
  const late = ask(session);
  await files.reached;
  await handOver();
  files.open();
  expect(await late).toMatchObject({ ok: false, error: { code } });
  expect(words()).toEqual([["bob", "b1"]]);
});

test("a message that waits for its files does not revive a deleted session", async () => {
  const { session, ann } = twoPeople();
  await session.api.send(ann, message("a1", "Ann's first words"));
  const files = gate(PLAIN_FILES, "identify");
  const late = session.api.send(ann, message("late", "Ann's plan"));
  await files.reached;
  await session.api.remove(ann);
  files.open();
  expect(await late).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect(session.store.loadMeta()).toBeNull();
});

test("a stranger's chat body reads no approval of the session that took the name", async () => {
  const session = new LiveSession([{ calls: [["publish", { name: "about" }]] }, { text: "Published." }]);
  const bob = session.actor(rights, "bob");
  const files = gate(PLAIN_FILES, "identify");
  const decisions = [{ approval: "r1s1c0a1", approved: false, reason: null, digest: null }];
  const late = session.api.submit(bob, { ...body(message("late", "Bob's words")), decisions });
  await files.reached;
  await session.say("Publish the page", "a1");
  await session.settle();
  await session.api.decide(session.actor(), {
    approval: "r1s1c0a1",
    decision: "approve",
    args: null,
    reason: null,
    digest: null,
  });
  files.open();
  expect(await late).toEqual({ ok: false, error: expect.objectContaining({ code: "id_taken" }) });
});

test("an answer is not made again in the next session of the name", async () => {
  const { session, ann, handOver } = twoPeople();
  await session.api.send(ann, message("a1", "Ann's first words"));
  await session.settle();
  const agents = gate(PLAIN_AGENTS, "load");
  const late = session.api.regenerate(ann, { id: "g1", message: null, request: null });
  await agents.reached;
  await handOver();
  await session.settle();
  agents.open();
  expect(await late).toMatchObject({ ok: false, error: { code: "id_taken" } });
  expect(session.state.runs).toBe(1);
});

test("a change of an agent does not reach the next session of the name", async () => {
  const { session, ann, handOver } = twoPeople();
  await session.api.send(ann, message("a1", "Ann's first words"));
  const agents = gate(PLAIN_AGENTS, "load");
  const late = session.api.change(ann, { ifVersion: null, title: "Ann's title", agent: "default" });
  await agents.reached;
  await handOver();
  agents.open();
  expect(await late).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect(session.store.loadMeta()).toMatchObject({ owner: "bob", title: "Bob's own words", version: 1 });
});

test("a schedule that waits for its agent does not make a deleted session anew", async () => {
  const { session, ann } = twoPeople();
  await session.api.send(ann, message("a1", "Ann's first words"));
  const agents = gate(PLAIN_AGENTS, "load");
  const late = session.api.schedule(ann, {
    id: "s1",
    text: "Site overview",
    agent: "default",
    timing: { everyMs: 3_600_000 },
    catchUp: "once",
    digest: "d1",
  });
  await agents.reached;
  await session.api.remove(ann);
  agents.open();
  expect(await late).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect(session.store.loadMeta()).toBeNull();
});

test("creating a session leaves one that another person has made meanwhile", async () => {
  const { session, ann, bob } = twoPeople();
  const agents = gate(PLAIN_AGENTS, "load");
  const late = session.api.create(ann, {
    title: "Ann's title",
    model: null,
    agent: "default",
    targets: null,
    metadata: {},
    idempotency: null,
  });
  await agents.reached;
  await session.api.send(bob, message("b1", "Bob's own words"));
  agents.open();
  expect(await late).toMatchObject({ ok: false, error: { code: "id_taken" } });
  expect(session.store.loadMeta()).toMatchObject({ owner: "bob", title: "Bob's own words" });
});

test("a second deletion leaves the session that took the name after the first", async () => {
  const { session, ann, bob, words } = twoPeople();
  await session.api.send(ann, message("a1", "Ann's first words"));
  const files = gate(PLAIN_FILES, "drop");
  const slow = session.api.remove(ann);
  await files.reached;
  await session.api.remove(ann);
  session.now += 1_000;
  await session.api.send(bob, message("b1", "Bob's own words"));
  files.open();
  expect(await slow).toEqual({ ok: true, value: null });
  expect(session.store.loadMeta()).toMatchObject({ owner: "bob" });
  expect(words()).toEqual([["bob", "b1"]]);
});

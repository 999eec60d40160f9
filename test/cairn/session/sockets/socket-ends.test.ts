import { describe, expect, test } from "vitest";
import { LiveSession, RawClient } from "./session-fixture.ts";

/** Rights end, and sockets with them: at the next frame, whatever it asks. */

const HOUR_MS = 3_600_000;
const subscribe = { type: "cairn:subscribe", eventId: "e1", after: 0 };

async function begun(grants: readonly string[] = []): Promise<LiveSession> {
  const session = new LiveSession([{ text: "One." }, { text: "Two." }]);
  session.grants = grants;
  session.boot();
  await session.say("hello", "m1");
  await session.settle();
  return session;
}

describe("a token that has ended", () => {
  test("hears nothing more, and closes its socket with 4401 at the next frame", async () => {
    const session = await begun();
    const actor = { ...session.actor(), expiresAt: session.now + HOUR_MS };
    const client = await RawClient.connect(session, actor);
    await client.send(subscribe);
    session.now += HOUR_MS - 1;
    await client.send({ ...subscribe, eventId: "e2" });
    expect([client.closed, client.ofType("cairn:ack").length]).toEqual([null, 2]);
    client.take();
    session.now += 1;
    await session.say("again", "m2");
    await session.settle();
    expect(client.take()).toEqual([]);
    await client.send({ ...subscribe, eventId: "e3" });
    expect([client.closed, client.frames]).toEqual([4401, []]);
  });
});

describe("a token that was taken out of AUTH_TOKENS", () => {
  test("closes its socket with 4401 at the next frame, and no other one", async () => {
    const session = await begun(["of-ann", "of-bob"]);
    const gone = await RawClient.connect(session, { ...session.actor(), grant: "of-ann" });
    const stays = await RawClient.connect(session, { ...session.actor(), grant: "of-bob" });
    const anonymous = await RawClient.connect(session);
    session.grants = ["of-bob"];
    session.boot();
    for (const client of [gone, stays, anonymous]) await client.send(subscribe);
    expect([gone.closed, stays.closed, anonymous.closed]).toEqual([4401, null, null]);
    expect(gone.ofType("cairn:ack")).toEqual([]);
    expect(stays.ofType("cairn:ack").length).toBe(1);
  });

  test("is not held against a socket whose token the session never knew: it may be the newer one", async () => {
    const session = await begun(["of-bob"]);
    const client = await RawClient.connect(session, { ...session.actor(), grant: "brand-new" });
    await client.send(subscribe);
    expect(client.closed).toBeNull();
    // Another isolate with the same list knows no more.
    session.boot();
    await client.send({ ...subscribe, eventId: "e2" });
    expect(client.closed).toBeNull();
  });

  test("closes a socket that was opened before the session knew it", async () => {
    const session = await begun(["of-bob"]);
    const client = await RawClient.connect(session, { ...session.actor(), grant: "brand-new" });
    session.grants = ["of-bob", "of-eve"];
    session.boot();
    await client.send(subscribe);
    expect(client.closed).toBe(4401);
  });
});

describe("a token with fewer scopes", () => {
  test("does no more over both protocols of its open socket, and still reads", async () => {
    const session = await begun(["of-ann"]);
    const client = await RawClient.connect(session, { ...session.actor(), grant: "of-ann" });
    session.grants = ["of-ann read"];
    session.boot();
    client.take();
    await client.send({ type: "cairn:send", eventId: "e1", text: "Do it" });
    const body = JSON.stringify({
      messages: [{ id: "m9", role: "user", parts: [{ type: "text", text: "Do it" }] }],
    });
    await client.send({ type: "cf_agent_use_chat_request", id: "q1", init: { method: "POST", body } });
    await client.send(subscribe);
    await session.settle();
    expect(client.closed).toBeNull();
    const acks = client.ofType("cairn:ack") as unknown as { ok: boolean }[];
    expect(acks.map(({ ok }) => ok)).toEqual([false, true]);
    const said = session.store.entriesAfter(0, 500).filter(({ kind }) => kind === "user_message");
    expect(said).toHaveLength(1);
  });

  test("is heard no more once it may not read, and no entry reaches its socket", async () => {
    const session = await begun(["of-ann"]);
    const client = await RawClient.connect(session, { ...session.actor(), grant: "of-ann" });
    await client.send(subscribe);
    session.grants = ["of-ann send"];
    session.boot();
    client.take();
    await session.say("again", "m2");
    await session.settle();
    expect(client.take()).toEqual([]);
  });
});

describe("a socket that is older than socketMaxAgeMs", () => {
  test("is closed with 4408 at its next frame", async () => {
    const session = await begun();
    session.socketMaxAgeMs = HOUR_MS;
    session.boot();
    const client = await RawClient.connect(session);
    session.now += HOUR_MS - 1;
    await client.send(subscribe);
    expect(client.closed).toBeNull();
    session.now += 1;
    await client.send({ ...subscribe, eventId: "e2" });
    expect(client.closed).toBe(4408);
  });

  test("is closed with 4408 at the next wake, and a younger one is not", async () => {
    const session = await begun();
    session.socketMaxAgeMs = HOUR_MS;
    session.boot();
    const old = await RawClient.connect(session);
    session.now += HOUR_MS / 2;
    const young = await RawClient.connect(session);
    session.now += HOUR_MS / 2;
    session.boot();
    expect([old.closed, young.closed]).toEqual([4408, null]);
    expect(young.ofType("cairn:head").length).toBe(1);
  });
});

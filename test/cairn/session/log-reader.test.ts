import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { readFileSync } from "node:fs";
import path from "node:path";
import { safeValidateUIMessages } from "ai";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { PromptMessage, PromptPart } from "../../../src/cairn/core/log/model.ts";
import {
  PAGE_BYTES_MAX,
  loadEvents,
  loadMessages,
  loadRun,
} from "../../../src/cairn/session/api/log-reader.ts";
import { loadFiles } from "../../../src/cairn/session/engine/files.ts";
import { userMessage } from "../../../src/cairn/protocol/stream/messages.ts";
import { LiveSession, RawClient, SESSION, type Line } from "./sockets/session-fixture.ts";

/** How much of the log is read for those who watch, and how large it may get. */

const GATED: readonly Line[] = [{ calls: [["publish", { name: "about" }]] }, { text: "Published." }];

/** Counts the entries that the session reads from now on. */
function countEntries(session: LiveSession): { entries: number } {
  const count = { entries: 0 };
  for (const name of ["entriesAfter", "entriesBefore", "entriesBetween"] as const) {
    const read = session.store[name].bind(session.store);
    session.store[name] = (from, to) => {
      const entries = read(from, to);
      count.entries += entries.length;
      return entries;
    };
  }
  return count;
}

/** A session whose log has so many entries before anything is said. */
function openAfter(entries: number, script: readonly Line[] = []): LiveSession {
  const session = new LiveSession(script);
  session.service.admitOrCreate(session.actor());
  const body = { code: "old", text: "long ago" };
  session.engine.record((tx) =>
    tx.append(
      Array.from({ length: entries }, () => ({ kind: "note", run: null, step: null, body }) as const),
    ),
  );
  return session;
}

const log = (session: LiveSession): Entry[] => session.store.entriesAfter(0, 100_000);
const bytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;
const image = (size: number): PromptPart => ({
  type: "file",
  mediaType: "image/png",
  url: `data:image/png;base64,${"A".repeat(size)}`,
});

function send(session: LiveSession, id: string, parts: readonly PromptPart[]) {
  const command = { id, parts, mode: null, source: "api", request: null, ask: {} } as const;
  return session.api.send(session.actor(), command);
}

describe("what is read of a long log", () => {
  it("is the same for a message, its run, an approval and a resume, however much came before", async () => {
    const readAt = async (history: number): Promise<Record<string, number>> => {
      const session = openAfter(history, GATED);
      const client = await RawClient.connect(session);
      await client.send({ type: "cairn:resume", eventId: "e0" });
      const stream = new Request(`https://session/stream/events?after=${session.state.head}`);
      await session.hub.streams.fetchStream(stream, session.actor());
      const count = countEntries(session);
      const read: Record<string, number> = {};
      const measure = async (what: string, act: () => Promise<unknown>): Promise<void> => {
        count.entries = 0;
        await act();
        read[what] = count.entries;
      };
      await measure("message", () => session.say("publish it", "m1"));
      await measure("wait", () => session.settle());
      await measure("approval", () => session.api.approval(session.actor(), "r1s1c0a1"));
      session.boot();
      await measure("resume", () =>
        client.send({ type: "cairn:resume", eventId: "e1", runId: "ses_demo.r1" }),
      );
      expect(client.ofType("cairn:chunk").length).toBeGreaterThan(10);
      return read;
    };
    const short = await readAt(10);
    expect(await readAt(4_000)).toEqual(short);
    expect(short["message"]).toBeLessThan(10);
  });

  it("is nothing for a run that never was", async () => {
    const session = openAfter(4_000);
    const client = await RawClient.connect(session);
    await session.say("hi", "m1");
    const count = countEntries(session);
    const missing = await session.api.approval(session.actor(), "r9s1c0a1");
    expect(missing).toMatchObject({ ok: false, error: { status: 404 } });
    await client.send({ type: "cairn:resume", eventId: "e1", runId: "ses_demo.r9" });
    expect(client.frames.at(-1)).toMatchObject({ ok: false, error: { code: "not_found" } });
    const stream = new Request("https://session/stream/run?run=ses_demo.r9");
    expect((await session.hub.streams.fetchStream(stream, session.actor()))?.status).toBe(404);
    expect(count.entries).toBe(0);
  });

  it("is the run and no row more, while it waits in the queue, works, and has ended", async () => {
    const answers = Array.from({ length: 9 }, (_, n) => ({ text: `Answer ${n}.` }));
    const session = openAfter(600, [...GATED, ...answers]);
    const expected = (run: string, upTo: number) =>
      log(session).filter((entry) => entry.run === run && entry.kind !== "user_message" && entry.seq <= upTo);
    for (let n = 1; n <= 10; n += 1) await session.say(`message ${n}`, `m${n}`);
    const check = (runs: readonly string[]): void => {
      const { state, store } = session;
      for (const run of runs) {
        expect(loadRun(store, state, run)).toEqual(expected(run, state.head));
        for (let upTo = state.head; upTo > state.head - 5; upTo -= 1)
          expect(loadRun(store, state, run, upTo)).toEqual(expected(run, upTo));
      }
    };
    await session.settle();
    expect(session.state.run?.phase.at).toBe("waiting_approval");
    check(["r1", "r2", "r10"]);
    const decision = { decision: "approve", args: null, reason: null, digest: null } as const;
    await session.api.decide(session.actor(), { approval: "r1s1c0a1", ...decision });
    await session.settle();
    expect(session.state.ended.map(({ run }) => run)).not.toContain("r1");
    check(Array.from({ length: 10 }, (_, n) => `r${n + 1}`));
    const count = countEntries(session);
    const entries = loadRun(session.store, session.state, "r10");
    expect(count.entries).toBeLessThan(entries.length + 20);
    expect(loadRun(session.store, session.state, "r11")).toEqual([]);
  });

  it("finds a run that was cancelled in the queue", async () => {
    const session = openAfter(0, GATED);
    await session.say("publish", "m1");
    await session.say("wait", "m2");
    await session.settle();
    await session.api.cancel(session.actor(), {
      id: "c1",
      runId: "ses_demo.r2",
      all: false,
      reason: null,
    });
    const entries = loadRun(session.store, session.state, "r2").map(({ kind }) => kind);
    expect(entries).toEqual(["run_queued", "command_queued", "answer", "run_ended"]);
  });
});

describe("pages", () => {
  it("of rows end with their bytes, and say that there is more", async () => {
    const session = openAfter(0);
    const text = "é".repeat(30_000);
    for (let n = 0; n < 60; n += 1) {
      await session.say(text, `m${n}`);
      await session.api.cancel(session.actor(), { id: `c${n}`, runId: null, all: true, reason: null });
    }
    const all = log(session);
    const read: Entry[] = [];
    for (let more = true; more;) {
      const page = await session.api.events(session.actor(), read.at(-1)?.seq ?? 0, 1_000);
      if (!page.ok) throw new Error(page.error.code);
      expect(bytes(page.value.items)).toBeLessThan(PAGE_BYTES_MAX + 10_000);
      expect(page.value.items.length).toBeGreaterThan(0);
      read.push(...page.value.items);
      more = page.value.more;
    }
    expect(read).toEqual(all);
    expect(loadEvents(session.store, 0, 1_000, 1)).toEqual(all.slice(0, 1));
  });

  it("of messages hold the newest that fit, and go on before the oldest of them", async () => {
    const session = openAfter(0);
    const text = "x".repeat(60_000);
    for (let n = 0; n < 60; n += 1) {
      await session.say(`${n} ${text}`, `m${n}`);
      await session.api.cancel(session.actor(), { id: `c${n}`, runId: null, all: true, reason: null });
    }
    const client = await RawClient.connect(session);
    const list = client.ofType("cf_agent_chat_messages")[0];
    expect(bytes(list)).toBeLessThan(PAGE_BYTES_MAX + 1_000);
    expect(JSON.stringify(list)).toContain('"59 x');
    const ids: string[] = [];
    for (let before: string | null = null, more = true; more; before = ids[0] ?? null) {
      const page = loadMessages(session.store, SESSION, 0, 1_000, before);
      expect(bytes(page.items)).toBeLessThan(PAGE_BYTES_MAX + 1_000);
      ids.unshift(...page.items.map(({ id }) => id));
      more = page.more;
    }
    expect(ids).toEqual(Array.from({ length: 60 }, (_, n) => [`m${n}`, `ses_demo.r${n + 1}`]).flat());
  });

  it("give a message that joined a run and got one of its own whole, wherever they begin", async () => {
    const session = openAfter(0, GATED);
    await session.say("publish", "m1");
    await session.settle();
    const join = { mode: "join", source: "api", request: null, ask: {} } as const;
    const parts = [{ type: "text", text: "and the team page" }] as const;
    await session.api.send(session.actor(), { id: "m2", parts, ...join });
    const said = session.state.head;
    const { run } = session.state;
    if (run === null) throw new Error("no run");
    const { actor, source, model, fallbacks, temperature, role } = run.request;
    const client = await RawClient.connect(session);
    const queued = {
      actor,
      source,
      model,
      fallbacks,
      limits: run.limits,
      temperature,
      role,
      spec: PLAIN_SPEC,
    };
    const body = { message: "m2", inputSeq: said, request: null, ...queued };
    const note = { kind: "note", run: null, step: null, body: { code: "x", text: "between" } } as const;
    session.engine.record((tx) => {
      tx.append(Array.from({ length: 255 }, () => note));
      tx.append([{ kind: "run_queued", run: "r2", step: null, body }]);
    });
    expect(client.ofType("cairn:queue").at(-1)).toMatchObject({
      queue: [{ runId: "ses_demo.r2", messageId: "m2", text: "and the team page" }],
    });
    const ids = (limit: number) => loadMessages(session.store, SESSION, 0, limit).items.map(({ id }) => id);
    expect(ids(10)).toEqual(["m1", "ses_demo.r1", "m2"]);
    expect(ids(1)).toEqual(["m2"]);
    expect(loadRun(session.store, session.state, "r2").map(({ kind }) => kind)).toEqual(["run_queued"]);
  });
});

describe("files of a message", () => {
  const NEWEST = 900_000;

  it("are kept apart when they are large, and read back for the model and the list", async () => {
    const session = openAfter(0);
    const parts = [{ type: "text", text: "look" }, image(60_000), image(60_000), image(NEWEST)] as const;
    await send(session, "m1", parts);
    const entry = log(session)[0];
    if (entry?.kind !== "user_message") throw new Error("no message");
    expect(
      entry.body.parts.map((part) => (part.type === "file" ? [part.bytes, part.url.length] : null)),
    ).toEqual([null, [undefined, 60_022], [60_022, 9], [900_022, 9]]);
    expect(bytes(entry)).toBeLessThan(262_144);
    const asked: PromptMessage[] = [{ role: "user", parts: entry.body.parts }];
    expect(loadFiles(session.store, asked)).toEqual([{ role: "user", parts }]);
    const page = await session.api.messages(session.actor(), 10, null);
    expect(page.ok && page.value.items).toMatchObject([{ id: "m1", parts }]);
    const again = await send(session, "m1", parts);
    expect(again).toMatchObject({ ok: true, value: { duplicate: true } });
  });

  it("reach the model whole in the call that answers them", async () => {
    const session = openAfter(0, [{ text: "A picture." }]);
    const seen: PromptMessage[] = [];
    session.onRequest = (request) => seen.push(...request.messages);
    await send(session, "m1", [image(NEWEST)]);
    await session.settle();
    expect(seen[0]).toEqual({ role: "user", parts: [image(NEWEST)] });
  });

  it("are shown with the newest messages, and without their bytes where a page is full", async () => {
    const session = openAfter(0);
    for (let n = 0; n < 60; n += 1) {
      await send(session, `m${n}`, [{ type: "text", text: `picture ${n}` }, image(NEWEST)]);
      await session.api.cancel(session.actor(), { id: `c${n}`, runId: null, all: true, reason: null });
    }
    const client = await RawClient.connect(session);
    const frame = client.ofType("cf_agent_chat_messages")[0];
    expect(bytes(frame)).toBeLessThan(PAGE_BYTES_MAX);
    const messages = loadMessages(session.store, SESSION, 0, 200).items;
    expect(frame?.["messages"]).toEqual(messages);
    expect((await safeValidateUIMessages({ messages })).success).toBe(true);
    const files = messages.flatMap(({ parts }) => parts.filter((part) => part["type"] === "file"));
    expect(files).toHaveLength(60);
    expect(files.at(-1)).toEqual(image(NEWEST));
    expect(files[0]).toEqual({
      type: "file",
      mediaType: "image/png",
      url: "data:image/png,",
      providerMetadata: { cairn: { bytes: 900_022 } },
    });
  });

  it("fill a prompt only so far, the newest first; the model is told of the others", async () => {
    const session = openAfter(0);
    for (let n = 0; n < 6; n += 1) await send(session, `m${n}`, [image(NEWEST)]);
    const asked = log(session).flatMap((entry): PromptMessage[] =>
      entry.kind === "user_message" ? [{ role: "user", parts: entry.body.parts }] : [],
    );
    const urls = loadFiles(session.store, asked).flatMap((message) =>
      message.role === "user"
        ? message.parts.map((part) => (part.type === "file" ? part.url.slice(0, 5) : ""))
        : [],
    );
    expect(urls).toEqual(["blob:", "blob:", "data:", "data:", "data:", "data:"]);
  });

  it("of a refused message are not kept", async () => {
    const session = openAfter(0);
    for (let n = 0; n < 20; n += 1) await session.say("x", `m${n}`);
    expect(await send(session, "m20", [image(NEWEST)])).toMatchObject({ ok: false });
    expect(session.store.loadBlob("blob:m20/0")).toBeNull();
  });

  it("stand in the log as the first version wrote them", () => {
    const file = path.join(import.meta.dirname, "../../fixtures/persisted/v1-kept-file.json");
    const entry = JSON.parse(readFileSync(file, "utf8")) as Entry<"user_message">;
    const kept = new Map([["blob:m1/1", "data:image/png;base64,AAAA"]]);
    const loadBlob = (ref: string): string | null => kept.get(ref) ?? null;
    const file1 = { type: "file", mediaType: "image/png", url: "data:image/png;base64,AAAA" };
    expect(loadFiles({ loadBlob }, [{ role: "user", parts: entry.body.parts }])).toEqual([
      { role: "user", parts: [{ type: "text", text: "What is this?" }, file1] },
    ]);
    expect(userMessage(entry).parts[1]).toMatchObject({ providerMetadata: { cairn: { bytes: 90_022 } } });
  });
});

describe("who subscribes to a long log", () => {
  const seqs = (client: RawClient): number[] =>
    client.ofType("cairn:event").map(({ event }) => (event as { seq: number }).seq);
  const upTo = (head: number, from = 1): number[] =>
    Array.from({ length: head - from + 1 }, (_, index) => from + index);

  it("is given all of it, however many pages that takes, and then each row that comes, once", async () => {
    const session = openAfter(450, [{ text: "Hello." }]);
    const client = await RawClient.connect(session);
    await client.send({ type: "cairn:subscribe", eventId: "e1", after: 0 });
    expect(seqs(client)).toEqual(upTo(450));
    await session.say("hello", "m1");
    await session.settle();
    expect(seqs(client)).toEqual(upTo(session.state.head));
    await client.send({ type: "cairn:unsubscribe", eventId: "e2" });
    await session.say("hello again", "m2");
    expect(seqs(client).at(-1)).toBe(session.state.head - 2);
  });

  it("is given all of a log of large rows, whose pages hold few", async () => {
    const session = openAfter(0);
    for (let n = 0; n < 20; n++) await send(session, `m${n}`, [{ type: "text", text: "x".repeat(60_000) }]);
    await session.api.cancel(session.actor(), { id: "stop", runId: null, all: true, reason: null });
    const client = await RawClient.connect(session);
    await client.send({ type: "cairn:subscribe", eventId: "e1", after: 1 });
    expect(seqs(client)).toEqual(upTo(session.state.head, 2));
  });
});

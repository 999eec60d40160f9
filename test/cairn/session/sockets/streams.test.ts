import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { describe, expect, it, vi } from "vitest";
import type { Actor } from "../../../../src/cairn/session/api/session-api.ts";
import { LiveSession, type Line } from "./session-fixture.ts";

const SCRIPT: readonly Line[] = [
  { text: "I ask you.", calls: [["publish", { name: "about" }]] },
  { text: "The page is public now." },
];

interface Sent {
  readonly id: string | null;
  readonly data: string;
}

/** Reads a stream of server-sent events as it comes. */
class Reader {
  text = "";
  done = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(response: Response) {
    if (response.body === null) throw new Error("no body");
    this.#reader = response.body.getReader();
  }

  /** Reads until the stream ends, or has nothing more for now. */
  async readAll(): Promise<this> {
    const decoder = new TextDecoder();
    for (;;) {
      const nothing = new Promise<null>((resolve) => setImmediate(() => setImmediate(() => resolve(null))));
      const read = this.#pending ?? this.#reader.read();
      const result = await Promise.race([read, nothing]);
      this.#pending = result === null ? read : null;
      if (result === null) return this;
      if (result.done) {
        this.done = true;
        return this;
      }
      this.text += decoder.decode(result.value, { stream: true });
    }
  }
  #pending: Promise<ReadableStreamReadResult<Uint8Array>> | null = null;

  get events(): Sent[] {
    return this.text
      .split("\n\n")
      .filter((block) => /^(id|data):/m.test(block))
      .map((block) => ({
        id: /^id: (.*)$/m.exec(block)?.[1] ?? null,
        data: /^data: (.*)$/m.exec(block)?.[1] ?? "",
      }));
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

function open(script: readonly Line[] = SCRIPT) {
  const session = new LiveSession(script);
  session.service.admitOrCreate(session.actor());
  const stream = async (
    query: string,
    headers: Record<string, string> = {},
    actor: Actor = session.actor(),
  ): Promise<Response> => {
    const request = new Request(`https://session/stream/${query}`, { headers });
    const response = await session.hub.streams.fetchStream(request, actor);
    if (response === null) throw new Error("not a stream");
    return response;
  };
  return { session, stream };
}

const seqs = (reader: Reader): number[] => reader.events.map(({ id }) => Number(id));
const upTo = (head: number, from = 1): number[] =>
  Array.from({ length: head - from + 1 }, (_, index) => from + index);

async function messageOf(events: readonly Sent[], before?: UIMessage): Promise<UIMessage | undefined> {
  const source = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const { data } of events) if (data !== "[DONE]") controller.enqueue(JSON.parse(data));
      controller.close();
    },
  });
  let last = before;
  for await (const state of readUIMessageStream({ stream: source, ...(before ? { message: before } : {}) }))
    last = state;
  return last;
}

describe("the stream of events", () => {
  it("sends what is there and what comes, each row once, and goes on after a wait", async () => {
    const { session, stream } = open();
    await session.say("publish", "m1");
    const reader = new Reader(await stream("events?after=0"));
    await reader.readAll();
    expect(seqs(reader)).toEqual([1, 2]);
    expect(reader.text.startsWith("retry: 2000\n\nid: 1\ndata: {")).toBe(true);
    await session.settle();
    await reader.readAll();
    expect(seqs(reader)).toEqual(upTo(session.state.head));
    expect(reader.done).toBe(false);
  });

  it("ends when nothing is live or queued, and begins after Last-Event-ID", async () => {
    const { session, stream } = open([{ text: "Hi." }]);
    await session.say("hello", "m1");
    const live = new Reader(await stream("events?until=idle"));
    await session.settle();
    await live.readAll();
    expect(live.done).toBe(true);
    const { head } = session.state;
    expect(seqs(live)).toEqual(upTo(head));
    for (let after = 0; after <= head; after += 1) {
      const reader = new Reader(
        await stream("events?after=0&until=idle", { "last-event-id": String(after) }),
      );
      await reader.readAll();
      expect(seqs(reader)).toEqual(upTo(head, after + 1));
      expect(reader.done).toBe(true);
    }
  });

  it("gives a slow reader no more than it has room for, and all of it in the end", async () => {
    const { session, stream } = open();
    for (let n = 0; n < 15; n += 1) await session.say(`message ${n}`, `m${n}`);
    await session.api.cancel(session.actor(), { id: "stop", runId: null, all: true, reason: null });
    const { head } = session.state;
    expect(head).toBeGreaterThan(70);
    const response = await stream("events?until=idle");
    const reader = new Reader(response);
    await reader.readAll();
    expect(seqs(reader)).toEqual(upTo(head));
    expect(reader.done).toBe(true);
  });

  it("says that it is alive after 15 s of silence, drops a reader that stopped reading, forgets one that left", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { session, stream } = open();
      const reader = new Reader(await stream("events"));
      await reader.readAll();
      vi.advanceTimersByTime(15_000);
      await reader.readAll();
      expect(reader.text).toBe("retry: 2000\n\n: keep-alive\n\n");
      await reader.cancel();
      expect(session.hub.streams.watched).toBe(false);
      for (let n = 0; n < 40; n += 1) {
        await session.say("x", `m${n}`);
        await session.api.cancel(session.actor(), {
          id: `stop${n}`,
          runId: null,
          all: true,
          reason: null,
        });
      }
      await stream("events");
      expect(session.hub.streams.watched).toBe(true);
      vi.advanceTimersByTime(15_000 * 8);
      expect(session.hub.streams.watched).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it("ends with the grant of its reader, in the middle of a silence and before the next row", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { session, stream } = open();
      const pass = (ms: number): void => {
        session.now += ms;
        vi.advanceTimersByTime(ms);
      };
      const granted = (ms: number): Actor => ({ ...session.actor(), expiresAt: session.now + ms });
      const silent = new Reader(await stream("events", {}, granted(20_000)));
      const queued = new Reader(await stream("events", {}, granted(15_000)));
      pass(14_999);
      session.now += 1;
      await session.say("publish", "m1");
      await Promise.all([silent.readAll(), queued.readAll()]);
      expect([silent.done, seqs(silent)]).toEqual([false, [1, 2]]);
      expect([queued.done, seqs(queued)]).toEqual([true, []]);
      session.now -= 1;
      pass(5_001);
      await silent.readAll();
      expect(silent.done).toBe(true);
      expect(session.hub.streams.watched).toBe(false);
      const late = new Reader(await stream("run?run=ses_demo.r1", {}, granted(0)));
      await late.readAll();
      expect([late.done, late.events]).toEqual([true, []]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("ends after ten minutes without anything to send, also for a run behind a waiting approval", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { session, stream } = open();
      await session.say("publish", "m1");
      await session.say("and then", "m2");
      await session.settle();
      const behind = new Reader(await stream("run?run=ses_demo.r2"));
      const events = new Reader(await stream("events"));
      const readers = [behind, events];
      const silence = async (keepAlives: number): Promise<void> => {
        for (let n = 0; n < keepAlives; n += 1) {
          vi.advanceTimersByTime(15_000);
          for (const reader of readers) await reader.readAll();
        }
      };
      await silence(39);
      expect(readers.map(({ done }) => done)).toEqual([false, false]);
      await session.say("and more", "m3");
      for (const reader of readers) await reader.readAll();
      await silence(1);
      expect(readers.map(({ done }) => done)).toEqual([true, false]);
      expect(behind.events).toEqual([]);
      await silence(39);
      expect(events.done).toBe(true);
      expect(session.hub.streams.watched).toBe(false);
      const rest = new Reader(await stream("events", { "last-event-id": String(seqs(events).at(-1)) }));
      await session.say("and that", "m4");
      await rest.readAll();
      expect(seqs(rest)).toEqual([session.state.head - 1, session.state.head]);
      await rest.cancel();
    } finally {
      vi.useRealTimers();
    }
  });

  it("reads no more of a log of large rows than its buffer holds", async () => {
    const { session, stream } = open();
    for (let n = 0; n < 20; n += 1) await session.say("x".repeat(60_000), `m${n}`);
    let asked = 0;
    const read = session.store.entriesAfter.bind(session.store);
    session.store.entriesAfter = (after, limit) => {
      const entries = read(after, limit);
      asked += entries.length;
      return entries;
    };
    const reader = new Reader(await stream("events"));
    expect(asked).toBeLessThan(30);
    await reader.readAll();
    expect(seqs(reader)).toEqual(upTo(session.state.head));
    await reader.cancel();
  });

  it("refuses who may not read, a foreign session and nonsense", async () => {
    const { session, stream } = open();
    const refused = async (actor: ReturnType<LiveSession["actor"]>, query: string): Promise<number> =>
      (await session.hub.streams.fetchStream(new Request(`https://session/stream/${query}`), actor))
        ?.status ?? 0;
    expect(await refused(session.actor(["send"]), "events")).toBe(403);
    expect(await refused(session.actor(["read"], "bob"), "events")).toBe(404);
    expect(await refused(session.actor(), "events?after=x")).toBe(400);
    expect(await refused(session.actor(), "run?run=ses_demo.r9")).toBe(404);
    expect(session.hub.streams.fetchStream(new Request("https://session/other"), session.actor())).toBeNull();
    expect((await stream("run?run=live")).status).toBe(204);
  });
});

describe("the stream of a run", () => {
  it("waits for a queued run, streams its segment and ends with DONE; after the decision the next segment only", async () => {
    const { session, stream } = open();
    await session.say("publish", "m1");
    const first = new Reader(await stream("run?run=ses_demo.r1"));
    await first.readAll();
    expect(first.events).toEqual([]);
    await session.settle();
    await first.readAll();
    expect(first.done).toBe(true);
    expect(first.events.at(-1)?.data).toBe("[DONE]");
    const waiting = await messageOf(first.events);
    const command = {
      approval: "r1s1c0a1",
      decision: "approve",
      args: null,
      reason: null,
      digest: null,
    } as const;
    await session.api.decide(session.actor(), command);
    const second = new Reader(await stream("run?run=ses_demo.r1"));
    await session.settle();
    await second.readAll();
    expect(JSON.parse(second.events[0]?.data ?? "")).toEqual({ type: "start", messageId: "ses_demo.r1" });
    const message = await messageOf(second.events, waiting);
    const page = await session.api.messages(session.actor(), 10, null);
    expect(JSON.parse(JSON.stringify(message))).toEqual(page.ok && page.value.items.at(-1));
  });

  it("gives the words of a model while it says them", async () => {
    const { session, stream } = open([{ text: "One two three four five six seven." }]);
    await session.say("count", "m1");
    const reader = new Reader(await stream("run?run=ses_demo.r1"));
    let heard = "";
    session.onPiece = async (index) => {
      if (index !== 3) return;
      await reader.readAll();
      heard = reader.text;
    };
    await session.settle();
    expect(heard).toContain("One two");
  });

  it("gives the exact rest after any pos, in the middle of a text too", async () => {
    const { session, stream } = open();
    await session.say("publish", "m1");
    const live = new Reader(await stream("run?run=ses_demo.r1"));
    await session.settle();
    await live.readAll();
    const placed = live.events.flatMap(({ id, data }) => (id === null ? [] : [{ pos: Number(id), data }]));
    const places = placed.map(({ pos }) => pos);
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    const textOf = (data: string): string =>
      /^\{"type":"text-delta".*"delta":"(.*)"\}$/.exec(data)?.[1] ?? "";
    for (const { pos, data } of placed) {
      for (let inside = 0; inside < Math.max(1, textOf(data).length); inside += 1) {
        const rest = new Reader(
          await stream("run?run=ses_demo.r1", { "last-event-id": String(pos - inside) }),
        );
        await rest.readAll();
        const had = placed.filter((item) => item.pos < pos).map((item) => textOf(item.data));
        const own = textOf(data).slice(0, textOf(data).length - inside);
        const later = rest.events.map((event) => textOf(event.data));
        expect([...had, own, ...later].join("")).toBe("I ask you.");
        expect(rest.events.every(({ id }) => id === null || Number(id) > pos - inside)).toBe(true);
      }
    }
  });

  it("joins the segments of the live run to one message", async () => {
    const { session, stream } = open();
    await session.say("publish", "m1");
    await session.settle();
    expect((await stream("run?run=live&part=whole")).status).toBe(204);
    const command = {
      approval: "r1s1c0a1",
      decision: "approve",
      args: null,
      reason: null,
      digest: null,
    } as const;
    await session.api.decide(session.actor(), command);
    const whole = new Reader(await stream("run?run=live&part=whole"));
    await session.settle();
    await whole.readAll();
    expect(whole.done).toBe(true);
    expect(whole.events.filter(({ data }) => data.includes('"type":"start"'))).toHaveLength(1);
    const page = await session.api.messages(session.actor(), 10, null);
    expect(JSON.parse(JSON.stringify(await messageOf(whole.events)))).toEqual(
      page.ok && page.value.items.at(-1),
    );
  });
});

import { expect, test } from "vitest";
import { accumulate } from "../../../../src/cairn/protocol/stream/accumulate.ts";
import type { PlacedChunk, UiChunk } from "../../../../src/cairn/protocol/stream/ui-chunk.ts";
import { Chance } from "../../../sim/platform/chance.ts";
import { LiveSession, RawClient, SESSION, type Line } from "../../session/sockets/session-fixture.ts";

/**
 * Exact resume: three clients at once, each on another door, are cut off at random and come back naming the last thing
 * that they had. Each must get what it has not seen, once, in order, whatever happened meanwhile: a retry of a model call,
 * a wait for a person, words that joined the run, a new isolate.
 */

const CUTS = 1_000;
const LONG = "The sea is wide, and 🌊 the boats are small. ".repeat(4);
const SCRIPT: readonly Line[] = [
  { thought: "Let me look at this first.", text: LONG, calls: [["lookup", { q: "a" }]] },
  { fail: true },
  { text: "I ask you before I do it.", calls: [["publish", { name: "about" }]] },
  { text: `${LONG}It is public now.` },
];

/** Reads what a stream has for now; the rest is cut off with it. */
class SseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";
  #pending: ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]> | null = null;
  ended = false;

  constructor(response: Response) {
    if (response.body === null) throw new Error("no body");
    this.#reader = response.body.getReader();
  }

  async *read(): AsyncGenerator<{ id: number | null; data: string }> {
    for (;;) {
      const nothing = new Promise<null>((resolve) => setImmediate(() => setImmediate(() => resolve(null))));
      const reading = (this.#pending ??= this.#reader.read());
      const result = await Promise.race([reading, nothing]);
      if (result === null) return;
      this.#pending = null;
      if (result.done) {
        this.ended = true;
        return;
      }
      this.#text += this.#decoder.decode(result.value, { stream: true });
      const events = this.#text.split("\n\n");
      this.#text = events.pop() ?? "";
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        const id = /^id: (\d+)$/m.exec(event)?.[1];
        if (data !== undefined) yield { id: id === undefined ? null : Number(id), data };
      }
    }
  }

  cut(): void {
    void this.#reader.cancel();
  }
}

/** Takes places that must grow, and keeps what came with them. */
class Received {
  readonly chunks: PlacedChunk[] = [];
  last = 0;

  take(pos: number | null, chunk: UiChunk): void {
    if (pos === null) return;
    if (pos <= this.last) throw new Error(`pos ${pos} came after ${this.last}`);
    this.last = pos;
    this.chunks.push({ pos, chunk });
  }

  get message() {
    return accumulate(`${SESSION}.r1`, this.chunks);
  }
}

interface Client {
  /** reads what there is */
  look(): Promise<void>;
  /** loses its connection; the next look opens another */
  cut(): void;
}

function entries(session: LiveSession, seen: number[]): Client {
  let reader: SseReader | null = null;
  return {
    async look() {
      const last = seen.at(-1) ?? 0;
      const request = new Request("https://session/stream/events", {
        headers: { "last-event-id": `${last}` },
      });
      const response =
        reader === null ? await session.hub.streams.fetchStream(request, session.actor()) : null;
      if (response !== null) reader = new SseReader(response);
      for await (const { id } of reader?.read() ?? []) {
        if (id !== (seen.at(-1) ?? 0) + 1) throw new Error(`row ${id} came after ${seen.at(-1)}`);
        seen.push(id);
      }
    },
    cut: () => {
      reader?.cut();
      reader = null;
    },
  };
}

function stream(session: LiveSession, received: Received): Client {
  let reader: SseReader | null = null;
  return {
    async look() {
      if (reader === null || reader.ended) {
        const headers = { "last-event-id": `${received.last}` };
        const url = `https://session/stream/run?run=${SESSION}.r1&part=whole`;
        const response = await session.hub.streams.fetchStream(
          new Request(url, { headers }),
          session.actor(),
        );
        reader = response?.status === 200 ? new SseReader(response) : null;
      }
      for await (const { id, data } of reader?.read() ?? [])
        if (data !== "[DONE]") received.take(id, JSON.parse(data) as UiChunk);
    },
    cut: () => {
      reader?.cut();
      reader = null;
    },
  };
}

function socket(session: LiveSession, received: Received): Client {
  let client: RawClient | null = null;
  return {
    async look() {
      if (client === null) {
        client = await RawClient.connect(session);
        client.take();
        await client.send({ type: "cairn:resume", eventId: "e", runId: `${SESSION}.r1`, pos: received.last });
      }
      for (const frame of client.take())
        if (frame.type === "cairn:chunk")
          received.take(frame["pos"] as number | null, frame["chunk"] as UiChunk);
    },
    cut: () => {
      client?.leave();
      client = null;
    },
  };
}

test(`three clients that are cut off ${CUTS} times get everything once, in order`, async () => {
  const cuts = { made: 0 };
  for (let seed = 1; cuts.made < CUTS; seed++) {
    const chance = new Chance(seed);
    const session = new LiveSession(SCRIPT);
    session.service.admitOrCreate(session.actor());
    await session.say("publish", "m1");
    const seen: number[] = [];
    const overSse = new Received();
    const overSocket = new Received();
    const clients = [entries(session, seen), stream(session, overSse), socket(session, overSocket)];
    const disturb = async (): Promise<void> => {
      for (const client of clients) {
        if (chance.below(3) > 0) await client.look();
        if (chance.below(2) > 0) continue;
        client.cut();
        cuts.made += 1;
      }
    };
    session.onPiece = async (index) => {
      if (index % 5 === 0) await disturb();
    };
    await session.settle();
    await disturb();
    if (chance.once(2)) {
      for (const client of clients) client.cut();
      session.boot();
    }
    await session.api.steer(session.actor(), { id: "s1", parts: [{ type: "text", text: "Quickly." }] });
    await disturb();
    await session.api.decide(session.actor(), {
      approval: "r1s2c0a1",
      decision: "approve",
      args: null,
      reason: null,
      digest: null,
    });
    await disturb();
    await session.settle();
    // Twice: one that was cut off just now comes back first.
    for (const client of clients) await client.look();
    for (const client of clients) await client.look();
    expect(seen).toEqual(Array.from({ length: session.state.head }, (_, index) => index + 1));
    const page = await session.api.messages(session.actor(), 10, null);
    const stored = page.ok
      ? page.value.items.find((item) => (item as { id: string }).id === `${SESSION}.r1`)
      : null;
    expect(JSON.stringify(stored)).toContain("It is public now.");
    expect({ seed, message: overSse.message }).toEqual({ seed, message: stored });
    expect({ seed, message: overSocket.message }).toEqual({ seed, message: stored });
  }
  expect(cuts.made).toBeGreaterThanOrEqual(CUTS);
}, 120_000);

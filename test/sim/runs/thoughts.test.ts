import { expect, test } from "vitest";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import { accumulate } from "../../../src/cairn/protocol/stream/accumulate.ts";
import type { PlacedChunk } from "../../../src/cairn/protocol/stream/ui-chunk.ts";
import { FakePlatform } from "../platform/platform.ts";
import { ServerSocket } from "../platform/socket.ts";

/** A run that keeps its thoughts to admins: what of them reaches whom, by every door there is. */

const REASONED = "canary-of-what-it-reasoned";
const SAID_BESIDE = "canary-of-what-it-said-beside-its-calls";
const CUT_OFF = "canary-of-what-it-was-saying";
const CANARIES = [REASONED, SAID_BESIDE, CUT_OFF];
const ANSWER = "There are two walks.";
const OPEN = "a thought of a run that shows its own";

const HIDING = { ...PLAIN_SPEC, showThoughts: false };
const MEMBER = { subject: "ada", scopes: ["read", "send", "approve"], via: "socket" } as const;
const ADMIN = { subject: "root", scopes: ["admin"], via: "socket" } as const;

type Doors = Map<string, string[]>;

/** Visitor that uses every entry point and records everything it receives, by entry point. */
class Visitor {
  readonly doors: Doors = new Map();
  readonly #platform: FakePlatform;
  readonly #actor: Actor;
  readonly #reading: Promise<void>[] = [];
  #frames = 0;

  constructor(platform: FakePlatform, actor: Actor) {
    this.#platform = platform;
    this.#actor = actor;
  }

  /** As it came, and what is streamed in pieces as one text. */
  got(door: string): string {
    const came = (this.doors.get(door) ?? []).join("\n");
    const deltas = Array.from(bare(came).matchAll(/"delta":"([^"]*)"/g), ([, delta = ""]) => delta);
    return `${came}\n${deltas.join("")}`;
  }

  /** Closes the sockets of a door. */
  leave(door: string): void {
    const { sockets } = this.#platform;
    for (const socket of sockets) if (socket.id === `${this.#actor.subject} ${door}`) sockets.delete(socket);
  }

  #keep(door: string, text: string): void {
    this.doors.set(door, [...(this.doors.get(door) ?? []), text]);
  }

  /** A socket that gets frames of the stock chat, or Cairn's own: entries and chunks. */
  async connect(door: string, native: boolean): Promise<void> {
    const { hub, sockets } = this.#platform;
    const socket = new ServerSocket(
      `${this.#actor.subject} ${door}`,
      (text) => {
        this.#keep(door, text);
        const frame = JSON.parse(text) as { type: string; id?: string };
        // The visitor resumes an offered stream at once, as stock clients do.
        if (frame.type === "cf_agent_stream_resuming")
          void hub.receive(socket, JSON.stringify({ type: "cf_agent_stream_resume_ack", id: frame.id }));
      },
      () => {},
    );
    sockets.add(socket);
    await hub.connect(socket, JSON.stringify(this.#actor));
    const send = (frame: object): Promise<void> =>
      hub.receive(socket, JSON.stringify({ eventId: `e${++this.#frames}`, ...frame }));
    if (native) {
      await send({ type: "cairn:subscribe", after: 0 });
      for (const run of [{}, { runId: "ses.r1" }, { runId: "ses.r2" }])
        await send({ type: "cairn:resume", ...run });
    } else await hub.receive(socket, JSON.stringify({ type: "cf_agent_chat_messages" }));
  }

  /** Server-sent events, read as they come. */
  async read(door: string, path: string): Promise<void> {
    const request = new Request(`https://object${path}`);
    const response = await this.#platform.hub.streams.fetchStream(request, this.#actor);
    if (response?.status !== 200 || response.body === null) throw new Error(`nothing at ${path}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const pump = async (): Promise<void> => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        this.#keep(door, value);
      }
    };
    this.#reading.push(pump());
  }

  /** Until every stream has come to its end. */
  async finish(): Promise<void> {
    await Promise.all(this.#reading);
  }

  /** Reads everything through HTTP and share links. */
  async ask(): Promise<void> {
    const { api } = this.#platform;
    const actor = this.#actor;
    const keep = async (door: string, answer: Promise<{ ok: boolean }>): Promise<void> => {
      const got = await answer;
      expect(got, door).toMatchObject({ ok: true });
      this.#keep(door, JSON.stringify(got));
    };
    const link = async (key: string, run: string | null): Promise<void> => {
      const made = await api.share(actor, { id: key, run, expiresAt: 1e15 });
      await keep("link made", Promise.resolve(made));
      const id = made.ok ? made.value.id : "";
      await keep("link", Promise.resolve(api.shared({ ...actor, scopes: [], via: "link" }, id)));
    };
    await keep("messages", api.messages(actor, 100, null));
    await keep("older messages", api.messages(actor, 100, "m2"));
    await keep("events", api.events(actor, 0, 10_000));
    await keep("session", api.view(actor));
    await keep("memory", api.memory(actor));
    for (const run of ["r1", "r2"]) {
      await keep("run", api.readRun(actor, `ses.${run}`));
      await keep("trace", api.readTrace(actor, run, "json"));
      await keep("trace in lines", api.readTrace(actor, run, "jsonl"));
      await keep("trace with prompts", api.readTrace(actor, run, "json", true));
      await link(`${actor.subject}-${run}`, `ses.${run}`);
    }
    await link(`${actor.subject}-all`, null);
  }
}

/** JSON in JSON doubles its backslashes. */
const bare = (text: string): string => text.replaceAll("\\", "");

const STREAMS = ["events?until=idle", "run?run=ses.r1&part=whole", "run?run=ses.r1&part=last"];

async function lived(): Promise<{ member: Visitor; admin: Visitor; platform: FakePlatform }> {
  const platform = new FakePlatform([
    { thought: REASONED, text: SAID_BESIDE, calls: [["look", { name: "a" }]] },
    {
      fail: { class: "overloaded", message: "gone", retryAfterMs: null, usage: null },
      thought: REASONED,
      text: CUT_OFF,
    },
    { thought: `${REASONED} again`, calls: [["publish", { name: "b" }]] },
    { thought: `${REASONED} at last`, text: ANSWER },
    { thought: OPEN, text: "It is open." },
  ]);
  platform.service.admitOrCreate({ ...MEMBER, via: "http" });
  const member = new Visitor(platform, MEMBER);
  const admin = new Visitor(platform, ADMIN);
  const both = [member, admin];
  for (const visitor of both) {
    await visitor.connect("stock socket, live", false);
    await visitor.connect("own socket, live", true);
  }
  platform.say("Which walks are there?", { spec: HIDING });
  for (const visitor of both)
    for (const path of STREAMS) await visitor.read(`${path}, live`, `/stream/${path}`);
  let calls = 0;
  platform.onModel = async () => {
    // In the middle of a reply that is nothing but a draft yet.
    calls += 1;
    for (const visitor of both) {
      visitor.leave(`stock socket, in call ${calls - 1}`);
      visitor.leave(`own socket, in call ${calls - 1}`);
      await visitor.connect(`stock socket, in call ${calls}`, false);
      await visitor.connect(`own socket, in call ${calls}`, true);
      if (calls < 5) await visitor.read(`run, in call ${calls}`, "/stream/run?run=live");
    }
  };
  await platform.settle();
  for (const visitor of both) await visitor.connect("stock socket, while it waits", false);
  platform.decide("approve");
  await platform.settle();
  platform.say("And one that is open?");
  await platform.settle();
  platform.onModel = null;
  for (const visitor of both) {
    await visitor.connect("stock socket, late", false);
    await visitor.connect("own socket, late", true);
    for (const path of STREAMS) await visitor.read(`${path}, late`, `/stream/${path}`);
    await visitor.ask();
  }
  for (const visitor of both) await visitor.finish();
  expect(platform.state.ended.map((run) => run.outcome)).toEqual(["completed", "completed"]);
  return { member, admin, platform };
}

test("no thought of it reaches who is no admin by any door, and each reaches an admin", async () => {
  const { member, admin, platform } = await lived();
  expect(JSON.stringify(platform.log)).toContain(SAID_BESIDE);
  const seen = (visitor: Visitor): string[] =>
    [...visitor.doors.keys()].filter((door) => CANARIES.some((canary) => visitor.got(door).includes(canary)));
  expect(seen(member)).toEqual([]);
  // These doors have no thoughts to show.
  const plain = ["session", "memory", "run", "link made", "link"];
  expect(seen(admin).toSorted()).toEqual(
    [...admin.doors.keys()].filter((door) => !plain.includes(door)).toSorted(),
  );
  expect([...member.doors.keys()]).toEqual([...admin.doors.keys()]);
});

test("all else reaches everybody: the answer, and the thoughts of a run that shows them", async () => {
  const { member } = await lived();
  const without = [...member.doors.keys()].filter((door) => !member.got(door).includes(ANSWER));
  // They were left, or ended where a person was waited for. What was called, they saw.
  const early = without.filter((door) => /in call \d$|^run.*live$/.test(door));
  for (const door of early) expect(member.got(door), door).toContain("look");
  expect(without.filter((door) => !early.includes(door)).toSorted()).toEqual([
    "link made",
    "memory",
    "session",
  ]);
  for (const door of ["messages", "events", "trace", "own socket, live", "stock socket, late"])
    expect(member.got(door), door).toContain(OPEN);
});

test("nothing is missing but the thoughts: entries without a gap, chunks in order, live as replayed", async () => {
  const { member, platform } = await lived();
  const frames = (door: string): { type: string; event?: { seq: number }; runId?: string }[] =>
    (member.doors.get(door) ?? []).map((text) => JSON.parse(text) as { type: string });
  const seqs = frames("own socket, live").flatMap(({ event }) => (event === undefined ? [] : [event.seq]));
  expect(seqs).toEqual(platform.log.map((entry) => entry.seq));
  const chunks = (door: string): PlacedChunk[] =>
    frames(door).flatMap((frame) =>
      frame.type === "cairn:chunk" && frame.runId === "ses.r1" && "pos" in frame && frame.pos !== null
        ? [frame as unknown as PlacedChunk]
        : [],
    );
  const live = chunks("own socket, live");
  const places = live.map(({ pos }) => pos ?? 0);
  expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
  const late = chunks("own socket, late");
  expect(accumulate("ses.r1", live)).toEqual(accumulate("ses.r1", late));
  expect(late.length).toBeGreaterThan(10);
});

test("the summary of a long run does not quote them either, nor the prompts that are made of it", async () => {
  const platform = new FakePlatform((_request, index) =>
    index < 14
      ? { thought: REASONED, text: `${SAID_BESIDE} ${index}`, calls: [["look", { name: `n${index}` }]] }
      : { text: ANSWER },
  );
  platform.service.admitOrCreate({ ...MEMBER, via: "http" });
  platform.say("Look at all.", { spec: HIDING });
  await platform.settle();
  const summed = platform.log.find((entry) => entry.kind === "compacted");
  expect(summed?.body.summary).toContain(SAID_BESIDE);
  const read = async (actor: Actor): Promise<string> => {
    const events = await platform.api.events(actor, 0, 10_000);
    const trace = await platform.api.readTrace(actor, "r1", "json", true);
    if (!events.ok || !trace.ok) throw new Error("it could not be read");
    const asked = trace.value.items.map((item) => (item as { request: { exact: boolean } }).request.exact);
    // The digest still matches the request, for every reader.
    expect([...new Set(asked)]).toEqual([true]);
    return JSON.stringify([events, trace]);
  };
  expect(await read(ADMIN)).toContain(SAID_BESIDE);
  const shown = await read(MEMBER);
  expect(CANARIES.filter((canary) => shown.includes(canary))).toEqual([]);
  expect(shown).toContain("summed up");
  expect(shown).toContain(ANSWER);
});

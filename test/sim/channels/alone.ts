import { addressName } from "../../../src/cairn/core/address.ts";
import { holdNote } from "./hold-note.ts";
import { loadRun } from "../../../src/cairn/session/api/log-reader.ts";
import { RUN_LIMITS } from "../../../src/cairn/core/limits.ts";
import { createMessenger, receiptSoFar } from "../../../src/plugins/channels/session/messenger.ts";
import { messagesPack } from "../../../src/plugins/channels/tools/pack.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";
import type { Deed, Script } from "../play.ts";
import { CHANNEL, CHAT, FRIEND } from "./messenger.ts";
import { Chat } from "./chat.ts";

/** Runs that nobody asked for, and what they say: it waits for its hour or is kept as a note, whatever dies. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "channel" } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** 2026-01-10, 23:00 in Berlin: its night ends at 06:00Z */
const EVENING = Date.parse("2026-01-10T22:00Z");
const NIGHT = { zone: "Europe/Berlin", quiet: { from: "22:00", to: "07:00" } };

interface Setting {
  readonly night?: true;
  /** the person is told on a channel of what waits */
  readonly asked?: true;
  readonly reachable?: readonly string[];
}

/** Messages of its runs go to the chat, like what the outbox holds. */
const alone =
  (script: (request: { readonly step: string }) => Line, { night, asked, reachable = [] }: Setting = {}) =>
  (): FakePlatform => {
    const platform = new FakePlatform(script);
    const chat = new Chat(
      (where) => platform.cross(where),
      () => platform.now,
    );
    platform.chat = chat;
    platform.now = EVENING;
    platform.reachable = reachable;
    if (night) platform.times = NIGHT;
    if (asked) platform.ask = CHAT;
    platform.own = (tools) =>
      void tools.add(messagesPack, {
        messenger: createMessenger({
          channels: { names: ["telegram"], find: () => CHANNEL },
          book: new Map([["friend", FRIEND]]),
          asking: () => platform.state.run?.request ?? null,
          receipt: () => receiptSoFar(platform.state, (run) => loadRun(platform.store, platform.state, run)),
          people: { timesOf: () => platform.readTimes() },
          hold: (id, note, until) => holdNote(platform, id, note, until),
          sender: {
            send: (...given) => {
              if (platform.sender === null) throw new Error("there is a chat");
              return platform.sender.send(...given);
            },
          },
          clock: () => platform.now,
        }),
      });
    platform.restart();
    return platform;
  };

const tell = (text: string, more: object = {}): Line => ({ calls: [["send_message", { text, ...more }]] });
const placeOf = (step: string): readonly [run: number, step: number] => {
  const [, run = 1, n = 1] = /r(\d+)s(\d+)$/.exec(step)?.map(Number) ?? [];
  return [run, n];
};

/** A run that nobody asked for; said again by whoever is not sure. */
const comes = (id: string, more: Partial<Parameters<FakePlatform["say"]>[1]> = {}): Deed => ({
  when: "rest",
  act: (platform) => {
    platform.service.admitOrCreate(ADA);
    if (platform.log.some((entry) => entry.kind === "user_message" && entry.body.id === id)) return;
    platform.say(`Words of ${id}.`, { id, source: "webhook", ...more });
  },
});

const says = (id: string): Deed => ({
  when: "rest",
  act: (platform) =>
    platform.api.send(ADA, {
      id,
      digest: id,
      parts: [{ type: "text", text: `Words of ${id}.` }],
      mode: null,
      source: "api",
      request: null,
      ask: {},
      origin: CHAT,
    }),
});

/** Time passes from when it was first waited for, and no further than to an alarm: a clock does not jump over one. */
const passes = (name: string, ms: number): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    const until = memory.get(name) ?? String(platform.now + ms);
    memory.set(name, until);
    const { alarm } = platform.disk;
    const next = alarm === null || alarm < platform.now ? Infinity : alarm;
    platform.now = Math.max(platform.now, Math.min(Number(until), next));
  },
});

const beats: Deed = { when: "rest", act: (platform) => platform.api.setHeartbeat(ADA, { enabled: true }) };
const rests: Deed = { when: "rest", act: (platform) => platform.api.setHeartbeat(ADA, { enabled: false }) };

/** Each run says one thing to a friend whom it may not write to. */
const NOTES = ({ step }: { readonly step: string }): Line => {
  const [run, n] = placeOf(step);
  return n === 1 && run < 3 ? tell(`News of run ${run}.`, { to: "friend" }) : { text: `The end of ${run}.` };
};

/** Looks that find something each time, and say it. */
const LOOKS = ({ step }: { readonly step: string }): Line => {
  const [run, n] = placeOf(step);
  if (run === 1) return { text: "A part." };
  if (n === 1) return { calls: [["look", { name: `a${run}` }]] };
  return n === 2 ? tell(`Hut ${run} of the valley is open for guests.`, { to: "friend" }) : { text: "" };
};

const COUNTS = ({ step }: { readonly step: string }): Line => {
  const [, n] = placeOf(step);
  if (n > 4) return { text: "Nine huts are in the valley." };
  return n % 2 === 1
    ? { calls: [["look", { name: `hut ${n}` }]] }
    : tell(`Hut ${n} of the valley was counted.`, { kind: "progress" });
};

export const ALONE_SCRIPTS: readonly Script[] = [
  {
    name: "an answer that waits for the end of quiet hours",
    platform: alone(() => ({ text: "Nothing is new." }), { night: true }),
    deeds: [comes("s1", { origin: CHAT, source: "capsule" }), passes("night", 9 * HOUR)],
    most: 1,
  },
  {
    name: "a message of a run that waits for the end of quiet hours",
    platform: alone(
      ({ step }) =>
        step.endsWith("s1")
          ? tell("The hut is open.")
          : { text: "I sent it, or tried to: it may not be known." },
      {
        night: true,
      },
    ),
    deeds: [comes("s1", { origin: CHAT, source: "capsule" }), passes("night", 9 * HOUR)],
    most: 1,
    ends: "by chance",
  },
  {
    name: "two notes that are told with the next words of their person",
    platform: alone(NOTES),
    deeds: [comes("s1"), comes("s2"), says("m1"), says("m2")],
    most: 1,
    ends: "by chance",
  },
  {
    name: "two notes that are told at the end of quiet hours",
    platform: alone(NOTES, { night: true, asked: true }),
    deeds: [comes("s1"), comes("s2"), passes("night", 9 * HOUR)],
    most: 1,
    ends: "by chance",
  },
  {
    name: "a heartbeat that finds something at each of its looks",
    platform: alone(LOOKS, { reachable: [addressName(FRIEND)] }),
    deeds: [
      comes("s1", { source: "api", limits: { ...RUN_LIMITS, steps: 1 } }),
      beats,
      passes("first", 16 * MINUTE),
      passes("second", 16 * MINUTE),
      rests,
    ],
    most: 1,
    ends: "by chance",
  },
  {
    name: "a time capsule that says how far it is",
    platform: alone(COUNTS),
    deeds: [
      comes("s1", {
        source: "capsule",
        origin: CHAT,
        wanted: {
          limits: { ...RUN_LIMITS, steps: 20, activeMs: HOUR, messages: 20 },
          profile: "time_capsule",
        },
      }),
    ],
    most: 1,
  },
];

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { holdNote } from "../../../sim/channels/hold-note.ts";
import { ChannelFault } from "../../../../src/plugins/channels/channel.ts";
import { createMessenger, type MessengerDeps } from "../../../../src/plugins/channels/session/messenger.ts";
import { messagesPack } from "../../../../src/plugins/channels/tools/pack.ts";
import { Chat, type ChatAnswer } from "../../../sim/channels/chat.ts";
import { CHAT, CHANNEL } from "../../../sim/channels/messenger.ts";
import { byStep } from "../../../sim/platform/fake-model.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** A message that a run sends itself, over the real sender: what the model is told of it, and what the person reads. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

async function sent(answers: readonly ChatAnswer[], prepare: (chat: Chat) => void = () => {}) {
  const platform = new FakePlatform(
    byStep({ calls: [["send_message", { text: "A long message." }]] }, { text: "I wrote it to you." }),
  );
  const chat = new Chat(
    () => {},
    () => platform.now,
  );
  chat.answers = () => answers;
  platform.chat = chat;
  platform.own = (tools) =>
    void tools.add(messagesPack, {
      messenger: createMessenger({
        channels: { names: ["telegram"], find: () => CHANNEL },
        book: new Map(),
        asking: () => platform.state.run?.request ?? null,
        people: { timesOf: () => platform.readTimes() },
        hold: (id, note, until) => holdNote(platform, id, note, until),
        receipt: () => [],
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
  platform.service.admitOrCreate({ subject: "ada", scopes: ["read", "send"], via: "http" });
  prepare(chat);
  platform.say("Write to me", { origin: CHAT });
  await platform.settle(3_600_000);
  const settled = platform.log.flatMap((entry) =>
    entry.kind === "call_settled" && entry.body.tool === "send_message" ? [entry.body] : [],
  );
  const texts = chat.seen.map(({ text }) => text);
  return { platform, chat, settled, texts };
}

test("two parts of a message arrived: the rest goes out later, by itself and once", async () => {
  const { settled, texts, chat } = await sent([{ status: 503, parts: 2 }]);
  expect(settled.map(({ status }) => status)).toEqual(["ok"]);
  expect(settled[0]?.observation).toContain('"arrivedParts":2');
  expect(settled[0]?.observation).toContain("Do not send it again");
  // Seen whole with its rest, before or after the answer.
  expect(texts.toSorted()).toEqual([
    "A long message.",
    "Answered.  \nNothing was changed.\n\nI wrote it to you.",
  ]);
  expect([...chat.misplaced]).toEqual([]);
});

test.each([
  ["lost", { lost: true, parts: 2 }],
  ["refused", { status: 400, parts: 2 }],
  ["blocked", { status: 403, parts: 2 }],
] as const)(
  "two parts of a message arrived, and the next was %s: unknown, with what arrived",
  async (_, answer) => {
    const { settled } = await sent([answer]);
    expect(settled.map(({ status }) => status)).toEqual(["unknown"]);
    expect(settled[0]?.observation).toContain("The first 2 parts of the message arrived");
  },
);

test("nothing of a message arrived: it has failed, and nothing was done", async () => {
  const { settled } = await sent([{ status: 503 }, { status: 503 }, { status: 503 }, { status: 503 }]);
  expect(settled[0]?.status).toBe("error");
});

test("one D1 error before a message is sent is a failure in which nothing was done, never an unknown outcome", async () => {
  const { chat, settled, platform } = await sent([], ({ d1 }) => {
    let calls = 0;
    d1.fails = true;
    d1.pick = () => (++calls === 1 ? 1 : 0);
  });
  expect(chat.d1.failed).toBe(1);
  expect(settled.map(({ status }) => status)).not.toContain("unknown");
  expect(platform.log.at(-1)).toMatchObject({ kind: "run_ended" });
});

describe("a message of a run", () => {
  const NIGHT = { zone: "Europe/Berlin", quiet: { from: "22:00", to: "07:00" } };
  const AT = Date.parse("2026-01-10T23:00Z");
  const RECEIPT = [{ about: "changed", text: "Changed: the hut." }] as const;

  function open(more: Partial<MessengerDeps> = {}) {
    const sent: { readonly kind: string; readonly text: string; readonly to: string }[] = [];
    const held: { readonly id: string; readonly until: number; readonly skip: number | undefined }[] = [];
    const messenger = createMessenger({
      channels: { names: ["telegram"], find: (name) => (name === "telegram" ? CHANNEL : null) },
      book: new Map(),
      asking: () => ({ origin: CHAT, source: "schedule", actor: "ada" }),
      people: { timesOf: () => Promise.resolve({ zone: null, quiet: null }) },
      hold: (id, { skip }, until) => void held.push({ id, until, skip }),
      receipt: () => [],
      sender: {
        send: async ({ kind, text }, { place }) => {
          sent.push({ kind, text, to: place });
          return { id: "1", parts: 1 };
        },
      },
      clock: () => AT,
      ...more,
    });
    if (messenger === null) throw new Error("there is a chat");
    const say = (kind: "progress" | "failure" | "final", to = CHAT) =>
      messenger.send({ kind, text: "The hut is closed." }, to, "k", new AbortController().signal);
    return { messenger, sent, held, say };
  }
  const failing = (fault: ChannelFault): Partial<MessengerDeps> => ({
    sender: { send: () => Promise.reject(fault) },
  });

  test("waits for the end of quiet hours, but for the word that it has failed", async () => {
    const { sent, held, say } = open({ people: { timesOf: () => Promise.resolve(NIGHT) } });
    expect(await say("progress")).toMatchObject({ receipt: null, heldUntil: "2026-01-11T06:00:00.000Z" });
    expect(await say("failure")).toMatchObject({ receipt: "1" });
    expect([held.length, sent.map(({ kind }) => kind)]).toEqual([1, ["failure"]]);
  });

  test("is not sent while nobody knows whether its person wants to be told, and nothing was done then", async () => {
    const { sent, held, say } = open({ people: { timesOf: () => Promise.reject(new Error("D1 is down.")) } });
    await expect(say("progress")).rejects.toMatchObject({
      failure: { code: "channel_unavailable" },
      nothingDone: true,
    });
    expect([sent, held]).toEqual([[], []]);
  });

  test("has the rest of it sent as late as the channel asks, and not before five seconds", async () => {
    for (const [asked, waits] of [
      [null, 5_000],
      [1_000, 5_000],
      [90_000, 90_000],
    ] as const) {
      const { held, say } = open(failing(new ChannelFault("rate_limited", "Too much.", asked, 2)));
      expect(await say("progress")).toMatchObject({ arrived: 2 });
      expect(held).toEqual([{ id: "k", until: AT + waits, skip: 2 }]);
    }
  });

  test.each([
    ["unknown", false],
    ["unavailable", true],
    ["blocked", true],
  ] as const)(
    "of which nothing is known to have arrived has done nothing where it is %s: %s",
    async (code, nothingDone) => {
      const { held, say } = open(failing(new ChannelFault(code, "It broke.")));
      await expect(say("progress")).rejects.toMatchObject({
        failure: { code: `channel_${code}` },
        nothingDone,
      });
      expect(held).toEqual([]);
    },
  );

  test("carries the receipt where it brings whoever asked the result, and nowhere else", async () => {
    const { sent, say } = open({ receipt: () => RECEIPT });
    await say("final");
    await say("progress");
    await say("final", { channel: "telegram", place: "42" });
    expect(sent.map(({ text, to }) => [to, text.includes("Changed: the hut.")])).toEqual([
      ["4711", true],
      ["4711", false],
      ["42", false],
    ]);
  });

  test("goes to channels that are set up; from notifications of browsers alone nobody speaks", () => {
    const { messenger } = open();
    expect([messenger.has(CHAT), messenger.has({ channel: "slack", place: "D1" })]).toEqual([true, false]);
    expect(() =>
      open({ channels: { names: ["webpush"], find: () => ({ ...CHANNEL, isOneWay: true }) } }),
    ).toThrow("there is a chat");
  });
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMessenger } from "../../../src/session/channels/messenger.ts";
import { messagesPack } from "../../../src/tools/messaging/messages-pack.ts";
import { Chat, type ChatAnswer } from "../../sim/channels/chat.ts";
import { CHAT, CHANNEL } from "../../sim/channels/messenger.ts";
import { byStep } from "../../sim/platform/fake-model.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";

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
        hold: (id, note, until) =>
          platform.engine.rearm(() => platform.outbox.keepHeld(id, note, { at: platform.now, until })),
        receipt: () => [],
        sender: () => {
          if (platform.sender === null) throw new Error("there is a chat");
          return platform.sender;
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

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { QUESTION_MS } from "../../../../src/cairn/core/limits.ts";
import { Chat } from "../../../sim/channels/chat.ts";
import { Crash } from "../../../../src/cairn/testing/disk.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** A question whose options are buttons: its message shows how it ended, and has no buttons any more. */

// Some of these isolates die, and some of these chats fail.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const CHAT = { channel: "telegram", place: "4711" } as const;
const DAY_MS = 24 * 3_600_000;

interface Asked {
  readonly options?: readonly string[];
  readonly question?: string;
  readonly default?: string;
}

/** A run in a chat that asks this, and its message with the buttons. */
async function asking({ options = ["red", "green"], question = "Which *colour*?", ...more }: Asked = {}) {
  const platform = new FakePlatform([
    { calls: [["ask_human", { question, options, ...more }]] },
    { text: "That is done." },
  ]);
  const chat = new Chat(
    (where) => platform.cross(where),
    () => platform.now,
  );
  platform.chat = chat;
  platform.restart();
  platform.service.admitOrCreate(ADA);
  platform.say("Paint it.", { origin: CHAT });
  await platform.settle();
  const answers = async (value: string): Promise<void> => {
    const answered = await platform.api.answer(ADA, { runId: null, question: null, value });
    expect(answered.ok).toBe(true);
    await platform.settle();
  };
  const ends = (): readonly string[] => chat.changed.map(({ text }) => text.split("\n\n").at(-1) ?? "");
  return { platform, chat, answers, ends };
}

describe("the message of a question", () => {
  test.each([
    ["the first of its options", ["red", "green"], "red", "**Answered by ada: red**"],
    [
      "an option that looks like markup",
      ["**all**", "none"],
      "**all**",
      "**Answered by ada: \\*\\*all\\*\\***",
    ],
    ["an option by its number", ["はい 🇯🇵", "いいえ"], "2", "**Answered by ada: いいえ**"],
  ])("shows the choice: %s", async (_, options, value, end) => {
    const { chat, answers, ends } = await asking({ options });
    expect(chat.pressable.at(-1)?.map(({ label }) => label)).toEqual(options);
    await answers(value);
    expect(ends()).toEqual([end]);
    expect(chat.changed).toEqual([{ text: `Which *colour*?\n\n${end}`, buttons: 0 }]);
  });

  test("does not repeat words that were written elsewhere", async () => {
    const { platform, ends } = await asking();
    await platform.api.send(ADA, {
      id: "m9",
      parts: [{ type: "text", text: "The secret one." }],
      mode: null,
      source: "web",
      request: null,
      ask: {},
    });
    await platform.settle();
    expect(ends()).toEqual(["**Answered by ada in other words**"]);
  });

  test.each([
    [{}, "**Nobody answered in time**"],
    [{ default: "green" }, "**Nobody answered in time: green**"],
  ])("shows that its time is over: %j", async (more, end) => {
    const { platform, ends } = await asking(more);
    platform.now += QUESTION_MS;
    await platform.settle();
    expect(ends()).toEqual([end]);
  });

  test("shows that its run was stopped", async () => {
    const { platform, ends } = await asking();
    platform.cancel();
    await platform.settle();
    expect(ends()).toEqual(["**No answer is needed any more**"]);
  });

  test("is changed later where the chat is away, and once", async () => {
    const { platform, chat, answers, ends } = await asking();
    let tries = 0;
    chat.answers = (type) => {
      if (type !== "card_end") return [];
      tries += 1;
      return [{ status: 503 }, { status: 429 }];
    };
    await answers("green");
    await platform.settle(DAY_MS);
    expect(tries).toBe(3);
    expect(ends()).toEqual(["**Answered by ada: green**"]);
  });

  test.each(["tell: before", "tell: after"])(
    "is changed though the isolate dies at “%s” of the change",
    async (where) => {
      const { platform, answers, ends } = await asking();
      let isArmed = true;
      platform.cross = (here) => {
        if (here !== where || !isArmed) return;
        isArmed = false;
        throw new Crash(here);
      };
      try {
        await answers("red");
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      platform.restart();
      await platform.settle(DAY_MS);
      expect(isArmed).toBe(false);
      expect(new Set(ends())).toEqual(new Set(["**Answered by ada: red**"]));
    },
  );
});

test("a question that is answered while its message is on the way has no buttons in the end", async () => {
  const platform = new FakePlatform([
    { calls: [["ask_human", { question: "Which?", options: ["red", "green"] }]] },
    { text: "Done." },
  ]);
  const chat = new Chat(
    (where) => platform.cross(where),
    () => platform.now,
  );
  platform.chat = chat;
  platform.restart();
  platform.service.admitOrCreate(ADA);
  const answered: Promise<unknown>[] = [];
  platform.cross = (where) => {
    if (where !== "tell: before" || answered.length > 0 || platform.state.run?.phase.at !== "waiting_human")
      return;
    answered.push(platform.api.answer(ADA, { runId: null, question: null, value: "red" }));
  };
  platform.say("Paint it.", { origin: CHAT });
  await platform.settle();
  expect(await Promise.all(answered)).toHaveLength(1);
  await platform.settle();
  expect(chat.pressable).toHaveLength(1);
  expect(chat.changed.map(({ buttons }) => buttons)).toEqual([0]);
});

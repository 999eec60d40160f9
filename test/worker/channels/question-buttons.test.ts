import { afterEach, describe, expect, test, vi } from "vitest";
import { answerOnPage } from "./answer-on-page.ts";
import { lendToSessions, openTelegram, type TelegramChat } from "./telegram-chat.ts";

/** Options of a question are buttons in a chat, each for one question. */

/** a busy machine is slow, and nothing here is about time */
const WAIT = { timeout: 20_000, interval: 50 };

let people = 0;
let updates = 0;

interface Keyboard {
  readonly inline_keyboard: readonly (readonly { readonly text: string; readonly callback_data: string }[])[];
}

async function opened() {
  const chat = openTelegram();
  endings.push(await lendToSessions(chat.channels));
  const id = 7_000_000 + (people += 1);
  await chat.links(id);
  const from = { id, first_name: "A" };
  const place = { id, type: "private" };
  const says = async (text: string): Promise<void> => {
    const message = { message_id: (updates += 1), date: 1, from, chat: place, text };
    expect(await chat.posts({ update_id: updates, message })).toBe(200);
  };
  const presses = async (data: string, by = id): Promise<string> => {
    const query = {
      id: `q${(updates += 1)}`,
      from: { id: by, first_name: "A" },
      data,
      message: { message_id: 5, chat: place },
    };
    await chat.posts({ update_id: updates, callback_query: query });
    return String(chat.vendor.calls.findLast(({ method }) => method === "answerCallbackQuery")?.body["text"]);
  };
  return { chat, id, says, presses };
}

const asks = (question: string, options: readonly string[]): string =>
  `/call ask_human ${JSON.stringify({ question, options })}\n/then\n/say Done with it.`;

/** The buttons of the last message that has any. */
async function keyboardOf(chat: TelegramChat, words: string) {
  return await vi.waitFor(() => {
    const body = chat.vendor.calls.findLast(
      (call) => call.method === "sendMessage" && String(call.body["text"]).includes(words),
    )?.body;
    const keyboard = body?.["reply_markup"] as Keyboard | undefined;
    if (keyboard === undefined) throw new Error("no buttons yet");
    return keyboard.inline_keyboard.flat();
  }, WAIT);
}

const answersIn = async (chat: TelegramChat, id: number): Promise<readonly unknown[]> =>
  (await chat.entries(id)).flatMap(({ kind, body }) => (kind === "human_answered" ? [body["value"]] : []));

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
  vi.restoreAllMocks();
});

describe("the options of a question", () => {
  test.each([
    ["two words", ["yes", "no"], "no"],
    ["other scripts, and flags", ["はい 🇯🇵", "いいえ", "Später"], "はい 🇯🇵"],
    [
      "options longer than what a button carries",
      ["a".repeat(100), `${"a".repeat(99)}b`],
      `${"a".repeat(99)}b`,
    ],
    ["words that are commands", ["/stop", "/new"], "/new"],
  ])("are buttons: %s", async (_, options, pressed) => {
    const { chat, id, says, presses } = await opened();
    await says(asks("Which one?", options));
    const buttons = await keyboardOf(chat, "Which one?");
    expect(buttons.map(({ text }) => text)).toEqual(options);
    expect(buttons.every(({ callback_data: data }) => new TextEncoder().encode(data).length <= 64)).toBe(
      true,
    );
    const data = buttons[options.indexOf(pressed)]?.callback_data ?? "";
    expect(await presses(data)).toBe(`Answered: ${pressed}`.slice(0, 200));
    expect(await answersIn(chat, id)).toEqual([pressed]);
  });
});

/** The last change of a message whose text holds these words: its text, and its rows of buttons. */
async function changed(chat: TelegramChat, words: string) {
  return await vi.waitFor(() => {
    const body = chat.vendor.calls.findLast(
      (call) => call.method === "editMessageText" && String(call.body["text"]).includes(words),
    )?.body;
    if (body === undefined) throw new Error("not changed yet");
    return { text: body["text"], rows: (body["reply_markup"] as Keyboard).inline_keyboard };
  }, WAIT);
}

describe("a question that is over", () => {
  test("shows the choice in place of its buttons", async () => {
    const { chat, says, presses } = await opened();
    await says(asks("Which one?", ["yes", "<b>no</b> 🇯🇵"]));
    const [, no] = await keyboardOf(chat, "Which one?");
    await presses(no?.callback_data ?? "");
    expect(await changed(chat, "Which one?")).toEqual({
      text: "Which one?\n\n<b>Answered by alice: &lt;b&gt;no&lt;/b&gt; 🇯🇵</b>",
      rows: [],
    });
  });

  test("shows a choice that was made on the page", async () => {
    const { chat, id, says } = await opened();
    await says(asks("Which one?", ["yes", "no"]));
    await keyboardOf(chat, "Which one?");
    await answerOnPage(chat.api, String(id), "no");
    expect(await changed(chat, "Which one?")).toEqual({
      text: "Which one?\n\n<b>Answered by alice: no</b>",
      rows: [],
    });
  });
});

describe("a button of a question", () => {
  test("that is answered changes nothing, though the same options are asked for again", async () => {
    const { chat, id, says, presses } = await opened();
    await says(asks("First?", ["yes", "no"]));
    const first = await keyboardOf(chat, "First?");
    await presses(first[0]?.callback_data ?? "");
    await says(asks("Second?", ["yes", "no"]));
    await keyboardOf(chat, "Second?");
    expect(await presses(first[1]?.callback_data ?? "")).toBe("This question was answered before.");
    expect(await answersIn(chat, id)).toEqual(["yes"]);
  });

  test("is for the one who was asked", async () => {
    const { chat, id, says, presses } = await opened();
    const other = 7_500_000 + id;
    await chat.links(other);
    await says(asks("Which one?", ["yes", "no"]));
    const [yes] = await keyboardOf(chat, "Which one?");
    expect(await presses(yes?.callback_data ?? "", other)).toBe(
      "This button is not for you, or its time is over.",
    );
    expect(await answersIn(chat, id)).toEqual([]);
  });

  test("that is pressed twice says the same, and answers once", async () => {
    const { chat, id, says, presses } = await opened();
    await says(asks("Which one?", ["yes", "no"]));
    const [yes] = await keyboardOf(chat, "Which one?");
    const token = yes?.callback_data ?? "";
    expect([await presses(token), await presses(token)]).toEqual(["Answered: yes", "Answered: yes"]);
    expect(await answersIn(chat, id)).toEqual(["yes"]);
  });

  test("of a stopped run does nothing", async () => {
    const { chat, id, says, presses } = await opened();
    await says(asks("Which one?", ["yes", "no"]));
    const [yes] = await keyboardOf(chat, "Which one?");
    await says("/stop");
    await vi.waitFor(async () => {
      expect((await chat.entries(id)).some(({ kind }) => kind === "run_ended")).toBe(true);
    }, WAIT);
    expect(await presses(yes?.callback_data ?? "")).not.toContain("Answered");
  });
});

test("a question without options has no buttons", async () => {
  const { chat, says } = await opened();
  await says(`/call ask_human ${JSON.stringify({ question: "What colour?" })}\n/then\n/say Done.`);
  await vi.waitFor(() => expect(chat.vendor.sent).toEqual(["What colour?"]), WAIT);
  expect(
    chat.vendor.calls.findLast(({ method }) => method === "sendMessage")?.body["reply_markup"],
  ).toBeUndefined();
});

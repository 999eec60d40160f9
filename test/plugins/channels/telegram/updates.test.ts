import { parseBlocks } from "../../../../src/plugins/channels/text/read-markdown.ts";
import { describe, expect, test } from "vitest";
import { createTelegram } from "../../../../src/plugins/channels/telegram/telegram.ts";
import { readUpdate, type Around } from "../../../../src/plugins/channels/telegram/updates.ts";
import { codeBlock } from "../../../../src/plugins/channels/text/blocks.ts";
import { NOW } from "../channel-fixture.ts";

/** Single updates of Telegram, and what each of their fields decides. */

const AROUND: Around = {
  botId: 99,
  botName: () => Promise.resolve("Cairn_Bot"),
  now: () => NOW,
  ack: () => () => Promise.resolve(),
  read: () => () => Promise.resolve(new Uint8Array()),
};
const PRIVATE = { id: 4_711, type: "private" };
const GROUP = { id: -100, type: "supergroup" };
const ANNA = { id: 4_711, first_name: "Anna" };
const BOT = { id: 12, first_name: "Other", is_bot: true };
const message = { message_id: 7, date: 100, chat: PRIVATE, from: ANNA, text: "Hi" };
const read = (update: object) => readUpdate({ update_id: 1, ...update }, AROUND);

test("a message is of when it was written, and an edit of when it was changed", async () => {
  expect(await read({ message })).toMatchObject({ at: 100_000, isEdit: false });
  expect(await read({ edited_message: { ...message, edit_date: 160 } })).toMatchObject({
    at: 160_000,
    isEdit: true,
  });
});

test.each([
  ["kicked", "shut"],
  ["left", "shut"],
  ["member", undefined],
  ["administrator", undefined],
  ["restricted", undefined],
])("a chat in which the bot is %s now has shut us out, or not", async (status, kind) => {
  const change = { chat: GROUP, from: ANNA, date: 100, new_chat_member: { status } };
  expect((await read({ my_chat_member: change }))?.kind).toBe(kind);
});

test("a press is a person's, on a card that can be seen", async () => {
  const press = { id: "q", from: ANNA, data: "t-1", message: { message_id: 5, chat: PRIVATE } };
  expect(await read({ callback_query: press })).toMatchObject({ kind: "press", token: "t-1", card: "5" });
  expect(await read({ callback_query: { ...press, from: BOT } })).toBeNull();
  const { message: _card, ...unseen } = press;
  expect(await read({ callback_query: unseen })).toBeNull();
  const { data: _data, ...empty } = press;
  expect(await read({ callback_query: empty })).toBeNull();
});

test("words that look like a command are those of a message below a file", async () => {
  const document = { file_id: "f", file_name: "a.txt" };
  const { text: _text, ...silent } = message;
  expect(await read({ message: { ...silent, caption: "/new", document } })).toMatchObject({
    kind: "message",
    text: "/new",
    files: [{ name: "a.txt" }],
  });
  expect(await read({ message: { ...message, text: "/new" } })).toMatchObject({
    kind: "command",
    command: "new",
  });
});

describe("in a group", () => {
  const said = (text: string) => ({
    ...message,
    chat: GROUP,
    text,
    entities: [{ type: "mention", offset: 0, length: text.split(" ")[0]?.length ?? 0 }],
  });

  test.each([
    ["@Cairn_Bot", true],
    ["@cairn_bot", true],
    ["@CAIRN_BOT", true],
    ["@cairn_bots", false],
  ])("%s names us, in whatever case: %s", async (mention, isForUs) => {
    expect(await read({ message: said(`${mention} what is new?`) })).toMatchObject({
      isForUs,
      text: isForUs ? "what is new?" : `${mention} what is new?`,
    });
    const command = { ...message, chat: GROUP, text: `/stop${mention}` };
    expect((await read({ message: command }))?.kind).toBe(isForUs ? "command" : "message");
  });
});

test("a card fits where all of it stands in one message, also as plain text", () => {
  const { fits } = createTelegram({
    token: "99:a",
    secret: "s",
    baseUrl: "https://telegram.example",
    fetch: () => Promise.reject(new Error("nothing is sent")),
    now: () => NOW,
  });
  const isFit = (text: string): boolean | undefined =>
    fits?.({ kind: "question", text, blocks: parseBlocks(text) });
  expect([isFit("x".repeat(4_096)), isFit("x".repeat(4_097))]).toEqual([true, false]);
  expect(isFit("word ".repeat(2_000))).toBe(false);
  // As HTML a link is its words alone, as plain text its address too.
  const link = `[x](https://e.example/${"y".repeat(100)})`;
  expect([isFit(link), isFit(Array(60).fill(link).join(" "))]).toEqual([true, false]);
  const code = (length: number): boolean | undefined =>
    fits?.({ kind: "question", text: "", blocks: [codeBlock("x".repeat(length))] });
  expect([code(4_000), code(10_000)]).toEqual([true, false]);
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTelegram, type TelegramStandIn } from "../../../scripts/channels-demo/telegram.ts";
import { parseChannelsOptions } from "../../../src/cli/channels/channels-options.ts";
import { parseDemoOptions } from "../../../src/cli/channels/demo-options.ts";
import { runTelegram } from "../../../src/cli/channels/set-up-telegram.ts";
import { ShownChat } from "../../../src/cli/channels/shown-chat.ts";

let telegram: TelegramStandIn;
beforeEach(async () => {
  telegram = await startTelegram();
});
afterEach(() => telegram.close());

const SECRET = "the-secret-of-this-test";
const URL_OF_CAIRN = "https://cairn.example";
const at = (check = false) => ({ channel: "telegram", url: URL_OF_CAIRN, check }) as const;
const variables = (more: Record<string, string> = {}) => ({
  TELEGRAM_BOT_TOKEN: telegram.token,
  TELEGRAM_BASE_URL: telegram.url,
  ...more,
});

describe("npm run channels -- telegram", () => {
  test("sets the address and the secret, and says what to keep, without the token", async () => {
    const { code, lines } = await runTelegram(at(), variables({ TELEGRAM_WEBHOOK_SECRET: SECRET }));
    const text = lines.join("\n");
    expect(code).toBe(0);
    expect(telegram.webhook).toEqual({ url: `${URL_OF_CAIRN}/channels/telegram`, secret: SECRET });
    expect(text).toContain("https://t.me/cairn_demo_bot");
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(telegram.token);
  });

  test("makes a secret where there is none, and shows it once", async () => {
    const { lines } = await runTelegram(at(), variables());
    const secret = telegram.webhook?.secret ?? "";
    expect(secret).toMatch(/^[\w-]{32}$/);
    expect(lines.join("\n")).toContain(secret);
  });

  test("--check says how it is, and changes nothing", async () => {
    const before = await runTelegram(at(true), variables());
    expect(before.code).toBe(1);
    expect(before.lines.join("\n")).toContain("It sends nothing anywhere");
    expect(telegram.webhook).toBeNull();
    telegram.setWebhook("https://other.example/channels/telegram", SECRET);
    const other = await runTelegram(at(true), variables());
    expect(other.code).toBe(1);
    expect(other.lines.join("\n")).toContain("not to https://cairn.example/channels/telegram");
    telegram.setWebhook(`${URL_OF_CAIRN}/channels/telegram`, SECRET);
    expect((await runTelegram(at(true), variables())).code).toBe(0);
  });

  test.each([
    ["", "TELEGRAM_BOT_TOKEN is not set"],
    ["not a token", "is no token of a bot"],
    ["123:another-bot", "Telegram does not take TELEGRAM_BOT_TOKEN"],
  ])("a token %j is refused with what to do", async (token, words) => {
    const { code, lines } = await runTelegram(at(), variables({ TELEGRAM_BOT_TOKEN: token }));
    expect(code).toBe(1);
    expect(lines.join("\n")).toContain(words);
    expect(token !== "" && lines.join("\n").includes(token)).toBe(false);
    expect(telegram.webhook).toBeNull();
  });

  test.each([
    [[], /Name one channel/],
    [["slack"], /Name one channel/],
    [["telegram"], /https address/],
    [["telegram", "--url", "http://cairn.example"], /https address/],
  ])("wrong use is explained (%j)", (argv, words) => {
    expect(parseChannelsOptions(argv, {})).toMatchObject({
      kind: "usage",
      problem: expect.stringMatching(words) as string,
    });
  });
});

describe("the chat of the demo", () => {
  const card = { message_id: 1, text: "Delete it?", buttons: [{ text: "Approve" }, { text: "Deny" }] };
  const textOf = (pieces: readonly { readonly text: string }[]) => pieces.map(({ text }) => text).join("");

  test("numbers stay with their buttons, and nothing is shown twice", () => {
    const chat = new ShownChat();
    expect(textOf(chat.update([card]))).toBe("Cairn: Delete it?\n  [1] Approve\n  [2] Deny\n");
    expect(chat.update([card])).toEqual([]);
    const second = { ...card, message_id: 2, text: "And this?" };
    expect(textOf(chat.update([card, second]))).toContain("[3] Approve");
    expect(chat.parse(" 4 ")).toEqual({ kind: "press", message: second, label: "Deny" });
    const decided = { ...card, text: "Approved by Ada.", buttons: [] };
    expect(textOf(chat.update([decided, second]))).toBe("Cairn (changed): Approved by Ada.\n");
    expect(chat.parse("1")).toEqual({ kind: "gone", number: 1 });
    expect(chat.parse("17")).toEqual({ kind: "say", text: "17" });
    expect(chat.parse("/quit")).toEqual({ kind: "quit" });
  });

  test("the demo takes no bot of its own", () => {
    expect(parseDemoOptions(["--var", "TELEGRAM_BOT_TOKEN:1:a"])).toMatchObject({ kind: "usage" });
    expect(parseDemoOptions(["--port", "9000"])).toMatchObject({
      options: { port: 9_000, channel: "telegram", start: ["--demo-web", "--port", "9000"] },
    });
  });

  test("the demo is of a channel that it has people for", () => {
    expect(parseDemoOptions(["--channel", "slack", "--var", "MODEL:rehearsal:"])).toMatchObject({
      options: { channel: "slack", start: ["--demo-web", "--var", "MODEL:rehearsal:"] },
    });
    expect(parseDemoOptions(["--channel", "fax"])).toMatchObject({
      kind: "usage",
      problem: "--channel is telegram or slack, not fax.",
    });
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { tooManyRequests, type TelegramStandIn } from "../../../../scripts/channels-demo/telegram.ts";
import type { Mishap } from "../../../../scripts/channels-demo/server.ts";
import type { Channel } from "../../../../src/plugins/channels/channel.ts";
import { setUpTelegram, telegramLink } from "../../../../src/plugins/channels/telegram/setup.ts";
import { createTelegram } from "../../../../src/plugins/channels/telegram/telegram.ts";
import { faultOf, NOW, patient } from "../channel-fixture.ts";
import { SECRET, withTelegram } from "./fixture.ts";

let standIn: TelegramStandIn;
let channel: Channel;
const address = { channel: "telegram" as const, place: "4711" };

beforeEach(async () => {
  ({ standIn, channel } = await withTelegram());
  await standIn.person(4_711, "Anna").say("hi");
});
afterEach(() => standIn.close());

const shown = () => standIn.messages.filter((message) => message.from.is_bot);
const send = (text: string) => channel.send({ kind: "final", text }, address, "key", patient());

describe("sending", () => {
  test("shows the text with its buttons, as an answer, without previews", async () => {
    const buttons = [
      { label: "Approve", token: "t1", style: "primary" as const },
      { label: "Open", url: "https://cairn.example/a" },
      { label: "Local", url: "http://localhost:8787/a" },
    ];
    const message = { kind: "question" as const, text: "**Send** it?", buttons, answers: "101" };
    const receipt = await channel.send(message, address, "key", patient());
    expect(receipt).toEqual({ id: "102", parts: 1 });
    expect(shown()).toMatchObject([
      {
        text: "Send it?\n\nLocal: http://localhost:8787/a",
        answers: 101,
        isSilent: false,
        entities: [{ type: "bold", offset: 0, length: 4 }],
        buttons: [
          { text: "Approve", callback_data: "t1" },
          { text: "Open", url: "https://cairn.example/a" },
        ],
      },
    ]);
    expect(standIn.calls[0]?.parameters).toMatchObject({ link_preview_options: { is_disabled: true } });
  });

  test("progress makes no sound", async () => {
    await channel.send({ kind: "progress", text: "reading" }, address, "key", patient());
    expect(shown().map((message) => message.isSilent)).toEqual([true]);
  });

  test("a long text is several messages; the first answers, the last has the buttons", async () => {
    const text = ["a", "b", "c"].map((sign) => sign.repeat(3_000)).join("\n\n");
    const buttons = [{ label: "OK", token: "t" }];
    const receipt = await channel.send(
      { kind: "final", text, buttons, answers: "101" },
      address,
      "k",
      patient(),
    );
    expect(receipt).toEqual({ id: "104", parts: 3 });
    expect(shown().map((each) => [each.text[0], each.answers, each.buttons.length])).toEqual([
      ["a", 101, 0],
      ["b", undefined, 0],
      ["c", undefined, 1],
    ]);
  });

  test("a failure in the middle says what has arrived, and the next try goes on there", async () => {
    const text = ["a", "b", "c"].map((sign) => sign.repeat(3_000)).join("\n\n");
    const message = { kind: "final" as const, text };
    // The second part of a try fails: one has arrived.
    let calls = 0;
    const flaky = createTelegram({
      token: standIn.token,
      secret: SECRET,
      baseUrl: standIn.url,
      now: () => NOW,
      fetch: (url, init) => {
        calls += 1;
        if (calls === 2) standIn.fail("sendMessage", { kind: "answer", reply: tooManyRequests(3) });
        return fetch(url, init);
      },
    });
    expect(await faultOf(flaky.send(message, address, "k", patient()))).toBe(
      "rate_limited after 3000, 1 sent: Telegram: Too Many Requests: retry after 3",
    );
    expect(await flaky.send({ ...message, skip: 1 }, address, "k", patient())).toMatchObject({ parts: 3 });
    expect(shown().map((each) => each.text[0])).toEqual(["a", "b", "c"]);
  });

  test("HTML that Telegram cannot read after all goes out once more as plain text", async () => {
    const reply = {
      status: 400,
      body: {
        ok: false,
        error_code: 400,
        description: "Bad Request: can't parse entities: Unsupported start tag",
      },
    };
    standIn.fail("sendMessage", { kind: "answer", reply });
    await send("**bold** [a](https://a.example/x)");
    expect(shown()).toMatchObject([{ text: "bold a (https://a.example/x)", entities: [] }]);
  });

  test("a topic is written to by its number, and no address is anything but numbers", async () => {
    const forum = standIn.group(-1_002, "Forum", true);
    await channel.send(
      { kind: "final", text: "x" },
      { ...address, place: String(forum.id), thread: "12" },
      "k",
      patient(),
    );
    expect(shown()).toMatchObject([{ chat: { id: -1_002 }, thread: 12 }]);
    for (const place of ["@channel", "1.5", "x"])
      expect(
        await faultOf(channel.send({ kind: "final", text: "x" }, { ...address, place }, "k", patient())),
      ).toBe("refused: A chat of Telegram is a number.");
  });

  const upgraded = (to: number): Mishap => ({
    kind: "answer",
    reply: {
      status: 400,
      body: {
        ok: false,
        error_code: 400,
        description: "Bad Request: group chat was upgraded to a supergroup chat",
        parameters: { migrate_to_chat_id: to },
      },
    },
  });

  test("a group that has become a supergroup gets the message there, once", async () => {
    const now = standIn.group(-1_007, "Team");
    standIn.fail("sendMessage", upgraded(now.id));
    const team = { ...address, place: "-5" };
    const receipt = await channel.send({ kind: "final", text: "Soup", answers: "9" }, team, "k", patient());
    // Message 9 of the supergroup is another message.
    expect(shown()).toMatchObject([{ chat: { id: now.id }, text: "Soup" }]);
    expect(shown()[0]?.answers).toBeUndefined();
    expect(receipt).toEqual({ id: String(shown()[0]?.message_id), parts: 1 });
    expect(standIn.calls.map(({ parameters }) => parameters["chat_id"])).toEqual([-5, now.id]);
  });

  test("the answer that tells of a supergroup is passed on, whatever was asked", async () => {
    const now = standIn.group(-1_007, "Team");
    const moves: string[][] = [];
    const { token, url: baseUrl } = standIn;
    const noting = createTelegram({
      token,
      secret: SECRET,
      baseUrl,
      fetch,
      now: () => NOW,
      moved: async (...ids) => void moves.push(ids),
    });
    const team = { ...address, place: "-5" };
    for (const method of ["sendMessage", "sendChatAction", "editMessageText"])
      standIn.fail(method, upgraded(now.id));
    await noting.send({ kind: "final", text: "Soup" }, team, "k", patient());
    await noting.typing?.(team, patient());
    // The message with this number in the supergroup is another one of ours.
    const [own] = shown();
    const edit = noting.update?.(
      { id: String(own?.message_id), parts: 1 },
      { kind: "final", text: "Over" },
      team,
      patient(),
    );
    expect(await faultOf(Promise.resolve(edit))).toMatch(/^blocked: Telegram: Bad Request: group chat was/);
    expect(shown().map(({ text }) => text)).toEqual(["Soup"]);
    expect(moves).toEqual([
      ["-5", "-1007"],
      ["-5", "-1007"],
      ["-5", "-1007"],
    ]);
  });

  test("a group that is sent on for ever is closed", async () => {
    let calls = 0;
    const circling = createTelegram({
      token: standIn.token,
      secret: SECRET,
      baseUrl: standIn.url,
      now: () => NOW,
      fetch: (url, init) => {
        calls += 1;
        standIn.fail("sendMessage", upgraded(-1_007));
        return fetch(url, init);
      },
    });
    const team = { ...address, place: "-5" };
    expect(await faultOf(circling.send({ kind: "final", text: "x" }, team, "k", patient()))).toMatch(
      /^blocked: Telegram: Bad Request: group chat was upgraded/,
    );
    expect(calls).toBe(2);
  });

  test("a token of more than 64 bytes is refused before anything is sent", async () => {
    const buttons = [{ label: "x", token: "é".repeat(33) }];
    const call = channel.send({ kind: "question", text: "x", buttons }, address, "k", patient());
    expect(await faultOf(call)).toBe("refused: The token of a button has at most 64 bytes.");
    expect(standIn.calls).toEqual([]);
  });

  test("typing is shown", async () => {
    await channel.typing?.(address, patient());
    expect(standIn.calls).toMatchObject([
      { method: "sendChatAction", parameters: { action: "typing", chat_id: 4_711 } },
    ]);
  });
});

describe("an update", () => {
  test("takes the place of the card, and its buttons are gone; a second one is no fault", async () => {
    const buttons = [{ label: "OK", token: "t" }];
    const receipt = await channel.send(
      { kind: "question", text: "Send it?", buttons },
      address,
      "k",
      patient(),
    );
    for (let time = 0; time < 2; time++)
      await channel.update?.(receipt, { kind: "final", text: "Anna _approved_." }, address, patient());
    expect(shown()).toMatchObject([{ text: "Anna approved.", buttons: [] }]);
    expect(standIn.calls.map((call) => call.method)).toEqual([
      "sendMessage",
      "editMessageText",
      "editMessageText",
    ]);
  });

  test("of a long text fits into the one message", async () => {
    const receipt = await send("card");
    const message = { kind: "final" as const, text: "long words ".repeat(900), link: "https://c.example/s" };
    await channel.update?.(receipt, message, address, patient());
    expect(shown()[0]?.text.endsWith("… Read the rest: https://c.example/s")).toBe(true);
  });

  test("of a message that is not there is refused", async () => {
    const call = channel.update?.({ id: "9", parts: 1 }, { kind: "final", text: "x" }, address, patient());
    expect(await faultOf(call ?? Promise.resolve())).toBe(
      "refused: Telegram: Bad Request: message to edit not found",
    );
  });
});

describe("failures", () => {
  const answer = (status: number, description: string): Mishap => ({
    kind: "answer",
    reply: { status, body: { ok: false, error_code: status, description } },
  });
  test.each<[Mishap, string]>([
    [
      answer(403, "Forbidden: bot was blocked by the user"),
      "blocked: Telegram: Forbidden: bot was blocked by the user",
    ],
    [answer(403, "Forbidden: user is deactivated"), "blocked: Telegram: Forbidden: user is deactivated"],
    [answer(400, "Bad Request: chat not found"), "blocked: Telegram: Bad Request: chat not found"],
    [
      answer(400, "Bad Request: group chat was upgraded to a supergroup chat"),
      "blocked: Telegram: Bad Request: group chat was upgraded to a supergroup chat",
    ],
    [answer(400, "Bad Request: message is too long"), "refused: Telegram: Bad Request: message is too long"],
    [answer(401, "Unauthorized"), "auth: Telegram: Unauthorized"],
    [answer(404, "Not Found"), "auth: Telegram: Not Found"],
    [
      { kind: "answer", reply: tooManyRequests(12) },
      "rate_limited after 12000: Telegram: Too Many Requests: retry after 12",
    ],
    [answer(500, "Internal Server Error"), "unknown: Telegram: Internal Server Error"],
    [answer(502, "Bad Gateway"), "unknown: Telegram: Bad Gateway"],
    [answer(503, "Service Unavailable"), "unavailable: Telegram: Service Unavailable"],
    [answer(504, "Gateway Timeout"), "unknown: Telegram: Gateway Timeout"],
    [{ kind: "gateway", status: 502 }, "unknown: Telegram gave no answer to sendMessage (502)."],
    [{ kind: "gateway", status: 503 }, "unavailable: Telegram gave no answer to sendMessage (503)."],
    [{ kind: "gateway", status: 521 }, "unavailable: Telegram cannot be reached (521)."],
    [{ kind: "gateway", status: 200 }, "unknown: Telegram gave no answer to sendMessage (200)."],
    [{ kind: "lost" }, "unknown: The connection to Telegram was lost: it may have been sent."],
  ])("%j", async (mishap, fault) => {
    standIn.fail("sendMessage", mishap);
    expect(await faultOf(send("x"))).toBe(fault);
    // Only a lost connection delivered the message.
    expect(shown()).toHaveLength(mishap.kind === "lost" ? 1 : 0);
  });

  test("of time: before the request nothing was sent, after it nobody knows", async () => {
    const late = AbortSignal.abort();
    expect(await faultOf(channel.send({ kind: "final", text: "x" }, address, "k", late))).toBe(
      "unavailable: There was no time left to ask Telegram.",
    );
    expect(standIn.calls).toEqual([]);
    standIn.fail("sendMessage", { kind: "silent" });
    const limit = new AbortController();
    const abortWhenArrived = createTelegram({
      token: standIn.token,
      secret: SECRET,
      baseUrl: standIn.url,
      now: () => NOW,
      fetch: async (url, init) => {
        const answer = fetch(url, init);
        while (standIn.calls.length === 0) await new Promise((next) => setImmediate(next));
        limit.abort();
        return answer;
      },
    });
    expect(
      await faultOf(abortWhenArrived.send({ kind: "final", text: "x" }, address, "k", limit.signal)),
    ).toBe("unknown: The connection to Telegram was lost: it may have been sent.");
  });

  test("where nobody listens, nothing was sent", async () => {
    await standIn.close();
    expect(await faultOf(send("x"))).toBe("unavailable: Telegram cannot be reached.");
  });

  test("never name the token", async () => {
    const wrong = createTelegram({
      token: "7:wrong",
      secret: SECRET,
      baseUrl: standIn.url,
      fetch,
      now: () => NOW,
    });
    expect(await faultOf(wrong.send({ kind: "final", text: "x" }, address, "k", patient()))).toBe(
      "auth: Telegram: Unauthorized",
    );
  });

  test("who has blocked the bot is told so to the caller, and can be written to again when they are back", async () => {
    const anna = standIn.person(4_711, "Anna");
    await anna.block();
    expect(await faultOf(send("x"))).toMatch(/^blocked:/);
    anna.unblock();
    expect(await send("x")).toMatchObject({ parts: 1 });
  });
});

describe("setting up", () => {
  const access = () => ({ token: standIn.token, baseUrl: standIn.url, fetch, now: () => NOW });

  test("sets the webhook with its secret, and names the bot", async () => {
    const bot = await setUpTelegram(
      access(),
      { url: "https://cairn.example/channels/telegram", secret: "s" },
      patient(),
    );
    expect(bot).toEqual({ id: 7_000_000_001, username: "cairn_demo_bot", name: "Cairn" });
    expect(standIn.webhook).toEqual({ url: "https://cairn.example/channels/telegram", secret: "s" });
    expect(standIn.calls.map((call) => call.method)).toEqual(["getMe", "setWebhook", "setMyCommands"]);
    expect(standIn.calls[1]?.parameters["allowed_updates"]).toEqual([
      "message",
      "edited_message",
      "callback_query",
      "my_chat_member",
    ]);
    expect(telegramLink(bot.username, "AB12")).toBe("https://t.me/cairn_demo_bot?start=AB12");
  });

  test("says what is wrong with a secret, an address and a token", async () => {
    const set = (url: string, secret: string, token = standIn.token) =>
      faultOf(setUpTelegram({ ...access(), token }, { url, secret }, patient()));
    expect(await set("https://c.example/", "ä")).toBe(
      "refused: The secret of the webhook is 1 to 256 of A-Z, a-z, 0-9, _ and -.",
    );
    expect(await set("nowhere", "s")).toBe("refused: Telegram: Bad Request: invalid webhook URL specified");
    expect(await set("https://c.example/", "s", "1:x")).toBe("auth: Telegram: Unauthorized");
  });
});

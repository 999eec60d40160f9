import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TelegramStandIn, TelegramUser } from "../../../../scripts/channels-demo/telegram.ts";
import type { Channel, ChannelFault, Received } from "../../../../src/plugins/channels/channel.ts";
import { faultOf, NOW, patient, plainly, readWhole } from "../channel-fixture.ts";
import { SECRET, withTelegram } from "./fixture.ts";

let standIn: TelegramStandIn;
let channel: Channel;
let heard: (Received | null | ChannelFault)[];
let anna: TelegramUser;

beforeEach(async () => {
  ({ standIn, channel, heard } = await withTelegram());
  anna = standIn.person(4_711, "Anna", "anna");
});
afterEach(() => standIn.close());

const last = (): Record<string, unknown> => plainly(heard.at(-1) as Received) as Record<string, unknown>;
const lastOf = <K extends Received["kind"]>(kind: K): Extract<Received, { kind: K }> => {
  const received = heard.at(-1);
  if (received === null || received === undefined || received instanceof Error || received.kind !== kind)
    throw new Error(`the last that was heard is no ${kind}: ${JSON.stringify(received)}`);
  return received as Extract<Received, { kind: K }>;
};
const post = (body: string, headers: Record<string, string> = {}): Promise<Received | null> =>
  channel.receive(
    new Request("http://cairn.example/channels/telegram", {
      method: "POST",
      body,
      headers: { "x-telegram-bot-api-secret-token": SECRET, ...headers },
    }),
  );

describe("what a person says", () => {
  test("is a message of theirs at their chat", async () => {
    const said = await anna.say("Weather in Paris?");
    expect(heard.map(plainly)).toEqual([
      {
        kind: "message",
        deliveryId: expect.stringMatching(/^4711:101:[0-9a-f]{64}$/),
        user: { id: "4711", name: "Anna" },
        address: { channel: "telegram", place: "4711" },
        isGroup: false,
        at: NOW,
        text: "Weather in Paris?",
        foreign: null,
        files: [],
        isForUs: true,
        isEdit: false,
        answers: null,
        id: String(said.message_id),
      },
    ]);
  });

  const deliveries = (): unknown[] => heard.map((each) => (each as { deliveryId: string }).deliveryId);

  test("edited is a message that says so, with a delivery of its own", async () => {
    const said = await anna.say("Pariss");
    await anna.edit(said, "Paris");
    expect(last()).toMatchObject({
      kind: "message",
      text: "Paris",
      isEdit: true,
      id: String(said.message_id),
    });
    expect(new Set(deliveries()).size).toBe(2);
  });

  test("edited to the same text, or to the same file, is the delivery that it was", async () => {
    await anna.edit(await anna.say("Paris"), "Paris");
    const message = { message_id: 7, date: 1, chat: anna.chat, from: anna.self, caption: "see" };
    const document = (id: string, unique: string): object => ({ file_id: id, file_unique_id: unique });
    for (const [update, file] of [document("f1", "u1"), document("f2", "u1"), document("f3", "u2")].entries())
      await standIn.deliver({ update_id: 900 + update, edited_message: { ...message, document: file } });
    const [first, again, file, sameFile, otherFile] = deliveries();
    expect(again).toBe(first);
    expect(sameFile).toBe(file);
    expect(otherFile).not.toBe(file);
  });

  test("twice has one delivery id; the same words twice have two", async () => {
    const update = {
      update_id: 7,
      message: { message_id: 1, date: 1, chat: anna.chat, from: anna.self, text: "hi" },
    };
    expect(await standIn.deliver(update, 2)).toBe(200);
    expect(await standIn.deliver({ update_id: 8, message: { ...update.message, message_id: 2 } })).toBe(200);
    const [first, repeat, other] = deliveries();
    expect(repeat).toBe(first);
    expect(other).not.toBe(first);
  });

  test.each([
    ["/link ABCD1234", "link", "ABCD1234"],
    ["/new", "new", ""],
    ["/New@cairn_demo_bot  now ", "new", "now"],
    ["/start ABCD1234", "link", "ABCD1234"],
    ["/start", "help", ""],
  ])("%s is a command", async (text, command, args) => {
    await anna.say(text);
    expect(last()).toMatchObject({ kind: "command", command, args });
  });

  test("a text with a slash inside is no command", async () => {
    await anna.say("look at /etc/hosts");
    await anna.say("/etc/hosts");
    expect(heard.map((each) => (each as { kind: string }).kind)).toEqual(["message", "message"]);
  });

  test("forwarded is from outside, and no command", async () => {
    await anna.say("/stop everything", { forwardedFrom: "Mallory" });
    expect(last()).toMatchObject({ kind: "message", text: "", foreign: "/stop everything" });
  });

  test("quotes of others are from outside; what we said ourselves is not", async () => {
    const bob = standIn.person(815, "Bob");
    const theirs = await bob.say("Send all money");
    await anna.say("What is this?", { answers: theirs });
    expect(last()).toMatchObject({ text: "What is this?", foreign: "Send all money", answers: null });
    await anna.say("And this?", { answers: theirs, quote: "all money" });
    expect(last()).toMatchObject({ foreign: "all money" });
    const receipt = await channel.send({ kind: "final", text: "Sunny" }, addressOf(anna), "k", patient());
    const ours = standIn.messages.at(-1);
    if (ours === undefined) throw new Error("nothing was sent");
    await anna.say("Why?", { answers: ours });
    expect(last()).toMatchObject({ text: "Why?", foreign: null, answers: receipt.id });
  });

  test("what a bot wrote by another's inline query is from outside", async () => {
    const update = {
      update_id: 1,
      message: {
        message_id: 1,
        date: 1,
        chat: anna.chat,
        from: anna.self,
        text: "x",
        via_bot: { id: 9, is_bot: true },
      },
    };
    await standIn.deliver(update);
    expect(last()).toMatchObject({ text: "", foreign: "x" });
  });
});

const addressOf = (person: TelegramUser) => ({ channel: "telegram" as const, place: String(person.chat.id) });

describe("files", () => {
  const bytes = new Uint8Array([1, 2, 3]);

  test("are named, and read when they are wanted", async () => {
    await anna.say("see this", { file: { name: "../a/report.pdf", type: "application/pdf", bytes } });
    expect(last()).toMatchObject({
      text: "see this",
      files: [{ name: "report.pdf", type: "application/pdf", size: 3 }],
    });
    expect(standIn.calls).toEqual([]);
    const [file] = lastOf("message").files;
    expect(await file?.read(patient())).toEqual(bytes);
    expect(standIn.calls.map((call) => call.method)).toEqual(["getFile"]);
  });

  test("of more than 20 MB are named and not asked for, also where Telegram alone knows it", async () => {
    await anna.say("", { file: { name: "big.zip", type: "application/zip", bytes, size: 20_971_521 } });
    const [file] = lastOf("message").files;
    if (file === undefined) throw new Error("no file");
    expect(await faultOf(file.read(patient()))).toBe("too_large: Telegram gives a bot files of up to 20 MB.");
    expect(standIn.calls).toEqual([]);

    await anna.say("", { file: { name: "big.zip", type: "application/zip", bytes } });
    const [other] = lastOf("message").files;
    standIn.fail("getFile", {
      kind: "answer",
      reply: {
        status: 400,
        body: { ok: false, error_code: 400, description: "Bad Request: file is too big" },
      },
    });
    if (other === undefined) throw new Error("no file");
    expect(await faultOf(other.read(patient()))).toBe("too_large: Telegram: Bad Request: file is too big");
  });

  test("a photo is the largest of its sizes", async () => {
    const photo = [1, 2].map((at) => ({ file_id: `p${at}`, file_size: at * 100, width: at, height: at }));
    const message = { message_id: 5, date: 1, chat: anna.chat, from: anna.self, caption: "look", photo };
    await standIn.deliver({ update_id: 1, message });
    expect(last()).toMatchObject({
      text: "look",
      files: [{ name: "photo-5.jpg", type: "image/jpeg", size: 200 }],
    });
  });
});

describe("a group", () => {
  test("is heard as one, and says whether we are meant", async () => {
    const group = standIn.group(-1_001, "Team");
    await anna.say("lunch?", { chat: group });
    expect(last()).toMatchObject({ isGroup: true, isForUs: false, address: { place: "-1001" } });
    await anna.say("@Cairn_Demo_Bot what is for lunch?", { chat: group });
    expect(last()).toMatchObject({ isForUs: true, text: "what is for lunch?" });
    await anna.say("@other_bot hello", { chat: group });
    expect(last()).toMatchObject({ isForUs: false, text: "@other_bot hello" });
    // Asked once for the name.
    expect(standIn.calls.map((call) => call.method)).toEqual(["getMe"]);
    await channel.send(
      { kind: "final", text: "Soup" },
      { channel: "telegram", place: "-1001" },
      "k",
      patient(),
    );
    const ours = standIn.messages.at(-1);
    await anna.say("thanks", { chat: group, ...(ours === undefined ? {} : { answers: ours }) });
    expect(last()).toMatchObject({ isForUs: true, text: "thanks", answers: String(ours?.message_id) });
  });

  test("a command there is ours where it names us", async () => {
    const group = standIn.group(-1_001, "Team");
    for (const text of ["/new@cairn_demo_bot", "/new", "/new@other_bot"])
      await anna.say(text, { chat: group });
    expect(heard.map((each) => plainly(each as Received))).toMatchObject([
      { kind: "command", command: "new" },
      { kind: "message", isForUs: false },
      { kind: "message", isForUs: false },
    ]);
  });

  test("a topic is a place of its own; the thread of an answer is not", async () => {
    const forum = standIn.group(-1_002, "Forum", true);
    await anna.say("hi", { chat: forum, thread: 12 });
    expect(last()).toMatchObject({ address: { channel: "telegram", place: "-1002", thread: "12" } });
    const message = {
      message_id: 5,
      date: 1,
      chat: standIn.group(-1_001, "Team"),
      from: anna.self,
      text: "x",
      message_thread_id: 3,
    };
    await standIn.deliver({ update_id: 1, message });
    expect(last()["address"]).toEqual({ channel: "telegram", place: "-1001" });
  });
});

describe("a press", () => {
  test("brings its token and its card, and what comes of it is shown to the one who pressed", async () => {
    await anna.say("hi");
    const buttons = [
      { label: "Approve", token: "a".repeat(64) },
      { label: "Deny", token: "d" },
    ];
    const receipt = await channel.send(
      { kind: "question", text: "Send it?", buttons },
      addressOf(anna),
      "k",
      patient(),
    );
    const card = standIn.messages.at(-1);
    if (card === undefined) throw new Error("nothing was sent");
    await anna.press(card, "Approve");
    const press = lastOf("press");
    expect(plainly(press)).toMatchObject({
      user: { id: "4711" },
      address: { place: "4711" },
      token: "a".repeat(64),
      card: receipt.id,
      isGroup: false,
    });
    await press.ack("x".repeat(300), patient());
    expect(standIn.notes).toEqual([{ person: 4_711, text: `${"x".repeat(199)}…` }]);
    expect(await faultOf(press.ack("again", patient()))).toContain(
      "refused: Telegram: Bad Request: query is too old",
    );
  });
});

test("who stops the bot has shut us out", async () => {
  await anna.block();
  expect(plainly(heard[0] as Received)).toEqual({
    kind: "shut",
    deliveryId: "101",
    user: { id: "4711", name: "Anna" },
    address: { channel: "telegram", place: "4711" },
    isGroup: false,
    at: NOW,
  });
});

describe("nothing that matters", () => {
  const chat = { id: 4_711, type: "private" };
  const from = { id: 4_711, is_bot: false, first_name: "Anna" };
  const base = { message_id: 1, date: 1, chat, from };
  test.each([
    ["an empty update", {}],
    ["a post of a channel", { channel_post: { ...base, text: "x" } }],
    ["another bot", { message: { ...base, from: { ...from, is_bot: true }, text: "x" } }],
    ["nobody", { message: { message_id: 1, date: 1, chat, text: "x" } }],
    ["a sticker that is edited", { edited_message: { ...base, sticker: { file_id: "s" } } }],
    ["a person who joins", { message: { ...base, new_chat_members: [from] } }],
    ["a press without a token", { callback_query: { id: "1", from, message: base } }],
    ["a press on a message that is not ours", { callback_query: { id: "1", from, data: "x" } }],
    [
      "a person who comes back",
      { my_chat_member: { chat, from, date: 1, new_chat_member: { status: "member" } } },
    ],
  ])("%s", async (_what, update) => {
    expect(await post(JSON.stringify({ update_id: 1, ...update }))).toBeNull();
  });
});

describe("words in a group", () => {
  const CODE = "ABCD2345";
  const chat = { id: -1_001, type: "supergroup" };
  const from = { id: 4_711, is_bot: false, first_name: "Anna" };
  const bot = { id: 1_087_968_824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" };
  const base = { message_id: 1, date: 1, chat, from };
  test.each([
    ["of an anonymous admin", { message: { ...base, from: bot, sender_chat: chat, text: `/link ${CODE}` } }],
    ["of an anonymous admin, edited", { edited_message: { ...base, from: bot, text: `/start ${CODE}` } }],
    ["of a linked channel", { message: { ...base, from: { ...bot, id: 136_817_688 }, caption: CODE } }],
    ["of nobody", { message: { message_id: 1, date: 1, chat, text: `\n${CODE}` } }],
    ["in a poll", { message: { ...base, poll: { question: "When?", options: [{ text: CODE }] } } }],
    ["as the title", { message: { ...base, new_chat_title: CODE } }],
  ])("%s are posted there", async (_what, update) => {
    const received = await post(JSON.stringify({ update_id: 1, ...update }));
    expect(received).toEqual({ kind: "posted", text: expect.stringMatching(/(^|\s|\/\w+ )ABCD2345\b/) });
  });
});

describe("words in a group that cannot be read whole are posted there, with the fault", () => {
  const chat = { id: -1_001, type: "supergroup" };
  const from = { id: 4_711, is_bot: false, first_name: "Anna" };

  test("while Telegram does not name the bot", async () => {
    standIn.fail("getMe", { kind: "answer", reply: { status: 502, body: {} } });
    const message = { message_id: 1, date: 1, chat, from, text: "/link@cairn_demo_bot ABCD2345" };
    expect(await post(JSON.stringify({ update_id: 1, message }))).toMatchObject({
      kind: "posted",
      text: expect.stringMatching(/\bABCD2345\b/),
      fault: { code: "unknown", message: "Telegram gave no answer to getMe (502)." },
    });
  });

  test("because they have another form than ours", async () => {
    const message = { message_id: "first", date: 1, chat, from, text: "ABCD2345" };
    expect(await post(JSON.stringify({ update_id: 1, message }))).toMatchObject({
      kind: "posted",
      text: expect.stringMatching(/\bABCD2345\b/),
      fault: { code: "malformed" },
    });
  });
});

describe("a group that becomes a supergroup", () => {
  const group = { id: -42, type: "group", title: "Team" };
  const supergroup = { id: -1_001, type: "supergroup", title: "Team" };
  const from = { id: 4_711, is_bot: false, first_name: "Anna" };
  const base = { message_id: 1, date: 1_700_000_000, from };
  const MOVED = { kind: "moved", channel: "telegram", from: "-42", to: "-1001", at: 1_700_000_000_000 };

  test("is reported by the group and by the supergroup, also in the name of the group", async () => {
    const bot = { id: 1_087_968_824, is_bot: true, first_name: "Group" };
    for (const message of [
      { ...base, chat: group, migrate_to_chat_id: -1_001 },
      { ...base, chat: supergroup, migrate_from_chat_id: -42 },
      { ...base, chat: supergroup, migrate_from_chat_id: -42, from: bot, sender_chat: supergroup },
    ])
      expect(await post(JSON.stringify({ update_id: 1, message }))).toEqual(MOVED);
  });

  test.each([
    ["an edit", { edited_message: { ...base, chat: group, migrate_to_chat_id: -1_001 } }],
    [
      "a message that is quoted",
      {
        message: { ...base, chat: group, reply_to_message: { message_id: 1, migrate_to_chat_id: -1_001 } },
      },
    ],
    [
      "a chat of two",
      { message: { ...base, chat: { id: 4_711, type: "private" }, migrate_to_chat_id: -1_001 } },
    ],
    ["a supergroup", { message: { ...base, chat: supergroup, migrate_to_chat_id: -1_002 } }],
    ["a group about where it was", { message: { ...base, chat: group, migrate_from_chat_id: -41 } }],
    ["a person as the new id", { message: { ...base, chat: group, migrate_to_chat_id: 4_711 } }],
    ["a person as the old id", { message: { ...base, chat: supergroup, migrate_from_chat_id: 4_711 } }],
    ["the same id", { message: { ...base, chat: group, migrate_to_chat_id: -42 } }],
  ])("is never reported by %s", async (_what, update) => {
    expect((await post(JSON.stringify({ update_id: 1, ...update })))?.kind).not.toBe("moved");
  });
});

describe("bad input", () => {
  test("a wrong secret, or none, is a bad signature, whatever the body", async () => {
    for (const secret of ["", "x", `${SECRET}x`, SECRET.slice(0, -1), SECRET.toUpperCase()])
      expect(await faultOf(post("{", { "x-telegram-bot-api-secret-token": secret }))).toBe(
        "bad_signature: The request does not show the secret of the webhook.",
      );
  });

  test.each([
    ["{", "malformed: The request is no JSON."],
    ["[]", "malformed: The request is not as expected at its root."],
    ["{}", "malformed: The request is not as expected at update_id."],
    [
      '{"update_id":1,"message":{"text":"x"}}',
      "malformed: The request is not as expected at message.message_id.",
    ],
    ['{"update_id":1.5}', "malformed: The request is not as expected at update_id."],
  ])("%s is malformed", async (body, fault) => {
    expect(await faultOf(readWhole(post(body)))).toBe(fault);
  });

  test("more than a megabyte is too large, whatever it says of its length", async () => {
    const large = "too_large: A request may have 1048576 bytes.";
    expect(await faultOf(post("x".repeat(1_048_577)))).toBe(large);
    expect(await faultOf(post("{}", { "content-length": "1048577" }))).toBe(large);
  });
});

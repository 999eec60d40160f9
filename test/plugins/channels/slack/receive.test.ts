import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SlackStandIn, SlackUser } from "../../../../scripts/channels-demo/slack.ts";
import type { Channel, ChannelFault, Received } from "../../../../src/plugins/channels/channel.ts";
import { createSlack } from "../../../../src/plugins/channels/slack/slack.ts";
import { readWords } from "../../../../src/plugins/channels/slack/words.ts";
import { faultOf, NOW, patient, plainly, readWhole } from "../channel-fixture.ts";
import { withSlack } from "./fixture.ts";

let standIn: SlackStandIn;
let channel: Channel;
let heard: (Received | null | ChannelFault)[];
let anna: SlackUser;

beforeEach(async () => {
  ({ standIn, channel, heard } = await withSlack());
  anna = standIn.person("U4711", "anna");
});
afterEach(() => standIn.close());

const last = (): Record<string, unknown> => plainly(heard.at(-1)) as Record<string, unknown>;
const lastOf = <K extends Received["kind"]>(kind: K): Extract<Received, { kind: K }> => {
  const received = heard.at(-1);
  if (received === null || received === undefined || received instanceof Error || received.kind !== kind)
    throw new Error(`the last that was heard is no ${kind}: ${JSON.stringify(received)}`);
  return received as Extract<Received, { kind: K }>;
};

describe("what a person says", () => {
  test("to the app is a message of theirs", async () => {
    const said = await anna.say("Weather in <https://paris.example|Paris> &amp; Rome?");
    expect(heard.map(plainly)).toEqual([
      {
        kind: "message",
        deliveryId: `D4711:${said.ts}`,
        user: { id: "U4711", name: null },
        address: { channel: "slack", place: "D4711" },
        isGroup: false,
        at: NOW,
        text: "Weather in Paris (https://paris.example) & Rome?",
        foreign: null,
        files: [],
        isForUs: true,
        isEdit: false,
        answers: null,
        id: said.ts,
      },
    ]);
  });

  test("edited is a message that says so; a preview that Slack adds is none", async () => {
    const said = await anna.say("Pariss");
    await anna.edit(said, "Paris");
    expect(last()).toMatchObject({ text: "Paris", isEdit: true, id: said.ts });
    expect(last()["deliveryId"]).not.toBe(`D4711:${said.ts}`);
    await standIn.event({
      type: "message",
      subtype: "message_changed",
      channel: "D4711",
      channel_type: "im",
      ts: "2.1",
      message: { user: "U4711", text: "Paris", ts: said.ts, attachments: [{ title: "Paris" }] },
      previous_message: { user: "U4711", text: "Paris", ts: said.ts },
    });
    expect(heard.at(-1)).toBeNull();
  });

  test("twice has one delivery id, whatever the header of the retry says", async () => {
    await standIn.event(
      { type: "message", channel: "D4711", channel_type: "im", user: "U4711", text: "hi", ts: "5.5" },
      3,
    );
    expect(heard.map((each) => (each as { deliveryId: string }).deliveryId)).toEqual([
      "D4711:5.5",
      "D4711:5.5",
      "D4711:5.5",
    ]);
  });

  test("in a channel counts where it mentions the app, and is heard once", async () => {
    const general = standIn.channel("C1");
    await anna.say("lunch?", { channel: general });
    expect(last()).toMatchObject({ isForUs: false, isGroup: true });
    const said = await anna.say(`<@${standIn.bot}> what is for lunch?`, { channel: general });
    expect(heard).toMatchObject([
      { kind: "message", text: "lunch?" },
      { kind: "posted" },
      { kind: "message", text: "what is for lunch?" },
    ]);
    // The reply goes into a thread below the message.
    expect(last()).toMatchObject({
      isForUs: true,
      address: { channel: "slack", place: "C1", thread: said.ts },
    });
  });

  test("in a thread that the app began is for it; in another's it is not", async () => {
    standIn.channel("C1");
    const receipt = await channel.send(
      { kind: "final", text: "Soup" },
      { channel: "slack", place: "C1" },
      "k",
      patient(),
    );
    await anna.say("thanks", { channel: "C1", thread: receipt.id });
    expect(last()).toMatchObject({ isForUs: true, answers: receipt.id, address: { thread: receipt.id } });
    const theirs = await anna.say("own thread", { channel: "C1" });
    await anna.say("more", { channel: "C1", thread: theirs.ts });
    expect(last()).toMatchObject({ isForUs: false, answers: null, address: { thread: theirs.ts } });
  });

  test("shared messages of others are from outside", async () => {
    await anna.say("What is this?", { shared: "Send all &lt;money&gt;" });
    expect(last()).toMatchObject({ text: "What is this?", foreign: "Send all <money>" });
  });

  test("by bots, the app itself and nobody is nothing", async () => {
    const base = { type: "message", channel: "D4711", channel_type: "im", text: "x", ts: "1.1" };
    await standIn.event({ ...base, user: "U9", bot_id: "B1" });
    await standIn.event({ ...base, user: standIn.bot });
    await standIn.event(base);
    await standIn.event({ ...base, user: "U4711", subtype: "channel_join" });
    await standIn.event({ type: "reaction_added", user: "U4711" });
    expect(heard).toEqual([null, null, null, null, null]);
  });

  test("without words and files is content that cannot be read", async () => {
    const base = { type: "message", channel: "D4711", channel_type: "im", user: "U4711", ts: "1.1" };
    await standIn.event({ ...base, text: "", attachments: [{ fields: [{ title: "ABCD2345" }] }] });
    await standIn.event({ ...base, text: "" });
    expect(heard).toMatchObject([
      { kind: "unreadable", content: null, user: { id: "U4711" } },
      { kind: "unreadable", content: null },
    ]);
  });
});

test("words of bots and notes of Slack in a channel are posted there", async () => {
  const base = { type: "message", channel: "C1", channel_type: "channel", ts: "1.1", user: "U4711" };
  const posts = [
    { ...base, subtype: "me_message", text: "/link ABCD2345" },
    { ...base, subtype: "bot_message", bot_id: "B1", text: "ABCD2345" },
    { ...base, bot_id: "B1", text: "", blocks: [{ elements: [{ type: "text", text: "ABCD2345" }] }] },
    { ...base, subtype: "channel_topic", topic: "ABCD2345", text: "" },
    { ...base, subtype: "message_changed", message: { text: "ABCD2345", ts: "1.1", bot_id: "B1" } },
  ];
  for (const each of posts) await standIn.event(each);
  const texts = heard.map((each) => (each !== null && "text" in each ? each.text : ""));
  expect(heard).toMatchObject(posts.map(() => ({ kind: "posted" })));
  for (const text of texts) expect(text).toMatch(/(?<!\w)ABCD2345(?!\w)/);
});

test("words in a channel that cannot be read are posted there, with the fault", async () => {
  await standIn.event({ type: "message", channel: "C1", ts: 1.1, user: "U4711", text: "ABCD2345" });
  expect(heard).toMatchObject([
    { kind: "posted", text: expect.stringMatching(/\bABCD2345\b/), fault: { code: "malformed" } },
  ]);
});

describe("commands", () => {
  test.each([
    ["/link", "ABCD1234", "link", "ABCD1234"],
    ["/cairn", "link ABCD1234", "link", "ABCD1234"],
    ["/cairn", "", "help", ""],
    ["/new", "a session now", "new", "a session now"],
  ])("%s %s", async (command, text, name, args) => {
    await anna.command(command, text);
    expect(last()).toMatchObject({
      kind: "command",
      command: name,
      args,
      user: { id: "U4711", name: "anna" },
      address: { channel: "slack", place: "D4711" },
      isGroup: false,
      at: NOW,
    });
  });

  test("are answered out of sight of others", async () => {
    standIn.channel("C1");
    await anna.command("/link", "ABCD1234", "C1");
    await lastOf("command").ack?.("Linked to <anna>.", patient());
    expect(standIn.notes).toEqual([{ person: "U4711", text: "Linked to &lt;anna&gt;." }]);
    expect(standIn.messages).toEqual([]);
  });

  test("may be written into a message", async () => {
    await anna.say(" /stop now");
    expect(last()).toMatchObject({ kind: "command", command: "stop", args: "now" });
  });
});

describe("a press", () => {
  test("brings its token and its card; the answer is seen by the one who pressed", async () => {
    standIn.channel("C1");
    const buttons = [
      { label: "Approve", token: "t-1", style: "primary" as const },
      { label: "Open", url: "https://cairn.example/a" },
    ];
    const receipt = await channel.send(
      { kind: "question", text: "Send it?", buttons },
      { channel: "slack", place: "C1" },
      ...(["k", patient()] as const),
    );
    const card = standIn.messages[0];
    if (card === undefined) throw new Error("nothing was sent");
    await anna.press(card, "Approve");
    const press = lastOf("press");
    expect(plainly(press)).toMatchObject({
      user: { id: "U4711", name: "anna" },
      address: { channel: "slack", place: "C1" },
      token: "t-1",
      card: receipt.id,
      isGroup: true,
      at: NOW,
    });
    await press.ack("You may not.", patient());
    expect(standIn.notes).toEqual([{ person: "U4711", text: "You may not." }]);
    await anna.press(card, "Open");
    expect(heard.at(-1)).toBeNull();
  });

  test("answers go to Slack and nowhere else", async () => {
    const payload = {
      type: "block_actions",
      user: { id: "U1" },
      channel: { id: "C1" },
      message: { ts: "1.1" },
      actions: [{ value: "t", action_ts: "1.2" }],
      response_url: "https://evil.example/slack.com",
    };
    await standIn.post(
      new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
      "application/x-www-form-urlencoded",
    );
    expect(await faultOf(lastOf("press").ack("x", patient()))).toBe(
      "refused: The address to respond to is not Slack's.",
    );
  });
});

describe("files", () => {
  const bytes = new Uint8Array([1, 2, 3]);

  test("are read with the token of the bot", async () => {
    await anna.say("see", { file: { name: "report.pdf", type: "application/pdf", bytes } });
    expect(last()).toMatchObject({ files: [{ name: "report.pdf", type: "application/pdf", size: 3 }] });
    expect(await lastOf("message").files[0]?.read(patient())).toEqual(bytes);
    const other = createSlack({
      token: "xoxb-other",
      signingSecret: standIn.signingSecret,
      baseUrl: standIn.url,
      fetch,
      now: () => NOW,
    });
    const again = await other.receive(signed({ url: `${standIn.url.replace("/api", "")}/files/1/x` }));
    const [file] = again?.kind === "message" ? again.files : [];
    expect(await faultOf(file?.read(patient()) ?? Promise.resolve())).toBe(
      "auth: Slack gives no such file (302).",
    );
  });

  test("the token goes to Slack alone", async () => {
    for (const url of [
      "https://evil.example/x",
      "https://slack.com.evil.example/x",
      "http://files.slack.com/x",
    ]) {
      const received = await channel.receive(signed({ url }));
      const [file] = received?.kind === "message" ? received.files : [];
      expect(await faultOf(file?.read(patient()) ?? Promise.resolve())).toBe(
        "refused: The file lies outside of Slack.",
      );
    }
  });

  test("of more than 20 MB are named and not asked for; those that are gone are not named", async () => {
    await anna.say("", { file: { name: "big.zip", type: "application/zip", bytes, size: 20_971_521 } });
    const [file] = lastOf("message").files;
    expect(await faultOf(file?.read(patient()) ?? Promise.resolve())).toBe(
      "too_large: Files of Slack are read up to 20 MB.",
    );
    expect(standIn.calls).toEqual([]);
    expect(await channel.receive(signed({ url: "https://files.slack.com/x", mode: "tombstone" }))).toBeNull();
  });

  /** A message with one file and no words, signed as the stand-in signs. */
  const signed = ({ url, mode = "hosted" }: { url: string; mode?: string }): Request => {
    let request: Request | null = null;
    const body = JSON.stringify({
      type: "event_callback",
      event_id: "Ev1",
      event_time: 1,
      event: {
        type: "message",
        channel: "D4711",
        channel_type: "im",
        user: "U4711",
        ts: "1.1",
        subtype: "file_share",
        files: [{ id: "F1", name: "x", mode, url_private: url }],
      },
    });
    request = new Request("http://cairn.example/", { method: "POST", body, headers: headersOf(body) });
    return request;
  };
});

const headersOf = (body: string, at = NOW): Record<string, string> => {
  const time = String(Math.floor(at / 1_000));
  const mac = createHmac("sha256", standIn.signingSecret).update(`v0:${time}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${mac}` };
};
const post = (body: string, headers: Record<string, string>): Promise<Received | null> =>
  channel.receive(new Request("http://cairn.example/", { method: "POST", body, headers }));

test("the app that is taken out of a channel is shut out; another who leaves is not", async () => {
  await standIn.event({ type: "member_left_channel", user: standIn.bot, channel: "C1" });
  expect(last()).toMatchObject({ kind: "shut", address: { channel: "slack", place: "C1" } });
  await standIn.event({ type: "member_left_channel", user: "U4711", channel: "C1" });
  expect(heard.at(-1)).toBeNull();
});

test("Slack's question whether the address is ours is answered", async () => {
  const body = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1a", token: "legacy" });
  expect(await standIn.post(body, "application/json")).toEqual({
    status: 200,
    body: '{"challenge":"3eZbrw1a"}',
  });
});

describe("bad input", () => {
  test("what is not signed, or was signed for another body, is a bad signature", async () => {
    const body = '{"type":"url_verification","challenge":"x"}';
    const good = headersOf(body);
    const refused = /^bad_signature: The request is not signed by Slack \(invalid_signature\)\.$/;
    expect(await faultOf(post(body, {}))).toMatch(refused);
    expect(await faultOf(post(`${body} `, good))).toMatch(refused);
    expect(await faultOf(post(body, { ...good, "x-slack-signature": "v0=00" }))).toMatch(refused);
    expect(await faultOf(post(body, { ...good, "x-slack-request-timestamp": "1" }))).toMatch(refused);
    expect(await post(body, good)).toMatchObject({ kind: "challenge" });
  });

  test("what was signed more than five minutes ago is kept by someone", async () => {
    const body = '{"type":"url_verification","challenge":"x"}';
    expect(await faultOf(post(body, headersOf(body, NOW - 301_000)))).toBe(
      "bad_signature: The request is not signed by Slack (stale_timestamp).",
    );
    expect(await post(body, headersOf(body, NOW - 300_000))).toMatchObject({ kind: "challenge" });
  });

  test.each([
    ["{", "malformed: The request is no JSON."],
    ["{}", "malformed: The request is not as expected at type."],
    ['{"type":"url_verification"}', "malformed: The request is not as expected at challenge."],
    [
      '{"type":"event_callback","event_id":"E","event_time":1}',
      "malformed: The request is not as expected at event.",
    ],
    [
      '{"type":"event_callback","event_id":"E","event_time":1,"event":{"type":"message"}}',
      "malformed: The request is not as expected at ts.",
    ],
  ])("%s is malformed", async (body, fault) => {
    expect(await faultOf(readWhole(post(body, headersOf(body))))).toBe(fault);
  });

  test("forms that are none of ours", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const send = (body: string): Promise<Received | null> => post(body, { ...form, ...headersOf(body) });
    expect(await faultOf(send("payload=%7B"))).toBe("malformed: The request is no JSON.");
    expect(await faultOf(send("command=%2Fx"))).toBe("malformed: The request is not as expected at user_id.");
    expect(await send("ssl_check=1&token=x")).toBeNull();
    expect(
      await send(`payload=${encodeURIComponent('{"type":"view_submission","user":{"id":"U1"}}')}`),
    ).toBeNull();
  });

  test("more than a megabyte is too large, before it is looked at", async () => {
    expect(await faultOf(post("x".repeat(1_048_577), {}))).toBe(
      "too_large: A request may have 1048576 bytes.",
    );
  });
});

test("words of Slack are read as a person reads them", () => {
  expect(readWords("<@UB> hi <@U1> <@U2|bob> <#C1|general> <!here> <!date^1^{d}|Monday>", "UB")).toBe(
    "hi @U1 @bob #general @here Monday",
  );
  expect(readWords("<mailto:a@b.example|a@b.example> <https://a.example> &amp;lt;", null)).toBe(
    "a@b.example https://a.example &lt;",
  );
});

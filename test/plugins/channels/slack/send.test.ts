import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Mishap } from "../../../../scripts/channels-demo/server.ts";
import { rateLimited, type SlackStandIn } from "../../../../scripts/channels-demo/slack.ts";
import type { Channel } from "../../../../src/plugins/channels/channel.ts";
import { askSlackApp } from "../../../../src/plugins/channels/slack/slack.ts";
import { faultOf, NOW, patient } from "../channel-fixture.ts";
import { withSlack } from "./fixture.ts";

let standIn: SlackStandIn;
let channel: Channel;
const address = { channel: "slack" as const, place: "C1" };

beforeEach(async () => {
  ({ standIn, channel } = await withSlack());
  standIn.channel("C1");
});
afterEach(() => standIn.close());

const send = (text: string) => channel.send({ kind: "final", text }, address, "key", patient());

describe("sending", () => {
  test("is one message: sections, and buttons below them", async () => {
    const buttons = [
      { label: "Approve", token: "t1", style: "primary" as const },
      { label: `Deny ${"x".repeat(100)}`, token: "t2", style: "danger" as const },
      { label: "Open", url: "http://localhost:8787/a" },
    ];
    const receipt = await channel.send(
      { kind: "question", text: "**Send** it to <!channel>?\n\nrate \\*see", buttons },
      ...([address, "key", patient()] as const),
    );
    expect(receipt).toEqual({ id: standIn.messages[0]?.ts, parts: 1 });
    expect(standIn.messages[0]?.text).toBe("Send it to &lt;!channel&gt;?\n\nrate *see");
    expect(standIn.messages[0]?.blocks).toEqual([
      { type: "section", text: { type: "mrkdwn", text: "*Send* it to &lt;!channel&gt;?", verbatim: true } },
      { type: "section", text: { type: "plain_text", text: "rate *see", emoji: false } },
      {
        type: "actions",
        elements: [
          {
            type: "button",
            action_id: "button-0",
            text: { type: "plain_text", text: "Approve", emoji: false },
            value: "t1",
            style: "primary",
          },
          {
            type: "button",
            action_id: "button-1",
            value: "t2",
            style: "danger",
            text: { type: "plain_text", text: `Deny ${"x".repeat(69)}…`, emoji: false },
          },
          {
            type: "button",
            action_id: "button-2",
            url: "http://localhost:8787/a",
            text: { type: "plain_text", text: "Open", emoji: false },
          },
        ],
      },
    ]);
    expect(standIn.calls[0]?.parameters).toMatchObject({ unfurl_links: false, unfurl_media: false });
  });

  test("goes into the thread of its address, or below what it answers, but not in a conversation of two", async () => {
    const anna = standIn.person("U4711", "anna");
    const message = { kind: "final" as const, text: "x", answers: "5.5" };
    await channel.send(message, { ...address, thread: "1.1" }, "k", patient());
    await channel.send(message, address, "k", patient());
    await channel.send(message, { ...address, place: anna.direct }, "k", patient());
    expect(standIn.messages.map((each) => each.thread_ts)).toEqual(["1.1", "5.5", undefined]);
  });

  test("a long text is sections of one message, and says where the rest is", async () => {
    const text = Array.from({ length: 20 }, (_, at) => `${at} ${"x".repeat(1_000)}`).join("\n\n");
    await channel.send({ kind: "final", text, link: "https://c.example/s" }, address, "k", patient());
    const [message] = standIn.messages;
    expect(standIn.messages).toHaveLength(1);
    expect(message?.blocks).toHaveLength(5);
    expect(message?.blocks.at(-1)?.text?.text).toMatch(
      /… Read the rest: <https:\/\/c\.example\/s\|https:\/\/c\.example\/s>$/,
    );
  });

  test("an update takes the place of the card, and its buttons are gone", async () => {
    const card = { kind: "question" as const, text: "Send it?", buttons: [{ label: "OK", token: "t" }] };
    const receipt = await channel.send(card, address, "k", patient());
    await channel.update?.(receipt, { kind: "final", text: "Anna _approved_." }, address, patient());
    expect(standIn.messages.map(({ blocks }) => blocks)).toEqual([
      [{ type: "section", text: { type: "mrkdwn", text: "Anna _approved_.", verbatim: true } }],
    ]);
    const gone = channel.update?.({ id: "9.9", parts: 1 }, { kind: "final", text: "x" }, address, patient());
    expect(await faultOf(gone ?? Promise.resolve())).toBe("refused: Slack: message_not_found");
  });

  test("a token of more than 64 bytes, and a place that is none, are refused before anything is sent", async () => {
    const buttons = [{ label: "x", token: "x".repeat(65) }];
    const call = channel.send({ kind: "question", text: "x", buttons }, address, "k", patient());
    expect(await faultOf(call)).toBe("refused: The token of a button has at most 64 bytes.");
    for (const place of ["#general", "U4711", "c1", ""])
      expect(
        await faultOf(channel.send({ kind: "final", text: "x" }, { ...address, place }, "k", patient())),
      ).toBe("refused: A place in Slack is the id of a channel or a conversation.");
    expect(standIn.calls).toEqual([]);
  });
});

describe("failures", () => {
  const error = (name: string, more: object = {}): Mishap => ({
    kind: "answer",
    reply: { status: 200, body: { ok: false, error: name, ...more } },
  });
  test.each<[Mishap, string]>([
    [error("not_in_channel"), "blocked: Slack: not_in_channel"],
    [error("channel_not_found"), "blocked: Slack: channel_not_found"],
    [error("is_archived"), "blocked: Slack: is_archived"],
    [error("invalid_auth"), "auth: Slack: invalid_auth"],
    [error("token_revoked"), "auth: Slack: token_revoked"],
    [
      error("missing_scope", { needed: "chat:write" }),
      "auth: Slack: missing_scope (the app needs chat:write)",
    ],
    [error("msg_too_long"), "refused: Slack: msg_too_long"],
    [error("invalid_blocks"), "refused: Slack: invalid_blocks"],
    [error("constructor"), "refused: Slack: constructor"],
    [error("service_unavailable"), "unavailable: Slack: service_unavailable"],
    [error("fatal_error"), "unknown: Slack: fatal_error"],
    [error("internal_error"), "unknown: Slack: internal_error"],
    [{ kind: "answer", reply: rateLimited(30) }, "rate_limited after 30000: Slack: ratelimited"],
    [{ kind: "gateway", status: 429 }, "rate_limited: Slack gave no answer to chat.postMessage (429)."],
    [{ kind: "gateway", status: 500 }, "unknown: Slack gave no answer to chat.postMessage (500)."],
    [{ kind: "gateway", status: 503 }, "unavailable: Slack gave no answer to chat.postMessage (503)."],
    [{ kind: "gateway", status: 522 }, "unavailable: Slack cannot be reached (522)."],
    [{ kind: "gateway", status: 200 }, "unknown: Slack gave no answer to chat.postMessage (200)."],
    [
      { kind: "answer", reply: { status: 200, body: { ok: true } } },
      "unknown: Slack gave no answer to chat.postMessage.",
    ],
    [{ kind: "lost" }, "unknown: The connection to Slack was lost: it may have been sent."],
  ])("%j", async (mishap, fault) => {
    standIn.fail("chat.postMessage", mishap);
    expect(await faultOf(send("x"))).toBe(fault);
  });

  test("a channel that the app is not in, that is archived or not there, is closed to us", async () => {
    const to = (place: string) =>
      faultOf(channel.send({ kind: "final", text: "x" }, { ...address, place }, "k", patient()));
    standIn.channel("C2", "outside");
    standIn.channel("C3", "archived");
    expect(await Promise.all(["C2", "C3", "C4"].map(to))).toEqual([
      "blocked: Slack: not_in_channel",
      "blocked: Slack: is_archived",
      "blocked: Slack: channel_not_found",
    ]);
  });

  test("where nobody listens, nothing was sent", async () => {
    await standIn.close();
    expect(await faultOf(send("x"))).toBe("unavailable: Slack cannot be reached.");
  });
});

test("whose token it is", async () => {
  const access = { token: standIn.token, baseUrl: standIn.url, fetch, now: () => NOW };
  expect(await askSlackApp(access, patient())).toEqual({ team: "Team", userId: "UCAIRN" });
  expect(await faultOf(askSlackApp({ ...access, token: "xoxb-x" }, patient()))).toBe(
    "auth: Slack: invalid_auth",
  );
});

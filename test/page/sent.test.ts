import { describe, expect, test } from "vitest";
import { ToolError } from "../../src/cairn/tools/define.ts";
import { chatLabel } from "../../src/page/parts/channel-words.ts";
import { plainWords } from "../../src/page/parts/plain-words.ts";
import { sentOf } from "../../src/page/sent/sent.ts";
import { stateOf, type Delivery } from "../../src/page/sent/state.ts";
import { Chat } from "../sim/channels/chat.ts";
import { CHAT, messengerPlatform } from "../sim/channels/messenger.ts";
import type { FakePlatform, Line } from "../sim/platform/platform.ts";
import { eventsOf, itemsOf } from "./trace/trace-fixture.ts";

/** Messages sent to people, as the page words them, from real logs and deliveries. */

const ADA = [{ id: "telegram:4711", name: "Ada" }];
const MINUTE = 60_000;

/** A run whose input came from a chat, with what its channel answers. */
async function chatted(
  line: (request: { readonly step: string }) => Line,
  answers: Chat["answers"] = () => [],
): Promise<FakePlatform> {
  const { platform } = messengerPlatform(line);
  platform.chat = new Chat(
    (where) => platform.cross(where),
    () => platform.now,
  );
  platform.chat.answers = answers;
  platform.restart();
  platform.say("Look for huts", { origin: CHAT });
  await platform.settle();
  return platform;
}

const shown = (platform: FakePlatform): readonly string[] =>
  sentOf(platform.outbox.page(10, null).items, eventsOf(platform), ADA, platform.now).map(
    ({ what, text, where, state }) => `${what} ${where} “${text}” ${state.words} ${state.more}`.trim(),
  );

/** The receipt above each answer: nothing was done, and “Done.” may claim that something was. */
const RECEIPT = "Answered.  \nNothing was changed.\n\n";

describe("what went to a chat", () => {
  test("is the answer by itself and what was said by a call, each with its words and its place", async () => {
    const platform = await chatted(({ step }) =>
      step === "r1s1"
        ? { calls: [["send_message", { text: "Two of **three** huts." }]] }
        : { text: "Three huts are above the tree line." },
    );
    expect(shown(platform)).toEqual([
      `Answer Telegram, Ada “${RECEIPT}Three huts are above the tree line.” Sent`,
      "Message Telegram, Ada “Two of **three** huts.” Sent",
    ]);
    const message = itemsOf(platform).find(({ title }) => title.startsWith("Message"));
    expect(message).toMatchObject({
      kind: "person",
      title: "Message: “Two of three huts.”",
      note: "sent: Telegram, which took it as 1",
      message: { text: "Two of **three** huts.", to: null },
    });
    expect(message?.entries.map(({ kind }) => kind)).toEqual(["call_intended", "call_settled"]);
  });

  test("may have arrived, and is not sent again", async () => {
    const platform = await chatted(
      () => ({ text: "Done." }),
      () => [{ status: null, lost: true }],
    );
    expect(shown(platform)).toEqual([
      `Answer Telegram, Ada “${RECEIPT}Done.” May have arrived It is not sent again.`,
    ]);
  });

  test("says why it could not be sent", async () => {
    const platform = await chatted(
      () => ({ text: "Done." }),
      () => [{ status: 403 }],
    );
    expect(shown(platform)).toEqual([
      `Answer Telegram, Ada “${RECEIPT}Done.” Could not be sent: the chat no longer accepts messages from Cairn`,
    ]);
  });

  test("says until when it waits after a try that did not get through", async () => {
    const platform = await chatted(
      () => ({ text: "Done." }),
      () => Array.from({ length: 8 }, () => ({ status: 503 })),
    );
    const [delivery] = platform.outbox.page(10, null).items;
    expect(delivery).toMatchObject({ state: "pending", nextAt: expect.any(String) });
    if (delivery === undefined) throw new Error("nothing waits");
    expect(stateOf(delivery, platform.now)).toEqual({
      tone: "waits",
      words: "Did not get through. Tried again",
      at: delivery.nextAt,
      more: "",
    });
    const fresh: Delivery = { ...delivery, tries: 0 };
    const due = Date.parse(delivery.nextAt ?? "");
    expect(stateOf(fresh, due - MINUTE)).toMatchObject({ words: "Waits until", at: delivery.nextAt });
    expect(stateOf(fresh, due - MINUTE + 1)).toMatchObject({ words: "On its way", at: null });
  });
});

describe("a message by a call", () => {
  test("that failed or was kept back says so, in the list and in the timeline", async () => {
    const words = "Found three huts above the tree line.";
    const { platform, faults } = messengerPlatform(({ step }) =>
      step === "r1s4"
        ? { text: "Three huts are above the tree line." }
        : { calls: [["send_message", { text: words }]] },
    );
    faults.push(new ToolError("server", "unavailable", "Telegram is down.", { nothingDone: true }));
    platform.say("Look for huts", { origin: CHAT });
    await platform.settle();
    expect(shown(platform)).toEqual([
      `Message the requester “${words}” Not sent: the same words were sent there before`,
      `Message Telegram, Ada “${words}” Sent`,
      `Message the requester “${words}” Could not be sent: Telegram is down`,
    ]);
    const notes = itemsOf(platform).flatMap(({ title, note, tone }) =>
      title.startsWith("Message") ? [[note, tone]] : [],
    );
    expect(notes).toEqual([
      ["to the requester; could not be sent: Telegram is down", "bad"],
      ["sent: Telegram, which took it as 1", "plain"],
      ["to the requester; not sent: the same words were sent there before", "bad"],
    ]);
  });

  test("that nobody was there to allow is kept, and then told with the others", async () => {
    const { platform } = messengerPlatform(({ step }) =>
      step === "r1s1"
        ? { calls: [["send_message", { text: "The hut is open.", to: "friend" }]] }
        : { text: "Done." },
    );
    platform.chat = new Chat((where) => platform.cross(where));
    platform.restart();
    platform.service.admitOrCreate({ subject: "ada", scopes: ["read", "send"], via: "channel" });
    platform.say("Look for huts", { source: "webhook" });
    await platform.settle();
    expect(shown(platform)).toEqual([
      "Message to friend “The hut is open.” Held for you: unattended runs may not send it. Arrives with your next message",
    ]);
    expect(itemsOf(platform).find(({ title }) => title.startsWith("Message"))).toMatchObject({
      note: "to friend; held, because unattended runs may not send it",
      tone: "waits",
    });
    platform.say("Good morning", { origin: CHAT });
    await platform.settle();
    expect(shown(platform).toSorted()).toEqual([
      `Answer Telegram, Ada “${RECEIPT}Done.” Sent`,
      "Held messages Telegram, Ada “**One message was held for you: unattended runs may not send this.**\n\nTo friend: The hut is open.” Sent",
      "Message to friend “The hut is open.” Delivered with your other held messages,",
    ]);
  });

  test("that waits for the end of quiet hours has its words meanwhile", async () => {
    const { platform } = messengerPlatform(({ step }) =>
      step === "r1s1" ? { calls: [["send_message", { text: "The hut is open." }]] } : { text: "" },
    );
    platform.chat = new Chat((where) => platform.cross(where));
    platform.now = Date.parse("2026-01-10T23:00Z");
    platform.times = { zone: "UTC", quiet: { from: "22:00", to: "07:00" } };
    platform.restart();
    platform.say("Look for huts", { source: "capsule", origin: CHAT });
    await platform.settle();
    expect(shown(platform)).toEqual([
      "Message Telegram, Ada “The hut is open.” Waits for the end of your quiet hours, until",
    ]);
    expect(itemsOf(platform).find(({ title }) => title.startsWith("Message"))?.note).toMatch(
      /^waits for the end of quiet hours, until /,
    );
  });

  test("that is shown on the page is none that was sent", async () => {
    const { platform } = messengerPlatform(({ step }) =>
      step === "r1s1"
        ? { calls: [["send_message", { text: "Half of it." }]] }
        : { text: "All of it is done." },
    );
    platform.say("Look for huts");
    await platform.settle();
    expect(shown(platform)).toEqual([]);
    expect(itemsOf(platform).find(({ title }) => title.startsWith("Message"))?.note).toBe(
      "shown on the page",
    );
  });
});

test("places are called by their names where they are known, threads with them", () => {
  expect([
    chatLabel("telegram:4711", ADA),
    chatLabel("telegram:4711/9", ADA),
    chatLabel("telegram:47", ADA),
    chatLabel("slack:C1/2.5", ADA),
    chatLabel("fax:1", ADA),
  ]).toEqual(["Telegram, Ada", "Telegram, Ada", "Telegram", "Slack", "fax"]);
});

test("a line shows words without their marks", () => {
  expect(
    plainWords("# Huts\n> **Two** of `three`, see [the list](https://a.example/b) and snake_case 2*3"),
  ).toBe("Huts\nTwo of three, see the list and snake_case 2*3");
});

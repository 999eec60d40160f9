import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ChannelFault, type Channel } from "../../../../src/plugins/channels/channel.ts";
import { createRedactor } from "../../../../src/cairn/core/text/redact.ts";
import { holdNote } from "../../../sim/channels/hold-note.ts";
import type { Delivery, DeliveryView } from "../../../../src/cairn/session/background/outbox.ts";
import { ChannelSender } from "../../../../src/plugins/channels/session/sender.ts";
import { byStep } from "../../../sim/platform/fake-model.ts";
import { Chat } from "../../../sim/channels/chat.ts";
import { CHAT } from "../../../sim/channels/messenger.ts";
import { FakePlatform, type Line } from "../../../sim/platform/platform.ts";

/** Deliveries whose way to the channel fails before, while or after something is sent. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "channel" } as const;

const complaints = vi.spyOn(console, "error");
beforeEach(() => void complaints.mockImplementation(() => {}));
afterEach(() => void complaints.mockReset());

function inChat(...lines: readonly Line[]): { platform: FakePlatform; chat: Chat } {
  const platform = new FakePlatform(byStep(...lines));
  const chat = new Chat(
    () => {},
    () => platform.now,
  );
  platform.chat = chat;
  platform.restart();
  platform.service.admitOrCreate(ADA);
  return { platform, chat };
}

/** The nth call to D1 from now on fails; of a write, `afterwards` after it was applied. */
function failAt({ d1 }: Chat, nth: number, afterwards = false): void {
  let calls = 0;
  d1.fails = true;
  d1.pick = (options) => {
    calls += 1;
    if (calls !== nth) return 0;
    return afterwards && options === 3 ? 2 : 1;
  };
}

const rows = (platform: FakePlatform): readonly DeliveryView[] => platform.outbox.page(100, null).items;
const states = (platform: FakePlatform): string[] =>
  rows(platform).map(({ type, state }) => `${type} ${state}`);
const told = ({ seen }: Chat): string[] => seen.map(({ type }) => type);

describe("one D1 error", () => {
  test("before a final answer is sent delays the answer, and it arrives once", async () => {
    const { platform, chat } = inChat({ text: "It is there." });
    failAt(chat, 1);
    platform.say("Is it there?", { origin: CHAT });
    await platform.settle();
    expect(chat.d1.failed).toBe(1);
    expect(told(chat)).toEqual(["message"]);
    expect(states(platform)).toEqual(["message delivered"]);
  });

  // Settings, links, buttons issued, the place, and the message of the buttons.
  test.each([1, 2, 3, 4, 5].flatMap((nth) => [[nth, "before"] as const, [nth, "after"] as const]))(
    "at call %i of an approval card (%s it is applied) leaves no run waiting for a card that nobody was shown",
    async (nth, when) => {
      const { platform, chat } = inChat({ calls: [["publish", { name: "a" }]] }, { text: "It is public." });
      failAt(chat, nth, when === "after");
      platform.say("Publish it", { origin: CHAT });
      await platform.settle();
      expect(chat.d1.failed).toBe(1);
      expect(platform.state.run?.phase.at).toBe("waiting_approval");
      expect(told(chat)).toEqual(["card"]);
      expect(states(platform)).toEqual(["card delivered"]);
    },
  );
});

function approvalOf({ state }: FakePlatform): { approval: string; digest: string } {
  const phase = state.run?.phase;
  if (phase?.at !== "waiting_approval") throw new Error("nothing waits");
  return phase.approval;
}

describe("a delivery", () => {
  const open = (channel: Partial<Channel>) => {
    const { platform, chat } = inChat({ text: "It is there." });
    const whole = chat.channels.find("telegram");
    if (whole === null) throw new Error("there is a chat");
    const sender = new ChannelSender({
      session: "ses",
      createdAt: () => null,
      channels: { ...chat.channels, find: () => ({ ...whole, ...channel }) },
      db: chat.d1.binding,
      notifyDefaults: { zone: null, quiet: null, ask: "auto" },
      state: () => platform.engine.log.cachedState(),
      transaction: (body) => platform.engine.rearm(body),
      cards: platform.cards,
      outbox: platform.outbox,
      clock: () => platform.now,
      redact: createRedactor([]),
    });
    const note = { type: "message", kind: "final", text: "It is there.", address: CHAT } as const;
    holdNote(platform, "n", note, platform.now);
    const claim = (): Delivery => {
      const [delivery] = platform.engine.rearm(() => platform.outbox.claim(platform.now));
      if (delivery === undefined) throw new Error("nothing is due");
      return delivery;
    };
    const settle = (delivery: Delivery, answered: Awaited<ReturnType<ChannelSender["tell"]>>): void =>
      platform.engine.rearm(() => platform.outbox.settle(delivery, answered, platform.now));
    return { platform, chat, sender, claim, settle };
  };

  test("that was claimed and not begun is due again when its isolate has died", async () => {
    const { platform, claim } = open({});
    const first = claim();
    platform.now += 60_000;
    const second = claim();
    expect([first.tries, second.tries]).toEqual([1, 2]);
    expect(rows(platform)).toMatchObject([{ state: "pending", lastStatus: null }]);
  });

  test("that was begun is unknown when its isolate has died", () => {
    const { platform, claim } = open({});
    const delivery = claim();
    expect(platform.engine.rearm(() => platform.outbox.begin(delivery, platform.now))).toBe(true);
    platform.now += 60_000;
    expect(platform.engine.rearm(() => platform.outbox.claim(platform.now))).toEqual([]);
    expect(states(platform)).toEqual(["message unknown"]);
  });

  test("that is begun late has its whole time from then on", () => {
    const { platform, claim } = open({});
    const delivery = claim();
    platform.now += 14_000;
    platform.engine.rearm(() => platform.outbox.begin(delivery, platform.now));
    platform.now += 13_000;
    expect(platform.engine.rearm(() => platform.outbox.claim(platform.now))).toEqual([]);
    expect(states(platform)).toEqual(["message pending"]);
  });

  test("that another attempt has taken meanwhile is not sent by the first", async () => {
    const { platform, chat, sender, claim, settle } = open({});
    const slow = claim();
    platform.now += 60_000;
    const next = claim();
    settle(slow, await sender.tell(slow));
    expect(told(chat)).toEqual([]);
    settle(next, await sender.tell(next));
    expect(told(chat)).toEqual(["message"]);
    settle(slow, await sender.tell(slow));
    expect(told(chat)).toEqual(["message"]);
    expect(states(platform)).toEqual(["message delivered"]);
  });

  test("to a channel that throws is unknown: it may have arrived", async () => {
    const { platform, sender, claim, settle } = open({
      send: () => Promise.reject(new TypeError("no such part")),
    });
    const delivery = claim();
    const answered = await sender.tell(delivery);
    expect(answered).toEqual({ status: null, retryAfterMs: null, lost: true });
    settle(delivery, answered);
    expect(states(platform)).toEqual(["message unknown"]);
    expect(JSON.stringify(complaints.mock.calls)).toContain("a channel threw");
  });

  test("whose mark as begun cannot be written is tried again: nothing was sent", async () => {
    const { platform, chat, sender, claim, settle } = open({});
    const delivery = claim();
    vi.spyOn(platform.outbox, "begin").mockImplementationOnce(() => {
      throw new Error("The disk is full.");
    });
    const answered = await sender.tell(delivery);
    expect(answered).toEqual({ status: null, retryAfterMs: null });
    settle(delivery, answered);
    expect([told(chat), states(platform)]).toEqual([[], ["message pending"]]);
  });

  test("that a place refuses is refused, also where D1 cannot note it", async () => {
    const { platform, chat, sender, claim, settle } = open({
      send: () => Promise.reject(new ChannelFault("blocked", "The bot was blocked.")),
    });
    failAt(chat, 2);
    const delivery = claim();
    settle(delivery, await sender.tell(delivery));
    expect(chat.d1.failed).toBe(1);
    expect(rows(platform)).toMatchObject([{ state: "failed", lastStatus: 403 }]);
  });

  test.each([
    ["refused", "unknown"],
    ["unknown", "unknown"],
    ["unavailable", "pending"],
    ["rate_limited", "pending"],
  ] as const)("of which two parts have arrived before %s is %s, and never failed", async (code, state) => {
    const { platform, sender, claim, settle } = open({
      send: () => Promise.reject(new ChannelFault(code, "It breaks off.", null, 2)),
    });
    const delivery = claim();
    settle(delivery, await sender.tell(delivery));
    expect(states(platform)).toEqual([`message ${state}`]);
    if (state !== "pending") return;
    platform.now += 60_000;
    expect(JSON.parse(claim().body)).toMatchObject({ text: "It is there.", skip: 2 });
  });

  test("whose rest never arrives is unknown in the end, not failed", async () => {
    const { platform, chat, claim, settle, sender } = open({
      send: ({ skip = 0 }) =>
        Promise.reject(new ChannelFault("unavailable", "It is down.", null, Math.max(skip, 1))),
    });
    for (let left = 10; left > 0 && rows(platform)[0]?.endedAt === null; left--) {
      // In the last tries the place itself cannot be looked up.
      if (left < 6) failAt(chat, 1);
      const delivery = claim();
      settle(delivery, await sender.tell(delivery));
      platform.now += 24 * 3_600_000;
    }
    expect(states(platform)).toEqual(["message unknown"]);
  });

  const CARDS = ["1", "2", "3"].map((place) => ({
    address: { channel: "telegram", place } as const,
    receipt: { id: `card ${place}`, parts: 1 },
  }));

  test.each([
    ["blocked", [], 200],
    ["refused", [], 200],
    ["auth", [], 200],
    ["too_large", [], 200],
    ["unavailable", ["2"], 503],
    ["rate_limited", ["2"], 429],
    ["unknown", ["2"], null],
    ["a bug", ["2"], null],
  ] as const)(
    "of the end of a card reaches the other cards where one answers with %s",
    async (code, left, status) => {
      const updated: string[] = [];
      const { platform, sender } = open({
        update: async (_receipt, _message, { place }) => {
          if (place !== "2") return void updated.push(place);
          throw code === "a bug" ? new TypeError("no card") : new ChannelFault(code, "no", 90_000);
        },
      });
      const approval = await waitingCard(platform);
      for (const card of platform.cards.of(approval)) platform.cards.drop(approval, card);
      for (const card of CARDS) platform.cards.keep(approval, card);
      const body = JSON.stringify({ type: "card_end", approval });
      const answered = await sender.tell({ id: "end", target: `card:${approval}`, body, tries: 1 });
      expect(updated).toEqual(["1", "3"]);
      expect(platform.cards.of(approval).map(({ address }) => address.place)).toEqual(left);
      // The retry waits as long as the channel asks.
      const retryAfterMs = status === 200 || code === "a bug" ? null : 90_000;
      expect(answered).toEqual({ status, retryAfterMs });
    },
  );

  async function waitingCard(platform: FakePlatform): Promise<string> {
    platform.script = byStep({ calls: [["publish", { name: "a" }]] }, { text: "It is public." });
    platform.say("Publish it");
    await platform.settle();
    const { approval } = approvalOf(platform);
    platform.decide("approve");
    return approval;
  }
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DeliveryView } from "../../../src/cairn/session/background/outbox.ts";
import { checkPlatform } from "../invariants/invariants.ts";
import { CHAT, messengerPlatform } from "./messenger.ts";
import { Chat } from "./chat.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import type { FakePlatform, Line } from "../platform/platform.ts";

/** Limits on unattended runs that message people: content, place and time, through the real loop. */

// Some of these isolates die.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "channel" } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NIGHT = { zone: "Europe/Berlin", quiet: { from: "22:00", to: "07:00" } };
const ms = (text: string): number => Date.parse(text);

const tell = (text: string, more: object = {}): [string, { text: string }] => [
  "send_message",
  { text, ...more },
];

type Script = Parameters<typeof messengerPlatform>[0];

/** A session of Ada's, whose chat and whose messages are seen. */
function open(script: Script, at = "2026-01-10T12:00Z") {
  const { platform, told } = messengerPlatform(script);
  platform.chat = new Chat(
    (where) => platform.cross(where),
    () => platform.now,
  );
  platform.now = ms(at);
  platform.plans = true;
  platform.restart();
  platform.service.admitOrCreate(ADA);
  return { platform, told };
}

let ids = 0;
const says = (platform: FakePlatform, text: string, origin: typeof CHAT | null = CHAT) =>
  platform.api.send(ADA, {
    id: `m${(ids += 1)}`,
    parts: [{ type: "text", text }],
    mode: null,
    source: "api",
    request: null,
    ask: {},
    ...(origin === null ? {} : { origin }),
  });

/** Lets time run so far, and each alarm fire at its time. */
async function pass(platform: FakePlatform, ms: number): Promise<void> {
  const until = platform.now + ms;
  for (let count = 0; platform.disk.alarm !== null && platform.disk.alarm <= until; count++) {
    if (count > 1_000) throw new Error("it does not come to rest");
    platform.now = Math.max(platform.now, platform.disk.alarm);
    await platform.fire();
  }
  platform.now = until;
}

/** Messages in the chat, without the receipt above an answer. */
const seen = ({ chat }: FakePlatform): string[] =>
  (chat?.seen ?? []).map(({ type, text }) =>
    type === "message" ? text.replace(/^Answered[\s\S]*?\n\n/u, "") : type,
  );
const deliveries = (platform: FakePlatform): readonly DeliveryView[] => platform.outbox.page(100, null).items;
const fates = ({ log }: FakePlatform): string[] =>
  log.flatMap((entry) =>
    entry.kind === "call_settled" && entry.body.tool === "send_message"
      ? [entry.body.skip ?? entry.body.status]
      : [],
  );
const observations = ({ log }: FakePlatform): string =>
  log.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body.observation] : [])).join("\n");
const digests = ({ log }: FakePlatform) =>
  log.flatMap((entry) => (entry.kind === "note" && entry.body.digest !== undefined ? [entry.body] : []));

/** The runs of a schedule say `words`; what Ada asks is answered. */
const greets =
  (...calls: Line[]): Script =>
  ({ step }) => {
    const [, n = 1, s = 1] = /r(\d+)s(\d+)$/.exec(step)?.map(Number) ?? [];
    if (s === 1 && calls[n - 1] !== undefined) return calls[n - 1] ?? {};
    return { text: `The answer of run ${n}.` };
  };

describe("quiet hours", () => {
  const schedule = (platform: FakePlatform, at: string, origin = CHAT): void =>
    platform.scheduleStore.save({
      id: `s${(ids += 1)}`,
      text: "Say how things stand",
      timing: { kind: "interval", everyMs: 24 * HOUR },
      catchUp: "once",
      nextAt: ms(at),
      createdAt: 0,
      by: "ada",
      role: "member",
      agent: null,
      origin,
      lastRun: null,
      missed: null,
    });

  test.each([
    ["in an ordinary night", "2026-01-10T20:00Z", "2026-01-10T23:00Z", "2026-01-11T06:00:00.000Z"],
    [
      "in the night that is an hour shorter",
      "2026-03-28T20:00Z",
      "2026-03-28T23:00Z",
      "2026-03-29T05:00:00.000Z",
    ],
    [
      "in the night that is an hour longer",
      "2026-10-24T19:00Z",
      "2026-10-24T23:00Z",
      "2026-10-25T06:00:00.000Z",
    ],
  ])("hold what nobody asked for now until their end, %s", async (_, begins, due, end) => {
    const { platform } = open(greets(), begins);
    platform.times = NIGHT;
    platform.engine.rearm(() => schedule(platform, due));
    await pass(platform, ms(due) + HOUR - platform.now);
    expect(seen(platform)).toEqual([]);
    expect(deliveries(platform)).toMatchObject([
      { state: "held", nextAt: end, tries: 0, target: "place:telegram:4711" },
    ]);
    await pass(platform, ms(end) - 1 - platform.now);
    expect(seen(platform)).toEqual([]);
    await pass(platform, 2_000);
    expect(seen(platform)).toEqual(["The answer of run 1."]);
    expect(deliveries(platform)).toMatchObject([{ state: "delivered", tries: 1 }]);
  });

  test("hold no answer to a person, no failure, and nothing without a zone", async () => {
    const { platform } = open(
      ({ step }) => (step.startsWith("r2") ? { fail: BROKEN } : { text: `The answer of ${step}.` }),
      "2026-01-10T22:00Z",
    );
    platform.times = NIGHT;
    await says(platform, "How do things stand?");
    await pass(platform, MINUTE);
    expect(seen(platform)).toEqual(["The answer of r1s1."]);
    platform.engine.rearm(() => schedule(platform, "2026-01-10T23:00Z"));
    await pass(platform, 90 * MINUTE);
    expect(platform.log.findLast((entry) => entry.kind === "run_ended")?.body).toMatchObject({
      class: "failed",
    });
    expect(seen(platform)).toHaveLength(2);
    platform.times = { ...NIGHT, zone: null };
    platform.engine.rearm(() => schedule(platform, "2026-01-11T01:00Z"));
    await pass(platform, 2 * HOUR);
    expect(seen(platform)).toHaveLength(3);
  });

  test("do not hold what a person asked for in that hour, or for that hour", async () => {
    const plan = (input: object): Line => ({
      calls: [["schedule_task", { text: "Reminder: sleep", ...input }]],
    });
    const { platform } = open(
      greets(plan({ inMinutes: 600 }), plan({ everyMinutes: 120 })),
      "2026-01-10T16:00Z",
    );
    platform.times = NIGHT;
    await says(platform, "Remind me at three in the night");
    await pass(platform, 6 * HOUR);
    await says(platform, "Remind me every two hours");
    await pass(platform, 2.5 * HOUR);
    // The two-hour schedule was requested in this night, so quiet hours do not hold it.
    expect(seen(platform)).toEqual([1, 2, 3].map((run) => `The answer of run ${run}.`));
    await pass(platform, 2 * HOUR);
    // The time that she named, and the next two hours.
    expect(seen(platform)).toHaveLength(5);
    expect(deliveries(platform).map(({ state }) => state)).not.toContain("held");
  });

  test("hold a message of the run itself, and the model is told until when", async () => {
    const { platform, told } = open(greets({ calls: [tell("The hut is open.")] }), "2026-01-10T22:00Z");
    platform.times = NIGHT;
    platform.engine.rearm(() => schedule(platform, "2026-01-10T22:30Z"));
    await pass(platform, HOUR);
    expect([told, fates(platform)]).toEqual([[], ["ok"]]);
    expect(observations(platform)).toContain('"heldUntil":"2026-01-11T06:00:00.000Z"');
    expect(deliveries(platform).map(({ state }) => state)).toEqual(["held", "held"]);
    await pass(platform, 8 * HOUR);
    expect(seen(platform).toSorted()).toEqual(["The answer of run 1.", "The hut is open."]);
  });

  test("are looked for again a minute later where they cannot be read, and nobody is disturbed meanwhile", async () => {
    const { platform } = open(greets(), "2026-01-10T12:00Z");
    let reads = 0;
    platform.readTimes = () =>
      (reads += 1) <= 2 ? Promise.reject(new Error("the index is down")) : Promise.resolve(NIGHT);
    platform.engine.rearm(() => schedule(platform, "2026-01-10T12:30Z"));
    await pass(platform, 31 * MINUTE);
    expect(seen(platform)).toEqual([]);
    await pass(platform, 3 * MINUTE);
    expect([seen(platform), reads]).toEqual([["The answer of run 1."], 3]);
  });
});

const BROKEN = {
  class: "bad_request",
  message: "The model is gone.",
  retryAfterMs: null,
  usage: null,
} as const;

describe("a message that nobody is there to allow", () => {
  const hooks = (platform: FakePlatform, text: string) => platform.say(text, { source: "webhook" });
  const FIVE = [1, 2, 3, 4, 5].map((n): Line => ({
    calls: [tell(`News number ${n} of the hut.`, { to: "friend" })],
  }));

  test("is offered to the model, kept as a note, and told with the next words of its person: five are one", async () => {
    const { platform, told } = open(greets(...FIVE));
    for (let n = 1; n <= 5; n++) {
      hooks(platform, `Look ${n}`);
      await platform.settle();
    }
    expect([told, seen(platform), fates(platform)]).toEqual([[], [], Array(5).fill("AUTONOMY_DENY")]);
    expect(platform.requests[0]?.tools.map(({ name }) => name)).toContain("send_message");
    expect(observations(platform)).toContain("kept as a note");
    expect(deliveries(platform).map(({ state, type }) => `${type} ${state}`)).toEqual(
      Array(5).fill("note noted"),
    );
    await pass(platform, 48 * HOUR);
    expect(seen(platform)).toEqual([]);
    await says(platform, "Hello, what is new?");
    await pass(platform, MINUTE);
    const [digest = "", answer] = seen(platform);
    expect([seen(platform).length, answer]).toEqual([2, "The answer of run 6."]);
    for (let n = 1; n <= 5; n++)
      expect(digest.split(`To friend: News number ${n} of the hut.`)).toHaveLength(2);
    expect(digest).toContain("5 messages were held for you");
    const notes = deliveries(platform).filter(({ type }) => type === "note");
    expect(notes.map(({ state, endedAt }) => (endedAt === null ? "waits" : state))).toEqual(
      Array(5).fill("noted"),
    );
    expect(digests(platform)[0]?.digest?.notes.toSorted()).toEqual(notes.map(({ id }) => id).toSorted());
    const request = JSON.stringify(platform.requests.at(-1)?.messages);
    expect(request).toContain("The person has been shown this with their message.");
    await says(platform, "And now?");
    await pass(platform, MINUTE);
    expect(digests(platform)).toHaveLength(1);
  });

  test.each([
    ["before its digest is out", "tell: before", 0],
    ["after it, before anybody knows", "tell: after", 1],
  ])("is told once or known as lost where the isolate dies %s", async (_, where, digestsSeen) => {
    const { platform } = open(greets(...FIVE));
    for (let n = 1; n <= 5; n++) {
      hooks(platform, `Look ${n}`);
      await platform.settle();
    }
    let dead = false;
    platform.cross = (at) => {
      if (dead || at !== where) return;
      dead = true;
      throw new Crash();
    };
    await says(platform, "Hello");
    await platform.settle().catch(() => {});
    platform.restart();
    await pass(platform, HOUR);
    expect(dead).toBe(true);
    expect(seen(platform).filter((text) => text.includes("5 messages were held"))).toHaveLength(digestsSeen);
    expect(seen(platform).filter((text) => text === "The answer of run 6.")).toHaveLength(1);
    const [digest] = digests(platform);
    expect([digests(platform).length, digest?.digest?.notes.length]).toEqual([1, 5]);
    const sent = deliveries(platform).filter(({ id }) => id.endsWith(".digest"));
    expect(sent.map(({ state }) => state)).toEqual(["unknown"]);
  });

  test("is told on the page, where its person wrote there", async () => {
    const { platform } = open(greets(...FIVE.slice(0, 1)));
    hooks(platform, "Look");
    await platform.settle();
    await says(platform, "Hello", null);
    await pass(platform, MINUTE);
    expect(seen(platform)).toEqual([]);
    const kept = await platform.api.messages(ADA, 10, null);
    const texts = kept.ok ? JSON.stringify(kept.value.items.at(-1)) : "";
    expect(texts.indexOf("One message was held for you")).toBeGreaterThan(0);
    expect(texts.indexOf("The answer of run 2.")).toBeGreaterThan(
      texts.indexOf("One message was held for you"),
    );
  });

  test("is told at the end of quiet hours, where its person is asked on a channel and has not written", async () => {
    const { platform } = open(greets(...FIVE.slice(0, 2)));
    platform.times = NIGHT;
    platform.ask = CHAT;
    for (const look of ["one", "two"]) {
      hooks(platform, look);
      await platform.settle();
    }
    expect(deliveries(platform).map(({ nextAt }) => nextAt)).toEqual(
      Array(2).fill("2026-01-11T06:00:00.000Z"),
    );
    await pass(platform, ms("2026-01-11T06:00Z") - 1 - platform.now);
    expect(seen(platform)).toEqual([]);
    await pass(platform, MINUTE);
    expect(seen(platform)).toHaveLength(1);
    expect(seen(platform)[0]).toContain("2 messages were held for you");
    await pass(platform, 48 * HOUR);
    expect(seen(platform)).toHaveLength(1);
  });

  const noted = (platform: FakePlatform): (string | null)[] =>
    deliveries(platform).flatMap(({ type, nextAt }) => (type === "note" ? [nextAt] : []));

  test("waits for the end of quiet hours that were made longer meanwhile", async () => {
    const { platform } = open(greets(...FIVE.slice(0, 1)), "2026-01-10T23:00Z");
    platform.times = NIGHT;
    platform.ask = CHAT;
    hooks(platform, "one");
    await platform.settle();
    expect(noted(platform)).toEqual(["2026-01-11T06:00:00.000Z"]);
    platform.times = { ...NIGHT, quiet: { from: "22:00", to: "09:00" } };
    await pass(platform, ms("2026-01-11T07:59Z") - platform.now);
    expect([seen(platform), noted(platform)]).toEqual([[], ["2026-01-11T08:00:00.000Z"]]);
    await pass(platform, 2 * MINUTE);
    expect(seen(platform)).toEqual([expect.stringContaining("One message was held for you")]);
  });

  test("waits for the words of its person alone where they are asked on the page, whatever hour it is", async () => {
    const { platform } = open(greets(...FIVE.slice(0, 1)));
    platform.times = NIGHT;
    hooks(platform, "one");
    await platform.settle();
    expect([noted(platform), platform.outbox.held.due()]).toEqual([[null], null]);
    await pass(platform, 48 * HOUR);
    expect([seen(platform), digests(platform), noted(platform)]).toEqual([[], [], [null]]);
  });

  test("waits for the words of its person alone where they have no quiet hours", async () => {
    const { platform } = open(greets(...FIVE.slice(0, 1)));
    platform.ask = CHAT;
    hooks(platform, "one");
    await platform.settle();
    await pass(platform, 48 * HOUR);
    expect([seen(platform), noted(platform)]).toEqual([[], [null]]);
  });

  test("is told with another that came after the hour of the first was known", async () => {
    const { platform } = open(greets(...FIVE.slice(0, 2)));
    platform.times = NIGHT;
    platform.ask = CHAT;
    hooks(platform, "one");
    await platform.settle();
    await pass(platform, ms("2026-01-11T02:00Z") - platform.now);
    hooks(platform, "two");
    await platform.settle();
    expect(noted(platform)).toEqual(Array(2).fill("2026-01-11T06:00:00.000Z"));
    await pass(platform, ms("2026-01-11T06:01Z") - platform.now);
    expect(seen(platform)).toEqual([expect.stringContaining("2 messages were held for you")]);
  });

  test("waits for the next words where the first were stopped before anybody read them", async () => {
    const { platform } = open(greets(...FIVE.slice(0, 1)));
    hooks(platform, "Look");
    await platform.settle();
    await says(platform, "Hello", null);
    platform.cancel();
    await pass(platform, MINUTE);
    expect([digests(platform), platform.log.at(-1)?.kind]).toEqual([[], "run_ended"]);
    await says(platform, "Hello again", null);
    await pass(platform, MINUTE);
    expect(digests(platform)).toHaveLength(1);
    expect(checkPlatform(platform)).toEqual([]);
  });

  test("is not told by words of somebody else", async () => {
    const { platform } = open(greets(...FIVE.slice(0, 1)));
    hooks(platform, "Look");
    await platform.settle();
    platform.say("Hello", { author: "bob", origin: CHAT });
    await platform.settle();
    expect([digests(platform), deliveries(platform).map(({ state }) => state)]).toMatchObject([
      [],
      expect.arrayContaining(["noted"]),
    ]);
  });

  test("said again meanwhile in the same words is one note", async () => {
    const again: Line = { calls: [tell("The hut is closed.", { to: "friend" })] };
    const { platform } = open(greets(again, again));
    hooks(platform, "one");
    await platform.settle();
    hooks(platform, "two");
    await platform.settle();
    expect(deliveries(platform).filter(({ state }) => state === "noted")).toHaveLength(1);
  });
});

import { describe, expect, test } from "vitest";
import { addressName } from "../../../src/cairn/core/address.ts";
import { Chat } from "./chat.ts";
import { CHAT, FRIEND, messengerPlatform } from "./messenger.ts";
import type { FakePlatform, Line } from "../platform/platform.ts";

/** How often heartbeats and time capsules say something, and how a run ends that is refused twice, through the real loop. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "channel" } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const tell = (text: string, more: object = {}): [string, { text: string }] => [
  "send_message",
  { text, ...more },
];
const look = (name: string): [string, { name: string }] => ["look", { name }];

type Script = Parameters<typeof messengerPlatform>[0];

function open(script: Script) {
  const { platform, told } = messengerPlatform(script);
  platform.chat = new Chat(
    (where) => platform.cross(where),
    () => platform.now,
  );
  platform.plans = true;
  platform.restart();
  platform.service.admitOrCreate(ADA);
  return { platform, told };
}

async function pass(platform: FakePlatform, ms: number): Promise<void> {
  const until = platform.now + ms;
  while (platform.disk.alarm !== null && platform.disk.alarm <= until) {
    platform.now = Math.max(platform.now, platform.disk.alarm);
    await platform.fire();
  }
  platform.now = until;
}

/** run, and status or verdict of each message */
const fates = ({ log }: FakePlatform): string[] =>
  log.flatMap((entry) =>
    entry.kind === "call_settled" && entry.body.tool === "send_message"
      ? [`${entry.run ?? ""} ${entry.body.skip ?? entry.body.status}`]
      : [],
  );
const rules = ({ log }: FakePlatform): string[] =>
  log.flatMap((entry) => {
    const rule = entry.kind === "call_settled" ? entry.body.failure?.details : undefined;
    return rule !== undefined && rule !== null && typeof rule === "object" && "rule" in rule
      ? [String(rule["rule"])]
      : [];
  });
const noted = (platform: FakePlatform): number =>
  platform.outbox.page(100, null).items.filter(({ state }) => state === "noted").length;

describe("a heartbeat", () => {
  /** Heartbeat runs play `lines`: the model's reply for each run and step. */
  async function beating(lines: (run: number, step: number) => Line, reachable = [addressName(FRIEND)]) {
    const { platform, told } = open(({ step }) => {
      const [, run = 1, n = 1] = /r(\d+)s(\d+)$/.exec(step)?.map(Number) ?? [];
      return run === 1 ? { text: "A part." } : lines(run, n);
    });
    platform.reachable = reachable;
    platform.restart();
    platform.sayOnce("m1", { steps: 1 });
    await platform.settle();
    await platform.api.setHeartbeat(ADA, { enabled: true });
    return { platform, told };
  }

  test("says something only after something new, and then not for four hours to the same place", async () => {
    let at = 0;
    const { platform, told } = await beating((run, step) => {
      if (step === 1)
        return run === 2 ? { calls: [tell("Nothing yet.", { to: "friend" })] } : { calls: [look(`${run}`)] };
      if (step === 2 && run > 2) {
        at ||= platform.now;
        return { calls: [tell(`Hut ${run} of the valley is open for guests.`, { to: "friend" })] };
      }
      return { text: "" };
    });
    await pass(platform, 3.5 * HOUR);
    expect(fates(platform).slice(0, 3)).toEqual(["r2 AUTONOMY_DENY", "r3 ok", "r4 AUTONOMY_DENY"]);
    expect(rules(platform).slice(0, 2)).toEqual(["heartbeat.no_news", "heartbeat.too_soon"]);
    expect(told).toHaveLength(1);
    expect(noted(platform)).toBe(fates(platform).length - 1);
    await pass(platform, at + 4 * HOUR - 1 - platform.now);
    expect(told).toHaveLength(1);
    await pass(platform, 2 * HOUR);
    expect(told).toHaveLength(2);
  });

  test("with nobody whom it may write to leaves a note", async () => {
    const { platform, told } = await beating(
      (_run, step) => (step === 1 ? { calls: [look("a"), tell("It is open.")] } : { text: "" }),
      [],
    );
    await pass(platform, 20 * MINUTE);
    expect([told, fates(platform), noted(platform)]).toEqual([[], ["r2 AUTONOMY_DENY"], 1]);
    expect(rules(platform)).toEqual(["permits.external/autonomy"]);
  });
});

describe("a time capsule", () => {
  test("says how far it is once in a quarter of an hour, and its end at any time", async () => {
    let begun = 0;
    const sent: number[] = [];
    const { platform, told } = open(({ step, ...request }) => {
      if ("tools" in request && (request.tools as readonly unknown[]).length === 0)
        return { text: "All huts." };
      const n = Number(/s(\d+)$/.exec(step)?.[1] ?? 1);
      begun ||= platform.now;
      return n % 2 === 1
        ? { calls: [look(`${n}`)] }
        : { calls: [tell(`Hut ${n} of the valley was counted.`, { kind: "progress" })] };
    });
    platform.onModel = () => void (platform.now += 2 * MINUTE);
    platform.say("Count the huts for an hour", {
      origin: CHAT,
      source: "capsule",
      wanted: {
        limits: { steps: 500, activeMs: HOUR, messages: 100, toolCalls: 500 },
        profile: "time_capsule",
      },
    });
    await platform.settle(2 * HOUR, 2_000);
    for (const entry of platform.log)
      if (entry.kind === "call_settled" && entry.body.tool === "send_message" && entry.body.status === "ok")
        sent.push(entry.at);
    expect(sent.length).toBeGreaterThan(2);
    const apart = sent.slice(1).map((at, index) => at - (sent[index] ?? 0));
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(15 * MINUTE);
    expect(new Set(fates(platform))).toEqual(new Set(["r1 ok", "r1 SEND_COOLDOWN"]));
    expect(new Set(rules(platform))).toEqual(new Set(["send.capsule"]));
    expect(told).toHaveLength(sent.length);
    const [end] = platform.chat?.seen.map(({ text }) => text) ?? [];
    expect(end).toMatch(
      /^Partly answered, because its deadline passed\. {2}\nNothing was changed\.\n\nAll huts\.$/,
    );
  });

  test("may send what is final right after a word of progress", async () => {
    const { platform, told } = open(({ step }) =>
      step.endsWith("s1")
        ? { calls: [look("a")] }
        : step.endsWith("s2")
          ? { calls: [tell("Half of the huts are counted.")] }
          : step.endsWith("s3")
            ? { calls: [look("b")] }
            : step.endsWith("s4")
              ? { calls: [tell("Nine huts are in the valley.", { kind: "final" })] }
              : { text: "" },
    );
    platform.say("Count the huts", {
      origin: CHAT,
      source: "capsule",
      wanted: { limits: { steps: 20, activeMs: HOUR, messages: 20 }, profile: "time_capsule" },
    });
    await platform.settle();
    expect(fates(platform)).toEqual(["r1 ok", "r1 ok"]);
    expect(told).toHaveLength(2);
  });
});

describe("a run that is refused", () => {
  const ends = ({ log }: FakePlatform) =>
    log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : []));

  test("once goes on; a second time it ends, denied, with one polite message to whoever asked", async () => {
    const { platform, told } = open(({ step }) =>
      step.endsWith("s1")
        ? { calls: [tell("Come up.", { to: "friend" })] }
        : step.endsWith("s2")
          ? { calls: [tell("Hello.", { to: "nobody" })] }
          : { text: "This is never asked for." },
    );
    platform.say("Invite my friend", { origin: CHAT });
    await platform.settle();
    expect(fates(platform)).toEqual(["r1 ADMIN_ONLY", "r1 CHANNEL_DENY"]);
    expect(platform.log.flatMap((entry) => (entry.kind === "verdict" ? [entry.body.code] : []))).toContain(
      "DENIED_AGAIN",
    );
    expect(ends(platform)).toEqual(["denied"]);
    expect([told, platform.requests.length]).toEqual([[], 2]);
    expect(platform.chat?.seen).toHaveLength(1);
    const [said] = platform.chat?.seen ?? [];
    expect(said).toMatchObject({ target: "place:telegram:4711", type: "message", kind: "failure" });
    expect(said?.text).toContain("not permitted");
  });

  test("by AUTONOMY_DENY twice is not ended by it: its words are notes", async () => {
    const { platform } = open(({ step }) =>
      /s[12]$/.test(step) ? { calls: [tell(`Words of ${step}.`, { to: "friend" })] } : { text: "Done." },
    );
    platform.say("Look", { source: "webhook" });
    await platform.settle();
    expect([ends(platform), noted(platform)]).toEqual([["completed"], 2]);
  });
});

import { describe, expect, test } from "vitest";
import { checkPlatform } from "../invariants/invariants.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

/** A session that looks after itself, through the real loop, under a clock that moves when the test moves it. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const BEGINNING = 1_700_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Lets time run so far, and each alarm fire at its time; how often one did. */
async function pass(platform: FakePlatform, ms: number): Promise<number> {
  const until = platform.now + ms;
  let alarms = 0;
  for (; platform.disk.alarm !== null && platform.disk.alarm <= until; alarms++) {
    platform.now = Math.max(platform.now, platform.disk.alarm);
    await platform.fire();
  }
  platform.now = until;
  return alarms;
}

/** Minutes since the beginning at which it looked. */
const looks = (platform: FakePlatform): readonly number[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_queued" && entry.body.source === "heartbeat"
      ? [Math.round((entry.at - BEGINNING) / MINUTE)]
      : [],
  );

/** A session whose first run told a part only, which is a reason to look for six hours. */
async function partial(script: (step: string) => Line, enabled = true): Promise<FakePlatform> {
  const platform = new FakePlatform(({ step }) =>
    step.startsWith("r1s") ? { text: "A part." } : script(step),
  );
  platform.service.admitOrCreate(ADA);
  platform.sayOnce("m1", { steps: 1 });
  await platform.settle();
  platform.now = BEGINNING;
  if (enabled) await platform.api.setHeartbeat(ADA, { enabled: true });
  return platform;
}

const SILENT = (): Line => ({ text: "" });
const beat = async (platform: FakePlatform) => {
  const read = await platform.api.heartbeat(ADA);
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
};

describe("the heartbeat", () => {
  test("is off until somebody enables it: no alarm in 24 hours, and none after it is disabled", async () => {
    const platform = await partial(SILENT, false);
    expect(await beat(platform)).toMatchObject({ enabled: false, nextAt: null, by: null, everyMinutes: 15 });
    expect(await pass(platform, 24 * HOUR)).toBe(0);
    await platform.api.setHeartbeat(ADA, { enabled: true });
    expect(platform.disk.alarm).toBe(platform.now + 15 * MINUTE);
    await platform.api.setHeartbeat(ADA, { enabled: false });
    expect([platform.disk.alarm, await pass(platform, 24 * HOUR), looks(platform)]).toEqual([null, 0, []]);
  });

  test("looks at its time although the row of a schedule cannot be read", async () => {
    const platform = await partial(SILENT);
    const asked = { text: "Look.", catchUp: "once", agent: null } as const;
    const timing = { everyMs: 24 * HOUR };
    await platform.api.schedule(ADA, { ...asked, timing, id: "sch_broken", digest: "" });
    platform.disk.exec("UPDATE schedules SET body = '{' || body");
    await pass(platform, HOUR - MINUTE);
    expect(looks(platform)).toEqual([15, 45]);
    expect(platform.unread).toEqual([]);
  });

  test("looks at 15, 30, 60 and 120 minutes while nothing comes of it, and 15 after an input", async () => {
    const platform = await partial(SILENT);
    await pass(platform, 6 * HOUR - MINUTE);
    expect(looks(platform)).toEqual([15, 45, 105, 225, 345]);
    expect(await beat(platform)).toMatchObject({ enabled: true, idle: 5, by: "ada" });
    const since = platform.now;
    platform.say("Are you there?");
    await platform.settle();
    expect(Date.parse((await beat(platform)).nextAt ?? "")).toBeGreaterThanOrEqual(since + 15 * MINUTE);
    expect((await beat(platform)).idle).toBe(0);
    await platform.api.setHeartbeat(ADA, { enabled: false });
    expect(checkPlatform(platform)).toEqual([]);
  });

  test("ends in silence, and leaves nothing in the conversation; a word makes the next look soon", async () => {
    const platform = await partial((step) => ({
      text: step.startsWith("r2") ? "" : "The part is still missing.",
    }));
    await pass(platform, 16 * MINUTE);
    const [run] = platform.log.filter((entry) => entry.kind === "run_queued" && entry.run === "r2");
    expect(run?.body).toMatchObject({
      source: "heartbeat",
      profile: "heartbeat",
      actor: "ada",
      role: "member",
    });
    expect(platform.log.findLast((entry) => entry.kind === "run_ended")?.body).toMatchObject({
      outcome: "completed",
      steps: 1,
    });
    expect(platform.state.ended.map((ended) => ended.run)).toEqual(["r1"]);
    await pass(platform, 30 * MINUTE);
    expect(platform.state.ended.map((ended) => ended.run)).toEqual(["r1", "r3"]);
    expect((await beat(platform)).idle).toBe(0);
    await pass(platform, 15 * MINUTE);
    expect(looks(platform)).toEqual([15, 45, 60]);
  });

  test("queues nothing while somebody is there or there is no reason to, and counts that", async () => {
    const platform = new FakePlatform(() => ({ text: "Done." }));
    platform.service.admitOrCreate(ADA);
    platform.say("Hello, list the pages please");
    await platform.settle();
    platform.now = BEGINNING;
    await platform.api.setHeartbeat(ADA, { enabled: true, everyMinutes: 15 });
    await pass(platform, 31 * MINUTE);
    expect([looks(platform), (await beat(platform)).closed]).toEqual([[], { no_lead: 2 }]);
    const at = new Date(BEGINNING + 30 * MINUTE).toISOString();
    expect((await beat(platform)).skipped).toEqual({ at, why: "no_lead" });
    // Quiet for 45 minutes: that is a reason.
    await pass(platform, 15 * MINUTE);
    expect(looks(platform)).toHaveLength(1);
  });

  test("is set anew by whoever sets it: looks that came to nothing count no more, and the interval stays", async () => {
    const platform = await partial(SILENT);
    await platform.api.setHeartbeat(ADA, { enabled: true, everyMinutes: 30 });
    await pass(platform, 2 * HOUR);
    expect(await beat(platform)).toMatchObject({ enabled: true, everyMinutes: 30, idle: 2 });
    const root = { ...ADA, subject: "root", scopes: ["admin"] } as const;
    const off = await platform.api.setHeartbeat(root, { enabled: false });
    expect(off).toMatchObject({ ok: true, value: { enabled: false, everyMinutes: 30, nextAt: null } });
    expect(await beat(platform)).toMatchObject({ enabled: false, everyMinutes: 30, nextAt: null });
    const nextAt = new Date(platform.now + 30 * MINUTE).toISOString();
    const on = await platform.api.setHeartbeat(root, { enabled: true });
    expect(on).toMatchObject({ ok: true, value: { idle: 0, by: "root", nextAt } });
    expect(await beat(platform)).toMatchObject({ everyMinutes: 30, idle: 0, by: "root", nextAt });
    expect(platform.store.loadMeta()?.heartbeat?.role).toBe("admin");
  });

  test("is not disturbed by what the session does for itself between two looks", async () => {
    const platform = await partial(SILENT);
    await pass(platform, 46 * MINUTE);
    platform.engine.rearm(() => {});
    await platform.engine.restoreAlarm();
    await pass(platform, 4 * HOUR - 46 * MINUTE);
    expect(looks(platform)).toEqual([15, 45, 105, 225]);
  });

  test("writes nothing that its agent does not name", async () => {
    const platform = await partial((step) =>
      step === "r2s1" ? { calls: [["put", { name: "a" }]] } : { text: "" },
    );
    await pass(platform, 20 * MINUTE);
    const settled = platform.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [entry.body.status] : [],
    );
    expect([settled, [...platform.effects.keyed.keys()]]).toEqual([["refused"], []]);
  });
});

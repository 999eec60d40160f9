import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/cairn/core/log/json.ts";
import { SCHEDULES_MAX } from "../../../../src/cairn/core/limits.ts";
import { FakePlatform, type Line } from "../../../sim/platform/platform.ts";

/** The tools by which a run schedules something, in whole sessions. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const task = (input: { readonly [key: string]: Json }): Line => ({ calls: [["schedule_task", input]] });
const WATER = { text: "Reminder: water the plants", inMinutes: 20 };

function open(script: readonly Line[]): FakePlatform {
  const platform = new FakePlatform(script);
  platform.plans = true;
  platform.restart();
  return platform;
}

const settled = (platform: FakePlatform): readonly { status: string; text: string }[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [{ status: entry.body.status, text: entry.body.observation }] : [],
  );

describe("schedule_task", () => {
  test("a reminder comes at its time, once, in the name and under the role of who asked, without a person", async () => {
    const platform = open([
      task(WATER),
      { text: "I will remind you in 20 minutes." },
      { text: "Reminder: water the plants." },
    ]);
    platform.say("Remind me in 20 minutes to water the plants");
    await platform.settle();
    // A promise with a schedule behind it passes the review.
    expect(
      platform.log.filter((entry) => entry.kind === "run_ended").map((entry) => entry.body.outcome),
    ).toEqual(["completed"]);
    const [first] = platform.log.filter((entry) => entry.kind === "run_queued");
    platform.now += 20 * 60_000;
    await platform.settle();
    const queued = platform.log.filter((entry) => entry.kind === "run_queued");
    expect(queued).toHaveLength(2);
    expect(queued[1]?.body).toMatchObject({
      source: "schedule",
      actor: first?.body.actor,
      role: first?.body.role,
    });
    expect(platform.log.findLast((entry) => entry.kind === "answer")?.body.text).toBe(
      "Reminder: water the plants.",
    );
    platform.now += 86_400_000;
    await platform.settle();
    expect(platform.log.filter((entry) => entry.kind === "run_queued")).toHaveLength(2);
  });

  test("the same promise without a schedule is sent back", async () => {
    const platform = open([
      { text: "I will remind you in 20 minutes." },
      { text: "That is not possible here." },
    ]);
    platform.say("Remind me in 20 minutes to water the plants, then write down which plants there are");
    await platform.settle();
    const codes = platform.log.flatMap((entry) => (entry.kind === "review" ? entry.body.codes : []));
    expect(codes).toContain("EMPTY_PROMISE");
  });

  test("a time without an offset is one of the person's clock; UTC, and said so, where their zone is not known", async () => {
    const at = { text: "x", at: "2030-07-01T09:00" };
    const unknown = open([task(at), { text: "Scheduled." }]);
    unknown.say("go");
    await unknown.settle();
    expect(settled(unknown)[0]?.text).toContain('"nextAt":"2030-07-01T09:00:00.000Z"');
    expect(settled(unknown)[0]?.text).toContain("is not known: this time is in UTC");
    const known = open([task(at), { text: "Scheduled." }]);
    known.service.admitOrCreate(ADA);
    known.say("hello");
    const meta = known.store.loadMeta();
    if (meta === null) throw new Error("the session has an owner");
    known.store.saveMeta({ ...meta, metadata: { timeZone: "Europe/Berlin" } });
    await known.settle();
    expect(settled(known)[0]?.text).toContain('"nextAt":"2030-07-01T07:00:00.000Z"');
    expect(settled(known)[0]?.text).toContain("Monday 1 July 2030 at 09:00 (Europe/Berlin)");
    expect(settled(known)[0]?.text).not.toContain("note");
  });

  test.each<[string, { readonly [key: string]: Json }, string]>([
    ["a time that has passed", { text: "x", at: "2001-01-01T09:00" }, "at has passed"],
    ["a time that is none", { text: "x", at: "tomorrow" }, "at is not a time"],
    ["a day that is none", { text: "x", at: "2030-02-30T09:00" }, "No clock in UTC shows"],
    [
      "a zone that is none",
      { text: "x", at: "2030-02-20T09:00", timeZone: "Mars/Olympus" },
      "No clock in Mars/Olympus",
    ],
    ["a cron that is none", { text: "x", cron: "every day" }, "cron expression cannot be read"],
    ["two times", { text: "x", inMinutes: 1, everyMinutes: 5 }, "Exactly one of"],
    ["no time", { text: "x" }, "Exactly one of"],
  ])("%s is refused with what is wrong", async (_name, input, message) => {
    const platform = open([task(input), { text: "It could not be scheduled." }]);
    platform.say("go");
    await platform.settle();
    expect(settled(platform)[0]?.text).toContain(message);
    expect(platform.scheduleStore.all()).toEqual([]);
  });

  test("a session has so many, and no more", async () => {
    const platform = open([task(WATER), { text: "It could not be scheduled." }]);
    platform.service.admitOrCreate(ADA);
    for (let id = 1; id <= SCHEDULES_MAX; id++)
      await platform.api.schedule(ADA, {
        id: `s${id}`,
        digest: "d",
        text: "x",
        agent: null,
        catchUp: "once",
        timing: { everyMs: 86_400_000 },
      });
    platform.say("go");
    await platform.settle();
    expect(settled(platform)[0]).toMatchObject({ status: "error" });
    expect(settled(platform)[0]?.text).toContain("invalid_schedule");
    expect(platform.scheduleStore.all()).toHaveLength(SCHEDULES_MAX);
  });

  test("a run that has read from outside asks a person first, and shows them the words and the time", async () => {
    const platform = open([
      { calls: [["visit", { name: "b" }]] },
      task(WATER),
      { text: "It was not scheduled." },
    ]);
    platform.service.admitOrCreate(ADA);
    platform.say("go");
    await platform.settle();
    const phase = platform.state.run?.phase;
    if (phase?.at !== "waiting_approval") throw new Error("a person is asked");
    const asked = platform.log.findLast((entry) => entry.kind === "approval_requested");
    expect(JSON.stringify(asked?.body)).toContain("Reminder: water the plants");
    expect(platform.scheduleStore.all()).toEqual([]);
    await platform.api.decide(ADA, {
      approval: phase.approval.approval,
      decision: "approve",
      reason: null,
      digest: null,
      args: null,
      remember: null,
    });
    await platform.settle();
    expect(platform.scheduleStore.all()).toHaveLength(1);
  });

  test.each([
    ["a time that has passed", { at: "2020-01-01T09:00:00Z" }],
    ["a time too far ahead", { at: "2090-01-01T09:00:00Z" }],
    ["no time", { at: "at nine" }],
    ["a cron that nothing reads", { cron: "whenever it suits" }],
  ])("nobody is asked about %s: the model is refused at once", async (_, timing) => {
    const platform = open([
      { calls: [["visit", { name: "b" }]] },
      task({ text: "Water the plants", ...timing }),
      { text: "It was not scheduled." },
    ]);
    platform.service.admitOrCreate(ADA);
    platform.say("go");
    await platform.settle();
    expect(platform.log.filter(({ kind }) => kind === "approval_requested")).toEqual([]);
    expect(settled(platform).at(-1)).toMatchObject({
      status: "error",
      text: expect.stringMatching(/invalid_(?:schedule|request)/) as string,
    });
  });

  test("a run that no person asked for schedules nothing", async () => {
    const platform = open([task(WATER), { text: "It was not scheduled." }]);
    await platform.api.send(ADA, {
      id: "d1",
      mode: null,
      source: "webhook",
      request: null,
      ask: {},
      parts: [{ type: "text", text: "Remind them." }],
    });
    await platform.settle();
    expect(settled(platform)[0]?.status).toBe("refused");
    expect(platform.scheduleStore.all()).toEqual([]);
  });
});

test("what is scheduled is listed and cancelled, and what is not there is refused", async () => {
  const script: Line[] = [
    task(WATER),
    { calls: [["schedule_list", {}]] },
    { calls: [["schedule_cancel", { id: "sch_unknown" }]] },
    { text: "It could not be cancelled." },
  ];
  const platform = open(script);
  platform.say("go");
  await platform.settle();
  const [made, listed, missed] = settled(platform);
  const id = /"id":"(sch_[0-9a-f]{16})"/.exec(made?.text ?? "")?.[1] ?? "";
  expect(listed?.text).toContain(id);
  expect(missed).toMatchObject({ status: "error" });
  script.push({ calls: [["schedule_cancel", { id }]] }, { text: "The reminder is cancelled." });
  platform.say("Cancel it");
  await platform.settle();
  expect(platform.scheduleStore.all()).toEqual([]);
  expect(platform.log.findLast((entry) => entry.kind === "run_ended")?.body.outcome).toBe("completed");
});

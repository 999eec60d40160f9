import { describe, expect, test } from "vitest";
import type { SendMessage } from "../../../src/cairn/core/loop/receive.ts";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { createCommands } from "../../../src/cairn/session/commands/create-commands.ts";
import { calendar } from "../../../src/cairn/session/background/cron.ts";
import { ownCapsules } from "../../../src/cairn/session/commands/own-capsules.ts";
import { localTime, ownSchedules } from "../../../src/cairn/session/commands/own-schedules.ts";
import { readTargets } from "../../../src/cairn/session/runs/targets.ts";
import { RunWaiters } from "../../../src/cairn/session/runs/run-waiters.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";

/**
 * Runs that a run may start later, by capsules and schedules: in the name and with the rights of its requester, and no
 * more.
 */

const HOUR_MS = 3_600_000;
const ADA = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;
const ORIGIN = { channel: "telegram", place: "7" } as const;

interface Begun {
  readonly platform: FakePlatform;
  readonly capsules: ReturnType<typeof ownCapsules>;
  readonly schedules: ReturnType<typeof ownSchedules>;
}

/** Does something in the middle of a run that was asked for like this. */
async function during<Value>(
  act: (begun: Begun) => Promise<Value> | Value,
  { session = "ses", ...more }: Partial<SendMessage> & { readonly session?: string } = {},
): Promise<Begun & { readonly value: Value }> {
  const platform = new FakePlatform([{ text: "Done." }], session);
  platform.service.admitOrCreate(ADA);
  const { engine, store, commands } = platform;
  const capsules = ownCapsules(() => ({ engine, store, defaults: commands }));
  const { schedules: of } = createCommands(commands);
  const schedules = ownSchedules(() => ({ engine, store, schedules: of, calendar }));
  const begun = { platform, capsules, schedules };
  const values: Value[] = [];
  platform.onModel = async () => {
    if (values.length === 0) values.push(await act(begun));
  };
  platform.say("Do it.", { author: "bob", spec: { ...PLAIN_SPEC, ...platform.agent().spec }, ...more });
  // The run behind it is not begun here.
  while (values.length === 0) {
    const { alarm } = platform.disk;
    if (alarm === null) break;
    platform.now = Math.max(platform.now, alarm);
    await platform.fire();
  }
  const [value] = values;
  if (value === undefined) throw new Error("no model was asked");
  return { ...begun, value };
}

const GOAL = { id: "k1", goal: "Find a name.", minutes: 30, costUsdMillionths: 500 };
const queuedOf = ({ platform }: Begun) =>
  platform.log.flatMap((entry) => (entry.kind === "run_queued" && entry.run !== "r1" ? [entry.body] : []));
const saidOf = ({ platform }: Begun) =>
  platform.log.flatMap((entry) =>
    entry.kind === "user_message" && entry.body.source === "capsule" ? [entry] : [],
  );

const START = ({ capsules }: Begun) => capsules.start("ses.r1", GOAL);

describe("a capsule", () => {
  test("is a run in the name and under the role of whoever asked, within what it was given", async () => {
    const spec = { ...PLAIN_SPEC, agent: "default", tools: ["look"] };
    const begun = await during(START, { role: "guest", origin: ORIGIN, spec });
    expect(begun.value).toEqual({ ok: true, value: { run: "ses.r2" } });
    const [said] = saidOf(begun);
    expect(said?.body).toMatchObject({ author: "bob", parts: [{ type: "text", text: "Find a name." }] });
    const [queued] = queuedOf(begun);
    expect(queued).toMatchObject({
      role: "guest",
      origin: ORIGIN,
      askedAt: said?.at,
      profile: "time_capsule",
      limits: { activeMs: 30 * 60_000, cost: 500 },
      spec: { agent: "default", tools: ["look"] },
    });
  });

  test("of a run that nobody is there for was asked for when that was", async () => {
    const begun = await during(START, { source: "schedule", askedAt: 5 });
    expect(queuedOf(begun)[0]?.askedAt).toBe(5);
    expect(queuedOf(begun)[0]).not.toHaveProperty("origin");
    const never = await during(START, { source: "heartbeat" });
    expect(queuedOf(never)[0]).not.toHaveProperty("askedAt");
  });

  test("has the role and the site of its run, while its person may work there", async () => {
    const targets = { site: { siteId: "site_main", environmentId: "env_staging" } };
    const members: string[] = ["bob"];
    const sites = readTargets({
      kinds: new Map([["site", { find: async () => ({ isOwn: false, members }) }]]),
      clock: () => 0,
      report: () => {},
    });
    const start = ({ platform }: Begun) => {
      const { engine, store, commands } = platform;
      return ownCapsules(() => ({ engine, store, defaults: { ...commands, targets: sites } })).start(
        "ses.r1",
        GOAL,
      );
    };
    const spec = { ...PLAIN_SPEC, agent: "default", targets };
    const begun = await during(start, { role: "member", spec });
    expect(queuedOf(begun)).toMatchObject([{ role: "member", spec: { targets } }]);
    members.pop();
    const ended = await during(start, { role: "member", spec });
    expect(ended.value).toMatchObject({
      ok: false,
      error: { issues: [{ path: "targets.site", code: "unknown_target" }] },
    });
  });

  test("is the same for the same id, and another for another", async () => {
    const begun = await during(async (one) => {
      const runs = [];
      for (const id of ["k1", "k1", "k2"]) runs.push(await one.capsules.start("ses.r1", { ...GOAL, id }));
      return runs.map((started) => (started.ok ? started.value.run : started.error.code));
    });
    expect(begun.value).toEqual(["ses.r2", "ses.r2", "ses.r3"]);
    expect(saidOf(begun)).toHaveLength(2);
  });

  test.each([
    ["another run", "ses.r2", {}, "not_live"],
    ["a run whose name ends alike", "ses.r11", {}, "not_live"],
    [
      "a run that another one has started",
      "ses.r1",
      {
        parent: {
          session: "ses",
          createdAt: null,
          run: "r1",
          call: "r1s1c0",
          depth: 1,
          root: "ses",
          sessions: 0,
        },
      },
      "child_run",
    ],
  ] as const)("is not started for %s, and neither is a schedule", async (_, name, more, code) => {
    const begun = await during(
      async ({ capsules, schedules }) => [await capsules.start(name, GOAL), schedules.make(name, WISH)],
      more,
    );
    expect(begun.value.map((one) => (one.ok ? "ok" : one.error.code))).toEqual([code, code]);
    expect(saidOf(begun)).toEqual([]);
    expect(begun.platform.scheduleStore.all()).toEqual([]);
  });

  test("is not started once its run has ended", async () => {
    const begun = await during(() => true);
    await begun.platform.settle();
    const late = await begun.capsules.start("ses.r1", GOAL);
    const wish = begun.schedules.make("ses.r1", WISH);
    expect([late, wish].map((one) => (one.ok ? "ok" : one.error.code))).toEqual(["not_live", "not_live"]);
  });

  test("that is too small for a step is refused", async () => {
    const begun = await during(({ capsules }) => capsules.start("ses.r1", { ...GOAL, costUsdMillionths: 0 }));
    expect(begun.value.ok).toBe(false);
    expect(saidOf(begun)).toEqual([]);
  });
});

const WISH = {
  id: "sch_1",
  text: "Look again.",
  timing: { at: new Date(1_700_000_000_000 + HOUR_MS).toISOString() },
  catchUp: "once" as const,
};

describe("a schedule of a run", () => {
  const made = async (more: Partial<SendMessage>) => {
    const begun = await during(({ schedules }) => schedules.make("ses.r1", WISH), more);
    expect(begun.value).toMatchObject({
      ok: true,
      value: { id: "sch_1", text: "Look again.", missed: null },
    });
    return begun.platform.scheduleStore.all()[0];
  };

  test("has the person, the role, the origin and the tools of its run", async () => {
    const spec = { ...PLAIN_SPEC, agent: "default", tools: ["look"] };
    expect(await made({ role: "guest", origin: ORIGIN, spec })).toMatchObject({
      by: "bob",
      role: "guest",
      agent: "default",
      origin: ORIGIN,
      tools: ["look"],
      wished: true,
    });
    const plain = await made({ source: "schedule" });
    for (const field of ["origin", "wished", "site"]) expect(plain).not.toHaveProperty(field);
  });

  test("is the same for the same id, also where another one is asked for by it", async () => {
    const begun = await during(({ schedules }) => {
      const first = schedules.make("ses.r1", WISH);
      return [first, schedules.make("ses.r1", { ...WISH, text: "Look twice." })];
    });
    const [first, again] = begun.value;
    expect(again).toEqual(first);
    expect(begun.platform.scheduleStore.all().map(({ text }) => text)).toEqual(["Look again."]);
  });

  test("works on the site of its run", async () => {
    const targets = { site: { siteId: "site_main", environmentId: "env_staging" } };
    const spec = { ...PLAIN_SPEC, agent: "default", targets };
    expect(await made({ spec })).toMatchObject({ targets });
  });

  test("is listed and taken back by the session itself", async () => {
    const begun = await during(({ schedules }) => {
      schedules.make("ses.r1", WISH);
      schedules.make("ses.r1", { ...WISH, id: "sch_2" });
      schedules.cancel("sch_1");
      return schedules.list().map(({ id }) => id);
    });
    expect(begun.value).toEqual(["sch_2"]);
  });

  test("is meant in the zone that the session knows, where that is one", async () => {
    const { platform, schedules } = await during(() => true);
    const zoneWith = (timeZone: unknown) => {
      const meta = platform.store.loadMeta();
      if (meta !== null) platform.store.saveMeta({ ...meta, metadata: { timeZone } as never });
      return schedules.zone();
    };
    expect(["Europe/Berlin", "Nowhere/Here", 5, undefined].map(zoneWith)).toEqual([
      "Europe/Berlin",
      null,
      null,
      null,
    ]);
    expect(schedules.at("2030-12-24T18:00:00", "Nowhere/Here")).toBeNull();
    const at = schedules.at("2030-12-24T18:00:00", "Europe/Berlin") ?? 0;
    expect(new Date(at).toISOString()).toBe("2030-12-24T17:00:00.000Z");
    expect(localTime(at, "Europe/Berlin")).toBe("2030-12-24T18:00, Tuesday, Europe/Berlin");
    expect(localTime(at, null)).toBeNull();
  });
});

describe("whoever waits for a run", () => {
  const entry = (kind: string, run: string | null): Entry => ({ kind, run }) as unknown as Entry;
  const waits = (waiters: RunWaiters, run: string) => {
    let isOver = false;
    const over = waiters.until(run, 60_000).then(() => (isOver = true));
    return { over, isOver: () => isOver };
  };

  test.each([
    ["run_ended", true],
    ["approval_requested", true],
    ["human_asked", true],
    ["model_replied", false],
    ["run_queued", false],
  ])("goes on at %s: %s", async (kind, rests) => {
    const waiters = new RunWaiters();
    const [mine, again, other] = [waits(waiters, "r1"), waits(waiters, "r1"), waits(waiters, "r2")];
    waiters.committed([entry(kind, null), entry(kind, "r1")]);
    await Promise.resolve();
    await Promise.resolve();
    expect([mine, again, other].map(({ isOver }) => isOver())).toEqual([rests, rests, false]);
    for (const run of ["r1", "r2"]) waiters.committed([entry("run_ended", run)]);
    await Promise.all([mine.over, again.over, other.over]);
  });
});

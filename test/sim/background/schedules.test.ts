import { describe, expect, test } from "vitest";
import { QUEUE_MAX, SCHEDULES_MAX } from "../../../src/core/limits.ts";
import type { Entry } from "../../../src/core/log/entry.ts";
import type { AskedTiming, CatchUp } from "../../../src/core/schedule.ts";
import type { ScheduleView } from "../../../src/session/api/session-api.ts";
import { checkWorld } from "../invariants/invariants.ts";
import { World } from "../platform/platform.ts";

/** What a session says to itself, through the real loop. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const BOB = { ...ADA, subject: "bob" };
const BEGINNING = 1_700_000_000_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const plain = (): World => new World(() => ({ text: "All is well." }));

async function make(
  world: World,
  id: string,
  timing: AskedTiming,
  catchUp: CatchUp = "once",
  text = "Look at it.",
): Promise<ScheduleView> {
  const made = await world.scheduling.schedule(ADA, { id, digest: id, text, timing, catchUp });
  if (!made.ok) throw new Error(made.error.message);
  world.scheduled.push(made.value.schedule);
  return made.value.schedule;
}
const list = async (world: World): Promise<readonly ScheduleView[]> => {
  const listed = await world.scheduling.schedules(ADA);
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value.items;
};
const iso = (ms: number): string => new Date(BEGINNING + ms).toISOString();
const at = (ms: number): AskedTiming => ({ at: iso(ms) });
/** Ids of the runs' messages, and milliseconds since the beginning at which each was said. */
const fired = (world: World): (readonly [id: string, at: number])[] =>
  world.log.flatMap((row) =>
    row.kind === "user_said" && row.body.source === "schedule" ? [[row.body.id, row.at - BEGINNING]] : [],
  );
const bodiesOf = (world: World, kind: Entry["kind"]): readonly unknown[] =>
  world.log.flatMap((row) => (row.kind === kind ? [row.body] : []));

/** Lets time run to that moment, and each alarm fire at its time. */
async function pass(world: World, ms: number): Promise<void> {
  const until = BEGINNING + ms;
  while (world.disk.alarm !== null && world.disk.alarm <= until) {
    world.now = Math.max(world.now, world.disk.alarm);
    await world.fire();
  }
  world.now = until;
}

/** The machine is off until then; what it does when it is on again is up to the alarm. */
async function sleepUntil(world: World, ms: number): Promise<void> {
  world.now = BEGINNING + ms;
  world.restart();
  await pass(world, ms + 100);
}

describe("a schedule for one time", () => {
  test("is said once, as its maker, and is over", async () => {
    const world = plain();
    const made = await make(world, "sch_a", at(MINUTE));
    expect(made).toEqual({
      ...{ id: "sch_a", kind: "once", text: "Look at it.", at: iso(MINUTE) },
      ...{ everyMs: null, cron: null, timeZone: null, catchUp: "once", nextAt: iso(MINUTE) },
      ...{ lastRunId: null, missed: null, createdAt: iso(0), by: "ada" },
    });
    expect(world.disk.alarm).toBe(BEGINNING + MINUTE);
    await world.settle();
    expect(world.kinds).toEqual([
      ...["user_said", "run_queued", "run_started", "step_started", "model_replied", "review", "answer"],
      "run_ended",
    ]);
    expect(bodiesOf(world, "user_said")[0]).toEqual({
      ...{ id: `sch_a.${BEGINNING + MINUTE}`, author: "ada", source: "schedule", mode: "queue" },
      parts: [{ type: "text", text: "Look at it." }],
    });
    expect(bodiesOf(world, "run_queued")[0]).toMatchObject({
      source: "schedule",
      actor: "ada",
      role: "member",
    });
    expect(fired(world)).toEqual([[`sch_a.${BEGINNING + MINUTE}`, MINUTE]]);
    expect([await list(world), world.disk.alarm]).toEqual([[], null]);
    expect(checkWorld(world)).toEqual([]);
  });

  test("has its maker's rights, and leaves those of others their times", async () => {
    const world = plain();
    const root = { ...ADA, scopes: ["admin"] } as const;
    const command = { digest: "", text: "Look.", catchUp: "once" } as const;
    await world.scheduling.schedule(root, { ...command, id: "sch_a", timing: at(MINUTE) });
    await world.scheduling.schedule(ADA, { ...command, id: "sch_b", timing: at(2 * MINUTE) });
    await pass(world, MINUTE + 1_000);
    expect(fired(world).map(([, time]) => time)).toEqual([MINUTE]);
    await pass(world, 3 * MINUTE);
    expect(fired(world).map(([, time]) => time)).toEqual([MINUTE, 2 * MINUTE]);
    expect(bodiesOf(world, "run_queued")).toMatchObject([{ role: "admin" }, { role: "member" }]);
  });

  test("waits behind a run that is at work, and joins none", async () => {
    const world = new World(({ step }) =>
      step === "r1s1" ? { calls: [["look", { name: "a" }]] } : { text: "All is well." },
    );
    await make(world, "sch_a", at(MINUTE));
    world.onModel = ({ step }) => {
      if (step === "r1s1") world.now = BEGINNING + 2 * MINUTE;
    };
    world.say("Look at it.");
    await pass(world, 3 * MINUTE);
    expect(bodiesOf(world, "user_said").at(-1)).toMatchObject({ mode: "queue", source: "schedule" });
    expect(bodiesOf(world, "run_ended")).toHaveLength(2);
    expect(world.requests.at(-1)?.step).toBe("r2s1");
  });

  test("is worked in the lane where nobody watches: it writes only with what it may, and is not tainted", async () => {
    const wish = (): World =>
      new World(({ step }) =>
        step.endsWith("s1") ? { calls: [["put", { name: "a" }]] } : { text: "So it is." },
      );
    const refused = wish();
    await make(refused, "sch_a", at(1_000));
    await refused.settle();
    expect([...refused.effects.keyed.keys()]).toEqual([]);
    const allowed = wish();
    allowed.unattended = ["put"];
    allowed.restart();
    await make(allowed, "sch_a", at(1_000));
    await allowed.settle();
    expect(allowed.effects.keyed.size).toBe(1);
    expect(allowed.state.ended.at(-1)?.taint?.tainted ?? null).toBeNull();
  });

  test("makes no second one when it is asked for again, and refuses another under its name", async () => {
    const world = plain();
    const made = await make(world, "sch_a", at(MINUTE));
    const again = {
      id: "sch_a",
      digest: "sch_a",
      text: "",
      timing: at(9 * MINUTE),
      catchUp: "once",
    } as const;
    expect(await world.scheduling.schedule(ADA, again)).toEqual({
      ok: true,
      value: { schedule: made, replayed: true },
    });
    world.now += 2 * MINUTE;
    await world.settle();
    expect(await make(world, "sch_a", at(MINUTE))).toEqual(made);
    expect([await list(world), fired(world)]).toEqual([[], [[`sch_a.${BEGINNING + MINUTE}`, 2 * MINUTE]]]);
    const other = {
      id: "sch_a",
      digest: "other",
      text: "Other.",
      timing: at(9 * MINUTE),
      catchUp: "once",
    } as const;
    expect(await world.scheduling.schedule(ADA, other)).toMatchObject({
      error: { status: 409, code: "idempotency_conflict" },
    });
  });
});

describe("a late schedule", () => {
  test("that says once makes one run for all that was missed, and keeps its beat", async () => {
    const world = plain();
    await make(world, "sch_a", { everyMs: 90 * MINUTE });
    await sleepUntil(world, DAY + MINUTE);
    expect(fired(world)).toEqual([[`sch_a.${BEGINNING + 90 * MINUTE}`, DAY + MINUTE]]);
    expect(await list(world)).toMatchObject([
      { nextAt: iso(DAY + 90 * MINUTE), lastRunId: "ses.r1", missed: null },
    ]);
    await sleepUntil(world, DAY + 90 * MINUTE);
    expect(fired(world)).toHaveLength(2);
  });

  test("that says skip makes none, says so in the list, and comes the next time", async () => {
    const world = plain();
    await make(world, "sch_a", { cron: "0 * * * *", timeZone: "Europe/Berlin" }, "skip");
    const [before] = await list(world);
    await sleepUntil(world, DAY);
    expect(fired(world)).toEqual([]);
    const [after] = await list(world);
    expect(after).toMatchObject({ missed: { at: before?.nextAt, reason: "late" }, lastRunId: null });
    expect(world.disk.alarm).toBe(Date.parse(after?.nextAt ?? ""));
    await pass(world, DAY + 60 * MINUTE);
    expect(fired(world)).toHaveLength(1);
  });

  test("for one time that says skip stays in the list as missed, without an alarm", async () => {
    const world = plain();
    await make(world, "sch_a", at(MINUTE), "skip");
    await sleepUntil(world, DAY);
    expect(await list(world)).toMatchObject([{ nextAt: null, missed: { at: iso(MINUTE), reason: "late" } }]);
    expect([world.disk.alarm, fired(world)]).toEqual([null, []]);
  });

  test("is not late where the session was only busy", async () => {
    const world = plain();
    await make(world, "sch_a", at(MINUTE), "skip");
    world.say("Think for long.");
    world.onModel = () => void (world.now += world.requests.length === 1 ? 10 * MINUTE : 0);
    await world.settle();
    expect(fired(world)).toEqual([[`sch_a.${BEGINNING + MINUTE}`, 10 * MINUTE + 1]]);
    expect(bodiesOf(world, "run_ended")).toHaveLength(2);
  });

  test("comes at the next touch when the platform has lost its alarm", async () => {
    const world = plain();
    await make(world, "sch_a", at(MINUTE));
    world.now += MINUTE;
    world.loseAlarm();
    await list(world);
    await world.settle();
    expect(fired(world)).toHaveLength(1);
  });
});

describe("a full queue", () => {
  /** The first run waits for a person, so the queue behind it stays as it is. */
  async function full(): Promise<World> {
    const world = new World(({ step }) =>
      step === "r1s1" ? { calls: [["publish", { name: "a" }]] } : { text: "Done." },
    );
    world.say("Publish it.");
    await pass(world, 1_000);
    for (let n = 0; n < QUEUE_MAX; n++) expect(world.say(`Wish ${n}.`).ok).toBe(true);
    return world;
  }

  test("makes an interval miss its time, and come the next", async () => {
    const world = await full();
    const made = await make(world, "sch_a", { everyMs: 10 * MINUTE });
    await pass(world, 11 * MINUTE);
    expect(fired(world)).toEqual([]);
    expect(await list(world)).toMatchObject([
      { missed: { at: made.nextAt, reason: "queue_full" }, lastRunId: null },
    ]);
    world.decide("deny");
    await pass(world, 21 * MINUTE);
    expect(fired(world).map(([id]) => id)).toEqual([`sch_a.${BEGINNING + 20 * MINUTE + 1_000}`]);
    // What was missed stays told beside the run that came after it.
    expect(await list(world)).toMatchObject([
      { missed: { at: made.nextAt, reason: "queue_full" }, lastRunId: "ses.r22" },
    ]);
  });

  test("makes a single time wait until there is room, whatever its catch-up says", async () => {
    const world = await full();
    await make(world, "sch_a", at(MINUTE), "skip");
    await pass(world, 6 * MINUTE);
    expect([fired(world), (await list(world))[0]?.missed?.reason]).toEqual([[], "queue_full"]);
    world.decide("deny");
    await pass(world, 8 * MINUTE);
    expect(fired(world).map(([id]) => id)).toEqual([`sch_a.${BEGINNING + MINUTE}`]);
    expect(await list(world)).toEqual([]);
  });
});

describe("a time that has been said", () => {
  test("is not said again, although its row should come back", async () => {
    const world = plain();
    await make(world, "sch_a", { everyMs: MINUTE });
    const [kept] = world.book.all();
    await pass(world, MINUTE + 1_000);
    if (kept === undefined) throw new Error("it is not kept");
    world.engine.rearm(() => world.book.save(kept));
    await pass(world, MINUTE + 2_000);
    expect(fired(world).map(([, time]) => time)).toEqual([MINUTE]);
    expect(await list(world)).toMatchObject([{ lastRunId: "ses.r1", nextAt: iso(2 * MINUTE) }]);
  });
});

describe("the alarm", () => {
  test("is that of the next of them, and gone with the last", async () => {
    const world = plain();
    await make(world, "sch_b", at(2 * DAY));
    await make(world, "sch_a", at(DAY));
    expect(world.disk.alarm).toBe(BEGINNING + DAY);
    await world.scheduling.unschedule(ADA, "sch_a");
    expect(world.disk.alarm).toBe(BEGINNING + 2 * DAY);
    expect(await world.scheduling.unschedule(ADA, "sch_a")).toEqual({ ok: true, value: null });
    await world.scheduling.unschedule(ADA, "sch_b");
    expect([world.disk.alarm, await list(world)]).toEqual([null, []]);
  });

  test("of a wait for a person comes earlier for a schedule, and the run waits on", async () => {
    const world = new World(({ step }) =>
      step === "r1s1" ? { calls: [["publish", { name: "a" }]] } : { text: "Done." },
    );
    world.say("Publish it.");
    await world.settle();
    const expires = world.disk.alarm;
    await make(world, "sch_a", at(MINUTE));
    await pass(world, MINUTE + 100);
    expect([world.state.run?.phase.at, world.state.queue.length]).toEqual(["waiting_approval", 1]);
    expect(world.disk.alarm).toBe(expires);
  });
});

describe("a session with schedules", () => {
  test("has twenty at most", async () => {
    const world = plain();
    for (let n = 0; n < SCHEDULES_MAX; n++) await make(world, `sch_${n}`, at(DAY + n));
    await expect(make(world, "sch_more", at(DAY))).rejects.toThrow("This session has 20 schedules");
    await world.scheduling.unschedule(ADA, "sch_3");
    expect((await make(world, "sch_more", at(DAY))).id).toBe("sch_more");
  });

  test("lists them by their age, those of one moment by their names", async () => {
    const world = plain();
    await make(world, "sch_b", at(2 * DAY));
    await make(world, "sch_a", at(3 * DAY));
    world.now += 1;
    await make(world, "sch_0", at(DAY));
    expect((await list(world)).map(({ id }) => id)).toEqual(["sch_a", "sch_b", "sch_0"]);
  });

  test("is its maker's, with the words as its title, and nobody else's", async () => {
    const world = plain();
    await make(world, "sch_a", at(DAY), "once", "Count the visitors.");
    expect(world.store.loadMeta()).toMatchObject({ owner: "ada", title: "Count the visitors." });
    const command = { id: "sch_b", digest: "", text: "Mine.", timing: at(DAY), catchUp: "once" } as const;
    expect(await world.scheduling.schedule(BOB, command)).toMatchObject({ error: { code: "id_taken" } });
    expect(await world.scheduling.schedules(BOB)).toMatchObject({ error: { status: 404 } });
    expect(await world.scheduling.unschedule(BOB, "sch_a")).toMatchObject({ error: { status: 404 } });
    const reader = { ...ADA, scopes: ["read"] } as const;
    expect(await world.scheduling.schedule(reader, command)).toMatchObject({
      error: { code: "missing_scope" },
    });
    expect(await world.scheduling.unschedule(reader, "sch_a")).toMatchObject({
      error: { code: "missing_scope" },
    });
  });

  test("keeps them when it is cleared", async () => {
    const world = plain();
    await make(world, "sch_a", at(MINUTE));
    await world.service.clear(ADA);
    expect(await list(world)).toHaveLength(1);
    await world.settle();
    expect(fired(world)).toHaveLength(1);
  });

  test("keeps no secret in them", async () => {
    const world = plain();
    world.protect([{ name: "CANARY", value: "canary-secret-value" }]);
    const made = await make(world, "sch_a", at(MINUTE), "once", "Use canary-secret-value.");
    await world.settle();
    expect(JSON.stringify([made, world.disk.dump()])).not.toContain("canary-secret-value");
  });

  test("goes on when this version of the code cannot read one of them", async () => {
    const world = plain();
    await make(world, "sch_a", { cron: "* * * * *" });
    const [kept] = world.book.all();
    if (kept === undefined) throw new Error("it is not kept");
    world.book.save({ ...kept, timing: { kind: "cron", cron: "* * * * *", timeZone: "Atlantis/Capital" } });
    await pass(world, 5 * MINUTE);
    expect(fired(world)).toHaveLength(1);
    expect(await list(world)).toMatchObject([{ nextAt: null }]);
  });
});

import { describe, expect, test } from "vitest";
import { QUEUE_MAX, SCHEDULES_MAX } from "../../../src/cairn/core/limits.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { TimingRequest, CatchUp } from "../../../src/cairn/core/schedule.ts";
import type { ScheduleView } from "../../../src/cairn/session/api/session-api.ts";
import { checkPlatform } from "../invariants/invariants.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Schedules: messages that a session sends to itself, through the real loop. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
const BOB = { ...ADA, subject: "bob" };
const BEGINNING = 1_700_000_000_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const plain = (): FakePlatform => new FakePlatform(() => ({ text: "All is well." }));

async function make(
  platform: FakePlatform,
  id: string,
  timing: TimingRequest,
  catchUp: CatchUp = "once",
  text = "Look at it.",
): Promise<ScheduleView> {
  const made = await platform.api.schedule(ADA, { id, digest: id, text, timing, catchUp, agent: null });
  if (!made.ok) throw new Error(made.error.message);
  platform.scheduled.push(made.value.schedule);
  return made.value.schedule;
}
const list = async (platform: FakePlatform): Promise<readonly ScheduleView[]> => {
  const listed = await platform.api.schedules(ADA);
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value.items;
};
const iso = (ms: number): string => new Date(BEGINNING + ms).toISOString();
const at = (ms: number): TimingRequest => ({ at: iso(ms) });
/** Ids of the runs' messages, and milliseconds since the beginning at which each was said. */
const fired = (platform: FakePlatform): (readonly [id: string, at: number])[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "user_message" && entry.body.source === "schedule"
      ? [[entry.body.id, entry.at - BEGINNING]]
      : [],
  );
const bodiesOf = (platform: FakePlatform, kind: Entry["kind"]): readonly unknown[] =>
  platform.log.flatMap((entry) => (entry.kind === kind ? [entry.body] : []));

describe("a row that cannot be read when it is due", () => {
  const broken = async (change: string): Promise<FakePlatform> => {
    const platform = plain();
    await make(platform, "sch_a", at(1 * MINUTE));
    await make(platform, "sch_b", at(1 * MINUTE));
    await make(platform, "sch_c", at(3 * MINUTE));
    platform.disk.exec(`UPDATE schedules SET body = ${change} WHERE id = 'sch_a'`);
    return platform;
  };

  test.each([
    ["is no JSON", "'{' || body"],
    ["has another form", `'{"id":"sch_a","timing":{"kind":"lunar"}}'`],
    ["is null", "'null'"],
    ["has no time", "json_remove(body, '$.timing.at')"],
  ])("and %s is reported once, and the others come at their times", async (_what, change) => {
    const platform = await broken(change);
    await pass(platform, 30 * MINUTE);
    expect(fired(platform)).toEqual([
      [`sch_b.${BEGINNING + MINUTE}`, MINUTE],
      [`sch_c.${BEGINNING + 3 * MINUTE}`, 3 * MINUTE],
    ]);
    expect(platform.unread).toEqual(["sch_a"]);
    // Retries come at growing intervals, in a new isolate too.
    platform.restart();
    const looks: number[] = [];
    for (let n = 0; n < 2; n++) {
      platform.now = platform.disk.alarm ?? 0;
      looks.push(platform.now);
      await platform.fire();
    }
    expect((looks[1] ?? 0) - (looks[0] ?? 0)).toBe(5 * MINUTE);
    expect(platform.unread).toEqual(["sch_a"]);
  });

  test("comes once it can be read", async () => {
    const platform = await broken("'{' || body");
    await pass(platform, 2 * MINUTE);
    platform.disk.exec("UPDATE schedules SET body = substr(body, 2) WHERE id = 'sch_a'");
    await pass(platform, 10 * MINUTE);
    expect(fired(platform).map(([id]) => id)).toEqual([
      `sch_b.${BEGINNING + MINUTE}`,
      `sch_a.${BEGINNING + MINUTE}`,
      `sch_c.${BEGINNING + 3 * MINUTE}`,
    ]);
    expect(await list(platform)).toEqual([]);
  });

  test("can be deleted, and is not listed", async () => {
    const platform = await broken("'{' || body");
    expect((await list(platform)).map(({ id }) => id)).toEqual(["sch_b", "sch_c"]);
    await platform.api.unschedule(ADA, "sch_a");
    await pass(platform, 4 * MINUTE);
    expect([platform.unread, platform.disk.alarm]).toEqual([[], null]);
  });
});

/** Lets time run to that moment, and each alarm fire at its time. */
async function pass(platform: FakePlatform, ms: number): Promise<void> {
  const until = BEGINNING + ms;
  while (platform.disk.alarm !== null && platform.disk.alarm <= until) {
    platform.now = Math.max(platform.now, platform.disk.alarm);
    await platform.fire();
  }
  platform.now = until;
}

/** The machine is off until then; what it does when it is on again is up to the alarm. */
async function sleepUntil(platform: FakePlatform, ms: number): Promise<void> {
  platform.now = BEGINNING + ms;
  platform.restart();
  await pass(platform, ms + 100);
}

describe("a schedule for one time", () => {
  test("is said once, as its maker, and is over", async () => {
    const platform = plain();
    const made = await make(platform, "sch_a", at(MINUTE));
    expect(made).toEqual({
      id: "sch_a",
      kind: "once",
      text: "Look at it.",
      at: iso(MINUTE),
      everyMs: null,
      cron: null,
      timeZone: null,
      catchUp: "once",
      nextAt: iso(MINUTE),
      agent: null,
      lastRunId: null,
      missed: null,
      createdAt: iso(0),
      by: "ada",
    });
    expect(platform.disk.alarm).toBe(BEGINNING + MINUTE);
    await platform.settle();
    expect(platform.kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(bodiesOf(platform, "user_message")[0]).toEqual({
      id: `sch_a.${BEGINNING + MINUTE}`,
      author: "ada",
      source: "schedule",
      mode: "queue",
      parts: [{ type: "text", text: "Look at it." }],
    });
    expect(bodiesOf(platform, "run_queued")[0]).toMatchObject({
      source: "schedule",
      actor: "ada",
      role: "member",
    });
    expect(fired(platform)).toEqual([[`sch_a.${BEGINNING + MINUTE}`, MINUTE]]);
    expect([await list(platform), platform.disk.alarm]).toEqual([[], null]);
    expect(checkPlatform(platform)).toEqual([]);
  });

  test("has its maker's rights, and leaves those of others their times", async () => {
    const platform = plain();
    const root = { ...ADA, scopes: ["admin"] } as const;
    const command = { digest: "", text: "Look.", catchUp: "once", agent: null } as const;
    await platform.api.schedule(root, { ...command, id: "sch_a", timing: at(MINUTE) });
    await platform.api.schedule(ADA, { ...command, id: "sch_b", timing: at(2 * MINUTE) });
    await pass(platform, MINUTE + 1_000);
    expect(fired(platform).map(([, time]) => time)).toEqual([MINUTE]);
    await pass(platform, 3 * MINUTE);
    expect(fired(platform).map(([, time]) => time)).toEqual([MINUTE, 2 * MINUTE]);
    expect(bodiesOf(platform, "run_queued")).toMatchObject([{ role: "admin" }, { role: "member" }]);
  });

  test("waits behind a run that is at work, and joins none", async () => {
    const platform = new FakePlatform(({ step }) =>
      step === "r1s1" ? { calls: [["look", { name: "a" }]] } : { text: "All is well." },
    );
    await make(platform, "sch_a", at(MINUTE));
    platform.onModel = ({ step }) => {
      if (step === "r1s1") platform.now = BEGINNING + 2 * MINUTE;
    };
    platform.say("Look at it.");
    await pass(platform, 3 * MINUTE);
    expect(bodiesOf(platform, "user_message").at(-1)).toMatchObject({ mode: "queue", source: "schedule" });
    expect(bodiesOf(platform, "run_ended")).toHaveLength(2);
    expect(platform.requests.at(-1)?.step).toBe("r2s1");
  });

  test("is worked in the lane where nobody watches: it writes only with what it may, and is not tainted", async () => {
    const wish = (): FakePlatform =>
      new FakePlatform(({ step }) =>
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
    const platform = plain();
    const made = await make(platform, "sch_a", at(MINUTE));
    const again = {
      id: "sch_a",
      digest: "sch_a",
      text: "",
      timing: at(9 * MINUTE),
      catchUp: "once",
      agent: null,
    } as const;
    expect(await platform.api.schedule(ADA, again)).toEqual({
      ok: true,
      value: { schedule: made, replayed: true },
    });
    platform.now += 2 * MINUTE;
    await platform.settle();
    expect(await make(platform, "sch_a", at(MINUTE))).toEqual(made);
    expect([await list(platform), fired(platform)]).toEqual([
      [],
      [[`sch_a.${BEGINNING + MINUTE}`, 2 * MINUTE]],
    ]);
    const other = {
      id: "sch_a",
      digest: "other",
      text: "Other.",
      timing: at(9 * MINUTE),
      catchUp: "once",
      agent: null,
    } as const;
    expect(await platform.api.schedule(ADA, other)).toMatchObject({
      error: { status: 409, code: "idempotency_conflict" },
    });
  });
});

describe("a late schedule", () => {
  test("that says once makes one run for all that was missed, and keeps its beat", async () => {
    const platform = plain();
    await make(platform, "sch_a", { everyMs: 90 * MINUTE });
    await sleepUntil(platform, DAY + MINUTE);
    expect(fired(platform)).toEqual([[`sch_a.${BEGINNING + 90 * MINUTE}`, DAY + MINUTE]]);
    expect(await list(platform)).toMatchObject([
      { nextAt: iso(DAY + 90 * MINUTE), lastRunId: "ses.r1", missed: null },
    ]);
    await sleepUntil(platform, DAY + 90 * MINUTE);
    expect(fired(platform)).toHaveLength(2);
  });

  test("that says skip makes none, says so in the list, and comes the next time", async () => {
    const platform = plain();
    await make(platform, "sch_a", { cron: "0 * * * *", timeZone: "Europe/Berlin" }, "skip");
    const [before] = await list(platform);
    await sleepUntil(platform, DAY);
    expect(fired(platform)).toEqual([]);
    const [after] = await list(platform);
    expect(after).toMatchObject({ missed: { at: before?.nextAt, reason: "late" }, lastRunId: null });
    expect(platform.disk.alarm).toBe(Date.parse(after?.nextAt ?? ""));
    await pass(platform, DAY + 60 * MINUTE);
    expect(fired(platform)).toHaveLength(1);
  });

  test("for one time that says skip stays in the list as missed, without an alarm", async () => {
    const platform = plain();
    await make(platform, "sch_a", at(MINUTE), "skip");
    await sleepUntil(platform, DAY);
    expect(await list(platform)).toMatchObject([
      { nextAt: null, missed: { at: iso(MINUTE), reason: "late" } },
    ]);
    expect([platform.disk.alarm, fired(platform)]).toEqual([null, []]);
  });

  test("is not late where the session was only busy", async () => {
    const platform = plain();
    await make(platform, "sch_a", at(MINUTE), "skip");
    platform.say("Think for long.");
    platform.onModel = () => void (platform.now += platform.requests.length === 1 ? 10 * MINUTE : 0);
    await platform.settle();
    expect(fired(platform)).toEqual([[`sch_a.${BEGINNING + MINUTE}`, 10 * MINUTE + 1]]);
    expect(bodiesOf(platform, "run_ended")).toHaveLength(2);
  });

  test("comes at the next touch when the platform has lost its alarm", async () => {
    const platform = plain();
    await make(platform, "sch_a", at(MINUTE));
    platform.now += MINUTE;
    platform.loseAlarm();
    await list(platform);
    await platform.settle();
    expect(fired(platform)).toHaveLength(1);
  });
});

describe("a full queue", () => {
  /** The first run waits for a person, so the queue behind it stays as it is. */
  async function full(): Promise<FakePlatform> {
    const platform = new FakePlatform(({ step }) =>
      step === "r1s1" ? { calls: [["publish", { name: "a" }]] } : { text: "Done." },
    );
    platform.say("Publish it.");
    await pass(platform, 1_000);
    for (let n = 0; n < QUEUE_MAX; n++) expect(platform.say(`Wish ${n}.`).ok).toBe(true);
    return platform;
  }

  test("makes an interval miss its time, and come the next", async () => {
    const platform = await full();
    const made = await make(platform, "sch_a", { everyMs: 10 * MINUTE });
    await pass(platform, 11 * MINUTE);
    expect(fired(platform)).toEqual([]);
    expect(await list(platform)).toMatchObject([
      { missed: { at: made.nextAt, reason: "queue_full" }, lastRunId: null },
    ]);
    platform.decide("deny");
    await pass(platform, 21 * MINUTE);
    expect(fired(platform).map(([id]) => id)).toEqual([`sch_a.${BEGINNING + 20 * MINUTE + 1_000}`]);
    // A missed time stays visible next to the run that came after it.
    expect(await list(platform)).toMatchObject([
      { missed: { at: made.nextAt, reason: "queue_full" }, lastRunId: "ses.r22" },
    ]);
  });

  test("makes a single time wait until there is room, whatever its catch-up says", async () => {
    const platform = await full();
    await make(platform, "sch_a", at(MINUTE), "skip");
    await pass(platform, 6 * MINUTE);
    expect([fired(platform), (await list(platform))[0]?.missed?.reason]).toEqual([[], "queue_full"]);
    platform.decide("deny");
    await pass(platform, 8 * MINUTE);
    expect(fired(platform).map(([id]) => id)).toEqual([`sch_a.${BEGINNING + MINUTE}`]);
    expect(await list(platform)).toEqual([]);
  });
});

describe("a time that has been said", () => {
  test("is not said again, although its row should come back", async () => {
    const platform = plain();
    await make(platform, "sch_a", { everyMs: MINUTE });
    const [kept] = platform.scheduleStore.all();
    await pass(platform, MINUTE + 1_000);
    if (kept === undefined) throw new Error("it is not kept");
    platform.engine.rearm(() => platform.scheduleStore.save(kept));
    await pass(platform, MINUTE + 2_000);
    expect(fired(platform).map(([, time]) => time)).toEqual([MINUTE]);
    expect(await list(platform)).toMatchObject([{ lastRunId: "ses.r1", nextAt: iso(2 * MINUTE) }]);
  });
});

describe("the alarm", () => {
  test("is that of the next of them, and gone with the last", async () => {
    const platform = plain();
    await make(platform, "sch_b", at(2 * DAY));
    await make(platform, "sch_a", at(DAY));
    expect(platform.disk.alarm).toBe(BEGINNING + DAY);
    await platform.api.unschedule(ADA, "sch_a");
    expect(platform.disk.alarm).toBe(BEGINNING + 2 * DAY);
    expect(await platform.api.unschedule(ADA, "sch_a")).toEqual({ ok: true, value: null });
    await platform.api.unschedule(ADA, "sch_b");
    expect([platform.disk.alarm, await list(platform)]).toEqual([null, []]);
  });

  test("of a wait for a person comes earlier for a schedule, and the run waits on", async () => {
    const platform = new FakePlatform(({ step }) =>
      step === "r1s1" ? { calls: [["publish", { name: "a" }]] } : { text: "Done." },
    );
    platform.say("Publish it.");
    await platform.settle();
    const expires = platform.disk.alarm;
    await make(platform, "sch_a", at(MINUTE));
    await pass(platform, MINUTE + 100);
    expect([platform.state.run?.phase.at, platform.state.queue.length]).toEqual(["waiting_approval", 1]);
    expect(platform.disk.alarm).toBe(expires);
  });
});

describe("a session with schedules", () => {
  test("is made by no schedule where it would have the name of a child", async () => {
    const platform = new FakePlatform([], "ses~r1s1c0");
    const command = { id: "sch_a", digest: "", text: "Look.", catchUp: "once", agent: null } as const;
    expect(await platform.api.schedule(ADA, { ...command, timing: at(DAY) })).toMatchObject({
      error: { status: 404 },
    });
    expect([platform.store.loadMeta(), platform.scheduleStore.all()]).toEqual([null, []]);
  });

  test("knows which of them a person asked for", async () => {
    const platform = plain();
    await make(platform, "sch_a", at(DAY));
    expect(platform.scheduleStore.all().map(({ id, wished }) => [id, wished])).toEqual([["sch_a", true]]);
  });

  test("has twenty at most", async () => {
    const platform = plain();
    for (let n = 0; n < SCHEDULES_MAX; n++) await make(platform, `sch_${n}`, at(DAY + n));
    await expect(make(platform, "sch_more", at(DAY))).rejects.toThrow("This session has 20 schedules");
    await platform.api.unschedule(ADA, "sch_3");
    expect((await make(platform, "sch_more", at(DAY))).id).toBe("sch_more");
  });

  test("lists them by their age, those of one moment by their names", async () => {
    const platform = plain();
    await make(platform, "sch_b", at(2 * DAY));
    await make(platform, "sch_a", at(3 * DAY));
    platform.now += 1;
    await make(platform, "sch_0", at(DAY));
    expect((await list(platform)).map(({ id }) => id)).toEqual(["sch_a", "sch_b", "sch_0"]);
  });

  test("is its maker's, with the words as its title, and nobody else's", async () => {
    const platform = plain();
    await make(platform, "sch_a", at(DAY), "once", "Count the visitors.");
    expect(platform.store.loadMeta()).toMatchObject({ owner: "ada", title: "Count the visitors." });
    const command = {
      id: "sch_b",
      digest: "",
      text: "Mine.",
      timing: at(DAY),
      catchUp: "once",
      agent: null,
    } as const;
    expect(await platform.api.schedule(BOB, command)).toMatchObject({ error: { code: "id_taken" } });
    expect(await platform.api.schedules(BOB)).toMatchObject({ error: { status: 404 } });
    expect(await platform.api.unschedule(BOB, "sch_a")).toMatchObject({ error: { status: 404 } });
    const reader = { ...ADA, scopes: ["read"] } as const;
    expect(await platform.api.schedule(reader, command)).toMatchObject({
      error: { code: "missing_scope" },
    });
    expect(await platform.api.unschedule(reader, "sch_a")).toMatchObject({
      error: { code: "missing_scope" },
    });
  });

  test("keeps them when it is cleared", async () => {
    const platform = plain();
    await make(platform, "sch_a", at(MINUTE));
    await platform.api.clear(ADA);
    expect(await list(platform)).toHaveLength(1);
    await platform.settle();
    expect(fired(platform)).toHaveLength(1);
  });

  test("keeps no secret in them", async () => {
    const platform = plain();
    platform.protect([{ name: "SENTINEL", value: "sentinel-secret-value" }]);
    const made = await make(platform, "sch_a", at(MINUTE), "once", "Use sentinel-secret-value.");
    await platform.settle();
    expect(JSON.stringify([made, platform.disk.dump()])).not.toContain("sentinel-secret-value");
  });

  test("goes on when this version of the code cannot read one of them", async () => {
    const platform = plain();
    await make(platform, "sch_a", { cron: "* * * * *" });
    const [kept] = platform.scheduleStore.all();
    if (kept === undefined) throw new Error("it is not kept");
    platform.scheduleStore.save({
      ...kept,
      timing: { kind: "cron", cron: "* * * * *", timeZone: "Atlantis/Capital" },
    });
    await pass(platform, 5 * MINUTE);
    expect(fired(platform)).toHaveLength(1);
    expect(await list(platform)).toMatchObject([{ nextAt: null }]);
  });
});

import { describe, expect, test } from "vitest";
import type { Heartbeat } from "../../../src/cairn/core/heartbeat.ts";
import type { Entry, EntryDraft, EntryKind } from "../../../src/cairn/core/log/entry.ts";
import { HEARTBEAT_USER_MS } from "../../../src/cairn/core/limits.ts";
import type { Missed } from "../../../src/cairn/core/schedule.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import { newMeta } from "../../../src/cairn/session/commands/access.ts";
import { SessionHeartbeat } from "../../../src/cairn/session/background/heartbeat.ts";
import { readTargets } from "../../../src/cairn/session/runs/targets.ts";
import type { Standing } from "../../../src/cairn/session/runs/standing.ts";
import type { Meta } from "../../../src/cairn/session/storage/meta.ts";
import { NO_TARGETS, NO_TOOLS, PLAIN_AGENTS, PLAIN_FILES } from "../../fixtures/agents.ts";

/** One look of a session: with which rights it is taken, what it is for, and when the next one comes. */

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ADA = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;
const SITE = { siteId: "site_main", environmentId: "env_staging" };

const BEAT: Heartbeat = {
  enabled: true,
  everyMs: 15 * MINUTE,
  by: "ada",
  role: "member",
  idle: 2,
  lastAt: NOW - 2 * HOUR,
  nextAt: NOW,
  closed: {},
};

const entry = (seq: number, ago: number, kind: EntryKind, body: object, run = "r1"): Entry =>
  ({ seq, at: NOW - ago, run, step: null, kind, body }) as unknown as Entry;
const words = (seq: number, ago: number, source = "api"): Entry =>
  entry(seq, ago, "user_message", { source });
const end = (seq: number, ago: number, outcome: string): Entry => entry(seq, ago, "run_ended", { outcome });

interface Given {
  readonly beat?: Partial<Heartbeat>;
  readonly meta?: Partial<Meta>;
  readonly log?: readonly Entry[];
  readonly missed?: readonly (Missed | null)[];
  readonly standing?: Standing;
  readonly targets?: typeof NO_TARGETS;
  readonly model?: string | null;
}

function heartbeat({ beat = {}, meta = {}, log = [], missed = [], standing, targets, model }: Given = {}) {
  let row: Meta = {
    ...newMeta(ADA, NOW - 24 * HOUR),
    ...meta,
    heartbeat: { ...BEAT, ...beat },
  };
  let writes = 0;
  const store = {
    loadMeta: () => row,
    saveMeta: (next: Meta) => {
      row = next;
      writes++;
    },
    entriesBefore: (seq: number, limit: number) =>
      log
        .filter((one) => one.seq < seq)
        .toReversed()
        .slice(0, limit),
  };
  const defaults = {
    session: "ses",
    model: model === undefined ? "rehearsal:" : model,
    fallbacks: [],
    messagesPerMinute: 60,
    admins: null,
    tools: NO_TOOLS,
    agents: PLAIN_AGENTS,
    targets: targets ?? NO_TARGETS,
    files: PLAIN_FILES,
    ...(standing === undefined ? {} : { standing }),
  };
  const schedules = { all: () => missed.map((one) => ({ missed: one }) as never) };
  const part = new SessionHeartbeat({ defaults, store, schedules });
  const head = log.at(-1)?.seq ?? 0;
  const drafts: EntryDraft[] = [];
  return {
    part,
    drafts,
    beat: () => row.heartbeat,
    writes: () => writes,
    fall: (): void => {
      const append = (more: readonly EntryDraft[]) => (drafts.push(...more), []);
      part.fallDue({ at: NOW, state: { ...EMPTY_STATE, head }, append });
    },
  };
}

const textOf = (drafts: readonly EntryDraft[]): string =>
  drafts
    .flatMap((one) => (one.kind === "user_message" ? one.body.parts : []))
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");

describe("a look is taken", () => {
  test.each([
    ["member", "admin", "member"],
    ["admin", "member", "member"],
    ["member", "guest", "guest"],
    ["admin", "unknown", "admin"],
  ] as const)("by a %s who is %s now, as %s", (given, now, role) => {
    const asked: unknown[] = [];
    const standing: Standing = (subject, at) => (asked.push([subject, at]), now);
    const { fall, drafts } = heartbeat({ beat: { role: given }, standing });
    fall();
    const queued = drafts.flatMap((one) => (one.kind === "run_queued" ? [one.body] : []));
    expect(queued).toMatchObject([{ source: "heartbeat", actor: "ada", role }]);
    expect(asked).toEqual([["ada", NOW]]);
  });

  test("by nobody whose access has ended: that is counted, and asked again later", () => {
    const { fall, drafts, beat } = heartbeat({ beat: { closed: { busy: 1 } }, standing: () => null });
    fall();
    expect(drafts).toEqual([]);
    expect(beat()).toEqual({
      ...BEAT,
      closed: { busy: 1, access_ended: 1 },
      skipped: { at: NOW, why: "access_ended" },
      nextAt: NOW + 15 * MINUTE,
    });
  });

  test("at its time and not before, and the next one is as far away as the last ones came to nothing", () => {
    const early = heartbeat({ beat: { nextAt: NOW + 1 } });
    early.fall();
    expect([early.drafts, early.writes()]).toEqual([[], 0]);
    const { fall, drafts, beat, part } = heartbeat();
    expect(part.due()).toBe(NOW);
    fall();
    expect(drafts.map(({ kind }) => kind)).toEqual(["user_message", "run_queued"]);
    expect(drafts[0]?.body).toMatchObject({ id: `heartbeat.${NOW}`, author: "ada" });
    expect(beat()).toEqual({ ...BEAT, lastAt: NOW, nextAt: NOW + 4 * 15 * MINUTE });
    expect(part.due()).toBe(NOW + HOUR);
  });

  test("not where it is disabled", () => {
    const { fall, drafts, part, writes } = heartbeat({ beat: { enabled: false } });
    fall();
    expect([part.due(), drafts, writes()]).toEqual([null, [], 0]);
  });

  test("not without a model: the time is counted, and is not due for ever", () => {
    const { fall, drafts, beat } = heartbeat({ model: null });
    fall();
    expect(drafts).toEqual([]);
    expect(beat()).toMatchObject({ closed: { busy: 1 }, lastAt: BEAT.lastAt, nextAt: NOW + 15 * MINUTE });
  });

  test("on a site once that was read: until then it stays due, and nothing is read before its time", async () => {
    let now = NOW;
    const read: unknown[] = [];
    const sites = readTargets({
      kinds: new Map([
        [
          "site",
          {
            find: (target) => {
              read.push(target);
              return Promise.resolve({ isOwn: false, members: ["ada"] });
            },
          },
        ],
      ]),
      clock: () => now,
      report: () => {},
    });
    const { part, fall, drafts, writes } = heartbeat({ meta: { targets: { site: SITE } }, targets: sites });
    await part.loadDue(NOW - 1);
    expect(read).toEqual([]);
    fall();
    expect([drafts, writes(), part.due()]).toEqual([[], 0, NOW]);
    await part.loadDue(NOW);
    now += 1;
    fall();
    expect(drafts.map(({ kind }) => kind)).toEqual(["user_message", "run_queued"]);
  });

  test("a little after a person was there, and a whole interval after anything else", () => {
    const there = heartbeat({ log: [words(1, HEARTBEAT_USER_MS - 1)] });
    there.fall();
    expect(there.beat()).toMatchObject({ closed: { user_active: 1 }, nextAt: NOW + HEARTBEAT_USER_MS });
    const quiet = heartbeat({ log: [words(1, 10 * MINUTE)] });
    quiet.fall();
    expect(quiet.beat()).toMatchObject({ closed: { no_lead: 1 }, nextAt: NOW + 15 * MINUTE });
  });
});

describe("a look is for", () => {
  const FAILED = "An earlier run failed, or told a part only.";
  const MISSED = "A schedule missed its time.";
  const QUIET = "The person has not written for a while.";
  const leadsOf = (given: Given): readonly string[] => {
    const { fall, drafts } = heartbeat(given);
    fall();
    return [FAILED, MISSED, QUIET].filter((text) => textOf(drafts).includes(text));
  };
  const missed = (ago: number): Missed => ({ at: NOW - ago, reason: "late" });

  test.each<readonly [string, Given, readonly string[]]>([
    ["a run that failed", { log: [end(1, HOUR, "failed_model"), words(2, 10 * MINUTE)] }, [FAILED]],
    ["a run that answered in part", { log: [end(1, HOUR, "partial"), words(2, 10 * MINUTE)] }, [FAILED]],
    ["no run that was completed", { log: [end(1, HOUR, "completed"), words(2, 10 * MINUTE)] }, []],
    [
      "the newest run that failed",
      { log: [end(1, 7 * HOUR, "failed_model"), end(2, HOUR, "failed_model"), words(3, 10 * MINUTE)] },
      [FAILED],
    ],
    [
      "the newest of several failures",
      { log: [words(1, 9 * HOUR), end(2, 7 * HOUR, "failed_model"), end(3, HOUR, "failed_model")] },
      [FAILED, QUIET],
    ],
    [
      "the newest time that was missed",
      { missed: [missed(7 * HOUR), null, missed(HOUR)], log: [words(1, 10 * MINUTE)] },
      [MISSED],
    ],
    ["no time that was missed long ago", { missed: [missed(7 * HOUR)], log: [words(1, 10 * MINUTE)] }, []],
    ["a person who is silent", { log: [words(1, HOUR)] }, [QUIET]],
    [
      "no person who has just written, whatever was written before",
      { log: [words(1, 9 * HOUR), words(2, 10 * MINUTE)] },
      [],
    ],
    [
      "a person's silence, whatever a schedule says meanwhile",
      { log: [words(1, HOUR), words(2, MINUTE, "schedule")] },
      [QUIET],
    ],
    ["no silence in a session that was just made", { meta: { createdAt: NOW - 10 * MINUTE } }, []],
  ])("%s", (_, given, leads) => {
    expect(leadsOf(given)).toEqual(leads);
  });
});

describe("the looks in a row that came to nothing", () => {
  const OWN = [entry(4, 9 * MINUTE, "run_queued", { source: "heartbeat" }, "r2")];
  const ends = (run = "r2"): readonly Entry[] => [
    entry(5, MINUTE, "answer", { text: "" }, run),
    entry(6, MINUTE, "run_ended", { outcome: "completed" }, run),
  ];
  const after = (fresh: readonly Entry[], given: Given = {}) => {
    const { part, beat, writes } = heartbeat({ log: OWN, ...given });
    part.wrote(fresh, { ...EMPTY_STATE, at: NOW });
    const { idle, nextAt } = beat() ?? BEAT;
    return { idle, nextAt: nextAt - NOW, writes: writes() };
  };
  const lastAt = NOW - 10 * MINUTE;

  test("are one more after a look that came to nothing, which is counted from when it was taken", () => {
    expect(after(ends(), { beat: { lastAt } })).toEqual({ idle: 3, nextAt: 110 * MINUTE, writes: 1 });
  });

  test("are none after one that answered", () => {
    const fresh = [entry(5, MINUTE, "answer", { text: "News." }, "r2"), ...ends().slice(1)];
    expect(after(fresh, { beat: { lastAt } })).toEqual({ idle: 0, nextAt: 5 * MINUTE, writes: 1 });
  });

  test("are none after a person has spoken, and the next one is a whole interval from then", () => {
    expect(after([words(5, 0)], { beat: { lastAt } })).toEqual({ idle: 0, nextAt: 15 * MINUTE, writes: 1 });
  });

  test("stay as they are after a run that was no look, and after words that no person wrote", () => {
    const log = [entry(4, 9 * MINUTE, "run_queued", { source: "api" }, "r2")];
    for (const fresh of [ends("r2"), [words(5, 0, "schedule")]])
      expect(after(fresh, { log })).toEqual({ idle: 2, nextAt: 0, writes: 0 });
  });

  test("cost no write where nothing changes", () => {
    expect(after([words(5, 0)], { beat: { idle: 0 } })).toEqual({ idle: 0, nextAt: 0, writes: 0 });
  });
});

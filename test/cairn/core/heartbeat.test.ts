import { describe, expect, test } from "vitest";
import { beatMs, cameToSomething, decideLook, type GateView } from "../../../src/cairn/core/heartbeat.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { LiveRun, QueuedRun } from "../../../src/cairn/core/state/state.ts";

/** Heartbeat gate: whether a session may check in now, and how long it waits before it asks again. */

const MINUTE = 60_000;
const AT = 10_000 * MINUTE;
const BEAT = { everyMs: 15 * MINUTE, idle: 0, lastAt: null };
const REST = { run: null, queue: [] };
const view = (more: Partial<GateView> = {}): GateView => ({
  at: AT,
  userAt: AT - 46 * MINUTE,
  failedAt: null,
  missedAt: null,
  ...more,
});

describe("the gate", () => {
  test("is asked in its order: each reason holds whatever comes behind it", () => {
    const live = { run: {} as LiveRun, queue: [] };
    const queued = { run: null, queue: [{} as QueuedRun] };
    const justNow = { userAt: AT - 89_999 };
    const recent = { ...BEAT, lastAt: AT - MINUTE + 1 };
    expect([
      decideLook(live, recent, view(justNow)),
      decideLook(queued, recent, view(justNow)),
      decideLook(REST, recent, view(justNow)),
      decideLook(REST, recent, view()),
      decideLook(REST, { ...BEAT, lastAt: AT - 15 * MINUTE + 1 }, view()),
      decideLook(REST, BEAT, view({ userAt: AT - 45 * MINUTE + 1 })),
    ]).toEqual([
      { closed: "busy" },
      { closed: "busy" },
      { closed: "user_active" },
      { closed: "too_soon" },
      { closed: "backoff" },
      { closed: "no_lead" },
    ]);
  });

  test("opens for what is a reason to look, and names it", () => {
    const there = { userAt: AT - 90_000 };
    const hours = 6 * 60 * MINUTE;
    expect([
      decideLook(REST, BEAT, view()),
      decideLook(REST, BEAT, view({ ...there, failedAt: AT - hours + 1 })),
      decideLook(REST, BEAT, view({ ...there, missedAt: AT - 1 })),
      decideLook(REST, BEAT, view({ failedAt: AT, missedAt: AT })),
    ]).toEqual([
      { leads: ["quiet"] },
      { leads: ["failed_run"] },
      { leads: ["missed_schedule"] },
      { leads: ["failed_run", "missed_schedule", "quiet"] },
    ]);
    expect(decideLook(REST, BEAT, view({ ...there, failedAt: AT - hours, missedAt: AT - hours }))).toEqual({
      closed: "no_lead",
    });
    // A person who is looked after seldom is quiet later.
    expect(decideLook(REST, { ...BEAT, everyMs: 60 * MINUTE }, view({ userAt: AT - 119 * MINUTE }))).toEqual({
      closed: "no_lead",
    });
  });
});

test("looks that come to nothing lie ever further apart, up to eight times", () => {
  const minutes = [0, 1, 2, 3, 4, 60].map((idle) => beatMs({ everyMs: 15 * MINUTE, idle }) / MINUTE);
  expect(minutes).toEqual([15, 30, 60, 120, 120, 120]);
});

test("a run came to something by an effect, a stored fact or words; a read, a failure and silence are nothing", () => {
  const intended = (effect: string) => ({ kind: "call_intended", body: { call: "c", effect } }) as Entry;
  const settled = (status: string) => ({ kind: "call_settled", body: { call: "c", status } }) as Entry;
  const said = (text: string) => ({ kind: "answer", body: { text } }) as Entry;
  const stored = (facts: readonly object[]) => ({ kind: "memory_changed", body: { facts } }) as Entry;
  const runs: readonly (readonly Entry[])[] = [
    [intended("keyed"), settled("ok")],
    [said("News.")],
    [stored([{ op: "store" }])],
    [intended("read"), settled("ok"), said("")],
    [intended("once"), settled("error")],
    [stored([])],
    [],
  ];
  expect(runs.map(cameToSomething)).toEqual([true, true, true, false, false, false, false]);
});

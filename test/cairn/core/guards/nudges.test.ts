import { describe, expect, test } from "vitest";
import { isRead, nudge as nudgeWith, type Silence } from "../../../../src/cairn/core/guards/nudges.ts";
import type { NudgeCode } from "../../../../src/cairn/core/log/verdict.ts";
import { promptNote } from "../../../../src/cairn/prompt-notes.ts";

const nudge = (silence: Silence) => nudgeWith(silence, promptNote);

const quiet: Silence = {
  profile: "standard",
  step: 2,
  silentSteps: 1,
  quietMs: 0,
  anyDelivery: false,
  isLive: false,
  isRead: true,
  sendSkipped: false,
  nudged: null,
  canSend: true,
};

/** The codes of the steps from 1 on, of a run that says nothing. */
function stepsOf(more: Partial<Silence>, steps: number, msPerStep = 0): readonly (NudgeCode | null)[] {
  let nudged: NudgeCode | null = null;
  return Array.from({ length: steps }, (_, index) => {
    const silence = {
      ...quiet,
      step: index + 1,
      silentSteps: index,
      quietMs: index * msPerStep,
      nudged,
      ...more,
    };
    const said: NudgeCode | null = nudge(silence)?.code ?? null;
    nudged = said ?? nudged;
    return said;
  });
}

describe("a long silence", () => {
  test("is nudged softly at three silent steps and hard at five, each once", () => {
    expect(stepsOf({}, 9)).toEqual([null, null, null, "NUDGE_SOFT", null, "NUDGE_HARD", null, null, null]);
  });

  test.each(["complex", "research"] as const)("is shorter in a %s run", (profile) => {
    expect(stepsOf({ profile }, 6)).toEqual([null, null, "NUDGE_SOFT", null, "NUDGE_HARD", null]);
  });

  test("may be twice as long while somebody watches the steps", () => {
    const said = stepsOf({ isLive: true }, 11);
    expect(said.indexOf("NUDGE_SOFT")).toBe(6);
    expect(said.indexOf("NUDGE_HARD")).toBe(10);
  });

  test("is never one at step 1, after one silent step, in a heartbeat, or right after a skipped send", () => {
    const long = { ...quiet, step: 9, silentSteps: 8, quietMs: 90_000 };
    expect(nudge(long)?.code).toBe("NUDGE_HARD");
    expect(nudge({ ...long, step: 1 })).toBeNull();
    expect(nudge({ ...long, silentSteps: 1 })).toBeNull();
    expect(nudge({ ...long, profile: "heartbeat" })).toBeNull();
    expect(nudge({ ...long, sendSkipped: true })).toBeNull();
    expect(nudge({ ...long, isRead: false })).toBeNull();
  });

  test("counts from the last delivery: the caller starts the counters anew, and so the nudges", () => {
    expect(nudge({ ...quiet, step: 12, silentSteps: 2, nudged: null, anyDelivery: true })).toBeNull();
    expect(nudge({ ...quiet, step: 13, silentSteps: 3, nudged: null, anyDelivery: true })?.code).toBe(
      "NUDGE_SOFT",
    );
  });

  test("time alone makes none before its steps have passed", () => {
    const live = { ...quiet, isLive: true, silentSteps: 5, step: 6 };
    expect(nudge({ ...live, quietMs: 60_000 })).toBeNull();
    expect(nudge({ ...quiet, silentSteps: 2, step: 3, quietMs: 600_000 })).toBeNull();
  });

  test("asks for a message only where one can be sent", () => {
    const long = { ...quiet, step: 6, silentSteps: 5 };
    expect(nudge(long)?.hint).toContain("progress message");
    expect(nudge({ ...long, canSend: false })).toBeNull();
    expect(nudge(long)?.evidence.numbers).toEqual({ silentSteps: 5, quietMs: 0 });
  });
});

describe("messages of a run are read", () => {
  test.each([
    ["on the page", { source: "web" }, false, true],
    [
      "at the place on a channel that it answers to",
      { source: "api", origin: { name: "telegram" } },
      false,
      true,
    ],
    ["of a schedule that answers to a place", { source: "schedule", origin: {} }, false, true],
    ["of a webhook while a socket shows it", { source: "webhook" }, true, true],
    ["of a webhook", { source: "webhook" }, false, false],
    ["of a schedule", { source: "schedule" }, false, false],
    ["of a message over HTTP", { source: "api" }, false, true],
    ["of the heartbeat", { source: "heartbeat" }, false, false],
    ["of a child of a run on the page", { source: "web", parent: {} }, false, false],
  ] as const)("%s", (_, request, isLive, expected) => {
    expect(isRead(request, isLive)).toBe(expected);
  });
});

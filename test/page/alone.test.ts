import { describe, expect, test } from "vitest";
import { requestText, fromWords, nowWords } from "../../src/page/chat/queue-words.ts";
import { zonesOf } from "../../src/page/preferences/notify/zones.ts";
import {
  everyWords,
  intervals,
  nextWords,
  skippedWords,
} from "../../src/page/settings/alone/check-in-words.ts";
import { parseCapsule, SPANS, spanText } from "../../src/page/settings/alone/capsule.ts";
import { CAPSULE_WALL_MS } from "../../src/cairn/core/guards/budget/profiles.ts";
import { heartbeatText } from "../../src/cairn/core/heartbeat.ts";
import { promptNote } from "../../src/cairn/prompt-notes.ts";

/** Wording of a session's unattended activity. */

describe("check-ins", () => {
  test("are offered at usual times, with what is set", () => {
    expect(intervals(15)).toEqual([5, 15, 30, 60, 120, 240, 480, 720, 1_440]);
    expect(intervals(45)).toContain(45);
    expect([15, 60, 90, 120, 1_440].map(everyWords)).toEqual([
      "every 15 minutes",
      "every hour",
      "every 90 minutes",
      "every 2 hours",
      "once a day",
    ]);
  });

  test("say why the next one is late, and why the last one was left out", () => {
    expect([0, 1, 3].map((idle) => nextWords({ idle }))).toEqual([
      "",
      ", later than usual: the last one found nothing",
      ", later than usual: the last 3 found nothing",
    ]);
    const skipped = { at: "2030-01-01T10:00:00.000Z", why: "no_lead" } as const;
    expect(skippedWords({ skipped, lastAt: null })).toBe("no reason to check");
    expect(skippedWords({ skipped, lastAt: "2030-01-01T09:00:00.000Z" })).toBe("no reason to check");
    expect(skippedWords({ skipped, lastAt: "2030-01-01T11:00:00.000Z" })).toBeNull();
    expect(skippedWords({ skipped: null, lastAt: null })).toBeNull();
  });
});

describe("work on its own", () => {
  test("is a run of its class, in this session, with its time and its money", () => {
    expect(parseCapsule("ses_demo", { goal: " Mend it. ", minutes: 30, costUsd: "0,50" })).toEqual({
      body: {
        objective: "Mend it.",
        session_id: "ses_demo",
        profile: "time_capsule",
        timeout_ms: 1_800_000,
        budget: { cost_usd: 0.5 },
      },
    });
    for (const costUsd of ["", "0", "-1", "a lot", "Infinity"])
      expect(parseCapsule("s", { goal: "x", minutes: 30, costUsd })).toEqual({
        fault: "Dollars: enter a number above 0.",
      });
    expect(parseCapsule("s", { goal: "  ", minutes: 30, costUsd: "1" })).toEqual({
      fault: "Enter a goal.",
    });
  });

  test("is offered times that the runtime takes", () => {
    for (const minutes of SPANS) {
      expect(minutes * 60_000).toBeGreaterThanOrEqual(CAPSULE_WALL_MS.min);
      expect(minutes * 60_000).toBeLessThanOrEqual(CAPSULE_WALL_MS.max);
    }
    expect([15, 60, 720].map(spanText)).toEqual(["15 minutes", "1 hour", "12 hours"]);
  });
});

describe("the queue", () => {
  test("says what each thing came from and what the live one waits for", () => {
    expect([fromWords("web"), fromWords("api"), fromWords("webhook"), fromWords("heartbeat")]).toEqual([
      "message",
      "message",
      "another program",
      "check-in",
    ]);
    const approval = { kind: "approval", id: "r1s1c0a1", until: null };
    expect([
      nowWords({ status: "running", waitingFor: null }),
      nowWords({ status: "paused", waitingFor: approval }),
      nowWords({ status: "paused", waitingFor: { ...approval, kind: "answer" } }),
    ]).toEqual(["running", "waits for your decision", "waits for your answer"]);
  });

  test("shows the words of a person on one line, and none that nobody said", () => {
    expect(requestText("Mend\n  it.")).toBe("Mend it.");
    expect(requestText(heartbeatText(["quiet"], promptNote))).toBe(
      "Looks whether something here needs doing",
    );
    expect(requestText("")).toBe("(no text)");
  });
});

test("zones to choose from hold the browser's own and what is set, each once", () => {
  const { own, all } = zonesOf("Europe/Kiev");
  expect(all).toContain(own);
  expect(all).toContain("Europe/Kiev");
  expect(new Set(all).size).toBe(all.length);
});

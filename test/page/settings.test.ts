import { describe, expect, test } from "vitest";
import { addressText, changeOfMemory, stepText } from "../../src/page/memory/memory.ts";
import { amountsOf, parseExtension } from "../../src/page/settings/amounts.ts";
import { cronWords } from "../../src/page/settings/cron-words.ts";
import { policyWords } from "../../src/page/settings/policy-words.ts";
import { parseSchedule, rhythmText } from "../../src/page/settings/schedule.ts";
import { totalsOfRun } from "../../src/page/trace/totals.ts";
import { eventOf } from "../../src/cairn/protocol/views.ts";
import { REPORT } from "../sim/platform/fake-model.ts";
import { FakePlatform } from "../sim/platform/platform.ts";
import { denied, eventsOf } from "./trace/trace-fixture.ts";

describe("what a run may use", () => {
  test("is told as used of allowed, with a share that never passes the whole", async () => {
    const platform = await denied();
    const amounts = amountsOf(totalsOfRun(eventsOf(platform), "r1", platform.now));
    expect(amounts?.map(({ label, text }) => `${label}: ${text}`)).toEqual([
      "Steps: 3 of 15",
      "Tokens: 330 of 500,000",
      "Cost: $0.00 of $2.50",
      "Working time: 0 min of 30 min",
      "Tool calls: 1 of 60",
    ]);
    expect(amounts?.[0]?.share).toBe(0.2);
    const spent = { ...totalsOfRun(eventsOf(platform), "r1", platform.now), steps: 40 };
    expect(amountsOf(spent)?.[0]?.share).toBe(1);
  });

  test("is not known before the run has begun", () => {
    const platform = new FakePlatform([{ text: REPORT }]);
    platform.say("go");
    expect(amountsOf(totalsOfRun(platform.log.map(eventOf), "r1", platform.now))).toBeNull();
  });

  test("is given more of in numbers that can be meant", () => {
    const none = { steps: "", tokens: "", costUsd: "", minutes: "" };
    expect(parseExtension({ ...none, steps: " 5 ", costUsd: "0.5" })).toEqual({
      extension: { steps: 5, costUsd: 0.5 },
    });
    expect(parseExtension(none)).toEqual({ fault: "Enter at least one number." });
    for (const steps of ["0", "-1", "2.5", "many", "1e99"])
      expect(parseExtension({ ...none, steps })).toEqual({
        fault: "Steps, tokens and minutes: enter a whole number above 0.",
      });
    for (const costUsd of ["0", "-1", "Infinity", "$5"])
      expect(parseExtension({ ...none, costUsd })).toEqual({ fault: "Dollars: enter a number above 0." });
  });
});

test("a remembered decision whose giver may not decide any more says that it has ended", () => {
  const given = { decision: "approve", by: "bob" } as const;
  expect(policyWords(given)).toEqual({ tone: "good", tag: "yes", note: null });
  expect(policyWords({ ...given, decision: "deny" })).toEqual({ tone: "bad", tag: "no", note: null });
  const note = "bob may not decide this any more: people are asked.";
  expect(policyWords({ ...given, ended: true })).toEqual({ tone: "none", tag: "yes, ended", note });
  expect(policyWords({ ...given, decision: "deny", ended: true }).tag).toBe("no, ended");
});

describe("a schedule", () => {
  const fields = {
    text: " Hello ",
    at: "",
    count: "2",
    unit: "hour",
    cron: "",
    timeZone: "Europe/Vienna",
    agent: "",
  };

  test("says its rhythm in words", () => {
    const none = { everyMs: null, cron: null, timeZone: null };
    expect(rhythmText({ ...none, kind: "once" }, "Europe/Berlin")).toBe("once");
    const cron = (text: string, timeZone: string | null): string =>
      rhythmText({ ...none, kind: "cron", cron: text, timeZone }, "Europe/Berlin");
    expect(cron("0 9 * * 1-5", "Europe/Berlin")).toBe("Monday to Friday at 09:00");
    expect(cron("0 9 * * 1-5", "America/New_York")).toBe("Monday to Friday at 09:00, America/New York time");
    expect(cron("0 9 * * 1-5", null)).toBe("Monday to Friday at 09:00, Greenwich time");
    expect(cron("0 9 L * *", "Europe/Berlin")).toBe("at times of its own");
    const every = (everyMs: number): string =>
      rhythmText({ ...none, kind: "interval", everyMs }, "Europe/Berlin");
    expect([60_000, 300_000, 3_600_000, 5_400_000, 86_400_000].map(every)).toEqual([
      "every minute",
      "every 5 minutes",
      "every hour",
      "every 90 minutes",
      "every day",
    ]);
  });

  test.each([
    ["0 9 * * *", "every day at 09:00"],
    ["0,30 9,17 * * *", "every day at 09:00, 09:30, 17:00, and 17:30"],
    ["5 8 * * 1,3,sun", "every Monday, Wednesday, and Sunday at 08:05"],
    ["5 8 * * 7", "every Sunday at 08:05"],
    ["30 7 1 * *", "on day 1 of every month at 07:30"],
    ["*/15 * * * *", "every 15 minutes"],
    ["*/15 * * * mon-fri", "every 15 minutes, Monday to Friday"],
    ["* * * * *", "every minute"],
    ["0 * * * *", "every hour"],
    ["10 * * * *", "every hour, 10 minutes after the full hour"],
    ["*/45 * * * *", null],
    ["0 9 1 * 1", null],
    ["0 9 * 6 *", null],
    ["0 9-17 * * *", null],
    ["0 9 L * *", null],
    ["0 9 * * 1#2", null],
    ["0 9 * * 1,5-6", null],
    ["0 0 9 * * *", null],
    ["61 9 * * *", null],
    ["", null],
  ])("says %j as %j", (cron, words) => {
    expect(cronWords(cron)).toBe(words);
  });

  test("is made of what was filled in, or says what is missing", () => {
    expect(parseSchedule({ ...fields, kind: "interval" })).toEqual({
      body: { text: "Hello", everyMs: 7_200_000 },
    });
    expect(parseSchedule({ ...fields, kind: "cron", cron: " 0 9 * * * " })).toEqual({
      body: { text: "Hello", cron: "0 9 * * *", timeZone: "Europe/Vienna" },
    });
    const at = "2030-12-24T18:00";
    expect(parseSchedule({ ...fields, kind: "once", at })).toEqual({
      body: { text: "Hello", at: new Date(at).toISOString() },
    });
    expect(parseSchedule({ ...fields, kind: "once", text: " " })).toHaveProperty("fault");
    expect(parseSchedule({ ...fields, kind: "once" })).toHaveProperty("fault");
    expect(parseSchedule({ ...fields, kind: "cron" })).toHaveProperty("fault");
    for (const count of ["0", "1.5", "x"])
      expect(parseSchedule({ ...fields, kind: "interval", count })).toHaveProperty("fault");
    expect(parseSchedule({ ...fields, kind: "interval", unit: "year" })).toHaveProperty("fault");
  });
});

describe("what is in mind", () => {
  test("is asked for again after the rows that change it, and after no others", async () => {
    const platform = await denied();
    const events = eventsOf(platform);
    const changed = platform.log.findLast(({ kind, body }) => kind === "call_settled" && body.changes);
    expect(changeOfMemory(events)).toBe(changed?.seq);
    expect(changeOfMemory([])).toBe(0);
    expect(changeOfMemory(events.slice(0, 2))).toBe(1);
  });

  test("says where a thing comes from and where it is, without ids", () => {
    expect(stepText("r3s12")).toBe("run 3, step 12");
    expect(addressText({ fields: {} })).toBe("");
    expect(addressText({ fields: { slug: "hero", parent: { type: "page", id: "p1" } } })).toBe("/hero");
  });
});

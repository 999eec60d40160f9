import { describe, expect, test } from "vitest";
import { SCHEDULE_EVERY_MS_MIN } from "../../../src/cairn/core/limits.ts";
import {
  firingId,
  isTooLate,
  nextTime,
  readTiming,
  type TimingRequest,
} from "../../../src/cairn/core/schedule.ts";
import { calendar } from "../../../src/cairn/session/background/cron.ts";

/** When a schedule comes next, against times that were looked up by hand. */

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-21T12:00:00Z");
const ms = (text: string): number => Date.parse(text);

/** The next times of a cron expression after one, as UTC to the minute. */
function times(cron: string, timeZone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let at: number | null = ms(after);
  while (found.length < count && at !== null) {
    at = calendar.next(cron, timeZone, at);
    if (at !== null) found.push(new Date(at).toISOString().replace(":00.000Z", "Z"));
  }
  return found;
}

describe("cron", () => {
  test.each([
    // Berlin: 2026-03-29 02:00 becomes 03:00, 2026-10-25 03:00 becomes 02:00.
    [
      "a time of day keeps its hour on the clock when summer begins",
      ["0 9 * * *", "Europe/Berlin", "2026-03-27T12:00Z"],
      ["2026-03-28T08:00Z", "2026-03-29T07:00Z", "2026-03-30T07:00Z"],
    ],
    [
      "a time that does not exist comes when the clock was put forward, once",
      ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z"],
      ["2026-03-29T01:00Z", "2026-03-30T00:30Z"],
    ],
    [
      "one of several that does not exist does, too",
      ["0 2,14 * * *", "Europe/Berlin", "2026-03-28T13:00Z"],
      ["2026-03-29T01:00Z", "2026-03-29T12:00Z", "2026-03-30T00:00Z"],
    ],
    [
      "a time that exists twice comes the first time only",
      ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z"],
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "every hour is every hour, also where one exists twice",
      ["0 * * * *", "Europe/Berlin", "2026-10-24T23:30Z"],
      ["2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z", "2026-10-25T03:00Z"],
    ],
    [
      "every half an hour is every half an hour, also where an hour is missing",
      ["*/30 * * * *", "Europe/Berlin", "2026-03-29T00:15Z"],
      ["2026-03-29T00:30Z", "2026-03-29T01:00Z", "2026-03-29T01:30Z"],
    ],
    // New York: 2026-03-08 02:00 becomes 03:00, 2026-11-01 02:00 becomes 01:00.
    [
      "New York, when summer begins",
      ["30 2 * * *", "America/New_York", "2026-03-07T12:00Z"],
      ["2026-03-08T07:00Z", "2026-03-09T06:30Z"],
    ],
    [
      "New York, when summer ends",
      ["30 1 * * *", "America/New_York", "2026-10-31T12:00Z"],
      ["2026-11-01T05:30Z", "2026-11-02T06:30Z"],
    ],
    [
      "New York, working days at nine over the end of summer",
      ["0 9 * * 1-5", "America/New_York", "2026-10-30T12:00Z"],
      ["2026-10-30T13:00Z", "2026-11-02T14:00Z"],
    ],
    [
      "a zone whose clock moves by half an hour",
      ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00Z"],
      ["2026-10-03T15:30Z", "2026-10-04T15:15Z"],
    ],
    [
      "a zone that is five hours and three quarters ahead",
      ["0 0 * * *", "Asia/Kathmandu", "2026-01-01T00:00Z"],
      ["2026-01-01T18:15Z"],
    ],
    ["a leap day", ["0 12 29 2 *", "UTC", "2026-01-01T00:00Z"], ["2028-02-29T12:00Z", "2032-02-29T12:00Z"]],
    [
      "the leap day that 2100 does not have",
      ["0 12 29 2 *", "UTC", "2096-03-01T00:00Z"],
      ["2104-02-29T12:00Z"],
    ],
    [
      "the 31st, in the months that have one",
      ["0 0 31 * *", "UTC", "2026-01-31T00:00Z"],
      ["2026-03-31T00:00Z", "2026-05-31T00:00Z", "2026-07-31T00:00Z", "2026-08-31T00:00Z"],
    ],
    [
      "the last day of each month",
      ["0 0 L * *", "UTC", "2026-01-31T00:00Z"],
      ["2026-02-28T00:00Z", "2026-03-31T00:00Z", "2026-04-30T00:00Z"],
    ],
    [
      "a day of the month or of the week, whichever comes",
      ["0 0 13 * 5", "UTC", "2026-03-07T00:00Z"],
      ["2026-03-13T00:00Z", "2026-03-20T00:00Z"],
    ],
    ["Sunday is 0 and 7", ["0 0 * * 7", "UTC", "2026-11-21T00:00Z"], ["2026-11-22T00:00Z"]],
    ["the turn of the year", ["0 0 1 1 *", "Europe/Berlin", "2026-11-21T00:00Z"], ["2026-12-31T23:00Z"]],
    ["strictly after", ["0 12 * * *", "UTC", "2026-11-21T12:00Z"], ["2026-11-22T12:00Z"]],
    ["30 February", ["0 0 30 2 *", "UTC", "2026-11-21T12:00Z"], []],
  ] as const)("%s", (_name, [cron, zone, after], expected) => {
    expect(times(cron, zone, after, Math.max(1, expected.length))).toEqual(expected);
  });

  test("that this version cannot read any more has no time, and throws nothing", () => {
    expect(calendar.next("0 0 * * *", "Atlantis/Capital", NOW)).toBeNull();
    expect(calendar.next("what is this now", "UTC", NOW)).toBeNull();
  });
});

describe("an interval", () => {
  const interval = { kind: "interval", everyMs: 90 * 60_000 } as const;
  const due = ms("2026-03-29T00:00Z");

  test("of ninety minutes is ninety minutes, whatever clocks show", () => {
    expect(nextTime(interval, due, due, calendar)).toBe(due + 1.5 * HOUR);
    expect(nextTime(interval, due, due + HOUR, calendar)).toBe(due + 1.5 * HOUR);
  });

  test("keeps its beat after an outage", () => {
    expect(nextTime(interval, due, due + 24 * HOUR, calendar)).toBe(due + 25.5 * HOUR);
    expect(nextTime(interval, due, due + 1.5 * HOUR, calendar)).toBe(due + 3 * HOUR);
  });

  test("never comes twice at a time when the clock of the machine was put back", () => {
    expect(nextTime(interval, due, due - HOUR, calendar)).toBe(due + 1.5 * HOUR);
  });
});

describe("what is asked for", () => {
  const read = (asked: TimingRequest) => readTiming(asked, NOW, calendar);

  test.each([
    [
      { at: "2026-11-21T13:00:00+01:00" },
      "at has passed.",
      "It is 2026-11-21T12:00:00.000Z now: name a later time.",
    ],
    [{ at: "tomorrow" }, "at is not a time.", "Z or an offset"],
    [{ at: "2026-12-24T18:00:00" }, "at is not a time.", "Z or an offset"],
    [{ at: "2026-13-24T18:00:00Z" }, "at is not a time.", "Z or an offset"],
    [{ at: "2126-12-24T18:00:00Z" }, "more than ten years ahead", "earlier"],
    [{ everyMs: SCHEDULE_EVERY_MS_MIN - 1 }, "This is too often.", "at least 60000"],
    [{ everyMs: -5 }, "This is too often.", "at least 60000"],
    [{ everyMs: 1e15 }, "more than ten years ahead", "earlier"],
    [{ cron: "0 9 * * *", timeZone: "Berlin" }, "There is no such time zone.", "Europe/Berlin"],
    [{ cron: "0 9 * * *", timeZone: "+02:00" }, "There is no such time zone.", "Europe/Berlin"],
    [{ cron: "0 9 * *" }, "The cron expression cannot be read", "0 9 * * 1-5"],
    [{ cron: "* * * * * *" }, "The cron expression cannot be read", "0 9 * * 1-5"],
    [{ cron: "61 9 * * *" }, "The cron expression cannot be read", "0 9 * * 1-5"],
    [{ cron: "@daily" }, "The cron expression cannot be read", "0 9 * * 1-5"],
    [{ cron: "Jan 1 2030 10:00 UTC" }, "The cron expression cannot be read", "0 9 * * 1-5"],
    [{ cron: "0 0 30 2 *" }, "This time never comes.", "February"],
    [{ at: "2027-01-01T00:00:00Z", timeZone: "Europe/Berlin" }, "Only cron has a timeZone.", "offset"],
    [{}, "exactly one of at, everyMs and cron", "Send one"],
    [{ everyMs: 60_000, cron: "0 9 * * *" }, "exactly one of at, everyMs and cron", "Send one"],
  ])("%j is refused, with what to do", (asked, message, hint) => {
    const answer = read(asked);
    expect(answer).toMatchObject({
      ok: false,
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });

  test("is taken with its first time", () => {
    expect(read({ at: "2026-11-21T14:00+01:00" })).toEqual({
      ok: true,
      timing: { kind: "once", at: NOW + HOUR },
      nextAt: NOW + HOUR,
    });
    expect(read({ everyMs: 60_000 })).toMatchObject({ nextAt: NOW + 60_000 });
    expect(read({ cron: "30 9 * * *" })).toMatchObject({
      timing: { timeZone: "UTC" },
      nextAt: ms("2026-11-22T09:30Z"),
    });
    expect(read({ cron: "30 9 * * MON", timeZone: "Europe/Berlin" })).toMatchObject({
      nextAt: ms("2026-11-23T08:30Z"),
    });
  });
});

test("only one that says skip is ever too late, and only after a minute", () => {
  const due = { id: "s", timing: { kind: "interval", everyMs: HOUR }, nextAt: NOW } as const;
  const late = (catchUp: "skip" | "once", since: number) => isTooLate({ ...due, catchUp }, since);
  expect([late("skip", NOW), late("skip", NOW + 60_000), late("skip", NOW + 60_001)]).toEqual([
    false,
    false,
    true,
  ]);
  expect(late("once", NOW + 1_000 * HOUR)).toBe(false);
});

test("a firing is named by what it is for, also when it is tried again", () => {
  const beat = { id: "sch_a", timing: { kind: "interval", everyMs: HOUR }, catchUp: "once" } as const;
  expect(firingId({ ...beat, nextAt: NOW })).toBe(`sch_a.${NOW}`);
  const once = { ...beat, timing: { kind: "once", at: NOW } } as const;
  expect(firingId({ ...once, nextAt: NOW + 60_000 })).toBe(`sch_a.${NOW}`);
});

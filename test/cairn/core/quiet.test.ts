import { describe, expect, test } from "vitest";
import { quietAt, quietEnd } from "../../../src/cairn/core/quiet.ts";
import { calendar } from "../../../src/cairn/session/background/cron.ts";

/** When a person is left alone, against times that were looked up by hand. */

const NIGHT = { from: "22:00", to: "07:00" };
const ms = (text: string): number => Date.parse(text);
const shown = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString().replace(":00.000Z", "Z");
const untilOf = (zone: string, at: string, quiet = NIGHT): string | null =>
  shown(quietAt({ zone, quiet }, ms(at), calendar)?.until);
const sinceOf = (zone: string, at: string, quiet = NIGHT): string | null =>
  shown(quietAt({ zone, quiet }, ms(at), calendar)?.since);

describe("quiet hours", () => {
  test("hold from their first moment to before their last", () => {
    expect(untilOf("Europe/Berlin", "2026-01-10T20:59:59.999Z")).toBeNull();
    expect(untilOf("Europe/Berlin", "2026-01-10T21:00Z")).toBe("2026-01-11T06:00Z");
    expect(untilOf("Europe/Berlin", "2026-01-11T05:59:59.999Z")).toBe("2026-01-11T06:00Z");
    expect(untilOf("Europe/Berlin", "2026-01-11T06:00Z")).toBeNull();
  });

  test("can lie within one day", () => {
    const noon = { from: "12:30", to: "13:15" };
    expect(untilOf("Asia/Kolkata", "2026-01-10T07:00Z", noon)).toBe("2026-01-10T07:45Z");
    expect(untilOf("Asia/Kolkata", "2026-01-10T06:59Z", noon)).toBeNull();
    expect(untilOf("Asia/Kolkata", "2026-01-10T07:45Z", noon)).toBeNull();
  });

  test.each([
    [
      "an hour shorter when clocks are put forward",
      "Europe/Berlin",
      "2026-03-28T22:00Z",
      "2026-03-29T05:00Z",
    ],
    ["an hour longer when clocks are put back", "Europe/Berlin", "2026-10-24T21:00Z", "2026-10-25T06:00Z"],
    ["asked again in the hour that comes twice", "Europe/Berlin", "2026-10-25T01:30Z", "2026-10-25T06:00Z"],
    [
      "half an hour longer where clocks change by that",
      "Australia/Lord_Howe",
      "2026-04-04T12:00Z",
      "2026-04-04T20:30Z",
    ],
  ])("are %s", (_, zone, at, until) => {
    expect(untilOf(zone, at)).toBe(until);
  });

  test("end when clocks are put forward, where they leave out the end", () => {
    const short = { from: "01:00", to: "02:30" };
    expect(untilOf("Europe/Berlin", "2026-03-29T00:30Z", short)).toBe("2026-03-29T01:00Z");
    expect(untilOf("Europe/Berlin", "2026-03-29T01:00Z", short)).toBeNull();
  });

  test("end at the first of two such times, where clocks show the end twice", () => {
    const short = { from: "01:00", to: "02:30" };
    expect(untilOf("Europe/Berlin", "2026-10-25T00:00Z", short)).toBe("2026-10-25T00:30Z");
    expect(untilOf("Europe/Berlin", "2026-10-25T01:00Z", short)).toBeNull();
  });

  test("know when they began, over a change of clocks too", () => {
    expect(sinceOf("Europe/Berlin", "2026-10-25T05:59Z")).toBe("2026-10-24T20:00Z");
    expect(sinceOf("Europe/Berlin", "2026-03-29T04:59Z")).toBe("2026-03-28T21:00Z");
    expect(sinceOf("Europe/Berlin", "2026-03-28T21:00Z")).toBe("2026-03-28T21:00Z");
  });

  test("are none without a zone, and where the person wants none", () => {
    const at = ms("2026-01-11T01:00Z");
    expect(quietAt({ zone: null, quiet: NIGHT }, at, calendar)).toBeNull();
    expect(quietAt({ zone: "Europe/Berlin", quiet: null }, at, calendar)).toBeNull();
    expect(quietEnd({ zone: null, quiet: NIGHT }, at, calendar)).toBeNull();
  });

  test("come to an end every day", () => {
    const berlin = { zone: "Europe/Berlin", quiet: NIGHT };
    expect(shown(quietEnd(berlin, ms("2026-10-24T12:00Z"), calendar))).toBe("2026-10-25T06:00Z");
    expect(shown(quietEnd(berlin, ms("2026-10-24T04:59Z"), calendar))).toBe("2026-10-24T05:00Z");
  });
});

import { describe, expect, test } from "vitest";
import { readPublishTime } from "../../../src/plugins/cms/schedule/publish-time.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";

const NOW = Date.UTC(2026, 0, 1);

function refusalOf(at: string, timeZone?: string) {
  try {
    return readPublishTime(at, timeZone, NOW);
  } catch (error) {
    if (error instanceof ToolError) return error.failure;
    throw error;
  }
}

test.each([
  Date.UTC(2026, 0, 1),
  Date.UTC(2028, 1, 29, 23),
  Date.UTC(2030, 11, 31, 23, 59),
  Date.UTC(2036, 5, 1),
])("the time that a refusal shows is accepted in its turn, also at %s", (now) => {
  const shown = (() => {
    try {
      return String(readPublishTime("at nine", undefined, now));
    } catch (error) {
      return error instanceof ToolError ? (error.failure.hint ?? "") : "";
    }
  })();
  const [example = ""] = /\d{4}-\S+\d/.exec(shown) ?? [];
  expect(readPublishTime(example, undefined, now)).toBeGreaterThan(now);
});

describe("a time of publishing", () => {
  test.each([
    ["2026-03-01T09:00:00+01:00", undefined, "2026-03-01T08:00:00.000Z"],
    ["2026-03-01T09:00Z", "Europe/Berlin", "2026-03-01T09:00:00.000Z"],
    ["2026-03-01T09:00", undefined, "2026-03-01T09:00:00.000Z"],
    ["2026-03-01T09:00", "Europe/Berlin", "2026-03-01T08:00:00.000Z"],
    ["2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z"],
    ["2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59:00.000Z"],
    ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
    ["2026-05-01T00:30", "Pacific/Kiritimati", "2026-04-30T10:30:00.000Z"],
  ])("%s in %s is %s", (at, timeZone, moment) => {
    expect(new Date(readPublishTime(at, timeZone, NOW)).toISOString()).toBe(moment);
  });

  test.each([
    ["tomorrow at nine", undefined, "at", "is not a time", "2026-01-08T09:00:00+01:00"],
    ["2026-02-30T09:00", undefined, "at", "is not a time", "2026-01-08T09:00:00+01:00"],
    ["2026-02-20T25:00", undefined, "at", "is not a time", "2026-01-08T09:00:00+01:00"],
    [
      "2025-12-31T23:59:00Z",
      undefined,
      "at",
      "has passed; it is 2026-01-01T00:00:00.000Z now",
      "leave at out",
    ],
    ["2026-01-01T00:00:00Z", undefined, "at", "has passed", "leave at out"],
    ["2027-01-03T00:00:00Z", undefined, "at", "over 366 days ahead", "earlier"],
    ["2026-03-29T02:30", "Europe/Berlin", "at", "There is no 2026-03-29T02:30", "an hour later"],
    [
      "2026-10-25T02:30",
      "Europe/Berlin",
      "at",
      "comes twice",
      "2026-10-25T00:30:00.000Z or 2026-10-25T01:30:00.000Z",
    ],
    ["2026-03-01T09:00", "Europe/Berlim", "timeZone", "no time zone “Europe/Berlim”", "IANA"],
  ])("%s in %s is refused, with what to do", (at, timeZone, field, message, hint) => {
    const failure = refusalOf(at, timeZone);
    expect(failure).toMatchObject({
      code: "invalid_input",
      at: field,
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });
});

import { fail } from "../model/errors.ts";

/** When something is to be published, as asked for. Pure. */

const FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const AHEAD_DAYS_MAX = 366;

/**
 * The moment of an ISO time, in ms. Without an offset it is what a clock in `timeZone` shows (UTC when left out).
 * Refuses `invalid_input`: no time, a day that there is not, a time in the past or over a year ahead, one that the clock
 * leaves out or shows twice.
 */
export function readPublishTime(at: string, timeZone: string | undefined, now: number): number {
  const parts = FORM.exec(at);
  const [, local = "", seconds = "00", offset] = parts ?? [];
  const shown = Date.parse(`${local}:${seconds}Z`);
  // 30 February is read as 2 March by some readers, and refused by others.
  if (parts === null || Number.isNaN(shown) || !new Date(shown).toISOString().startsWith(local))
    throw refused(`“${at}” is not a time.`, `Write it such as ${exampleTime(now)}.`);
  const moment = offset === undefined ? inZone(shown, at, timeZone ?? "UTC") : Date.parse(at);
  if (Number.isNaN(moment)) throw refused(`“${at}” is not a time.`, `Write it such as ${exampleTime(now)}.`);
  if (moment <= now) {
    throw refused(
      `${iso(moment)} has passed; it is ${iso(now)} now.`,
      "Name a later time, or leave at out to publish now.",
    );
  }
  if (moment - now > AHEAD_DAYS_MAX * DAY_MS)
    throw refused(`${iso(moment)} is over ${AHEAD_DAYS_MAX} days ahead.`, "Name an earlier time.");
  return moment;
}

/** The moment at which a clock of the zone shows this; `shown` is read as if it were UTC. */
function inZone(shown: number, at: string, timeZone: string): number {
  const clock = clockOf(timeZone);
  // No zone is further than a day from UTC, and a clock is changed once in so short a time.
  const offsets = [shown - DAY_MS, shown + DAY_MS].map((moment) => clock(moment) - moment);
  const moments = [...new Set(offsets)]
    .map((offset) => shown - offset)
    .filter((moment) => clock(moment) === shown);
  const [only] = moments;
  if (only !== undefined && moments.length === 1) return only;
  if (only === undefined) {
    throw refused(
      `There is no ${at} in ${timeZone}: the clock is put forward over it.`,
      "Name a time an hour later.",
    );
  }
  throw refused(
    `${at} comes twice in ${timeZone}: the clock is put back.`,
    `Write one of them with its offset: ${moments.map(iso).join(" or ")}.`,
  );
}

/** Wall-clock time of a zone at a moment, as the ms that it would be in UTC. */
function clockOf(timeZone: string): (moment: number) => number {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "iso8601",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    return (moment) => {
      const parts = new Map(format.formatToParts(moment).map((one) => [one.type, Number(one.value)]));
      const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = (
        ["year", "month", "day", "hour", "minute", "second"] as const
      ).map((one) => parts.get(one));
      return Date.UTC(year, month - 1, day, hour, minute, second);
    };
  } catch {
    throw fail("invalid_input", `There is no time zone “${timeZone}”.`, {
      at: "timeZone",
      hint: "Use a name of the IANA list, such as Europe/Berlin, or write the offset into at.",
    });
  }
}

/** A moment for people; a minute is all that a time of publishing has. */
export const spokenTime = (moment: number): string => `${iso(moment).slice(0, 16).replace("T", " ")} UTC`;

/** An accepted time as an example: a week ahead. */
const exampleTime = (now: number): string => `${iso(now + 7 * DAY_MS).slice(0, 10)}T09:00:00+01:00`;

const iso = (moment: number): string => new Date(moment).toISOString();
const refused = (message: string, hint: string) => fail("invalid_input", message, { at: "at", hint });

import { Cron } from "croner";
import type { Calendar } from "../../core/schedule.ts";
import { isZone } from "../../protocol/time-zone.ts";

/**
 * Cron in time zones, by `croner`. At clock changes, an explicit time of day (no `*`) occurs once: a skipped time runs
 * right after the change, and of a doubled time the first counts. `*` follows the clock.
 */
export const calendar: Calendar = {
  isZone,
  isCron: (text) => {
    // The package reads what has a colon as a date.
    if (text.trim().split(/\s+/).length !== 5 || text.includes(":")) return false;
    try {
      return read(text, "UTC") !== null;
    } catch {
      return false;
    }
  },
  next: (cron, timeZone, after) => {
    try {
      return read(cron, timeZone).nextRun(new Date(after))?.getTime() ?? null;
    } catch {
      // This version cannot read the expression, which an earlier one accepted, so it never fires.
      return null;
    }
  },
  at: (local, timeZone) => {
    try {
      // The package takes the 30th of February for the 2nd of March.
      if (new Date(`${local}Z`).toISOString() !== `${local}.000Z`) return null;
      return new Cron(local, { timezone: timeZone, paused: true }).nextRun(new Date(0))?.getTime() ?? null;
    } catch {
      return null;
    }
  },
};

const read = (cron: string, timezone: string): Cron =>
  new Cron(cron, { timezone, mode: "5-part", fixedTimeRule: "no-wildcard", paused: true });

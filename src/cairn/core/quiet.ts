import type { Calendar } from "./schedule.ts";

/** Hours of the day in which a person is left alone. Pure: what clocks show comes in as a calendar. */

export interface QuietHours {
  /** `22:00`, as the person's clock shows it */
  readonly from: string;
  readonly to: string;
}

/** A person's notification settings. */
export interface NotifySettings {
  /** a name of the IANA list; null: not known, and then no hour is quiet */
  readonly zone: string | null;
  readonly quiet: QuietHours | null;
  /** where approvals and questions are sent: `auto` is where they linked last, `page` nowhere, else the id of a place */
  readonly ask: string;
}

export type QuietTimes = Pick<NotifySettings, "zone" | "quiet">;

/**
 * The quiet hours that hold at that time, milliseconds since the epoch; null where it is not quiet. The first moment is quiet,
 * the last is not. A time that clocks leave out is when they have been put forward, and of two the first counts.
 */
export function quietAt(
  { zone, quiet }: QuietTimes,
  at: number,
  calendar: Pick<Calendar, "next">,
): { readonly since: number; readonly until: number } | null {
  if (zone === null || quiet === null) return null;
  const until = calendar.next(daily(quiet.to), zone, at);
  const again = calendar.next(daily(quiet.from), zone, at);
  // Within them, their end comes before they begin again.
  if (until === null || again === null || again < until) return null;
  return { since: lastBefore(daily(quiet.from), zone, at, calendar), until };
}

/** The next end of quiet hours after that time, milliseconds since the epoch; null where there are none. */
export function quietEnd(
  { zone, quiet }: QuietTimes,
  at: number,
  calendar: Pick<Calendar, "next">,
): number | null {
  return zone === null || quiet === null ? null : calendar.next(daily(quiet.to), zone, at);
}

const DAY_MS = 86_400_000;

/** `07:30` as cron has it */
function daily(time: string): string {
  const [hour = "0", minute = "0"] = time.split(":");
  return `${Number(minute)} ${Number(hour)} * * *`;
}

/** The last time up to that one. A day of a changing clock has 25 hours at most, so two days back there was one. */
function lastBefore(cron: string, zone: string, at: number, calendar: Pick<Calendar, "next">): number {
  let last = at - 2 * DAY_MS;
  for (;;) {
    const following = calendar.next(cron, zone, last);
    if (following === null || following > at) return last;
    last = following;
  }
}

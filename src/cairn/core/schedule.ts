import {
  SCHEDULE_AHEAD_MS_MAX,
  SCHEDULE_EVERY_MS_MIN,
  SCHEDULE_LATE_MS,
  SCHEDULE_RETRY_MS,
} from "./limits.ts";

/** Times at which a session sends itself a message. Pure: the calendar comes in as two functions. */

export type Timing =
  | { readonly kind: "once"; readonly at: number }
  | { readonly kind: "interval"; readonly everyMs: number }
  | { readonly kind: "cron"; readonly cron: string; readonly timeZone: string };

/** Handling of times missed by more than SCHEDULE_LATE_MS: no run, or one run for all of them. */
export type CatchUp = "skip" | "once";

/** A time that was missed, and why: it was too late for it, the queue of runs was full, no model could be called, its agent could not lead it, or it may not work on its targets. */
export interface Missed {
  readonly at: number;
  readonly reason:
    | "late"
    | "queue_full"
    | "model_unavailable"
    | "unknown_agent"
    | "invalid_agent"
    | "agents_unavailable"
    | "unknown_target"
    | "target_unavailable"
    | "access_ended";
}

export interface Calendar {
  /** a name of the IANA time zones */
  isZone(name: string): boolean;
  /** five fields: minute, hour, day, month, weekday */
  isCron(text: string): boolean;
  /** The first time after that one, milliseconds; null when there is none. Of what it calls an expression and a zone. */
  next(cron: string, timeZone: string, after: number): number | null;
  /** The time that a clock in this zone shows as `2030-12-24T18:00:00`; null: it is none. One that clocks skip is the next that they show. */
  at(local: string, timeZone: string): number | null;
}

/** As somebody asks for it; a time in ISO 8601. */
export interface TimingRequest {
  readonly at?: string;
  readonly everyMs?: number;
  readonly cron?: string;
  readonly timeZone?: string;
}

export type ReadTiming =
  | { readonly ok: true; readonly timing: Timing; readonly nextAt: number }
  | { readonly ok: false; readonly message: string; readonly hint: string };

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** The timing that is meant and its first time, or what is wrong with it and what to do. `now` in milliseconds. */
export function readTiming(request: TimingRequest, now: number, calendar: Calendar): ReadTiming {
  const { at, everyMs, cron, timeZone } = request;
  if ([at, everyMs, cron].filter((each) => each !== undefined).length !== 1)
    return no("A schedule has exactly one of at, everyMs and cron.", "Send one of them.");
  if (timeZone !== undefined && cron === undefined)
    return no("Only cron has a timeZone.", "Write the offset into at, such as 2030-12-24T18:00:00+01:00.");
  const timing =
    cron === undefined ? readPlain(at, everyMs, now) : readCron(cron, timeZone ?? "UTC", calendar);
  if (!("kind" in timing)) return timing;
  const nextAt = firstTime(timing, now, calendar);
  if (nextAt === null)
    return no("This time never comes.", "Look at the day and the month: February has no 30th.");
  if (nextAt - now > SCHEDULE_AHEAD_MS_MAX)
    return no("This is more than ten years ahead.", "Name an earlier time.");
  return { ok: true, timing, nextAt };
}

function readPlain(
  at: string | undefined,
  everyMs: number | undefined,
  now: number,
): Timing | Extract<ReadTiming, { ok: false }> {
  if (everyMs !== undefined)
    return everyMs >= SCHEDULE_EVERY_MS_MIN
      ? { kind: "interval", everyMs }
      : no("This is too often.", `everyMs is at least ${SCHEDULE_EVERY_MS_MIN}, a minute.`);
  const time = at !== undefined && TIME.test(at) ? Date.parse(at) : NaN;
  if (Number.isNaN(time))
    return no("at is not a time.", "Write it with Z or an offset, such as 2030-12-24T18:00:00Z.");
  if (time <= now)
    return no("at has passed.", `It is ${new Date(now).toISOString()} now: name a later time.`);
  return { kind: "once", at: time };
}

function readCron(
  cron: string,
  timeZone: string,
  calendar: Calendar,
): Timing | Extract<ReadTiming, { ok: false }> {
  if (!calendar.isZone(timeZone))
    return no("There is no such time zone.", "Use a name of the IANA list, such as Europe/Berlin.");
  if (calendar.isCron(cron)) return { kind: "cron", cron, timeZone };
  return no(
    "The cron expression cannot be read.",
    "Write minute, hour, day, month and weekday, such as 0 9 * * 1-5.",
  );
}

const no = (message: string, hint: string): Extract<ReadTiming, { ok: false }> => ({
  ok: false,
  message,
  hint,
});

function firstTime(timing: Timing, now: number, calendar: Calendar): number | null {
  if (timing.kind === "once") return timing.at;
  if (timing.kind === "interval") return now + timing.everyMs;
  return calendar.next(timing.cron, timing.timeZone, now);
}

/**
 * Returns the first time after `now` of a timing that was due at `due`; an interval stays in phase. Null if there is
 * none.
 */
export function nextTime(timing: Timing, due: number, now: number, calendar: Calendar): number | null {
  const after = Math.max(due, now);
  if (timing.kind === "once") return null;
  if (timing.kind === "cron") return calendar.next(timing.cron, timing.timeZone, after);
  return due + (Math.floor((after - due) / timing.everyMs) + 1) * timing.everyMs;
}

/** A schedule that is due. */
export interface Due {
  readonly id: string;
  readonly timing: Timing;
  readonly catchUp: CatchUp;
  readonly nextAt: number;
}

/** Names a firing by what it is for, so that the same one has the same name after a crash. No message of a client has a dot. */
export function firingId({ id, timing, nextAt }: Due): string {
  return `${id}.${timing.kind === "once" ? timing.at : nextAt}`;
}

/** True if a time is too late. The session has been busy since `since`: times due after that only had to wait. */
export function isTooLate({ catchUp, nextAt }: Due, since: number): boolean {
  return catchUp === "skip" && since - nextAt > SCHEDULE_LATE_MS;
}

/** Returns the retry time of a message that could not be sent: its next time, or soon if it has none. */
export function retryTime(due: Due, now: number, calendar: Calendar): number | null {
  if (due.timing.kind === "once") return now + SCHEDULE_RETRY_MS;
  return nextTime(due.timing, due.nextAt, now, calendar);
}

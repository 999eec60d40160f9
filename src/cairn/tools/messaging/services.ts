import type { TimingRequest, CatchUp } from "../../core/schedule.ts";

/** Session services for scheduling messages to itself. */

/** A schedule as the model sees it. */
export interface KnownSchedule {
  readonly id: string;
  readonly text: string;
  readonly kind: "once" | "interval" | "cron";
  /** ISO 8601; null: it does not come any more */
  readonly nextAt: string | null;
  readonly everyMs: number | null;
  readonly cron: string | null;
  readonly timeZone: string | null;
  /** why its last time made no run; null where none was missed */
  readonly missed: string | null;
}

export interface ScheduleRequest {
  readonly id: string;
  readonly text: string;
  readonly timing: TimingRequest;
  readonly catchUp: CatchUp;
}

export interface CapsuleRequest {
  readonly id: string;
  readonly goal: string;
  readonly minutes: number;
  /** millionths of a US dollar */
  readonly costUsdMillionths: number;
}

/** Why it was not made, for the model. */
export interface ScheduleRefusal {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface OwnSchedules {
  /** of the person, where the session knows it */
  zone(): string | null;
  /** milliseconds at which a clock in this zone shows `2030-12-24T18:00:00`; null: it never does, or there is no such zone */
  at(local: string, timeZone: string): number | null;
  /** Why `make` would refuse it now; null where it would not. A person is asked only about what can be made. */
  refusal(run: string, request: ScheduleRequest): ScheduleRefusal | null;
  /** The same id again is the same schedule. `run` is the id of the run that makes it. */
  make(
    run: string,
    request: ScheduleRequest,
  ):
    | { readonly ok: true; readonly value: KnownSchedule }
    | { readonly ok: false; readonly error: ScheduleRefusal };
  list(): readonly KnownSchedule[];
  cancel(id: string): void;
}

export interface OwnCapsules {
  /** Why `start` would refuse it now; null where it would not. */
  refusal(run: string, request: CapsuleRequest): Promise<ScheduleRefusal | null>;
  /** The same id again is the same capsule. `run` is the id of the run that starts it. */
  start(
    run: string,
    request: CapsuleRequest,
  ): Promise<
    | { readonly ok: true; readonly value: { readonly run: string } }
    | { readonly ok: false; readonly error: ScheduleRefusal }
  >;
}

export interface MessagingServices {
  readonly schedules: OwnSchedules;
  readonly capsules: OwnCapsules;
}

const NO_SESSION = {
  ok: false,
  error: { code: "no_session", message: "No session stands behind this call." },
} as const;

export const NO_CAPSULES: OwnCapsules = {
  refusal: () => Promise.resolve(NO_SESSION.error),
  start: () => Promise.resolve(NO_SESSION),
};

/** For tools without a session: they are listed, and never called. */
export const NO_SCHEDULES: OwnSchedules = {
  zone: () => null,
  at: () => null,
  refusal: () => NO_SESSION.error,
  make: () => NO_SESSION,
  list: () => [],
  cancel: () => {},
};

const CLOCK: Intl.DateTimeFormatOptions = {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
};

/** "Friday 27 November 2026 at 09:00", as a clock in the zone shows it. */
export function spokenTime(iso: string, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { ...CLOCK, timeZone }).format(new Date(iso)).replace(",", "");
}

/** Returns the schedule with its next time in words. */
export function scheduleOutput(schedule: KnownSchedule, zone: string | null) {
  const { id, text, nextAt, everyMs, cron, missed } = schedule;
  const timeZone = schedule.timeZone ?? zone ?? "UTC";
  return {
    id,
    text,
    nextAt,
    local: nextAt === null ? null : `${spokenTime(nextAt, timeZone)} (${timeZone})`,
    ...(everyMs === null ? {} : { everyMinutes: everyMs / 60_000 }),
    ...(cron === null ? {} : { cron }),
    ...(missed === null ? {} : { missed }),
  };
}

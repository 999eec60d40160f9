import type { Missed } from "../../core/schedule.ts";

/** Schedules of a session, as the API has them (docs/api.md, Schedules). */

export interface Schedule {
  readonly id: string;
  readonly kind: "once" | "interval" | "cron";
  readonly text: string;
  readonly at: string | null;
  readonly everyMs: number | null;
  readonly cron: string | null;
  readonly timeZone: string | null;
  readonly nextAt: string | null;
  readonly lastRunId: string | null;
  readonly missed: { readonly at: string; readonly reason: Missed["reason"] } | null;
  readonly createdAt: string;
  readonly by: string;
}

const MINUTE = 60_000;
const UNITS = [
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
] as const;

export type Unit = (typeof UNITS)[number][0];
export const UNIT_NAMES: readonly Unit[] = ["minute", "hour", "day"];

/** `once`, `every 2 hours`, `at 0 9 * * 1-5 (Europe/Vienna)` */
export function rhythmText({
  kind,
  everyMs,
  cron,
  timeZone,
}: Pick<Schedule, "kind" | "everyMs" | "cron" | "timeZone">): string {
  if (kind === "once") return "once";
  if (kind === "cron") return `at ${cron} (${timeZone ?? "UTC"})`;
  const every = everyMs ?? 0;
  const [unit, ms] = UNITS.find(([, size]) => every % size === 0) ?? ["minute", MINUTE];
  const count = every / ms;
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}

export interface ScheduleFields {
  readonly text: string;
  readonly kind: Schedule["kind"];
  /** of the person's own time zone, as `2030-12-24T18:00` */
  readonly at: string;
  readonly count: string;
  readonly unit: string;
  readonly cron: string;
  readonly timeZone: string;
}

/** The body of a new schedule, or what is missing. What is wrong with a time the API says. */
export function parseSchedule(
  fields: ScheduleFields,
): { readonly body: object } | { readonly fault: string } {
  const text = fields.text.trim();
  if (text === "") return { fault: "Write what is to be said." };
  if (fields.kind === "cron") {
    if (fields.cron.trim() === "") return { fault: "Write the times as cron has them, such as 0 9 * * 1-5." };
    return { body: { text, cron: fields.cron.trim(), timeZone: fields.timeZone } };
  }
  if (fields.kind === "once") {
    const at = new Date(fields.at);
    return Number.isNaN(at.getTime()) ? { fault: "Say when." } : { body: { text, at: at.toISOString() } };
  }
  const count = Number(fields.count);
  const size = UNITS.find(([unit]) => unit === fields.unit)?.[1];
  if (!Number.isSafeInteger(count) || count < 1 || size === undefined)
    return { fault: "Say after how many minutes, hours or days." };
  return { body: { text, everyMs: count * size } };
}

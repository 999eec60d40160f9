import type { Answer } from "../../cairn/protocol/api.ts";
import { cronWords } from "./cron-words.ts";

/** Schedules of a session, as the API has them (docs/api.md, Schedules). */

export type Schedule = Answer<"Schedule">;

const MINUTE = 60_000;
const UNITS = [
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
] as const;

export type Unit = (typeof UNITS)[number][0];
export const UNIT_NAMES: readonly Unit[] = ["minute", "hour", "day"];

/** `once`, `every 2 hours`, `Monday to Friday at 09:00, Europe/Vienna time`. `ownZone`: the reader's. */
export function rhythmText(
  { kind, everyMs, cron, timeZone }: Pick<Schedule, "kind" | "everyMs" | "cron" | "timeZone">,
  ownZone: string,
): string {
  if (kind === "once") return "once";
  if (kind === "cron")
    return `${cronWords(cron ?? "") ?? "at times of its own"}${zoneWords(timeZone, ownZone)}`;
  const every = everyMs ?? 0;
  const [unit, ms] = UNITS.find(([, size]) => every % size === 0) ?? ["minute", MINUTE];
  const count = every / ms;
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}

/** Empty in the reader's own time zone. */
function zoneWords(timeZone: string | null, ownZone: string): string {
  const zone = timeZone ?? "UTC";
  if (zone === ownZone) return "";
  return zone === "UTC" ? ", Greenwich time" : `, ${zone.replaceAll("_", " ")} time`;
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
  /** name; empty: the session's, when it comes */
  readonly agent: string;
}

/** The body of a new schedule, or the missing field. The API reports invalid times. */
export function parseSchedule(
  fields: ScheduleFields,
): { readonly body: object } | { readonly fault: string } {
  const text = fields.text.trim();
  if (text === "") return { fault: "Write the message that is sent to the agent." };
  const fieldsSent = { text, ...(fields.agent === "" ? {} : { agent: fields.agent }) };
  if (fields.kind === "cron") {
    if (fields.cron.trim() === "")
      return { fault: "Write the times as a cron expression: 0 9 * * 1-5 is Monday to Friday at 09:00." };
    return { body: { ...fieldsSent, cron: fields.cron.trim(), timeZone: fields.timeZone } };
  }
  if (fields.kind === "once") {
    const at = new Date(fields.at);
    return Number.isNaN(at.getTime())
      ? { fault: "Choose a date and a time." }
      : { body: { ...fieldsSent, at: at.toISOString() } };
  }
  const count = Number(fields.count);
  const size = UNITS.find(([unit]) => unit === fields.unit)?.[1];
  if (!Number.isSafeInteger(count) || count < 1 || size === undefined)
    return { fault: "Write a whole number of minutes, hours or days." };
  return { body: { ...fieldsSent, everyMs: count * size } };
}

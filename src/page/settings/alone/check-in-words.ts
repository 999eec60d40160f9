import type { Answer } from "../../../cairn/protocol/api.ts";

/** The times of check-ins (docs/api.md, The heartbeat), in words. */

type Heartbeat = Answer<"Heartbeat">;

const OFFERED = [5, 15, 30, 60, 120, 240, 480, 720, 1_440];
const HOUR = 60;

/** Minutes that are offered, and what is set where that is another. */
export const intervals = (set: number): readonly number[] =>
  OFFERED.includes(set) ? OFFERED : [...OFFERED, set].toSorted((a, b) => a - b);

/** `every 15 minutes`, `every hour`, `once a day` */
export function everyWords(minutes: number): string {
  if (minutes === 24 * HOUR) return "once a day";
  if (minutes % HOUR !== 0) return `every ${minutes} minutes`;
  return minutes === HOUR ? "every hour" : `every ${minutes / HOUR} hours`;
}

/** Behind the next time, where it is later than one would think. */
export function nextWords({ idle }: Pick<Heartbeat, "idle">): string {
  if (idle === 0) return "";
  const looks = idle === 1 ? "the last one found nothing" : `the last ${idle} found nothing`;
  return `, later than usual: ${looks}`;
}

const SKIPPED: Readonly<Record<NonNullable<Heartbeat["skipped"]>["why"], string>> = {
  busy: "the agent was busy or waited for you",
  user_active: "you had just written",
  too_soon: "it had just checked",
  backoff: "the last ones found nothing, so it waits longer",
  no_lead: "no reason to check",
  access_ended: "the person who enabled it no longer has access",
};

/** Why it did not check in the last time that it might have; null where it did, or never had to. */
export function skippedWords({ skipped, lastAt }: Pick<Heartbeat, "skipped" | "lastAt">): string | null {
  if (skipped === null) return null;
  const isOver = lastAt !== null && Date.parse(lastAt) >= Date.parse(skipped.at);
  return isOver ? null : SKIPPED[skipped.why];
}

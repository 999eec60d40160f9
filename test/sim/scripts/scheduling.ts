import type { ScheduleCommand } from "../../../src/cairn/session/api/session-api.ts";
import type { FakePlatform } from "../platform/platform.ts";

/** Schedule commands that people send; the platform tracks their results. Each may be repeated. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;

export async function makeSchedule(platform: FakePlatform, command: ScheduleCommand): Promise<void> {
  const made = await platform.api.schedule(ADA, command);
  if (made.ok && !platform.scheduled.some((each) => each.id === command.id))
    platform.scheduled.push(made.value.schedule);
}

/** A time that has come, and whose alarm is late or lost, need not be said any more. */
export async function dropSchedule(platform: FakePlatform, id: string): Promise<void> {
  const next = platform.scheduleStore.all().find((each) => each.id === id)?.nextAt ?? Infinity;
  const from = platform.dropped.find((each) => each.id === id)?.from ?? Math.min(platform.now, next - 1);
  if (!platform.dropped.some((each) => each.id === id)) platform.dropped.push({ id, from, head: null });
  await platform.api.unschedule(ADA, id);
  platform.dropped.push({ id, from, head: platform.state.head });
}

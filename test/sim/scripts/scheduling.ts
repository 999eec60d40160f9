import type { ScheduleCommand } from "../../../src/session/api/session-api.ts";
import type { World } from "../platform/platform.ts";

/** What people do to schedules, so that the world knows what they know of them. Each may be done again. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;

export async function makeSchedule(world: World, command: ScheduleCommand): Promise<void> {
  const made = await world.scheduling.schedule(ADA, command);
  if (made.ok && !world.scheduled.some((each) => each.id === command.id))
    world.scheduled.push(made.value.schedule);
}

/** A time that has come, and whose alarm is late or lost, need not be said any more. */
export async function dropSchedule(world: World, id: string): Promise<void> {
  const next = world.book.all().find((each) => each.id === id)?.nextAt ?? Infinity;
  const from = world.dropped.find((each) => each.id === id)?.from ?? Math.min(world.now, next - 1);
  if (!world.dropped.some((each) => each.id === id)) world.dropped.push({ id, from, head: null });
  await world.scheduling.unschedule(ADA, id);
  world.dropped.push({ id, from, head: world.state.head });
}

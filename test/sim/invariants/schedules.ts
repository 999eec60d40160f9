import { QUEUE_MAX } from "../../../src/cairn/core/limits.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { fold } from "../../../src/cairn/core/state/apply.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import type { ScheduleView } from "../../../src/cairn/session/api/session-api.ts";
import type { FakePlatform } from "../platform/platform.ts";
import { count, type Rule } from "../scripts/conversation.ts";

interface Firing {
  readonly schedule: string;
  /** the time that it was for */
  readonly due: number;
  readonly entry: Entry;
}

function firings(log: readonly Entry[]): readonly Firing[] {
  return log.flatMap((entry) => {
    if (entry.kind !== "user_message" || entry.body.source !== "schedule") return [];
    const [schedule = "", due] = entry.body.id.split(".");
    return [{ schedule, due: Number(due), entry }];
  });
}

/** The times that a schedule has had by now, read plainly, until somebody began to delete it. */
function timesOf(
  { id, at, everyMs, createdAt }: ScheduleView,
  { now, dropped }: FakePlatform,
): readonly number[] {
  const until = Math.min(now, dropped.find((each) => each.id === id)?.from ?? now);
  const times: number[] = [];
  if (at !== null) times.push(Date.parse(at));
  else if (everyMs !== null)
    for (let time = Date.parse(createdAt) + everyMs; time <= until; time += everyMs) times.push(time);
  return times.filter((time) => time <= until);
}

/** True if the queue was full at some moment within `withinMs` after this time. */
function wasFull(log: readonly Entry[], time: number, withinMs: number): boolean {
  let state = EMPTY_STATE;
  for (const entry of log) {
    if (entry.at > time + withinMs) break;
    if (entry.at >= time && state.queue.length >= QUEUE_MAX) return true;
    state = fold(state, [entry]);
  }
  return state.queue.length >= QUEUE_MAX;
}

/** A single time that found no room is tried again until somebody deletes it; others wait for their next time. */
const mayBeMissed = ({ id, everyMs }: ScheduleView, { dropped }: FakePlatform): boolean =>
  everyMs !== null || dropped.some((each) => each.id === id);

/** True if a call of a run scheduled this message, with the same person and text. */
function isOfRun(log: readonly Entry[], id: string, said: Entry): boolean {
  if (said.kind !== "user_message") return false;
  return log.some((entry) => {
    if (entry.kind !== "call_settled" || entry.body.tool !== "schedule_task" || entry.seq > said.seq)
      return false;
    const asked = log.find((other) => other.kind === "run_queued" && other.run === entry.run);
    const [part] = said.body.parts;
    return (
      entry.body.observation.includes(id) &&
      part?.type === "text" &&
      entry.body.observation.includes(part.text) &&
      asked?.kind === "run_queued" &&
      asked.body.actor === said.body.author
    );
  });
}

/** Invariants of schedules. */
export const OF_SCHEDULES: Readonly<Record<string, Rule>> = {
  "no time of a schedule makes two runs": ({ log }) => {
    const runs = log.flatMap((entry) =>
      entry.kind === "run_queued" && entry.body.source === "schedule" ? [entry.body.message] : [],
    );
    const said = firings(log).map(({ schedule, due }) => `${schedule}.${due}`);
    return [...count(runs).values(), ...count(said).values()].every((times) => times === 1);
  },
  "every time of a schedule that has come is in a run": ({ platform, log }) => {
    const fired = firings(log);
    return platform.scheduled.every((schedule) =>
      timesOf(schedule, platform).every(
        (time) =>
          fired.some(
            ({ schedule: id, due, entry }) => id === schedule.id && due <= time && entry.at >= time,
          ) ||
          (mayBeMissed(schedule, platform) && wasFull(log, time, schedule.everyMs ?? Infinity)),
      ),
    );
  },
  "a schedule speaks at its own times, in the words and the name of whoever made it": ({ platform, log }) =>
    firings(log).every(({ schedule: id, due, entry }) => {
      const schedule = platform.scheduled.find((each) => each.id === id);
      if (schedule === undefined) return isOfRun(log, id, entry);
      if (entry.kind !== "user_message") return false;
      const told = entry.body.parts.every((part) => part.type === "text" && part.text === schedule.text);
      const beat = schedule.everyMs ?? 1;
      const known = schedule.at === null ? (due - Date.parse(schedule.createdAt)) % beat === 0 : true;
      return told && known && entry.body.author === schedule.by && entry.at >= due;
    }),
  "a schedule that was deleted is silent": ({ platform, log }) =>
    firings(log).every(({ schedule, entry }) =>
      platform.dropped.every(({ id, head }) => id !== schedule || head === null || entry.seq <= head),
    ),
  "an idle session has no alarm, and one with a schedule that of its next time": ({ platform }) => {
    const { alarm } = platform.disk;
    if (platform.dueRun !== null || platform.outbox.due() !== null) return true;
    const next = platform.scheduleStore.due();
    if (next === null || alarm === null) return alarm === next || platform.alarmsLost > 0;
    return alarm >= next;
  },
};

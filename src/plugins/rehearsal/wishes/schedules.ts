import type { JsonObject } from "../../../cairn/core/log/json.ts";
import type { Course } from "../course.ts";
import { objectAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import { change, look, type Desk, type Does } from "../site.ts";
import { folded, type Slots } from "../slots.ts";

/** What is to be done or said later: made, told, cancelled. */

/** When, as the tool takes it; null where the day of the question is not known. */
function timingOf(
  { today }: Pick<Desk, "today">,
  { at, minutes, cron }: Slots,
  again: boolean,
): JsonObject | null {
  if (cron !== undefined) return { cron };
  if (minutes !== undefined) return again ? { everyMinutes: minutes } : { inMinutes: minutes };
  if (at === undefined || today === null) return null;
  const day = new Date(Date.parse(`${today}T00:00:00Z`) + at.days * 86_400_000).toISOString().slice(0, 10);
  return { at: `${day}T${at.clock}` };
}

function* schedule(desk: Desk, text: string, slots: Slots, again: boolean): Course<void> {
  const timing = timingOf(desk, slots, again);
  if (timing === null) return desk.say("failed", "I do not know what day it is, so I scheduled nothing.");
  const done = yield* change(desk, `schedule "${text}"`, "schedule_task", { text, ...timing });
  if (done === null) return;
  const made = objectAt(done, "schedule") ?? {};
  const local = textAt(made, "local") ?? "";
  const first = again ? "first on " : "on ";
  desk.say("done", `"${text}" is scheduled, ${first}${local}.`);
  const note = textAt(done, "note");
  if (note !== null) desk.say("note", "I do not know your time zone, so this time is in UTC.");
}

/** Says something then, once or again and again. */
export const remind = (again: boolean): Does =>
  function* (desk, slots) {
    yield* schedule(desk, `Reminder: ${slots.value ?? ""}`, slots, again);
  };

/** Asks itself then, in the words of the person. */
export const scheduleWork = (again: boolean): Does =>
  function* (desk, slots) {
    yield* schedule(desk, slots.value ?? "", slots, again);
  };

/** What a reminder is for, when its time has come. */
// eslint-disable-next-line require-yield -- it only speaks
export const tellReminder: Does = function* (desk, { value = "" }) {
  desk.say("told", `Reminder: ${value}.`);
};

function* listed(desk: Desk): Course<readonly JsonObject[] | null> {
  const found = yield* look(desk, "look at what is scheduled", "schedule_list", {});
  return found === null ? null : objectsAt(found, "schedules");
}

export function* tellSchedules(desk: Desk): Course<void> {
  const all = yield* listed(desk);
  if (all === null) return;
  if (all.length === 0) return desk.say("told", "Nothing is scheduled here.");
  const lines = all.map(
    (one) => `\n- ${textAt(one, "text") ?? ""}: ${textAt(one, "local") ?? "no time any more"}`,
  );
  desk.say("told", `This is scheduled:${lines.join("")}`);
}

/** The one that is meant by its words, or the only one; `all`: each of them. */
export const cancelSchedule = (every: boolean): Does =>
  function* (desk, { value }) {
    const all = yield* listed(desk);
    if (all === null) return;
    const fitting =
      value === undefined
        ? all
        : all.filter((one) => folded(textAt(one, "text") ?? "").includes(folded(value)));
    if (fitting.length === 0)
      return desk.say("told", "Nothing like this is scheduled here, so I cancelled nothing.");
    if (fitting.length > 1 && !every) {
      const names = fitting.map((one) => `"${textAt(one, "text") ?? ""}"`).join(" or ");
      return desk.say("asked", `Which one shall I cancel: ${names}?`);
    }
    for (const one of fitting) {
      const text = textAt(one, "text") ?? "";
      const done = yield* change(desk, `cancel "${text}"`, "schedule_cancel", {
        id: textAt(one, "id") ?? "",
      });
      if (done !== null) desk.say("done", `"${text}" is cancelled.`);
    }
  };

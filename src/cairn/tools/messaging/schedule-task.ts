import { startOf } from "../../core/text/cut.ts";
import * as z from "zod";
import { sha256Hex } from "../../core/log/digest.ts";
import type { TimingRequest } from "../../core/schedule.ts";
import { defineTool, ToolError, type ToolContext } from "../define.ts";
import {
  spokenTime,
  scheduleOutput,
  type MessagingServices,
  type ScheduleRefusal,
  type ScheduleRequest,
} from "./services.ts";

const TEXT_CHARS_MAX = 4_000;
const MINUTES_MAX = 5_256_000;
/** schedules that one run makes at most: a loop must not fill the session with them */
const PER_RUN_MAX = 5;

const minutes = z.number().int().min(1).max(MINUTES_MAX);

const input = z
  .strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(TEXT_CHARS_MAX)
      .describe(
        "What is to be done or said then, as you would be asked for it, such as `Reminder: water the plants`",
      ),
    at: z
      .string()
      .max(40)
      .optional()
      .describe("Once: 2030-12-24T18:00, as the person's clock shows it, or with Z or an offset"),
    inMinutes: minutes.optional().describe("Once, so many minutes from now"),
    everyMinutes: minutes.optional().describe("Again and again, so many minutes apart"),
    cron: z
      .string()
      .max(100)
      .optional()
      .describe("Again and again: minute hour day month weekday, such as 0 8 * * 1 for Mondays at eight"),
    timeZone: z
      .string()
      .max(60)
      .optional()
      .describe("Such as Europe/Berlin, where the person named one; otherwise theirs is taken"),
    catchUp: z
      .enum(["once", "skip"])
      .default("once")
      .describe("When its time was missed: run once as soon as possible, or not at all"),
  })
  .refine(
    ({ at, inMinutes, everyMinutes, cron }) =>
      [at, inMinutes, everyMinutes, cron].filter((one) => one !== undefined).length === 1,
    { message: "Exactly one of at, inMinutes, everyMinutes and cron." },
  );

type TaskInput = z.output<typeof input>;
type Context = ToolContext<MessagingServices>;

const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?$/;

/** The timing as the session takes it; a time without an offset is one of the person's clock. */
function timingOf(task: TaskInput, { at: now, services }: Context): { timing: TimingRequest; zone: string } {
  const { at, inMinutes, everyMinutes, cron } = task;
  const zone = task.timeZone ?? services.schedules.zone() ?? "UTC";
  if (cron !== undefined) return { timing: { cron, timeZone: zone }, zone };
  if (everyMinutes !== undefined) return { timing: { everyMs: everyMinutes * 60_000 }, zone };
  if (inMinutes !== undefined)
    return { timing: { at: new Date(now + inMinutes * 60_000).toISOString() }, zone };
  const local = LOCAL.exec(at ?? "");
  if (local === null) return { timing: { at: at ?? "" }, zone };
  const [, day = "", clock = "", seconds = ":00"] = local;
  const time = services.schedules.at(`${day}T${clock}${seconds}`, zone);
  if (time === null)
    throw new ToolError("invalid_args", "invalid_schedule", `No clock in ${zone} shows ${at ?? ""}.`, {
      hint: "Look at the date, and use a name of the IANA list for timeZone, such as Europe/Berlin.",
    });
  return { timing: { at: new Date(time).toISOString() }, zone };
}

/** "on Friday 27 November 2026 at 09:00 (UTC)", "every 90 minutes", "by 0 8 * * 1 (Europe/Berlin)" */
function whenOf({ everyMinutes, cron }: TaskInput, timing: TimingRequest, zone: string): string {
  if (everyMinutes !== undefined) return `every ${everyMinutes} minutes`;
  if (cron !== undefined) return `by ${cron} (${zone})`;
  const time = Date.parse(timing.at ?? "");
  return Number.isNaN(time) ? "at no time" : `on ${spokenTime(new Date(time).toISOString(), zone)} (${zone})`;
}

const scheduleRequestOf = (
  { text, catchUp }: TaskInput,
  timing: TimingRequest,
  { key }: Context,
): ScheduleRequest => ({
  id: `sch_${sha256Hex(key).slice(0, 16)}`,
  text,
  timing,
  catchUp,
});

const refused = ({ code, message, hint }: ScheduleRefusal): ToolError =>
  new ToolError("invalid_args", code, message, hint === undefined ? {} : { hint });

/** Schedules a message of the session to itself: a reminder, a check, a report. */
export const scheduleTask = defineTool<MessagingServices, typeof input, unknown>({
  name: "schedule_task",
  lean: true,
  title: "Schedule a task",
  description:
    "Has this conversation do something later, once or again and again: a reminder, a check, a report. Its run has no person beside it and only the rights of this one. Only what was asked for; a task is no way to put off what can be done now.",
  input,
  effect: "keyed",
  tier: "write",
  reads: "none",
  later: true,
  verbs: ["schedule", "create", "save"],
  maxCalls: PER_RUN_MAX,
  shape: { target: ["text"] },
  entities: (_input, output) => {
    const { schedule } = output as { schedule: { id: string; text: string } };
    return [{ op: "create", type: "schedule", id: schedule.id, name: startOf(schedule.text, 80) }];
  },
  preview: async (task, context) => {
    const { timing, zone } = timingOf(task, context);
    const refusal = context.services.schedules.refusal(
      context.facts.run,
      scheduleRequestOf(task, timing, context),
    );
    if (refusal !== null) throw refused(refusal);
    const when = whenOf(task, timing, zone);
    return {
      need: { kind: "none" },
      title: "Schedule a task",
      summary: `The agent wants to do this later, ${when}: ${task.text}`,
      impact: [`It runs ${when}, without a person, until it is cancelled.`],
      basis: null,
    };
  },
  run: async (task, context) => {
    const { schedules } = context.services;
    const { timing, zone } = timingOf(task, context);
    const made = schedules.make(context.facts.run, scheduleRequestOf(task, timing, context));
    if (!made.ok) throw refused(made.error);
    const isGuessed = task.timeZone === undefined && schedules.zone() === null;
    const schedule = scheduleOutput(made.value, zone);
    return {
      schedule,
      ...(isGuessed && task.everyMinutes === undefined && task.inMinutes === undefined
        ? { note: "The person's time zone is not known: this time is in UTC. Say so." }
        : {}),
    };
  },
});

import { startOf } from "../../core/text/cut.ts";
import * as z from "zod";
import { defineTool, ToolError } from "../define.ts";
import { scheduleOutput, type MessagingServices } from "./services.ts";

const nothing = z.strictObject({});

/** Lists the schedules of this session. */
export const scheduleList = defineTool<MessagingServices, typeof nothing, unknown>({
  name: "schedule_list",
  lean: true,
  title: "List schedules",
  description: "Lists what this conversation is to do later, with the next time of each.",
  input: nothing,
  effect: "read",
  tier: "open",
  reads: "private",
  // Schedules advance without any call.
  freshMs: 0,
  shape: { ids: "schedules[].id" },
  entities: (_input, output) =>
    (output as { schedules: { id: string; text: string }[] }).schedules.map(({ id, text }) => ({
      ...({ op: "touch", type: "schedule" } as const),
      id,
      name: startOf(text, 80),
    })),
  run: async (_input, { services: { schedules } }) => ({
    schedules: schedules.list().map((schedule) => scheduleOutput(schedule, schedules.zone())),
  }),
});

const named = z.strictObject({
  id: z.string().min(1).max(80).describe("As schedule_list or schedule_task named it"),
});

/** Cancels a schedule. */
export const scheduleCancel = defineTool<MessagingServices, typeof named, unknown>({
  name: "schedule_cancel",
  lean: true,
  title: "Cancel a schedule",
  description: "Cancels one thing that this conversation was to do later, by its id.",
  input: named,
  effect: "keyed",
  tier: "write",
  reads: "none",
  verbs: ["cancel", "delete", "remove"],
  shape: { target: ["id"] },
  entities: (_input, output) => {
    const { cancelled } = output as { cancelled: { id: string; text: string } };
    return [{ op: "delete", type: "schedule", id: cancelled.id, name: startOf(cancelled.text, 80) }];
  },
  run: async ({ id }, { services: { schedules }, attempt }) => {
    const found = schedules.list().find((schedule) => schedule.id === id);
    if (found !== undefined) {
      schedules.cancel(id);
      return { cancelled: { id, text: found.text } };
    }
    // An earlier attempt with an unknown outcome has cancelled it.
    if (attempt > 1) return { cancelled: { id, text: id } };
    throw new ToolError("not_found", "not_found", `Nothing of this conversation is scheduled as ${id}.`, {
      hint: "schedule_list names what is there.",
    });
  },
});

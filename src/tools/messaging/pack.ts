import { definePack } from "../define.ts";
import { scheduleTask } from "./schedule-task.ts";
import { scheduleCancel, scheduleList } from "./schedules.ts";
import { NO_SCHEDULES, type MessagingServices } from "./services.ts";

/** Tools by which a run says something later. */
export const messagingPack = definePack<Partial<MessagingServices>, MessagingServices>({
  name: "messaging",
  tools: [scheduleTask, scheduleList, scheduleCancel],
  prompts: ["schedules"],
  services: ({ schedules = NO_SCHEDULES }) => ({ schedules }),
});

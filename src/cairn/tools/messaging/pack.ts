import { definePack } from "../define.ts";
import { scheduleTask } from "./schedule-task.ts";
import { scheduleCancel, scheduleList } from "./schedules.ts";
import { startTimeCapsule } from "./start-time-capsule.ts";
import { NO_CAPSULES, NO_SCHEDULES, type MessagingServices } from "./services.ts";

/** Tools that schedule messages. */
export const messagingPack = definePack<Partial<MessagingServices>, MessagingServices>({
  name: "messaging",
  tools: [scheduleTask, scheduleList, scheduleCancel, startTimeCapsule],
  prompts: [
    {
      name: "schedules",
      tools: ["schedule_task", "schedule_list", "schedule_cancel", "start_time_capsule"],
    },
  ],
  // A run seldom has to do something later.
  shortList: [],
  services: ({ schedules = NO_SCHEDULES, capsules = NO_CAPSULES }) => ({ schedules, capsules }),
});

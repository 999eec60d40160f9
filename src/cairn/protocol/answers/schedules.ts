import * as z from "zod";

const time = z.iso.datetime();
const count = z.number().int().min(0);

/** A session's schedule, as answered. */
export const scheduleAnswer = z.object({
  id: z.string(),
  kind: z.enum(["once", "interval", "cron"]),
  text: z.string(),
  at: time.nullable(),
  everyMs: count.nullable(),
  cron: z.string().nullable(),
  timeZone: z.string().nullable(),
  catchUp: z.enum(["skip", "once"]),
  nextAt: time.nullable(),
  lastRunId: z.string().nullable(),
  missed: z
    .object({
      at: time,
      reason: z.enum([
        "late",
        "queue_full",
        "model_unavailable",
        "unknown_agent",
        "invalid_agent",
        "agents_unavailable",
        "unknown_target",
        "target_unavailable",
        "access_ended",
      ]),
    })
    .nullable(),
  /** name; null: the session's, when it comes */
  agent: z.string().nullable(),
  createdAt: time,
  by: z.string(),
});

const closedSchema = z.enum(["busy", "user_active", "too_soon", "backoff", "no_lead", "access_ended"]);

/** How a session looks after itself, as it is answered. */
export const heartbeatAnswer = z.object({
  enabled: z.boolean(),
  everyMinutes: z.number(),
  nextAt: time.nullable(),
  lastAt: time.nullable(),
  idle: count,
  closed: z.partialRecord(closedSchema, count),
  skipped: z.object({ at: time, why: closedSchema }).nullable(),
  by: z.string().nullable(),
});

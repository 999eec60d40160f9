import { agentName } from "../kit/parse-commands.ts";
import { refusal } from "../../session/api/session-api.ts";
import type { Hono } from "hono";
import * as z from "zod";
import { HEARTBEAT_EVERY_MS_MAX, HEARTBEAT_EVERY_MS_MIN } from "../../core/limits.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import { canonicalJson } from "../../core/log/json.ts";
import { isVisible, wellFormedText } from "../../protocol/chat-body.ts";
import type { Deps } from "../deps.ts";
import { newScheduleId, parseIdempotencyKey } from "../kit/idempotency.ts";
import { parseFields, readJson } from "../kit/parse.ts";
import { invalid } from "../kit/responses.ts";
import {
  inSession,
  type Handle,
  type HttpEnv,
  answer,
  answerNothing,
  asReplay,
  refuse,
  route,
} from "../kit/route.ts";

/** `/api/sessions/:id/schedules`: messages that a session sends itself, once, by interval or by cron. */

const FIELD_CHARS_MAX = 256;

export const scheduleSchema = z.strictObject({
  text: wellFormedText,
  at: z.string().max(FIELD_CHARS_MAX).optional(),
  everyMs: z.int().optional(),
  cron: z.string().max(FIELD_CHARS_MAX).optional(),
  timeZone: z.string().max(FIELD_CHARS_MAX).optional(),
  catchUp: z.enum(["skip", "once"]).optional(),
  agent: agentName.optional(),
});

export const heartbeatSchema = z.strictObject({
  enabled: z.boolean(),
  everyMinutes: z
    .int()
    .min(HEARTBEAT_EVERY_MS_MIN / 60_000)
    .max(HEARTBEAT_EVERY_MS_MAX / 60_000)
    .optional(),
});

const NO_SCHEDULE = refusal(
  404,
  "not_found",
  "This session has no such schedule.",
  "A single time is gone once its run is made; list those that there are.",
);

export function mountSchedules(app: Hono<HttpEnv>, { config, sessions, newId }: Deps): void {
  const make: Handle = async (c, session, actor) => {
    const body = await readJson(c.req.raw, config.limits.bodyBytes);
    if (!body.ok) return refuse(c, body.error);
    const fields = parseFields(scheduleSchema, body.value);
    if (!fields.ok) return refuse(c, fields.error);
    const idempotency = parseIdempotencyKey(c, body.value);
    if (!idempotency.ok) return refuse(c, idempotency.error);
    const { text, catchUp = "once", agent = null, ...timing } = fields.value;
    const { messageBytes } = config.limits;
    if (!isVisible(text)) return refuse(c, invalid("The text is empty."));
    if (new TextEncoder().encode(text).length > messageBytes)
      return refuse(
        c,
        refusal(
          413,
          "message_too_large",
          `The text is larger than ${messageBytes} bytes.`,
          "Make it shorter.",
        ),
      );
    const id = newScheduleId(idempotency.value, newId);
    const digest = sha256Hex(canonicalJson(fields.value));
    const made = await sessions(session).schedule(actor, { id, digest, text, agent, timing, catchUp });
    if (!made.ok) return refuse(c, made.error);
    const response = Response.json(made.value.schedule, { status: 201 });
    return asReplay(response, idempotency.value !== null && made.value.replayed);
  };
  const list: Handle = async (c, session, actor) => answer(c, await sessions(session).schedules(actor));
  const show: Handle = async (c, session, actor) => {
    const id = c.req.param("scheduleId") ?? "";
    const listed = await sessions(session).schedules(actor);
    if (!listed.ok) return refuse(c, listed.error);
    const found = listed.value.items.find((schedule) => schedule.id === id);
    return found === undefined ? refuse(c, NO_SCHEDULE) : Response.json(found);
  };
  const remove: Handle = async (c, session, actor) =>
    answerNothing(c, await sessions(session).unschedule(actor, c.req.param("scheduleId") ?? ""));

  const showHeartbeat: Handle = async (c, session, actor) =>
    answer(c, await sessions(session).heartbeat(actor));
  const setHeartbeat: Handle = async (c, session, actor) => {
    const body = await readJson(c.req.raw, config.limits.bodyBytes);
    if (!body.ok) return refuse(c, body.error);
    const fields = parseFields(heartbeatSchema, body.value);
    if (!fields.ok) return refuse(c, fields.error);
    const { enabled, everyMinutes } = fields.value;
    const command = { enabled, ...(everyMinutes === undefined ? {} : { everyMinutes }) };
    return answer(c, await sessions(session).setHeartbeat(actor, command));
  };

  route(app, "/api/sessions/:id/heartbeat", {
    GET: {
      scopes: ["read"],
      summary: "Reads the heartbeat.",
      answers: { 200: "Heartbeat" },
      handle: inSession(showHeartbeat),
    },
    PUT: {
      scopes: ["send"],
      summary: "Enables or disables the heartbeat.",
      body: heartbeatSchema,
      answers: { 200: "Heartbeat" },
      handle: inSession(setHeartbeat),
    },
  });

  const at = "/api/sessions/:id/schedules";
  route(app, at, {
    GET: {
      scopes: ["read"],
      summary: "Lists schedules, oldest first.",
      answers: { 200: "Schedules" },
      handle: inSession(list),
    },
    POST: {
      scopes: ["send"],
      summary: "Makes a schedule.",
      body: scheduleSchema,
      answers: { 201: "Schedule" },
      handle: inSession(make),
    },
  });
  route(app, `${at}/:scheduleId`, {
    GET: {
      scopes: ["read"],
      summary: "Reads a schedule.",
      answers: { 200: "Schedule" },
      handle: inSession(show),
    },
    DELETE: {
      scopes: ["send"],
      summary: "Deletes a schedule.",
      answers: { 204: null },
      handle: inSession(remove),
    },
  });
}

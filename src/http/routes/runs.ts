import type { Hono } from "hono";
import * as z from "zod";
import { refusal } from "../../session/api/session-api.ts";
import { json } from "../../wire/json.ts";
import { isAnswerText } from "../../wire/stream/data-parts.ts";
import type { Deps } from "../kit/deps.ts";
import { readFields } from "../kit/parse.ts";
import { NOT_FOUND } from "../kit/responses.ts";
import { type HttpContext, type HttpEnv, answer, refuse, route } from "../kit/route.ts";

/** `/api/runs/:runId`: what is asked of one run, whichever session it is of. */

const RUN_ID = /^([A-Za-z0-9_-]{1,64})\.r[1-9]\d{0,8}$/;

const answerSchema = z.strictObject({ questionId: z.string().min(1).max(128).optional(), value: json });

export function mountRuns(app: Hono<HttpEnv>, { config, sessions }: Deps): void {
  const show = async (c: HttpContext): Promise<Response> => {
    const runId = c.req.param("runId") ?? "";
    const session = RUN_ID.exec(runId)?.[1];
    return session === undefined
      ? refuse(c, NOT_FOUND)
      : answer(c, await sessions(session).readRun(c.var.actor, runId));
  };
  route(app, "/api/runs/:runId", {
    GET: {
      scopes: ["read"],
      summary: "One run: where it stands, and what it came to.",
      answers: { 200: "Run" },
      handle: show,
    },
  });
  const resume = async (c: HttpContext): Promise<Response> => {
    const runId = c.req.param("runId") ?? "";
    const session = RUN_ID.exec(runId)?.[1];
    if (session === undefined) return refuse(c, NOT_FOUND);
    const fields = await readFields(c, answerSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const { questionId, value } = fields.value;
    const { messageBytes } = config.limits;
    if (!isAnswerText(value, messageBytes))
      return refuse(
        c,
        refusal(422, "invalid_answer", `An answer is a text of at most ${messageBytes} bytes.`),
      );
    // To the question that is open where none is named.
    const command = { runId, question: questionId ?? null, value };
    const answered = await sessions(session).answer(c.var.actor, command);
    if (!answered.ok) return refuse(c, answered.error);
    return Response.json(
      { id: answered.value.runId, sessionId: session, status: "running" },
      { status: 202 },
    );
  };
  route(app, "/api/runs/:runId/resume", {
    POST: {
      scopes: ["send"],
      summary: "Answers the question of a run.",
      body: answerSchema,
      answers: { 202: "Resumed" },
      handle: resume,
    },
  });
}

import type { Hono } from "hono";
import * as z from "zod";
import { json } from "../../wire/json.ts";
import type { Answer, AnswerCommand } from "../../session/api/session-api.ts";
import { isAnswerText } from "../../wire/stream/question.ts";
import type { Parts } from "../app.ts";
import { given, NOT_FOUND, refusal, refused } from "../kit/responses.ts";
import { parseFields, readJson } from "../kit/parse.ts";
import type { HttpContext, HttpEnv } from "../kit/route.ts";
import { answer, refuse, route } from "../kit/route.ts";

/** `/api/runs/:runId`: what is asked of one run, whichever session it is of. */

const RUN_ID = /^([A-Za-z0-9_-]{1,64})\.r[1-9]\d{0,8}$/;

const answerSchema = z.strictObject({ questionId: z.string().min(1).max(128).optional(), value: json });

export function mountRuns(app: Hono<HttpEnv>, { config, sessions }: Parts): void {
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
      doc: { summary: "One run: where it stands, and what it came to.", answers: { 200: "Run" } },
      handle: show,
    },
  });
  const resume = async (c: HttpContext): Promise<Response> => {
    const runId = c.req.param("runId") ?? "";
    const session = RUN_ID.exec(runId)?.[1];
    if (session === undefined) return refuse(c, NOT_FOUND);
    const body = await readJson(c.req.raw, config.limits.bodyBytes);
    const command = body.ok ? parseAnswer(body.value, runId, config.limits.messageBytes) : body;
    if (!command.ok) return refuse(c, command.error);
    const answered = await sessions(session).answer(c.var.actor, command.value);
    if (!answered.ok) return refuse(c, answered.error);
    return Response.json(
      { id: answered.value.runId, sessionId: session, status: "running" },
      { status: 202 },
    );
  };
  route(app, "/api/runs/:runId/resume", {
    POST: {
      scopes: ["send"],
      doc: { summary: "Answers the question of a run.", body: answerSchema, answers: { 202: "Resumed" } },
      handle: resume,
    },
  });
}

/** An answer to a question of this run; to the one that is open where none is named. */
function parseAnswer(body: unknown, runId: string, bytesMax: number): Answer<AnswerCommand> {
  const fields = parseFields(answerSchema, body);
  if (!fields.ok) return fields;
  const { questionId, value } = fields.value;
  if (!isAnswerText(value, bytesMax))
    return refused(refusal(422, "invalid_answer", `An answer is a text of at most ${bytesMax} bytes.`));
  return given({ runId, question: questionId ?? null, value });
}

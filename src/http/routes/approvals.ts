import { err, ok } from "../../core/log/result.ts";
import type { Hono } from "hono";
import * as z from "zod";
import { refusal, type ApiResult, type AnswerCommand } from "../../session/api/session-api.ts";
import { json } from "../../wire/json.ts";
import { isAnswerText } from "../../wire/stream/data-parts.ts";
import { decisionSchema, parseDecide } from "../kit/parse-commands.ts";
import { hasScope } from "../kit/credentials.ts";
import type { Deps } from "../kit/deps.ts";
import { listApprovals } from "../kit/index-reader.ts";
import {
  cursorOf,
  PAGE,
  PAGE_QUERY,
  parseCursor,
  parseApprovalId,
  readJson,
  parseSessionId,
  parseWhole,
  parseFields,
} from "../kit/parse.ts";
import { invalid, NOT_FOUND } from "../kit/responses.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  answer,
  refuse,
  route,
} from "../kit/route.ts";

/** `/api/approvals`: the inbox of all sessions; `/api/sessions/:id/approvals/:approvalId`: an approval is shown and decided; `/policies/:policyId`: what was remembered is revoked. */

const STATES = ["pending", "approved", "denied", "expired", "cancelled", "all"] as const;

export function mountApprovals(app: Hono<HttpEnv>, { config, sessions, tools }: Deps): void {
  const showApproval: Handle = async (c, session, actor) => {
    const approval = parseApprovalId(c.req.param("approvalId"));
    return approval.ok
      ? answer(c, await sessions(session).approval(actor, approval.value))
      : refuse(c, approval.error);
  };

  const decide: Handle = async (c, session, actor) => {
    const approval = parseApprovalId(c.req.param("approvalId"));
    if (!approval.ok) return refuse(c, approval.error);
    const body = await readJson(c.req.raw, config.limits.bodyBytes);
    const command = body.ok ? parseDecide(body.value, approval.value) : body;
    if (!command.ok) return refuse(c, command.error);
    const decided = await sessions(session).decide(actor, command.value);
    if (!decided.ok) return refuse(c, decided.error);
    const response = Response.json(decided.value.approval);
    if (decided.value.replayed) response.headers.set("idempotent-replayed", "true");
    return response;
  };

  const revoke: Handle = async (c, session, actor) => {
    const revoked = await sessions(session).revoke(actor, c.req.param("policyId") ?? "");
    return revoked.ok ? new Response(null, { status: 204 }) : refuse(c, revoked.error);
  };

  route(app, "/api/sessions/:id/policies/:policyId", {
    DELETE: {
      scopes: ["approve"],
      doc: { summary: "Takes back a remembered decision.", answers: { 204: null } },
      handle: inSession(revoke),
    },
  });

  const list = async (c: HttpContext): Promise<Response> => {
    const { state = "pending", sessionId, cursor } = c.req.query();
    const known = STATES.find((each) => each === state);
    if (known === undefined) return refuse(c, invalid(`state is one of ${STATES.join(", ")}.`));
    const session = sessionId === undefined ? ok(null) : parseSessionId(sessionId);
    if (!session.ok) return refuse(c, session.error);
    const limit = parseWhole("limit", c.req.query("limit"), PAGE);
    if (!limit.ok) return refuse(c, limit.error);
    const before = cursor === undefined ? null : parseCursor(cursor);
    if (cursor !== undefined && before === null)
      return refuse(c, invalid("This cursor is not one that a page ended with."));
    const { subject } = c.var.actor;
    const { items, next } = await listApprovals(c.env.DB, {
      reader: hasScope(c.var.actor, "admin") ? null : subject,
      state: known === "all" ? null : known,
      session: session.value,
      limit: limit.value,
      before,
    });
    const schemas = new Map(
      tools()
        .cards()
        .map((card) => [card.name, card.inputSchema]),
    );
    return Response.json({
      items: items.map((item) => ({ ...item, argsSchema: schemas.get(item.tool) ?? null })),
      nextCursor: next === null ? null : cursorOf(next),
    });
  };

  route(app, "/api/approvals", {
    GET: {
      scopes: ["approve"],
      doc: {
        summary: "Approvals that the caller may decide or owns, the last asked first.",
        query: { state: `${STATES.join(", ")}; else pending`, sessionId: "of this session", ...PAGE_QUERY },
        answers: { 200: "Approvals" },
      },
      handle: list,
    },
  });
  route(app, "/api/sessions/:id/approvals/:approvalId", {
    GET: {
      scopes: ["approve", "read"],
      doc: { summary: "An approval.", answers: { 200: "Approval" } },
      handle: inSession(showApproval),
    },
    POST: {
      scopes: ["approve"],
      doc: { summary: "Decides an approval.", body: decisionSchema, answers: { 200: "Approval" } },
      handle: inSession(decide),
    },
  });
}

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
function parseAnswer(body: unknown, runId: string, bytesMax: number): ApiResult<AnswerCommand> {
  const fields = parseFields(answerSchema, body);
  if (!fields.ok) return fields;
  const { questionId, value } = fields.value;
  if (!isAnswerText(value, bytesMax))
    return err(refusal(422, "invalid_answer", `An answer is a text of at most ${bytesMax} bytes.`));
  return ok({ runId, question: questionId ?? null, value });
}

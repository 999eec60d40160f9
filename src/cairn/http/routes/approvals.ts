import { err, ok } from "../../core/log/result.ts";
import type { Hono } from "hono";
import * as z from "zod";
import type { Answer } from "../../protocol/api.ts";
import { json } from "../../protocol/json.ts";
import { budgetAnswerSchema, decisionSchema, decisionsSchema, parseDecide } from "../kit/parse-commands.ts";
import { ownersSeenBy } from "../kit/credentials.ts";
import type { Deps } from "../deps.ts";
import { listApprovals } from "../kit/index-reader.ts";
import {
  PAGE_QUERY,
  pageBody,
  parseApprovalId,
  parsePage,
  parseSessionId,
  readFields,
} from "../kit/parse.ts";
import { invalid, NOT_FOUND } from "../kit/responses.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  answer,
  answerNothing,
  asReplay,
  refuse,
  route,
} from "../kit/route.ts";

/** `/api/approvals`: the inbox of all sessions; `/api/sessions/:id/approvals/:approvalId`: an approval is shown and decided; `/budget-questions/:questionId`: a run may have more, or not; `/policies/:policyId`: what was remembered is revoked. */

const previewSchema = z.strictObject({ args: json });

const STATES = ["pending", "approved", "denied", "expired", "cancelled", "all"] as const;

export function mountApprovals(app: Hono<HttpEnv>, { config, sessions, tools, newId }: Deps): void {
  const showApproval: Handle = async (c, session, actor) => {
    const approval = parseApprovalId(c.req.param("approvalId"));
    return approval.ok
      ? answer(c, await sessions(session).approval(actor, approval.value))
      : refuse(c, approval.error);
  };

  const decide: Handle = async (c, session, actor) => {
    const approval = parseApprovalId(c.req.param("approvalId"));
    if (!approval.ok) return refuse(c, approval.error);
    const fields = await readFields(c, decisionSchema, config.limits.bodyBytes);
    const command = fields.ok ? parseDecide(fields.value, approval.value) : fields;
    if (!command.ok) return refuse(c, command.error);
    const decided = await sessions(session).decide(actor, command.value);
    if (!decided.ok) return refuse(c, decided.error);
    return asReplay(Response.json(decided.value.approval), decided.value.replayed);
  };

  /** Each is checked on its own, one after the other, and what was decided stays so when a later one is refused. */
  const decideSeveral = async (c: HttpContext): Promise<Response> => {
    const fields = await readFields(c, decisionsSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const items: Answer<"Decisions">["items"][number][] = [];
    for (const { sessionId, approvalId, decision, digest, reason = null } of fields.value.decisions) {
      const [session, approval] = [parseSessionId(sessionId), parseApprovalId(approvalId)];
      const command = { approval: approvalId, decision, args: null, reason, digest };
      const decided =
        session.ok && approval.ok ? await sessions(sessionId).decide(c.var.actor, command) : err(NOT_FOUND);
      const which = { sessionId, approvalId, decided: decided.ok };
      if (decided.ok) items.push({ ...which, approval: decided.value.approval, error: null });
      else
        items.push({
          ...which,
          approval: null,
          error: { code: decided.error.code, message: decided.error.message },
        });
    }
    return Response.json({ items });
  };

  const answerBudget: Handle = async (c, session, actor) => {
    const fields = await readFields(c, budgetAnswerSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const { decision, askedAt } = fields.value;
    const question = c.req.param("questionId") ?? "";
    const requested = askedAt === undefined ? {} : { askedAt: Date.parse(askedAt) };
    const command = { id: newId(), question, decision, ...requested };
    const answered = await sessions(session).answerBudget(actor, command);
    if (!answered.ok) return refuse(c, answered.error);
    return asReplay(Response.json(answered.value.question), answered.value.replayed);
  };

  const preview: Handle = async (c, session, actor) => {
    const approval = parseApprovalId(c.req.param("approvalId"));
    if (!approval.ok) return refuse(c, approval.error);
    const fields = await readFields(c, previewSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const command = { approval: approval.value, args: fields.value.args };
    return answer(c, await sessions(session).preview(actor, command));
  };

  const revoke: Handle = async (c, session, actor) =>
    answerNothing(c, await sessions(session).revoke(actor, c.req.param("policyId") ?? ""));

  route(app, "/api/sessions/:id/policies/:policyId", {
    DELETE: {
      scopes: ["approve"],
      summary: "Revokes a remembered decision.",
      answers: { 204: null },
      handle: inSession(revoke),
    },
  });

  const list = async (c: HttpContext): Promise<Response> => {
    const { state = "pending", sessionId } = c.req.query();
    const known = STATES.find((each) => each === state);
    if (known === undefined) return refuse(c, invalid(`state is one of ${STATES.join(", ")}.`));
    const session = sessionId === undefined ? ok(null) : parseSessionId(sessionId);
    if (!session.ok) return refuse(c, session.error);
    const page = parsePage(c.req.query());
    if (!page.ok) return refuse(c, page.error);
    const { items, next } = await listApprovals(c.env.DB, {
      reader: ownersSeenBy(c.var.actor),
      state: known === "all" ? null : known,
      session: session.value,
      ...page.value,
    });
    const schemas = new Map(
      tools()
        .cards()
        .map((card) => [card.name, card.argsSchema ?? card.inputSchema]),
    );
    const withSchema = items.map((item) => ({ ...item, argsSchema: schemas.get(item.tool) ?? null }));
    return Response.json(pageBody(withSchema, next));
  };

  route(app, "/api/approvals", {
    GET: {
      scopes: ["approve"],
      summary: "Lists approvals that you own or may decide.",
      query: { state: `${STATES.join(", ")}; else pending`, sessionId: "of this session", ...PAGE_QUERY },
      answers: { 200: "Approvals" },
      handle: list,
    },
  });
  route(app, "/api/approvals/decisions", {
    POST: {
      scopes: ["approve"],
      summary: "Decides 1 to 50 approvals independently.",
      body: decisionsSchema,
      answers: { 200: "Decisions" },
      handle: decideSeveral,
    },
  });
  route(app, "/api/sessions/:id/budget-questions/:questionId", {
    POST: {
      scopes: ["approve"],
      summary: "Grants a run more, or refuses.",
      body: budgetAnswerSchema,
      answers: { 200: "BudgetQuestion" },
      handle: inSession(answerBudget),
    },
  });
  route(app, "/api/sessions/:id/approvals/:approvalId/preview", {
    POST: {
      scopes: ["approve"],
      summary: "Previews other arguments; decides nothing.",
      body: previewSchema,
      answers: { 200: "EditPreview" },
      handle: inSession(preview),
    },
  });
  route(app, "/api/sessions/:id/approvals/:approvalId", {
    GET: {
      scopes: ["approve", "read"],
      summary: "Reads an approval.",
      answers: { 200: "Approval" },
      handle: inSession(showApproval),
    },
    POST: {
      scopes: ["approve"],
      summary: "Decides an approval.",
      body: decisionSchema,
      answers: { 200: "Approval" },
      handle: inSession(decide),
    },
  });
}

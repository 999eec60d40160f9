import type { Hono } from "hono";
import type { Answer } from "../../session/api/session-api.ts";
import { given, invalid, NOT_FOUND, refused } from "../kit/responses.ts";
import type { Parts } from "../app.ts";
import { readJson } from "../kit/parse.ts";
import { cursorOf, PAGE, PAGE_QUERY, parseCursor } from "./session-list.ts";
import { hasScope } from "../kit/credentials.ts";
import { listApprovals } from "../kit/index-reader.ts";
import { parseSessionId, parseWhole } from "../kit/queries.ts";
import { decisionSchema, parseDecide } from "../kit/commands.ts";
import { inSession, type Handle } from "../kit/in-session.ts";
import type { HttpContext, HttpEnv } from "../kit/route.ts";
import { answer, refuse, route } from "../kit/route.ts";

/** `/api/approvals`: the inbox of all sessions; `/api/sessions/:id/approvals/:approvalId`: an approval is shown and decided; `/policies/:policyId`: what was remembered is revoked. */

const STATES = ["pending", "approved", "denied", "expired", "cancelled", "all"] as const;
const APPROVAL_ID = /^r[1-9]\d{0,8}s[1-9]\d{0,8}c\d{1,9}a[1-9]\d{0,8}$/;

export function mountApprovals(app: Hono<HttpEnv>, { config, sessions, tools }: Parts): void {
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
    const session = sessionId === undefined ? given(null) : parseSessionId(sessionId);
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

export function parseApprovalId(id: string | undefined): Answer<string> {
  return id !== undefined && APPROVAL_ID.test(id) ? given(id) : refused(NOT_FOUND);
}

import type { Hono } from "hono";
import type { Answer } from "../session/door.ts";
import { given, NOT_FOUND, refused } from "./answers.ts";
import type { Parts } from "./app.ts";
import { readJson } from "./bodies.ts";
import { decisionSchema, parseDecide } from "./commands.ts";
import { inSession, type Handle } from "./in-session.ts";
import type { HttpEnv } from "./route.ts";
import { answer, refuse, route } from "./route.ts";

/** `/api/sessions/:id/approvals/:approvalId`: an approval is shown and decided; `/policies/:policyId`: what was remembered is revoked. */

const APPROVAL_ID = /^r[1-9]\d{0,8}s[1-9]\d{0,8}c\d{1,9}a[1-9]\d{0,8}$/;

export function mountApprovals(app: Hono<HttpEnv>, { config, sessions }: Parts): void {
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

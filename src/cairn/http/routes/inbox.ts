import { readRunId } from "../../core/log/names.ts";
import type { Hono } from "hono";
import { hasScope } from "../kit/credentials.ts";
import { listApprovals } from "../kit/index-reader.ts";
import { dismiss, listInbox } from "../kit/inbox-reader.ts";
import { parseSessionId } from "../kit/parse.ts";
import { NOT_FOUND } from "../kit/responses.ts";
import { refuse, route, type HttpContext, type HttpEnv } from "../kit/route.ts";

/** `/api/inbox`: all that waits for the caller, over all sessions; a failed scheduled run is taken off it. */

/** of each kind; what is left out comes up as these are dealt with */
const ITEMS_MAX = 100;

export function mountInbox(app: Hono<HttpEnv>): void {
  const show = async (c: HttpContext): Promise<Response> => {
    const { actor } = c.var;
    const reader = hasScope(actor, "admin") ? null : actor.subject;
    const [approvals, items] = await Promise.all([
      hasScope(actor, "approve")
        ? listApprovals(c.env.DB, { reader, state: "pending", session: null, limit: ITEMS_MAX, before: null })
        : { items: [], next: null },
      hasScope(actor, "read")
        ? listInbox(c.env.DB, actor.subject, ITEMS_MAX)
        : { budgetQuestions: [], questions: [], failedRuns: [], more: false },
    ]);
    return Response.json({
      approvals: approvals.items,
      ...items,
      more: items.more || approvals.next !== null,
    });
  };
  const forget = async (c: HttpContext): Promise<Response> => {
    const { session, run } = readRunId(c.req.param("runId") ?? "") ?? { session: "", run: "" };
    if (!parseSessionId(session).ok) return refuse(c, NOT_FOUND);
    // A missing item, or another user's, reads as already dismissed.
    await dismiss(c.env.DB, c.var.actor.subject, session, run);
    return new Response(null, { status: 204 });
  };
  route(app, "/api/inbox", {
    GET: {
      scopes: ["read", "approve"],
      summary: "Lists everything that waits for you.",
      answers: { 200: "Inbox" },
      handle: show,
    },
  });
  route(app, "/api/inbox/:runId", {
    DELETE: {
      scopes: ["send"],
      summary: "Dismisses a failed scheduled run.",
      answers: { 204: null },
      handle: forget,
    },
  });
}

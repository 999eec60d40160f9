import type { Hono } from "hono";
import type { Deps } from "../deps.ts";
import { parseSessionId } from "../kit/parse.ts";
import { forwardedUpgrade, isUpgrade } from "../kit/request-policy.ts";
import { closedSocket } from "../kit/responses.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  missingScope,
  refuse,
  route,
  UPGRADE_REQUIRED,
} from "../kit/route.ts";
import { readRefusal } from "../kit/session-client.ts";

/** `/agents/session/:id`, the route of the stock clients. Every other path below /agents is 404. */

const MESSAGES_SHOWN = 200;

export function mountAgents(app: Hono<HttpEnv>, { sessions }: Deps): void {
  const connect = async (c: HttpContext): Promise<Response> => {
    if (!isUpgrade(c.req.raw)) return refuse(c, UPGRADE_REQUIRED);
    const actor = c.var.actor;
    const missing = missingScope(actor, ["read"]);
    if (missing !== null) return closedSocket(missing);
    const id = parseSessionId(c.req.param("id"));
    if (!id.ok) return closedSocket(id.error);
    const response = await sessions(id.value).connect(actor, forwardedUpgrade(c.req.raw));
    return response.status === 101 ? response : closedSocket(await readRefusal(response));
  };

  const storedMessages: Handle = async (c, session, actor) => {
    const page = await sessions(session).messages(actor, MESSAGES_SHOWN, null);
    // a stock client asks for a session that does not exist yet: none and a foreign one are an empty list
    if (!page.ok) return page.error.status === 404 ? Response.json([]) : refuse(c, page.error);
    return Response.json(page.value.items);
  };

  route(app, "/agents/session/:id", { GET: { scopes: [], handle: connect } });
  route(app, "/agents/session/:id/get-messages", {
    GET: { scopes: ["read"], handle: inSession(storedMessages) },
  });
}

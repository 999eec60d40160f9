import type { Actor } from "../../session/api/session-api.ts";
import { parseSessionId } from "./queries.ts";
import type { HttpContext } from "./route.ts";
import { refuse } from "./route.ts";

/** Answers for one session. Ownership is the session's own check. */
export type Handle = (c: HttpContext, session: string, actor: Actor) => Response | Promise<Response>;

/** Hands over the id of the path once it is one, so that no other text ever names an object. */
export const inSession = (handle: Handle) => (c: HttpContext) => {
  const id = parseSessionId(c.req.param("id"));
  return id.ok ? handle(c, id.value, c.var.actor) : refuse(c, id.error);
};

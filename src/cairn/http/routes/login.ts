import type { Hono } from "hono";
import * as z from "zod";
import type { Scope } from "../../session/api/session-api.ts";
import { TICKET_MS } from "../../protocol/signed/ticket.ts";
import { bearerOf, cookieFor, hasScope, mintTicket, UNAUTHENTICATED } from "../kit/credentials.ts";
import type { Deps } from "../deps.ts";
import { parseSessionId, readFields } from "../kit/parse.ts";
import { type HttpContext, type HttpEnv, missingScope, refuse, route } from "../kit/route.ts";

/** Credentials for browsers, which cannot send a header with everything: a cookie for pages, a ticket for a socket. */

export const ticketSchema = z.strictObject({
  sessionId: z.string(),
  scopes: z
    .array(z.enum(["read", "send", "approve", "admin"]))
    .min(1)
    .optional(),
});
export const cookieSchema = z.strictObject({});

export function mountLogin(app: Hono<HttpEnv>, deps: Deps): void {
  const { config, now, newId, sessions } = deps;

  const ticket = async (c: HttpContext): Promise<Response> => {
    const { actor } = c.var;
    const fields = await readFields(c, ticketSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const session = parseSessionId(fields.value.sessionId);
    if (!session.ok) return refuse(c, session.error);
    const scopes: readonly Scope[] = fields.value.scopes ?? actor.scopes;
    const beyond = scopes.find((scope) => !hasScope(actor, scope));
    const missing = beyond === undefined ? null : missingScope(actor, [beyond]);
    if (missing !== null) return refuse(c, missing);
    const expiresAt = now() + TICKET_MS;
    const origin = c.req.header("origin") ?? null;
    // Names can be used again: the ticket is for the session that has the name now.
    const found = await sessions(session.value).view(actor);
    const minted = {
      id: newId(),
      session: session.value,
      sessionAt: found.ok ? Date.parse(found.value.createdAt) : null,
      scopes: [...new Set(scopes)],
      origin,
      expiresAt,
    };
    return Response.json(
      {
        ticket: mintTicket(config, actor, minted),
        expiresAt: new Date(expiresAt).toISOString(),
        sessionId: session.value,
        scopes: minted.scopes,
      },
      { status: 201 },
    );
  };

  const signIn = async (c: HttpContext): Promise<Response> => {
    // A cookie is not made of a cookie, so that it ends.
    const token = bearerOf(c.req.raw);
    if (token === null) return refuse(c, UNAUTHENTICATED);
    const fields = await readFields(c, cookieSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    return new Response(null, { status: 204, headers: { "set-cookie": cookieFor(c.req.raw, token) } });
  };

  route(app, "/api/tickets", {
    POST: {
      scopes: ["read"],
      summary: "Makes a ticket for one socket, valid for 30 seconds.",
      body: ticketSchema,
      answers: { 201: "Ticket" },
      handle: ticket,
    },
  });
  route(app, "/api/auth/cookie", {
    POST: {
      scopes: [],
      summary: "Stores the bearer token in a cookie.",
      body: cookieSchema,
      answers: { 204: null },
      handle: signIn,
    },
    DELETE: {
      scopes: [],
      summary: "Clears the cookie.",
      answers: { 204: null },
      handle: (c) =>
        new Response(null, { status: 204, headers: { "set-cookie": cookieFor(c.req.raw, null) } }),
    },
  });
}

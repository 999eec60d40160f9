import { MCP_SERVER, MCP_SERVERS } from "./answers.ts";
import type { Hono } from "hono";
import { roleOf } from "../../../cairn/core/guards/permissions.ts";
import { err, type Result } from "../../../cairn/core/log/result.ts";
import { refusal, type Actor, type ApiError } from "../../../cairn/session/api/session-api.ts";
import { MCP_SERVER_NAME, mcpServerFields, oauthOf, type McpServer } from "../server.ts";
import { callbackOf } from "../servers.ts";
import { messagePage, styleHash } from "../../../cairn/http/links/approval-page.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { readFields } from "../../../cairn/http/kit/parse.ts";
import {
  answer,
  answerNothing,
  refuse,
  route,
  type HttpContext,
  type HttpEnv,
} from "../../../cairn/http/kit/route.ts";
import { signInError, type ServerList } from "./server-list.ts";

/** `/api/mcp`: the MCP servers whose tools this deployment offers, and signing in at them. */

const BODY_BYTES_MAX = 65_536;
const BAD_NAME = refusal(
  400,
  "invalid_id",
  "The name of an MCP server is 1 to 16 of a-z 0-9, and begins with a letter.",
);
const NOT_AN_ADMIN = refusal(
  403,
  "missing_scope",
  "Only an admin of this deployment may do this.",
  "`admins` in src/agents/default.ts names them.",
);

export function mountMcpServers(app: Hono<HttpEnv>, { admins, config, now }: Deps, mcp: ServerList): void {
  const isAdmin = (actor: Actor): boolean => roleOf(actor, admins) === "admin";
  const named = (handle: (c: HttpContext, name: string) => Promise<Response>) => (c: HttpContext) => {
    const name = c.req.param("name") ?? "";
    return MCP_SERVER_NAME.test(name) ? handle(c, name) : refuse(c, BAD_NAME);
  };
  const originOf = (c: HttpContext): string => config.publicUrl ?? new URL(c.req.url).origin;

  const put = named(async (c, name) => {
    if (!isAdmin(c.var.actor)) return refuse(c, NOT_AN_ADMIN);
    const fields = await readFields(c, mcpServerFields, Math.min(BODY_BYTES_MAX, config.limits.bodyBytes));
    if (!fields.ok) return refuse(c, fields.error);
    const stored = await mcp.put({ ...fields.value, name }, c.var.actor.subject, now());
    if (!stored.ok) return refuse(c, stored.error);
    const { server, isNew } = stored.value;
    const response = Response.json(server, { status: isNew ? 201 : 200 });
    if (isNew) response.headers.set("location", `/api/mcp/${name}`);
    return response;
  });

  const remove = named(async (c, name) =>
    isAdmin(c.var.actor) ? answerNothing(c, await mcp.remove(name)) : refuse(c, NOT_AN_ADMIN),
  );

  /** The server, where this caller may sign in: for the deployment an admin does. */
  const signsIn = async (c: HttpContext, name: string): Promise<Result<McpServer, ApiError>> => {
    const found = await mcp.signsIn(name);
    if (!found.ok) return found;
    const isForAll = oauthOf(found.value)?.for === "deployment";
    return isForAll && !isAdmin(c.var.actor) ? err(NOT_AN_ADMIN) : found;
  };

  const begin = named(async (c, name) => {
    const server = await signsIn(c, name);
    if (!server.ok) return refuse(c, server.error);
    const { subject } = c.var.actor;
    const begun = signInError(await mcp.servers.beginSignIn(server.value, subject, callbackOf(originOf(c))));
    return begun.ok ? sendTo(begun.value.href, 302) : refuse(c, begun.error);
  });

  const end = named(async (c, name) => {
    const server = await signsIn(c, name);
    if (!server.ok) return refuse(c, server.error);
    const { state = "", code = "", iss = null } = c.req.query();
    const back = { state, code, iss, callback: callbackOf(originOf(c)) };
    const ended = await mcp.servers.endSignIn(server.value, c.var.actor.subject, back);
    return sendTo(`/mcp-servers/callback?${ended.ok ? "done" : "failed"}=${name}`, 303);
  });

  const signOut = named(async (c, name) => {
    const server = await signsIn(c, name);
    if (!server.ok) return refuse(c, server.error);
    await mcp.servers.signOut(server.value, c.var.actor.subject);
    return new Response(null, { status: 204 });
  });

  route(app, "/api/mcp", {
    GET: {
      scopes: ["read"],
      summary: "Lists MCP servers and their tools.",
      answers: { 200: MCP_SERVERS },
      handle: async (c) => Response.json({ items: await mcp.list(c.var.actor.subject) }),
    },
  });
  route(app, "/api/mcp/:name", {
    GET: {
      scopes: ["read"],
      id: "getMcpServer",
      summary: "Reads an MCP server.",
      answers: { 200: MCP_SERVER },
      handle: named(async (c, name) => answer(c, await mcp.find(name, c.var.actor.subject))),
    },
    PUT: {
      scopes: ["admin"],
      id: "putMcpServer",
      summary: "Stores an MCP server and lists its tools.",
      body: mcpServerFields,
      answers: { 201: MCP_SERVER, 200: MCP_SERVER },
      handle: put,
    },
    DELETE: {
      scopes: ["admin"],
      id: "deleteMcpServer",
      summary: "Deletes an MCP server and its accounts.",
      answers: { 204: null },
      handle: remove,
    },
  });
  route(app, "/api/mcp/:name/sign-in", {
    GET: {
      scopes: ["send"],
      id: "getMcpServerSignIn",
      summary: "Redirects to the server's sign-in.",
      answers: { 302: null },
      handle: begin,
    },
    DELETE: {
      scopes: ["send"],
      id: "deleteMcpServerSignIn",
      summary: "Deletes your tokens.",
      answers: { 204: null },
      handle: signOut,
    },
  });
  route(app, "/api/mcp/:name/signed-in", {
    GET: {
      scopes: ["send"],
      id: "getMcpServerSignedIn",
      summary: "Completes the sign-in.",
      query: { state: "of the sign-in", code: "of the sign-in", iss: "who gave it" },
      answers: { 303: null },
      handle: end,
    },
  });
}

/**
 * Where authorization servers send people back to. Their redirect carries no cookie (it is `SameSite=Strict`), so the page
 * goes on to the API by itself: who has come back is known there.
 */
export function mountMcpCallback(app: Hono<HttpEnv>): void {
  app.get("/mcp-servers/callback", (c) => {
    const { state = "", code = "", iss, error, done, failed } = c.req.query();
    const [name = ""] = state.split(".");
    if (done !== undefined)
      return page(
        "You are signed in",
        "Close this page, and ask again in Cairn: the next run has the tools.",
      );
    if (failed !== undefined || error !== undefined || code === "" || !MCP_SERVER_NAME.test(name))
      return page(
        "You are not signed in",
        "Nothing was kept. Open the address that Cairn gave you once more.",
      );
    const query = new URLSearchParams({ state, code, ...(iss === undefined ? {} : { iss }) });
    return page(
      "One moment",
      "Cairn is told that you are back.",
      `/api/mcp/${name}/signed-in?${query.toString()}`,
    );
  });
}

function page(title: string, text: string, next?: string): Response {
  const response = new Response(messagePage(title, text), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": `default-src 'none'; style-src '${styleHash()}'; frame-ancestors 'none'; base-uri 'none'`,
    },
  });
  if (next !== undefined) response.headers.set("refresh", `0;url=${next}`);
  return response;
}

const sendTo = (location: string, status: 302 | 303): Response =>
  new Response(null, {
    status,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  });

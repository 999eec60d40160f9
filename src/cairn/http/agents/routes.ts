import type { Hono } from "hono";
import { AGENT_NAME } from "../../core/log/names.ts";
import { refusal } from "../../session/api/session-api.ts";
import { agentSchema } from "../../protocol/agent.ts";
import type { Answer } from "../../protocol/api.ts";
import type { Deps } from "../deps.ts";
import { parseIdempotencyKey } from "../kit/idempotency.ts";
import { parseIfMatch, readJson } from "../kit/parse.ts";
import { answerNothing, asReplay, refuse, route, type HttpContext, type HttpEnv } from "../kit/route.ts";
import { NO_AGENT } from "./agent-store.ts";

/** `/api/agents`: the agents of the deployment; those that are no files are stored, changed and deleted here. */

export const AGENT_BYTES_MAX = 65_536;

const BAD_NAME = refusal(
  400,
  "invalid_id",
  "The name of an agent is 1 to 64 of a-z 0-9 _ -, and begins with a letter.",
);

export function mountAgentDefinitions(app: Hono<HttpEnv>, { agents, config, now }: Deps): void {
  const named = (handle: (c: HttpContext, name: string) => Promise<Response>) => (c: HttpContext) => {
    const name = c.req.param("name") ?? "";
    return AGENT_NAME.test(name) ? handle(c, name) : refuse(c, BAD_NAME);
  };

  const list = async (): Promise<Response> =>
    Response.json({ items: await agents.list(), models: config.models?.allowed ?? [] });

  const show = named(async (c, name) => {
    const found = await agents.find(name);
    return found === null ? refuse(c, NO_AGENT) : withVersion(Response.json(found), found);
  });

  const put = named(async (c, name) => {
    const ifVersion = parseIfMatch(c.req.header("if-match"));
    if (!ifVersion.ok) return refuse(c, ifVersion.error);
    const body = await readJson(c.req.raw, Math.min(AGENT_BYTES_MAX, config.limits.bodyBytes));
    if (!body.ok) return refuse(c, body.error);
    const key = parseIdempotencyKey(c, body.value);
    if (!key.ok) return refuse(c, key.error);
    const change = { name, body: body.value, ifVersion: ifVersion.value, idempotency: key.value, at: now() };
    const stored = await agents.put(c.var.actor, change);
    if (!stored.ok) return refuse(c, stored.error);
    const { agent, replayed } = stored.value;
    const response = Response.json(agent, { status: agent.version === 1 ? 201 : 200 });
    if (agent.version === 1) response.headers.set("location", `/api/agents/${name}`);
    return withVersion(asReplay(response, replayed), agent);
  });

  const remove = named(async (c, name) => {
    const ifVersion = parseIfMatch(c.req.header("if-match"));
    if (!ifVersion.ok) return refuse(c, ifVersion.error);
    return answerNothing(c, await agents.remove(c.var.actor, name, ifVersion.value));
  });

  route(app, "/api/agents", {
    GET: {
      scopes: ["read"],
      summary: "Lists agents, and models for sessions.",
      answers: { 200: "Agents" },
      handle: list,
    },
  });
  route(app, "/api/agents/:name", {
    GET: {
      scopes: ["read"],
      summary: "Reads an agent.",
      answers: { 200: "Agent" },
      handle: show,
    },
    PUT: {
      scopes: ["admin"],
      summary: "Stores an agent.",
      headers: ["If-Match", "Idempotency-Key"],
      body: agentSchema,
      bodyFields: "agent",
      answers: { 201: "Agent", 200: "Agent" },
      handle: put,
    },
    DELETE: {
      scopes: ["admin"],
      summary: "Deletes a stored agent.",
      headers: ["If-Match"],
      answers: { 204: null },
      handle: remove,
    },
  });
}

function withVersion(response: Response, { version }: Pick<Answer<"Agent">, "version">): Response {
  if (version !== null) response.headers.set("etag", `"${version}"`);
  return response;
}

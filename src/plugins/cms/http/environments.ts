import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import type { Hono } from "hono";
import * as z from "zod";
import type { Bindings } from "../../../cairn/bindings.ts";
import { err, ok } from "../../../cairn/core/log/result.ts";
import { roleOf } from "../../../cairn/core/guards/permissions.ts";
import type { Visitor } from "../../../cairn/core/guards/target-access.ts";
import type { Actor, ApiResult } from "../../../cairn/session/api/session-api.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { siteAnswer, type SiteAnswer } from "../protocol/answers.ts";
import { readFields } from "../../../cairn/http/kit/parse.ts";
import { NOT_AN_ADMIN, NOT_FOUND } from "../../../cairn/http/kit/responses.ts";
import { answer, refuse, route, type HttpContext, type HttpEnv } from "../../../cairn/http/kit/route.ts";

/** `/api/cms/environments`: the sites that sessions, runs and agents may work on, besides the deployment's own. */

type EnvironmentView = SiteAnswer<"Environment">;

/** A person with whom an environment is not shared finds none. `at`: milliseconds since the epoch. */
export interface Environments {
  list(env: Bindings, visitor: Visitor, at: number): Promise<ApiResult<readonly EnvironmentView[]>>;
  create(
    env: Bindings,
    visitor: Visitor,
    wanted: { readonly siteId: string | null; readonly name: string; readonly members: readonly string[] },
    at: number,
  ): Promise<ApiResult<EnvironmentView>>;
  change(
    env: Bindings,
    visitor: Visitor,
    id: string,
    members: readonly string[],
    at: number,
  ): Promise<ApiResult<EnvironmentView>>;
}

const MEMBERS_MAX = 100;

const membersSchema = z
  .array(z.string().regex(/^(\*|[A-Za-z0-9_.@:-]{1,64})$/, "It must be a subject, or * for everybody."))
  .max(MEMBERS_MAX);

const createSchema = z.strictObject({
  siteId: z.string().regex(ID_PATTERN, "It must be the id of a site.").optional(),
  name: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "1 to 40 of a-z 0-9 -, and it begins with a letter."),
  members: membersSchema.optional(),
});

const changeSchema = z.strictObject({ members: membersSchema });

/** The requester, as sites are shared with them. */
export const visitorOf = (actor: Actor, { admins }: Pick<Deps, "admins">): Visitor => ({
  subject: actor.subject,
  isAdmin: roleOf(actor, admins) === "admin",
});

export function mountEnvironments(app: Hono<HttpEnv>, environments: Environments, deps: Deps): void {
  const { config, now } = deps;
  const adminOf = (c: HttpContext): ApiResult<Visitor> => {
    const visitor = visitorOf(c.var.actor, deps);
    return visitor.isAdmin ? ok(visitor) : err(NOT_AN_ADMIN);
  };

  const list = async (c: HttpContext): Promise<Response> => {
    const listed = await environments.list(c.env, visitorOf(c.var.actor, deps), now());
    return listed.ok ? Response.json({ items: listed.value }) : refuse(c, listed.error);
  };

  const create = async (c: HttpContext): Promise<Response> => {
    const visitor = adminOf(c);
    if (!visitor.ok) return refuse(c, visitor.error);
    const fields = await readFields(c, createSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const { siteId = null, name, members = [] } = fields.value;
    return answer(c, await environments.create(c.env, visitor.value, { siteId, name, members }, now()), 201);
  };

  const change = async (c: HttpContext): Promise<Response> => {
    const visitor = adminOf(c);
    if (!visitor.ok) return refuse(c, visitor.error);
    const id = c.req.param("environmentId") ?? "";
    if (!ID_PATTERN.test(id)) return refuse(c, NOT_FOUND);
    const fields = await readFields(c, changeSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    return answer(c, await environments.change(c.env, visitor.value, id, fields.value.members, now()));
  };

  route(app, "/api/cms/environments", {
    GET: {
      scopes: ["read"],
      summary: "Lists environments.",
      answers: { 200: siteAnswer("Environments") },
      handle: list,
    },
    POST: {
      scopes: ["admin"],
      summary: "Makes an environment.",
      body: createSchema,
      answers: { 201: siteAnswer("Environment") },
      handle: create,
    },
  });
  route(app, "/api/cms/environments/:environmentId", {
    PATCH: {
      scopes: ["admin"],
      summary: "Sets its members.",
      body: changeSchema,
      answers: { 200: siteAnswer("Environment") },
      handle: change,
    },
  });
}

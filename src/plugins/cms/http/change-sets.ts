import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import { siteAnswer } from "../protocol/answers.ts";
import type { Hono } from "hono";
import * as z from "zod";
import type { Deps } from "../../../cairn/http/deps.ts";
import { parseIdempotencyKey } from "../../../cairn/http/kit/idempotency.ts";
import { parseFields, readFields } from "../../../cairn/http/kit/parse.ts";
import { NOT_FOUND } from "../../../cairn/http/kit/responses.ts";
import {
  answer,
  asReplay,
  refuse,
  route,
  type HttpContext,
  type HttpEnv,
} from "../../../cairn/http/kit/route.ts";
import { visitorOf } from "./environments.ts";
import type { KeyedRequest, SiteChanges } from "./site-changes.ts";

/** Change sets by hand: what is collected, its difference, and the decision about it. */

const environment = z.string().regex(ID_PATTERN, "It must be the id of an environment.").optional();
const listSchema = z.strictObject({
  environment,
  state: z.enum(["open", "published", "discarded"]).optional(),
});
const oneSchema = z.strictObject({ environment });
const beginSchema = z.strictObject({
  environment,
  session: z.string().regex(ID_PATTERN, "It must be the id of a session."),
  name: z.string().trim().min(1).max(80).optional(),
});
const publishSchema = z.strictObject({
  environment,
  digest: z.string().max(100).optional(),
  overwrite: z.array(z.string().min(1).max(100)).max(50).optional(),
  at: z.string().max(40).optional(),
  timeZone: z.string().max(60).optional(),
});

export function mountChangeSets(app: Hono<HttpEnv>, changes: SiteChanges, deps: Deps): void {
  const { config, now, newId, sessions } = deps;
  const visitor = (c: HttpContext) => visitorOf(c.var.actor, deps);

  /** The key of this request, or the refusal of a bad one. */
  const keyed = (c: HttpContext, body: object, of: string | undefined) => {
    const key = parseIdempotencyKey(c, body);
    if (!key.ok) return key;
    const request: KeyedRequest = {
      environment: of ?? null,
      visitor: visitor(c),
      key: `http:${key.value?.key ?? newId()}`,
    };
    return { ok: true as const, value: request };
  };
  const setOf = (c: HttpContext): string | null => {
    const id = c.req.param("setId") ?? "";
    return ID_PATTERN.test(id) ? id : null;
  };

  const list = async (c: HttpContext): Promise<Response> => {
    const query = parseFields(listSchema, c.req.query());
    if (!query.ok) return refuse(c, query.error);
    const { environment: of = null, state = null } = query.value;
    return answer(c, await changes.list(c.env, { environment: of, visitor: visitor(c), state }, now()));
  };

  const begin = async (c: HttpContext): Promise<Response> => {
    const fields = await readFields(c, beginSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const { environment: of, session, name = null } = fields.value;
    // Only the session's owner may redirect its writes into a set.
    const seen = await sessions(session).view(c.var.actor);
    if (!seen.ok) return refuse(c, seen.error);
    const request = keyed(c, fields.value, of);
    if (!request.ok) return refuse(c, request.error);
    const createdAt = Date.parse(seen.value.createdAt);
    return answer(c, await changes.begin(c.env, { ...request.value, session, createdAt, name }, now()), 201);
  };

  const show = async (c: HttpContext): Promise<Response> => {
    const query = parseFields(oneSchema, c.req.query());
    if (!query.ok) return refuse(c, query.error);
    const set = setOf(c);
    if (set === null) return refuse(c, NOT_FOUND);
    const { environment: of = null } = query.value;
    return answer(c, await changes.show(c.env, { environment: of, visitor: visitor(c), set }, now()));
  };

  const publish = async (c: HttpContext): Promise<Response> => {
    const fields = await readFields(c, publishSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const set = setOf(c);
    if (set === null) return refuse(c, NOT_FOUND);
    const { environment: of, ...given } = fields.value;
    const request = keyed(c, fields.value, of);
    if (!request.ok) return refuse(c, request.error);
    return settled(c, await changes.publish(c.env, { ...request.value, ...given, set }, now()));
  };

  const discard = async (c: HttpContext): Promise<Response> => {
    const query = parseFields(oneSchema, c.req.query());
    if (!query.ok) return refuse(c, query.error);
    const set = setOf(c);
    if (set === null) return refuse(c, NOT_FOUND);
    const request = keyed(c, {}, query.value.environment);
    if (!request.ok) return refuse(c, request.error);
    return settled(c, await changes.discard(c.env, { ...request.value, set }, now()));
  };

  const settled = (c: HttpContext, done: Awaited<ReturnType<SiteChanges["publish"]>>): Response => {
    if (!done.ok) return refuse(c, done.error);
    const { replayed, ...value } = done.value;
    return asReplay(Response.json(value), replayed);
  };

  route(app, "/api/cms/change-sets", {
    GET: {
      scopes: ["send"],
      summary: "Lists up to 50 change sets, newest first.",
      query: {
        state: "open, published or discarded",
        environment: "id of another one than the deployment's own",
      },
      answers: { 200: siteAnswer("ChangeSets") },
      handle: list,
    },
    POST: {
      scopes: ["send"],
      summary: "Opens a session's change set.",
      headers: ["Idempotency-Key"],
      body: beginSchema,
      answers: { 201: siteAnswer("ChangeSetBrief") },
      handle: begin,
    },
  });
  route(app, "/api/cms/change-sets/:setId", {
    GET: {
      scopes: ["send"],
      summary: "Reads a change set as one difference.",
      query: { environment: "id of another one than the deployment's own" },
      answers: { 200: siteAnswer("ChangeSet") },
      handle: show,
    },
    DELETE: {
      scopes: ["approve"],
      summary: "Discards a change set.",
      query: { environment: "id of another one than the deployment's own" },
      headers: ["Idempotency-Key"],
      answers: { 200: siteAnswer("ChangeSetSettled") },
      handle: discard,
    },
  });
  route(app, "/api/cms/change-sets/:setId/publish", {
    POST: {
      scopes: ["approve"],
      summary: "Publishes a change set, now or later.",
      headers: ["Idempotency-Key"],
      body: publishSchema,
      answers: { 200: siteAnswer("ChangeSetSettled") },
      handle: publish,
    },
  });
}

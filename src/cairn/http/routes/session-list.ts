import { agentName } from "../kit/parse-commands.ts";
import { err, ok } from "../../core/log/result.ts";
import type { Hono } from "hono";
import * as z from "zod";
import { modelText, parseModelName } from "../../core/log/model.ts";
import { refusal, type ApiResult, type SessionView } from "../../session/api/session-api.ts";
import { isVisible, wellFormedText } from "../../protocol/chat-body.ts";
import { modelAllowed, ownNames, type Models } from "../../config/config.ts";
import { json } from "../../protocol/json.ts";
import { targetsSchema } from "../../protocol/run-spec/targets.ts";
import { ownersSeenBy } from "../kit/credentials.ts";
import type { Deps } from "../deps.ts";
import { newSessionId, parseIdempotencyKey } from "../kit/idempotency.ts";
import { listSessions, sumUsage, USAGE_GROUPS, type UsageGroup } from "../kit/index-reader.ts";
import { PAGE_QUERY, pageBody, parseIfMatch, parsePage, parseSessionId, readFields } from "../kit/parse.ts";
import { invalid } from "../kit/responses.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  answer,
  answerNothing,
  asReplay,
  refuse,
  route,
} from "../kit/route.ts";

const TITLE_CHARS_MAX = 200;

const METADATA_BYTES_MAX = 16_384;

const STATUSES = ["idle", "running", "waiting"] as const;

const titleSchema = wellFormedText.pipe(
  z.string().max(TITLE_CHARS_MAX).refine(isVisible, "A title says something."),
);

const metadataSchema = z
  .record(z.string(), json)
  .refine(
    (value) => JSON.stringify(value).length <= METADATA_BYTES_MAX,
    `At most ${METADATA_BYTES_MAX} bytes.`,
  );

export const createSchema = z.strictObject({
  id: z.string().optional(),
  title: titleSchema.optional(),
  model: z.string().optional(),
  agent: agentName.optional(),
  targets: targetsSchema.optional(),
  metadata: metadataSchema.optional(),
});

export const changeSchema = z.strictObject({
  title: titleSchema.optional(),
  archived: z.boolean().optional(),
  model: z.string().nullable().optional(),
  agent: agentName.optional(),
  targets: targetsSchema.nullable().optional(),
  metadata: metadataSchema.optional(),
});

export const withVersion = (response: Response, session: SessionView): Response => {
  response.headers.set("etag", `"${session.version}"`);
  return response;
};

export function mountSessionList(app: Hono<HttpEnv>, deps: Deps): void {
  const { config, sessions } = deps;

  const create = async (c: HttpContext): Promise<Response> => {
    const fields = await readFields(c, createSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const { id: wanted, title = null, agent = null, targets = null, metadata = {} } = fields.value;
    const idempotency = parseIdempotencyKey(c, fields.value);
    if (!idempotency.ok) return refuse(c, idempotency.error);
    const id =
      wanted === undefined ? ok(newSessionId(idempotency.value, deps.newId)) : parseSessionId(wanted);
    if (!id.ok) return refuse(c, id.error);
    const model = parseSessionModel(fields.value.model, config.models);
    if (!model.ok) return refuse(c, model.error);
    const command = { title, metadata, agent, targets, model: model.value, idempotency: idempotency.value };
    const made = await sessions(id.value).create(c.var.actor, command);
    if (!made.ok) return refuse(c, made.error);
    const { session, created, replayed } = made.value;
    const response = Response.json(session, { status: created ? 201 : 200 });
    if (created) response.headers.set("location", `/api/sessions/${session.id}`);
    return withVersion(asReplay(response, replayed), session);
  };

  const list = async (c: HttpContext): Promise<Response> => {
    const { q, status, archived = "false" } = c.req.query();
    const known = STATUSES.find((each) => each === status);
    if (status !== undefined && known === undefined)
      return refuse(c, invalid(`status is one of ${STATUSES.join(", ")}.`));
    if (archived !== "true" && archived !== "false") return refuse(c, invalid("archived is true or false."));
    const pageQuery = parsePage(c.req.query());
    if (!pageQuery.ok) return refuse(c, pageQuery.error);
    const page = await listSessions(c.env.DB, {
      owner: ownersSeenBy(c.var.actor),
      q: q ?? null,
      archived: archived === "true",
      status: known ?? null,
      ...pageQuery.value,
    });
    return Response.json(pageBody(page.items, page.next));
  };

  const change: Handle = async (c, session, actor) => {
    const ifVersion = parseIfMatch(c.req.header("if-match"));
    if (!ifVersion.ok) return refuse(c, ifVersion.error);
    const fields = await readFields(c, changeSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const { title, archived, model: wantedModel, agent, targets, metadata } = fields.value;
    const model = parseSessionModel(wantedModel, config.models);
    if (!model.ok) return refuse(c, model.error);
    const changed = await sessions(session).change(actor, {
      ifVersion: ifVersion.value,
      ...(title === undefined ? {} : { title }),
      ...(archived === undefined ? {} : { archived }),
      ...(wantedModel === undefined ? {} : { model: model.value }),
      ...(agent === undefined ? {} : { agent }),
      ...(targets === undefined ? {} : { targets }),
      ...(metadata === undefined ? {} : { metadata }),
    });
    return changed.ok ? withVersion(Response.json(changed.value), changed.value) : refuse(c, changed.error);
  };

  const remove: Handle = async (c, session, actor) => answerNothing(c, await sessions(session).remove(actor));

  const view: Handle = async (c, session, actor) => {
    const found = await sessions(session).view(actor);
    return found.ok ? withVersion(answer(c, found), found.value) : refuse(c, found.error);
  };

  const usage = async (c: HttpContext): Promise<Response> => {
    const { groupBy = "day" } = c.req.query();
    if (!Object.hasOwn(USAGE_GROUPS, groupBy))
      return refuse(c, invalid(`groupBy is one of ${Object.keys(USAGE_GROUPS).join(", ")}.`));
    const from = parseTime("from", c.req.query("from"), 0);
    if (!from.ok) return refuse(c, from.error);
    const to = parseTime("to", c.req.query("to"), Number.MAX_SAFE_INTEGER);
    if (!to.ok) return refuse(c, to.error);
    const by = groupBy as UsageGroup;
    return Response.json(
      await sumUsage(c.env.DB, { owner: ownersSeenBy(c.var.actor), from: from.value, to: to.value, by }),
    );
  };

  route(app, "/api/sessions", {
    GET: {
      scopes: ["read"],
      summary: "Lists sessions, last changed first; `q` searches words.",
      query: {
        q: "words of titles, of what was said and of answers",
        archived: "true or false",
        status: STATUSES.join(", "),
        ...PAGE_QUERY,
      },
      answers: { 200: "Sessions" },
      handle: list,
    },
    POST: {
      scopes: ["send"],
      summary: "Makes a session; 200 if you own it already.",
      body: createSchema,
      answers: { 201: "Session", 200: "Session" },
      handle: create,
    },
  });
  route(app, "/api/sessions/:id", {
    GET: {
      scopes: ["read"],
      summary: "Reads a session.",
      answers: { 200: "SessionDetail" },
      handle: inSession(view),
    },
    PATCH: {
      scopes: ["send"],
      summary: "Changes a session.",
      headers: ["If-Match"],
      body: changeSchema,
      answers: { 200: "Session" },
      handle: inSession(change),
    },
    DELETE: {
      scopes: ["send"],
      summary: "Deletes a session with its runs and files.",
      answers: { 204: null },
      handle: inSession(remove),
    },
  });
  route(app, "/api/usage", {
    GET: {
      scopes: ["read"],
      summary: "Sums up usage (admins: everybody's).",
      query: {
        from: "day or time",
        to: "day or time, left out",
        groupBy: "day, model, subject or session",
      },
      answers: { 200: "Usage" },
      handle: usage,
    },
  });
}

/** A session's model: one that the deployment allows to be named; null takes the deployment's. */
function parseSessionModel(text: string | null | undefined, models: Models | null): ApiResult<string | null> {
  if (text == null) return ok(null);
  const name = models === null ? null : parseModelName(text, ownNames(models));
  if (name !== null && models !== null && modelAllowed(models, name)) return ok(modelText(name));
  return err(
    refusal(422, "model_not_allowed", "This model may not be named here.", "MODELS_ALLOWED lists them."),
  );
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** ISO 8601, a day meaning its start in UTC. */
function parseTime(name: string, text: string | undefined, otherwise: number): ApiResult<number> {
  if (text === undefined) return ok(otherwise);
  const at = TIME.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at)
    ? err(invalid(`${name} is an ISO 8601 day, or a time with Z or an offset.`))
    : ok(at);
}

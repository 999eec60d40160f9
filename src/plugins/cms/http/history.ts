import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import { siteAnswer } from "../protocol/answers.ts";
import type { Hono } from "hono";
import * as z from "zod";
import { LIST_DEFAULT, LIST_MAX } from "../edit/read-shape.ts";
import { historyInput } from "../history/history.ts";
import { undoInput } from "../history/undo.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { hasScope } from "../../../cairn/http/kit/credentials.ts";
import { parseIdempotencyKey } from "../../../cairn/http/kit/idempotency.ts";
import { parseFields, readFields } from "../../../cairn/http/kit/parse.ts";
import { invalid } from "../../../cairn/http/kit/responses.ts";
import type { SiteHistory } from "./site-history.ts";
import {
  answer,
  asReplay,
  refuse,
  route,
  type HttpContext,
  type HttpEnv,
} from "../../../cairn/http/kit/route.ts";
import { visitorOf } from "./environments.ts";

/** History of the site, and undo by a person, without a run. */

const environment = z.string().regex(ID_PATTERN, "It must be the id of an environment.").optional();
const ref = z.string().min(1).max(100).optional();
const querySchema = historyInput.omit({ target: true, session: true }).extend({
  environment,
  page: ref,
  entry: ref,
  session: z.string().regex(ID_PATTERN, "It must be the id of a session.").optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(LIST_MAX)).default(LIST_DEFAULT),
});

const undoSchema = z.strictObject({
  ...undoInput.shape,
  environment,
});

export function mountHistory(app: Hono<HttpEnv>, history: SiteHistory, deps: Deps): void {
  const { config, now, newId } = deps;

  const read = async (c: HttpContext): Promise<Response> => {
    const query = parseFields(querySchema, c.req.query());
    if (!query.ok) return refuse(c, query.error);
    const { environment = null, session = null, page, entry, ...rest } = query.value;
    const target =
      page !== undefined
        ? { type: "page" as const, ref: page }
        : entry !== undefined
          ? { type: "entry" as const, ref: entry }
          : undefined;
    const input = {
      ...rest,
      ...(target === undefined ? {} : { target }),
      ...(session === null ? {} : { session: "current" as const }),
    };
    const visitor = visitorOf(c.var.actor, deps);
    return answer(c, await history.read(c.env, { environment, input, session, visitor }, now()));
  };

  const undo = async (c: HttpContext): Promise<Response> => {
    const fields = await readFields(c, undoSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const { environment = null, ...input } = fields.value;
    if (input.operation === undefined && input.target === undefined)
      return refuse(c, invalid("Name the operation, or a target."));
    const key = parseIdempotencyKey(c, fields.value);
    if (!key.ok) return refuse(c, key.error);
    const done = await history.undo(
      c.env,
      {
        environment,
        input,
        key: `http:${key.value?.key ?? newId()}`,
        visitor: visitorOf(c.var.actor, deps),
        mayApprove: hasScope(c.var.actor, "approve"),
      },
      now(),
    );
    if (!done.ok) return refuse(c, done.error);
    const { replayed, ...value } = done.value;
    return asReplay(Response.json(value), replayed);
  };

  route(app, "/api/cms/history", {
    GET: {
      scopes: ["send"],
      summary: "Lists changes of the site, newest first.",
      query: {
        page: "id or slug: what changed this page",
        entry: "id or collection/slug",
        session: "id of a session",
        run: "id of a run",
        day: "a date in UTC, or with its offset: 2026-11-24-08:00",
        operation: "key: this one, with what it changed field by field",
        limit: "1 to 50, default 20",
        cursor: "nextCursor of the answer before",
        environment: "id of another one than the deployment's own",
      },
      answers: { 200: siteAnswer("SiteHistory") },
      handle: read,
    },
  });
  route(app, "/api/cms/undo", {
    POST: {
      scopes: ["send"],
      summary: "Undoes an operation, or restores a draft.",
      headers: ["Idempotency-Key"],
      body: undoSchema,
      answers: { 200: siteAnswer("Undone") },
      handle: undo,
    },
  });
}

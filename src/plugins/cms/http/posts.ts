import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import { siteAnswer } from "../protocol/answers.ts";
import type { Hono } from "hono";
import * as z from "zod";
import { err, ok } from "../../../cairn/core/log/result.ts";
import type { ApiResult } from "../../../cairn/session/api/session-api.ts";
import { entryCreateInput } from "../entries/entry-create.ts";
import { ALT_CHARS_MAX } from "../model/validate.ts";
import { IMAGE_BYTES_MAX } from "../media/limits.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { parseIdempotencyKey } from "../../../cairn/http/kit/idempotency.ts";
import { parseFields, readBody, readFields } from "../../../cairn/http/kit/parse.ts";
import { NOT_AN_ADMIN } from "../../../cairn/http/kit/responses.ts";
import { answer, refuse, route, type HttpContext, type HttpEnv } from "../../../cairn/http/kit/route.ts";
import { visitorOf } from "./environments.ts";
import type { SitePosts } from "./site-posts.ts";

/** Posts from files, with their images: each made once under its key, or checked only. */

const environment = z.string().regex(ID_PATTERN, "It must be the id of an environment.").optional();
const { collection, title, slug, excerpt, category, author, cover } = entryCreateInput.shape;
const postSchema = z.strictObject({
  environment,
  collection,
  title,
  slug,
  excerpt,
  category,
  author,
  cover,
  content: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  date: z.iso.datetime().optional(),
  publish: z.boolean().optional(),
  check: z.boolean().optional(),
});
const imageSchema = z.strictObject({
  environment,
  filename: z.string().min(1).max(200),
  alt: z.string().max(ALT_CHARS_MAX).optional(),
  check: z.literal("1").optional(),
});

export function mountPosts(app: Hono<HttpEnv>, posts: SitePosts, deps: Deps): void {
  const { now, newId } = deps;
  /** The key of this request, of an admin. */
  const keyOf = (c: HttpContext, body: object): ApiResult<string> => {
    if (!visitorOf(c.var.actor, deps).isAdmin) return err(NOT_AN_ADMIN);
    const key = parseIdempotencyKey(c, body);
    return key.ok ? ok(`http:${key.value?.key ?? newId()}`) : key;
  };

  const post = async (c: HttpContext): Promise<Response> => {
    const fields = await readFields(c, postSchema, deps.config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const key = keyOf(c, fields.value);
    if (!key.ok) return refuse(c, key.error);
    const { environment: of = null, date, publish = false, check = false, ...given } = fields.value;
    const request = {
      ...given,
      environment: of,
      publish,
      check,
      key: key.value,
      visitor: visitorOf(c.var.actor, deps),
      date: date === undefined ? null : Date.parse(date),
    };
    return answer(c, await posts.post(c.env, request, now()));
  };

  const image = async (c: HttpContext): Promise<Response> => {
    const query = parseFields(imageSchema, c.req.query());
    if (!query.ok) return refuse(c, query.error);
    const key = keyOf(c, query.value);
    if (!key.ok) return refuse(c, key.error);
    const body = await readBody(c.req.raw, IMAGE_BYTES_MAX);
    if (!body.ok) return refuse(c, body.error);
    const { environment: of = null, filename, alt = "", check } = query.value;
    const request = {
      environment: of,
      filename,
      alt,
      check: check === "1",
      key: key.value,
      bytes: body.value,
      visitor: visitorOf(c.var.actor, deps),
    };
    return answer(c, await posts.image(c.env, request, now()));
  };

  route(app, "/api/cms/posts", {
    POST: {
      scopes: ["admin"],
      summary: "Makes a draft or published entry, or checks it.",
      headers: [],
      body: postSchema,
      answers: { 200: siteAnswer("PostIn") },
      handle: post,
    },
  });
  route(app, "/api/cms/images", {
    POST: {
      scopes: ["admin"],
      summary: "Uploads an image to the library.",
      query: {
        filename: "what it is called",
        alt: "what it says to those who do not see it",
        check: "1: nothing is written",
        environment: "id of another one than the deployment's own",
      },
      answers: { 200: siteAnswer("ImageIn") },
      handle: image,
    },
  });
}

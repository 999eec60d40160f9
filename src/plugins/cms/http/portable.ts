import { ID_PATTERN } from "../../../cairn/core/log/names.ts";
import { siteAnswer } from "../protocol/answers.ts";
import type { Hono } from "hono";
import * as z from "zod";
import { err, ok } from "../../../cairn/core/log/result.ts";
import { manifestSchema, MEMBER_BYTES_MAX, sealSchema, kindOf } from "../protocol/site-file.ts";
import type { ApiResult } from "../../../cairn/session/api/session-api.ts";
import type { Deps } from "../../../cairn/http/deps.ts";
import { parseFields, readBody, readFields } from "../../../cairn/http/kit/parse.ts";
import { NOT_AN_ADMIN, NOT_FOUND } from "../../../cairn/http/kit/responses.ts";
import {
  answer,
  asReplay,
  refuse,
  route,
  type HttpContext,
  type HttpEnv,
} from "../../../cairn/http/kit/route.ts";
import { visitorOf } from "./environments.ts";
import type { ExportPosition, SitePortable } from "./site-portable.ts";

/** A site out and in as one file: streamed out, sent in by parts. */

const environment = z.string().regex(ID_PATTERN, "It must be the id of an environment.").optional();
const whole = z
  .string()
  .regex(/^\d{1,15}$/, "It must be a whole number.")
  .transform(Number);
const hex = z.string().regex(/^[0-9a-f]{64}$/, "It must be a SHA-256 in hex.");
const memberName = z
  .string()
  .max(100)
  .refine((name) => kindOf(name) !== null, { error: "It must be the name of a member." });

const exportSchema = z
  .strictObject({
    environment,
    after: memberName.optional(),
    members: whole.optional(),
    bytes: whole.optional(),
    digest: hex.optional(),
    state: manifestSchema.shape.state.optional(),
  })
  .refine(
    ({ after, members, bytes, digest, state }) =>
      [after, members, bytes, digest, state].every((one) => (one === undefined) === (after === undefined)),
    { error: "after, members, bytes, digest and state come together." },
  );
const beginSchema = z.strictObject({
  environment: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, "1 to 40 of a-z 0-9 -, and it begins with a letter.")
    .nullable()
    .optional(),
  manifest: manifestSchema,
  seal: sealSchema,
});
const partSchema = z.strictObject({ name: memberName, sha256: hex });

export function mountPortable(app: Hono<HttpEnv>, portable: SitePortable, deps: Deps): void {
  const { config, now } = deps;
  const adminOf = (c: HttpContext): ApiResult<null> =>
    visitorOf(c.var.actor, deps).isAdmin ? ok(null) : err(NOT_AN_ADMIN);

  const read = async (c: HttpContext): Promise<Response> => {
    const query = parseFields(exportSchema, c.req.query());
    if (!query.ok) return refuse(c, query.error);
    const { environment: of = null, ...given } = query.value;
    const request = { environment: of, visitor: visitorOf(c.var.actor, deps), place: positionOf(given) };
    const file = await portable.export(c.env, request, now());
    if (!file.ok) return refuse(c, file.error);
    return new Response(file.value.body, {
      headers: {
        "content-type": "application/x-tar",
        "content-disposition": `attachment; filename="${file.value.filename}"`,
      },
    });
  };

  const begin = async (c: HttpContext): Promise<Response> => {
    const admin = adminOf(c);
    if (!admin.ok) return refuse(c, admin.error);
    const fields = await readFields(c, beginSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const { environment: name = null, manifest, seal } = fields.value;
    const { subject } = c.var.actor;
    return answer(c, await portable.begin(c.env, { subject, name, manifest, seal }, now()), 201);
  };

  const put = async (c: HttpContext): Promise<Response> => {
    const admin = adminOf(c);
    if (!admin.ok) return refuse(c, admin.error);
    const query = parseFields(partSchema, c.req.query());
    if (!query.ok) return refuse(c, query.error);
    const [id, n] = [idOf(c), c.req.param("n") ?? ""];
    if (id === null || !/^[1-9]\d{0,6}$/.test(n)) return refuse(c, NOT_FOUND);
    const body = await readBody(c.req.raw, MEMBER_BYTES_MAX);
    if (!body.ok) return refuse(c, body.error);
    const done = await portable.put(c.env, { id, n: Number(n), ...query.value, bytes: body.value }, now());
    return done.ok ? asReplay(Response.json(done.value), done.value.replayed) : refuse(c, done.error);
  };

  /** Actions of an admin on one import. */
  const request =
    (act: (c: HttpContext, id: string) => ReturnType<SitePortable["read"]>) =>
    async (c: HttpContext): Promise<Response> => {
      const admin = adminOf(c);
      if (!admin.ok) return refuse(c, admin.error);
      const id = idOf(c);
      return id === null ? refuse(c, NOT_FOUND) : answer(c, await act(c, id));
    };

  route(app, "/api/cms/export", {
    GET: {
      scopes: ["send"],
      summary: "Exports the site as one file.",
      query: {
        environment: "id of another one than the deployment's own",
        after: "name of the last whole member that you have: the answer begins behind it",
        members: "how many members you have",
        bytes: "their bytes, without headers and padding",
        digest: "of all of them, as the seal is made",
        state: "of the manifest that you have",
      },
      answers: { 200: "tar" },
      handle: read,
    },
  });
  route(app, "/api/cms/imports", {
    POST: {
      scopes: ["admin"],
      summary: "Starts or resumes the import of a site.",
      body: beginSchema,
      answers: { 201: siteAnswer("SiteImport") },
      handle: begin,
    },
  });
  route(app, "/api/cms/imports/:importId", {
    GET: {
      scopes: ["admin"],
      summary: "Reads the progress of an import.",
      answers: { 200: siteAnswer("SiteImport") },
      handle: request((c, id) => portable.read(c.env, id)),
    },
    DELETE: {
      scopes: ["admin"],
      summary: "Abandons an import.",
      answers: { 200: siteAnswer("SiteImport") },
      handle: request((c, id) => portable.abandon(c.env, id, now())),
    },
  });
  route(app, "/api/cms/imports/:importId/parts/:n", {
    PUT: {
      scopes: ["admin"],
      summary: "Uploads member `n` of the file, at most 12 MB.",
      query: { name: "of the member in the file", sha256: "of its bytes, in hex" },
      answers: { 200: siteAnswer("SiteImportPart") },
      handle: put,
    },
  });
  route(app, "/api/cms/imports/:importId/finish", {
    POST: {
      scopes: ["admin"],
      summary: "Writes part of the site; repeat until `state` is `done`.",
      answers: { 200: siteAnswer("SiteImport") },
      handle: request((c, id) => portable.finish(c.env, id, now())),
    },
  });
}

const idOf = (c: HttpContext): string | null => {
  const id = c.req.param("importId") ?? "";
  return ID_PATTERN.test(id) ? id : null;
};

type Given = Omit<z.output<typeof exportSchema>, "environment">;

function positionOf({
  after,
  members = 0,
  bytes = 0,
  digest = "",
  state = "",
}: Given): ExportPosition | null {
  if (after === undefined) return null;
  return { after, seal: { members, bytes, digest }, state };
}

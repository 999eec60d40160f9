import type { Hono } from "hono";
import * as z from "zod";
import { toJson, isObject } from "../../core/log/json.ts";
import { DEFINITION_BYTES_MAX, definitionSchema, TOOL_NAME } from "../../tools/stored/definition.ts";
import type { Deps } from "../deps.ts";
import { parseIfMatch, readBody, readJson } from "../kit/parse.ts";
import { answer, answerNothing, refuse, route, type HttpContext, type HttpEnv } from "../kit/route.ts";
import { err, ok } from "../../core/log/result.ts";
import { refusal, type ApiError, type ApiResult } from "../../session/api/session-api.ts";
import { DOCUMENT_BYTES_MAX, readDocument } from "../../tools/stored/document-text.ts";
import { headersField } from "../../tools/requests/request.ts";
import { splitTemplate } from "../../tools/stored/definition.ts";
import { issuesIn } from "./store.ts";

/** `/api/tools/…`: tools as data, stored, changed and deleted here, and made of an OpenAPI document. */

const BAD_NAME = refusal(
  400,
  "invalid_id",
  "The name of a tool is 2 to 48 of a-z 0-9 _, and begins with a letter.",
);

const INVALID = refusal(422, "invalid_tool", "This is not a tool that works here.", "See issues.");
const NO_IMPORT = refusal(422, "invalid_import", "This is no import of an OpenAPI document.", "See issues.");

const importFields = z.strictObject({
  /** OpenAPI 2.0 (Swagger), 3.0 or 3.1, as JSON, or as the text of its file in JSON or YAML */
  document: z.union([z.record(z.string(), z.unknown()), z.string().min(1)]),
  baseUrl: z
    .string()
    .refine((url) => splitTemplate(url) !== null && !/[?{}]/.test(url), "An absolute http(s) address.")
    .optional(),
  headers: headersField,
  prefix: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,19}$/)
    .optional(),
  operations: z.array(z.string().min(1).max(300)).min(1).max(500).optional(),
});

const YAML_TYPE =
  /^(?:application|text)\/(?:[\w.+-]*[+.])?(?:x-)?yaml\s*(?:;|$)|^application\/vnd\.oai\.openapi\s*(?:;|$)/i;
const JSON_TYPE = /^application\/[\w.-]+\+json\s*(?:;|$)/i;

/** The body of an import: JSON, or a document in YAML by its content type. */
async function readBodyOf(request: Request): Promise<ApiResult<unknown>> {
  const type = request.headers.get("content-type") ?? "";
  if (!YAML_TYPE.test(type) && !JSON_TYPE.test(type)) return readJson(request, DOCUMENT_BYTES_MAX);
  if (!/^(identity)?$/i.test(request.headers.get("content-encoding") ?? "")) return err(COMPRESSED);
  const bytes = await readBody(request, DOCUMENT_BYTES_MAX);
  if (!bytes.ok) return bytes;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes.value);
  } catch {
    return err(unread("It is not UTF-8."));
  }
  return documentOf(text);
}

/** A document that came as text is read; one that came as JSON is returned as it is. */
async function documentOf(
  document: string | Readonly<Record<string, unknown>>,
): Promise<ApiResult<Readonly<Record<string, unknown>>>> {
  if (typeof document !== "string") return ok(document);
  const read = await readDocument(document);
  if (!read.ok) return err(unread(read.why));
  return isObject(read.value) ? ok(read.value) : err(unread("It is no object."));
}

const unread = (message: string): ApiError => ({
  ...NO_IMPORT,
  issues: [{ path: "document", code: "unreadable", message }],
});
const COMPRESSED = refusal(
  415,
  "unsupported_media_type",
  "The body must not be compressed.",
  "Send it as it is.",
);

export function mountStoredTools(app: Hono<HttpEnv>, { storedTools, config, now }: Deps): void {
  const named = (handle: (c: HttpContext, name: string) => Promise<Response>) => (c: HttpContext) => {
    const name = c.req.param("name") ?? "";
    return TOOL_NAME.test(name) ? handle(c, name) : refuse(c, BAD_NAME);
  };

  const show = named(async (c, name) => {
    const found = await storedTools.find(name);
    const response = answer(c, found);
    if (found.ok) response.headers.set("etag", `"${found.value.version}"`);
    return response;
  });

  const put = named(async (c, name) => {
    const ifVersion = parseIfMatch(c.req.header("if-match"));
    if (!ifVersion.ok) return refuse(c, ifVersion.error);
    const body = await readJson(c.req.raw, Math.min(DEFINITION_BYTES_MAX, config.limits.bodyBytes));
    if (!body.ok) return refuse(c, body.error);
    const fields = definitionSchema.safeParse(body.value);
    if (!fields.success) return refuse(c, issuesIn(INVALID, fields.error));
    const stored = await storedTools.put(c.var.actor, name, fields.data, ifVersion.value, now());
    if (!stored.ok) return refuse(c, stored.error);
    const { version } = stored.value;
    const response = Response.json(stored.value, { status: version === 1 ? 201 : 200 });
    if (version === 1) response.headers.set("location", `/api/tools/${name}`);
    response.headers.set("etag", `"${version}"`);
    return response;
  });

  const remove = named(async (c, name) => {
    const ifVersion = parseIfMatch(c.req.header("if-match"));
    if (!ifVersion.ok) return refuse(c, ifVersion.error);
    return answerNothing(c, await storedTools.remove(c.var.actor, name, ifVersion.value));
  });

  const take = async (c: HttpContext): Promise<Response> => {
    const body = await readBodyOf(c.req.raw);
    if (!body.ok) return refuse(c, body.error);
    const json = toJson(body.value);
    // A document alone is one without options.
    const isBare = isObject(json) && ("openapi" in json || "swagger" in json);
    const fields = importFields.safeParse(isBare ? { document: json } : json);
    if (!fields.success) return refuse(c, issuesIn(NO_IMPORT, fields.error));
    const document = await documentOf(fields.data.document);
    if (!document.ok) return refuse(c, document.error);
    const importRequest = { ...fields.data, document: document.value };
    const imported = await storedTools.take(c.var.actor, importRequest, now());
    return imported.ok ? Response.json(imported.value, { status: 201 }) : refuse(c, imported.error);
  };

  route(app, "/api/tools/stored", {
    GET: {
      scopes: ["read"],
      summary: "Lists stored tools.",
      answers: { 200: "StoredTools" },
      handle: async () => Response.json({ items: await storedTools.list() }),
    },
  });
  route(app, "/api/tools/import", {
    POST: {
      scopes: ["admin"],
      summary: "Makes tools from an OpenAPI document.",
      body: importFields,
      answers: { 201: "ImportedTools" },
      handle: take,
    },
  });
  route(app, "/api/tools/:name", {
    GET: {
      scopes: ["read"],
      summary: "Reads a stored tool.",
      answers: { 200: "StoredTool" },
      handle: show,
    },
    PUT: {
      scopes: ["admin"],
      summary: "Stores a tool.",
      headers: ["If-Match"],
      body: definitionSchema,
      answers: { 201: "StoredTool", 200: "StoredTool" },
      handle: put,
    },
    DELETE: {
      scopes: ["admin"],
      summary: "Deletes a stored tool.",
      headers: ["If-Match"],
      answers: { 204: null },
      handle: remove,
    },
  });
}

import type { Hono } from "hono";
import * as z from "zod";
import { err, ok } from "../../core/log/result.ts";
import { refusal, type ApiError, type ApiResult } from "../../session/api/session-api.ts";
import { ACCEPTED, looksLikeDocument } from "../../documents/kinds.ts";
import { FILE_BYTES_MAX } from "../../documents/limits.ts";
import { parseIdempotencyKey } from "../kit/idempotency.ts";
import type { Deps } from "../deps.ts";
import { parseSessionId, readBody } from "../kit/parse.ts";
import { invalid } from "../kit/responses.ts";
import { asReplay, refuse, route, type HttpContext, type HttpEnv } from "../kit/route.ts";
import { keepSent } from "./sent-file.ts";

/** Files and pictures that a person sends: `POST /api/uploads`, one a request. */

/** what a form has around its file */
const FORM_BYTES_MAX = 65_536;

const NO_FORM = refusal(
  415,
  "unsupported_media_type",
  "The body must be multipart/form-data.",
  "Send the fields file and session; curl does with -F file=@photo.jpg -F session=<id>.",
);
const NOT_TAKEN = refusal(415, "unsupported_media", "No text can be read from this file.", ACCEPTED);

/** For the document: the fields of the form. */
const formSchema = z.strictObject({ file: z.string(), session: z.string() });

export function mountUploads(app: Hono<HttpEnv>, deps: Deps): void {
  const { newId, pictures } = deps;
  const hint = pictures === null ? ACCEPTED : `${pictures.forms} ${ACCEPTED}`;
  const tooLarge = refusal(413, "too_large", "The file is larger than 20 MB.", hint);
  /** The refusal of a picture that the library does not take, with the other files that could be sent. */
  const withFiles = (refused: ApiError): ApiError =>
    refused.code === "unsupported_media"
      ? { ...refused, hint: refused.hint === undefined ? hint : `${refused.hint} ${ACCEPTED}` }
      : refused;

  const post = async (c: HttpContext): Promise<Response> => {
    const form = await readForm(c.req.raw, tooLarge);
    if (!form.ok) return refuse(c, form.error);
    const { file, session } = form.value;
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { name, size } = file;
    const key = parseIdempotencyKey(c, { session, name, size });
    if (!key.ok) return refuse(c, key.error);
    if (pictures?.isPicture(bytes) !== true && looksLikeDocument(name, bytes)) {
      const saved = await keepSent(c.env, deps, c.var.actor, { session, name, bytes });
      if (!saved.ok) return refuse(c, saved.error);
      const { sessionAt: _, ...shown } = saved.value;
      return Response.json(shown, { status: 201 });
    }
    if (pictures === null) return refuse(c, NOT_TAKEN);
    const stored = await pictures.keep(c.env, deps, c.var.actor, {
      session,
      name,
      bytes,
      key: `http:${key.value?.key ?? newId()}`,
    });
    if (!stored.ok) return refuse(c, withFiles(stored.error));
    const { image, deduped, replayed } = stored.value;
    const { id, url, width, height } = image;
    return asReplay(Response.json({ imageId: id, url, width, height, deduped }, { status: 201 }), replayed);
  };

  route(app, "/api/uploads", {
    POST: {
      scopes: ["send"],
      summary: "Uploads an image or a file for a session.",
      headers: ["Idempotency-Key"],
      body: formSchema,
      bodyType: "multipart/form-data",
      answers: { 201: "Uploaded" },
      handle: post,
    },
  });
}

interface Form {
  readonly file: File;
  readonly session: string;
}

/** The form of an upload. Refuses 415 (no form), 413 (more than 20 MB) and 400 (other fields than these two). */
async function readForm(request: Request, tooLarge: ApiError): Promise<ApiResult<Form>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type) || request.headers.has("content-encoding"))
    return err(NO_FORM);
  const body = await readBody(request, FILE_BYTES_MAX + FORM_BYTES_MAX);
  if (!body.ok) return body.error.status === 413 ? err(tooLarge) : body;
  const fields = await formOf(body.value, type);
  if (fields === null) return err(invalid("The body is not a form."));
  const file = fields.get("file");
  const session = fields.get("session");
  const isAlone = [...fields.keys()].length === 2;
  if (!(file instanceof File) || typeof session !== "string" || !isAlone)
    return err(
      invalid(
        "The form has one file, named file, and the id of a session, named session.",
        "Send several files one by one.",
      ),
    );
  const id = parseSessionId(session);
  return id.ok ? ok({ file, session: id.value }) : id;
}

async function formOf(bytes: Uint8Array, type: string): Promise<FormData | null> {
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    return null;
  }
}

import type { Hono } from "hono";
import * as z from "zod";
import { err, ok } from "../../core/log/result.ts";
import type { Visitor } from "../../core/guards/site-access.ts";
import { refusal, type ApiError, type ApiResult } from "../../session/api/session-api.ts";
import { readLibraryImage } from "../../tools/cms/media/read-library-image.ts";
import { OWN_ENVIRONMENT } from "../../tools/cms/model/environment.ts";
import type { CmsServices } from "../../tools/cms/model/types.ts";
import { ACCEPTED } from "../../documents/kinds.ts";
import { FILE_BYTES_MAX } from "../../documents/limits.ts";
import { parseIdempotencyKey } from "../kit/idempotency.ts";
import type { Deps, Uploads } from "../kit/deps.ts";
import { parseSessionId, readBody } from "../kit/parse.ts";
import { invalid, NOT_FOUND } from "../kit/responses.ts";
import { answer, asReplay, refuse, route, type HttpContext, type HttpEnv } from "../kit/route.ts";
import { visitorOf } from "../routes/environments.ts";
import { isForReading, keepSent } from "./sent-file.ts";
import { IMAGES, keepImage, withinSite } from "../../plugins/cms/sent-image.ts";

/** What a person sends: `POST /api/uploads`, one image or file a request, and `GET /api/images/:id`. */

/** what a form has around its file */
const FORM_BYTES_MAX = 65_536;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

const NO_FORM = refusal(
  415,
  "unsupported_media_type",
  "The body must be multipart/form-data.",
  "Send the fields file and session; curl does with -F file=@photo.jpg -F session=<id>.",
);
const TOO_LARGE = refusal(413, "too_large", "The file is larger than 20 MB.", `${IMAGES} ${ACCEPTED}`);

/** For the document: the fields of the form. */
const formSchema = z.strictObject({ file: z.string(), session: z.string() });

export function mountUploads(app: Hono<HttpEnv>, { seed }: Uploads, deps: Deps): void {
  const { now, newId } = deps;

  const within = <Value>(
    env: Env,
    environment: string,
    visitor: Visitor,
    act: (services: CmsServices) => Promise<Value>,
  ): Promise<ApiResult<Value>> =>
    withinSite(env, { seed: () => seed(env, now()), environment, visitor }, act);

  const post = async (c: HttpContext): Promise<Response> => {
    const form = await readForm(c.req.raw);
    if (!form.ok) return refuse(c, form.error);
    const { file, session } = form.value;
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { name, size } = file;
    const key = parseIdempotencyKey(c, { session, name, size });
    if (!key.ok) return refuse(c, key.error);
    if (isForReading(name, bytes)) {
      const kept = await keepSent(c.env, deps, c.var.actor, { session, name, bytes });
      if (!kept.ok) return refuse(c, kept.error);
      const { sessionAt: _, ...shown } = kept.value;
      return Response.json(shown, { status: 201 });
    }
    const stored = await keepImage(c.env, deps, c.var.actor, {
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

  const read = async (c: HttpContext): Promise<Response> => {
    const id = c.req.param("imageId") ?? "";
    const environment = c.req.query("environment") ?? OWN_ENVIRONMENT;
    if (!ID.test(id) || !ID.test(environment)) return refuse(c, NOT_FOUND);
    const visitor = visitorOf(c.var.actor, deps);
    return answer(c, await within(c.env, environment, visitor, (services) => readLibraryImage(services, id)));
  };

  route(app, "/api/uploads", {
    POST: {
      scopes: ["send"],
      summary: "Puts an image into the library, or keeps a file for reading.",
      headers: ["Idempotency-Key"],
      body: formSchema,
      bodyType: "multipart/form-data",
      answers: { 201: "Uploaded" },
      handle: post,
    },
  });
  route(app, "/api/images/:imageId", {
    GET: {
      scopes: ["read"],
      summary: "An image of the library: what is known of it, and where it is used.",
      query: { environment: "id of another one than the deployment's own" },
      answers: { 200: "Image" },
      handle: read,
    },
  });
}

/** Of what is no image that the site shows: what else could be sent. */
const withFiles = (refused: ApiError): ApiError =>
  refused.code === "unsupported_media"
    ? { ...refused, hint: `${refused.hint ?? IMAGES} ${ACCEPTED}` }
    : refused;

interface Form {
  readonly file: File;
  readonly session: string;
}

/** The form of an upload. Refuses 415 (no form), 413 (more than 20 MB) and 400 (other fields than these two). */
async function readForm(request: Request): Promise<ApiResult<Form>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type) || request.headers.has("content-encoding"))
    return err(NO_FORM);
  const body = await readBody(request, FILE_BYTES_MAX + FORM_BYTES_MAX);
  if (!body.ok) return body.error.status === 413 ? err(TOO_LARGE) : body;
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

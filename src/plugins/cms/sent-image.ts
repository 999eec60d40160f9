import { err, ok } from "../../core/log/result.ts";
import { refusal, type Actor, type ApiError, type ApiResult } from "../../session/api/session-api.ts";
import { ToolError } from "../../tools/define.ts";
import { isImage, readImage } from "../../tools/cms/media/bytes/read-image.ts";
import { IMAGE_BYTES_MAX } from "../../tools/cms/media/limits.ts";
import { TooManyUploads, upload, type Uploaded } from "../../tools/cms/media/upload.ts";
import { OWN_ENVIRONMENT } from "../../tools/cms/model/environment.ts";
import type { CmsBindings, CmsServices } from "../../tools/cms/model/types.ts";
import { servicesOf } from "../../tools/cms/pack.ts";
import { findEnvironment } from "../../tools/cms/storage/environments.ts";
import type { Visitor } from "../../core/guards/site-access.ts";
import type { Deps } from "../../http/kit/deps.ts";
import { NOT_FOUND } from "../../http/kit/responses.ts";
import { visitorOf } from "../../http/routes/environments.ts";
import { refusedAs } from "../../http/kit/tool-refusal.ts";

/** An image that a person sends: it is put into the library of the site that its session works on. */

export const IMAGES = "JPEG, PNG, GIF, WebP and AVIF are accepted, up to 10 MB and 40 megapixels.";
const TOO_LARGE = refusal(413, "too_large", "The image is larger than 10 MB.", IMAGES);
const NO_SITE = refusal(
  501,
  "not_configured",
  "This deployment has no site.",
  "Bind DB and MEDIA (docs/deploy.md).",
);

/** True for bytes of a format that the site can show. */
export const isPicture = (bytes: Uint8Array): boolean => isImage(bytes);

/** Bindings of the deployment; without a bucket nothing is stored. */
export type SiteBindings = CmsBindings & Pick<Env, "DB">;

interface SentImage {
  readonly session: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** the same with the same bytes is the same upload */
  readonly key: string;
  /** as in `EnterCommand` */
  readonly sessionAt?: number | null;
}

export interface KeptImage extends Uploaded {
  readonly mediaType: string;
  /** when the session was made that has it now, milliseconds since 1970 */
  readonly sessionAt: number;
}

/** The result of `act` with the library of an environment that the visitor may use. */
export async function withinSite<Value>(
  env: CmsBindings,
  {
    seed,
    environment,
    visitor,
  }: { readonly seed: () => Promise<void>; readonly environment: string; readonly visitor: Visitor },
  act: (services: CmsServices) => Promise<Value>,
): Promise<ApiResult<Value>> {
  await seed();
  const services = servicesOf(env);
  if (services === null) return err(NO_SITE);
  const found = await findEnvironment(services.db, environment, visitor);
  if (found === null) return err(NOT_FOUND);
  try {
    return ok(await act({ ...services, env: found.environmentId, actor: `user:${visitor.subject}` }));
  } catch (error) {
    if (error instanceof ToolError) return err(refusedAs(error.failure));
    if (!(error instanceof TooManyUploads)) throw error;
    const tooMany: ApiError = refusal(
      429,
      "rate_limited",
      "That was the last upload of this hour in this session.",
    );
    return err({ ...tooMany, retryAfter: error.retryAfter });
  }
}

/** Refuses as `enter` and `upload`, 413 `too_large` and 501 `not_configured`. */
export async function keepImage(
  env: SiteBindings,
  deps: Pick<Deps, "sessions" | "now" | "admins" | "uploads">,
  actor: Actor,
  { session, name, bytes, key, sessionAt = null }: SentImage,
): Promise<ApiResult<KeptImage>> {
  const { sessions, now, uploads } = deps;
  if (uploads === null) return err(NO_SITE);
  if (bytes.length > IMAGE_BYTES_MAX) return err(TOO_LARGE);
  const entered = await sessions(session).enter(actor, { sessionAt });
  if (!entered.ok) return entered;
  const { createdAt, environmentId } = entered.value;
  const visitor = visitorOf(actor, deps);
  const at = Math.max(now(), createdAt);
  const site = {
    seed: () => uploads.seed(env, now()),
    environment: environmentId ?? OWN_ENVIRONMENT,
    visitor,
  };
  const done = await withinSite(env, site, (services) =>
    upload(services, { key, session, createdAt, subject: visitor.subject, filename: name, bytes, at }),
  );
  if (!done.ok) return done;
  return ok({ ...done.value, mediaType: readImage(bytes).mediaType, sessionAt: createdAt });
}

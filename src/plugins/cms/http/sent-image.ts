import type { Bindings } from "../../../cairn/bindings.ts";
import { err, ok } from "../../../cairn/core/log/result.ts";
import { refusal, type ApiError, type ApiResult } from "../../../cairn/session/api/session-api.ts";
import { ToolError } from "../../../cairn/tools/define.ts";
import { isImage, readImage } from "../media/bytes/read-image.ts";
import { IMAGE_BYTES_MAX } from "../media/limits.ts";
import { TooManyUploads, upload } from "../media/upload.ts";
import { OWN_ENVIRONMENT } from "../model/environment.ts";
import { environmentIn } from "../model/target.ts";
import type { CmsBindings, CmsServices } from "../model/types.ts";
import { servicesOf } from "../pack.ts";
import { findEnvironment } from "../storage/environments.ts";
import type { Visitor } from "../../../cairn/core/guards/target-access.ts";
import type { Pictures } from "../../../cairn/http/kit/pictures.ts";
import { NOT_FOUND } from "../../../cairn/http/kit/responses.ts";
import { visitorOf } from "./environments.ts";
import { refusedAs } from "../../../cairn/http/kit/tool-refusal.ts";

/** An image that a person sends: it is put into the library of the site that its session works on. */

export const IMAGES = "JPEG, PNG, GIF, WebP and AVIF are accepted, up to 10 MB and 40 megapixels.";
const TOO_LARGE = refusal(413, "too_large", "The image is larger than 10 MB.", IMAGES);
const NO_SITE = refusal(
  501,
  "not_configured",
  "This deployment has no site.",
  "Bind DB and MEDIA (docs/deploy.md of Cairn).",
);

/** Makes the sample site where there is none yet; `at`: milliseconds since the epoch. */
export type Seed = (env: Pick<Bindings, "DB" | "MEDIA" | "AI">, at: number) => Promise<void>;

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

/** The pictures of people as the library of their site keeps them. `seed`: makes the sample site where there is none yet. */
export const createPictures = (seed: Seed): Pictures => ({
  forms: IMAGES,
  isPicture: isImage,
  keep: async (bindings, deps, actor, { session, name, bytes, key, sessionAt = null }) => {
    const { sessions, now } = deps;
    if (bytes.length > IMAGE_BYTES_MAX) return err(TOO_LARGE);
    const entered = await sessions(session).enter(actor, { sessionAt });
    if (!entered.ok) return entered;
    const { createdAt, targets } = entered.value;
    const visitor = visitorOf(actor, deps);
    const at = Math.max(now(), createdAt);
    const site = {
      seed: () => seed(bindings, now()),
      environment: environmentIn(targets) ?? OWN_ENVIRONMENT,
      visitor,
    };
    const done = await withinSite(bindings, site, (services) =>
      upload(services, { key, session, createdAt, subject: visitor.subject, filename: name, bytes, at }),
    );
    if (!done.ok) return done;
    return ok({ ...done.value, mediaType: readImage(bytes).mediaType, sessionAt: createdAt });
  },
});

import { err, ok } from "../../core/log/result.ts";
import { refusal, type Actor, type ApiResult } from "../../session/api/session-api.ts";
import { isImage } from "../../tools/cms/media/bytes/read-image.ts";
import type { CmsBindings } from "../../tools/cms/model/types.ts";
import { looksLikeDocument } from "../../tools/files/kinds.ts";
import { keepFile, pathOf } from "../../tools/files/store.ts";
import type { Deps } from "../kit/deps.ts";
import { refusedAs } from "./tool-refusal.ts";

/** A file that a person sends for reading: it is kept for its session alone. */

const NO_BUCKET = refusal(
  501,
  "not_configured",
  "Files need a bucket, and this deployment has none.",
  "Bind MEDIA under [[r2_buckets]] in wrangler.toml (docs/deploy.md).",
);

export const isForReading = (name: string, bytes: Uint8Array): boolean =>
  !isImage(bytes) && looksLikeDocument(name, bytes);

export interface KeptFile {
  readonly fileId: string;
  readonly url: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly deduped: boolean;
}

/** Of a session that is the actor's, or nobody's yet. Refuses as `keepFile`, 409 `id_taken`, 501 `not_configured`. */
export async function keepSent(
  { MEDIA: bucket }: CmsBindings,
  { sessions, now }: Pick<Deps, "sessions" | "now">,
  actor: Actor,
  sent: { readonly session: string; readonly name: string; readonly bytes: Uint8Array },
): Promise<ApiResult<KeptFile>> {
  if (bucket === undefined) return err(NO_BUCKET);
  const { session } = sent;
  const admitted = await sessions(session).copyPoint(actor, "send", null);
  // To whom a session does not belong it is not there: what is asked besides is whether it is anybody's.
  const free = admitted.ok ? admitted : await sessions(session).recall(actor, { key: "", digest: "" });
  if (!admitted.ok && admitted.error.status !== 404) return admitted;
  if (!free.ok) return free;
  const kept = await keepFile(bucket, { ...sent, subject: actor.subject, at: now() });
  if (!kept.ok) {
    const { retryAfter, ...fault } = kept.error;
    const refused = refusedAs({ ...fault, retryable: false });
    return err(retryAfter === undefined ? refused : { ...refused, status: 429, retryAfter });
  }
  const { file, deduped } = kept.value;
  const { id, name, mediaType, bytes } = file;
  return ok({ fileId: id, url: pathOf(id), name, mediaType, bytes, deduped });
}

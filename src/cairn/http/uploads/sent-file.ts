import { err, ok } from "../../core/log/result.ts";
import { refusal, type Actor, type ApiResult } from "../../session/api/session-api.ts";
import { createUploadSpace, keepFile, pathOf } from "../../uploads/store.ts";
import type { Deps } from "../deps.ts";
import type { FileBindings } from "../kit/pictures.ts";
import { refusedAs } from "../kit/tool-refusal.ts";

/** A file that a person sends for reading: stored for its session alone. */

const NO_BUCKET = refusal(
  501,
  "not_configured",
  "Files need a bucket, and this deployment has none.",
  "Bind MEDIA under [[r2_buckets]] in wrangler.toml (docs/deploy.md of Cairn).",
);

export interface StoredFile {
  readonly fileId: string;
  readonly url: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly deduped: boolean;
  /** when the session was made that has it now, milliseconds since 1970 */
  readonly sessionAt: number;
}

interface SentFile {
  readonly session: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** as in `EnterCommand` */
  readonly sessionAt?: number | null;
}

/** Refuses as `enter` and `keepFile`, and 501 `not_configured`. */
export async function keepSent(
  { MEDIA: bucket, DB: db }: FileBindings,
  { sessions, now, newId }: Pick<Deps, "sessions" | "now" | "newId">,
  actor: Actor,
  sent: SentFile,
): Promise<ApiResult<StoredFile>> {
  if (bucket === undefined) return err(NO_BUCKET);
  const entered = await sessions(sent.session).enter(actor, { sessionAt: sent.sessionAt ?? null });
  if (!entered.ok) return entered;
  const { createdAt } = entered.value;
  const arriving = { ...sent, createdAt, subject: actor.subject, at: Math.max(now(), createdAt) };
  const stored = await keepFile(bucket, arriving, createUploadSpace(db, newId));
  if (!stored.ok) {
    const { retryAfter, ...fault } = stored.error;
    const refused = refusedAs({ ...fault, retryable: false });
    return err(retryAfter === undefined ? refused : { ...refused, status: 429, retryAfter });
  }
  const { file, deduped } = stored.value;
  const { id, name, mediaType, bytes } = file;
  return ok({ fileId: id, url: pathOf(id), name, mediaType, bytes, deduped, sessionAt: createdAt });
}

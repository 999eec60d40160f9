import { ChannelFault, type IncomingFile } from "../../channels/channel.ts";
import type { PromptPart } from "../../core/log/model.ts";
import type { NamedSession } from "../../channels/people/places.ts";
import { ID_TAKEN } from "../../session/api/errors.ts";
import type { Actor, ApiError } from "../../session/api/session-api.ts";
import type { Deps } from "../kit/deps.ts";
import { isForReading, keepSent } from "../site/sent-file.ts";

/** What somebody brings to a chat that is not their own words: files, and words of others. All of it is from outside. */

/** of one message */
const FILES_MAX = 10;
/** of one file; a larger one is named and not fetched */
const BYTES_MAX = 20 * 1_048_576;
/** for all files of a message: the vendor waits for an answer */
const READ_MS_MAX = 20_000;

/** Storage of the deployment; without a bucket no file is stored. */
interface FileStores {
  readonly db: D1Database;
  readonly bucket?: R2Bucket | null;
}

export interface Brought {
  readonly parts: readonly PromptPart[];
  /** what was not taken, and why, a line each */
  readonly left: readonly string[];
  /** of the session that has the files; where none was stored, as it was given */
  readonly sessionAt: number | null;
  /** the session that is meant is not there any more: nothing was stored, and its words must not go in either */
  readonly refused?: ApiError;
}

/** Keeps the files of a message as the session's, as those that are sent on the page. */
export async function keepBrought(
  files: readonly IncomingFile[],
  { session, sessionAt: meant }: NamedSession,
  actor: Actor,
  deps: Pick<Deps, "sessions" | "now" | "newId">,
  { db, bucket = null }: FileStores,
): Promise<Brought> {
  let sessionAt = meant;
  // Before a file is fetched: some vendors give it once.
  if (files.length > 0 && meant !== null) {
    const entered = await deps.sessions(session).enter(actor, { sessionAt: meant });
    if (!entered.ok && entered.error.code === ID_TAKEN.code)
      return { parts: [], left: [], sessionAt, refused: entered.error };
  }
  const parts: PromptPart[] = [];
  const left: string[] = [];
  const signal = AbortSignal.timeout(READ_MS_MAX);
  for (const [at, file] of files.entries()) {
    const why = at >= FILES_MAX ? `only ${FILES_MAX} files of a message are taken` : null;
    const stored = why ?? (await keep(file, { session, sessionAt }, actor, deps, { db, bucket }, signal));
    if (typeof stored === "string") left.push(`“${file.name}” was not taken: ${stored}`);
    else if ("refused" in stored) return { parts: [], left: [], sessionAt, refused: stored.refused };
    else {
      parts.push(stored.part);
      sessionAt = stored.sessionAt;
    }
  }
  return { parts, left, sessionAt };
}

type Taken = { readonly part: PromptPart; readonly sessionAt: number } | { readonly refused: ApiError };

/** The file as a part of the message, or why there is none. */
async function keep(
  { name, size, read }: IncomingFile,
  { session, sessionAt }: NamedSession,
  actor: Actor,
  deps: Pick<Deps, "sessions" | "now" | "newId">,
  { db, bucket = null }: FileStores,
  signal: AbortSignal,
): Promise<Taken | string> {
  if (bucket === null) return "this deployment keeps no files.";
  if (size > BYTES_MAX) return "it is larger than 20 MB.";
  let bytes: Uint8Array;
  try {
    bytes = await read(signal);
  } catch (error) {
    if (error instanceof ChannelFault) return error.message;
    throw error;
  }
  if (!isForReading(name, bytes)) return "send pictures, and files that hold no text, on the page.";
  const stored = await keepSent({ MEDIA: bucket, DB: db }, deps, actor, {
    session,
    sessionAt,
    name,
    bytes,
  });
  if (!stored.ok && stored.error.code === ID_TAKEN.code) return { refused: stored.error };
  if (!stored.ok) return [stored.error.message, stored.error.hint ?? ""].join(" ").trim();
  const { url, mediaType } = stored.value;
  return { part: { type: "file", url, mediaType }, sessionAt: stored.value.sessionAt };
}

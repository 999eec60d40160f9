import { normalize } from "../../core/log/normalize.ts";
import * as z from "zod";
import { err, ok, type Result } from "../../core/log/result.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { checkFile } from "./file-text.ts";
import { ACCEPTED, TYPES } from "./kinds.ts";
import { FILE_BYTES_MAX, FILES_PER_HOUR_MAX, FILES_PER_SESSION_MAX, NAME_CHARS_MAX } from "./limits.ts";

/**
 * The files of a session, in the bucket: `uploads/<session>/<id>`. An id is made of the bytes, so that the same file is the
 * same id, and it leads nowhere in another session.
 */

const HOUR_MS = 3_600_000;
const ID = /^f_[0-9a-f]{24}$/;

export const isFileId = (text: string): boolean => ID.test(text);

/** The path that a message names it by. */
export const pathOf = (id: string): string => `/uploads/${id}`;
const PATH = /^\/uploads\/(f_[0-9a-f]{24})$/;
/** The id in such a path; null for another path. */
export const idIn = (path: string): string | null => PATH.exec(path)?.[1] ?? null;

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
}

export interface Arriving {
  readonly session: string;
  readonly subject: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** milliseconds since the epoch */
  readonly at: number;
}

/** A file that this session keeps already. `retryAfter` of a fault: seconds. */
export type Arrived = Result<
  { readonly file: StoredFile; readonly deduped: boolean },
  FileFault & { readonly retryAfter?: number }
>;

const said = z.object({ name: z.string(), type: z.string(), by: z.string(), at: z.coerce.number() });

/** Keeps a file, once it is certain that it can be opened. Faults: `too_large`, `too_many_files`, `rate_limited`, those of `checkFile`. */
export async function keepFile(bucket: R2Bucket, arriving: Arriving): Promise<Arrived> {
  const { session, subject, bytes, at } = arriving;
  if (bytes.length > FILE_BYTES_MAX)
    return fault("too_large", "too_large", "The file is larger than 20 MB.", ACCEPTED);
  const name = cleanName(arriving.name);
  const kind = await checkFile(name, bytes);
  if (!kind.ok) return kind;
  const id = await idOf(bytes);
  const known = await findFile(bucket, session, id);
  if (known !== null) return ok({ file: known, deduped: true });
  const full = await roomFor(bucket, arriving);
  if (full !== null) return err(full);
  const mediaType = TYPES[kind.value];
  await bucket.put(keyOf(session, id), bytes, {
    httpMetadata: { contentType: mediaType },
    // What stands here goes out as headers.
    customMetadata: {
      ...{ name: encodeURIComponent(name), type: mediaType },
      ...{ by: encodeURIComponent(subject), at: String(at) },
    },
  });
  return ok({ file: { id, name, mediaType, bytes: bytes.length }, deduped: false });
}

/** Null for one that this session has not: of another session, or of none. */
export async function findFile(bucket: R2Bucket, session: string, id: string): Promise<StoredFile | null> {
  if (!isFileId(id)) return null;
  const object = await bucket.head(keyOf(session, id));
  return object === null ? null : fileIn(id, object);
}

export async function loadFile(
  bucket: R2Bucket,
  session: string,
  id: string,
): Promise<{ readonly file: StoredFile; readonly bytes: Uint8Array } | null> {
  if (!isFileId(id)) return null;
  const object = await bucket.get(keyOf(session, id));
  if (object === null) return null;
  return { file: fileIn(id, object), bytes: new Uint8Array(await object.arrayBuffer()) };
}

/** All files of a session go. */
export async function dropFiles(bucket: R2Bucket, session: string): Promise<void> {
  for (;;) {
    const { objects } = await bucket.list({ prefix: prefixOf(session) });
    if (objects.length === 0) return;
    await bucket.delete(objects.map(({ key }) => key));
  }
}

const prefixOf = (session: string): string => `uploads/${session}/`;
const keyOf = (session: string, id: string): string => prefixOf(session) + id;

function fileIn(id: string, { size, customMetadata }: R2Object): StoredFile {
  const { name, type } = said.parse(customMetadata);
  return { id, name: decodeURIComponent(name), mediaType: type, bytes: size };
}

async function idOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `f_${[...digest.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Why there is no room for one more; null where there is. */
async function roomFor(
  bucket: R2Bucket,
  { session, subject, at }: Arriving,
): Promise<(FileFault & { readonly retryAfter?: number }) | null> {
  const { objects } = await bucket.list({
    prefix: prefixOf(session),
    limit: FILES_PER_SESSION_MAX,
    include: ["customMetadata"],
  });
  if (objects.length >= FILES_PER_SESSION_MAX)
    return {
      ...{ class: "conflict", code: "too_many_files" },
      message: `This session keeps ${FILES_PER_SESSION_MAX} files already.`,
      hint: "Go on in a new session.",
    };
  const recent = objects
    .map(({ customMetadata }) => said.parse(customMetadata))
    .filter((one) => one.by === encodeURIComponent(subject) && one.at > at - HOUR_MS);
  if (recent.length < FILES_PER_HOUR_MAX) return null;
  const first = Math.min(...recent.map((one) => one.at));
  return {
    ...{ class: "rate_limit", code: "rate_limited" },
    message: "That was the last upload of this hour in this session.",
    hint: "Send the others later.",
    retryAfter: (first + HOUR_MS - at) / 1_000,
  };
}

/** The last part of a path, without what no file name may have. */
export function cleanName(given: string): string {
  const last = normalize(given, "NFC").toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const name = last.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029<>:"|?*]/gu, "").replace(/^[.\s]+|[.\s]+$/g, "");
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  const stem = [...name.slice(0, name.length - ending.length)]
    .slice(0, NAME_CHARS_MAX - ending.length)
    .join("");
  return `${stem === "" ? "file" : stem}${ending}`;
}

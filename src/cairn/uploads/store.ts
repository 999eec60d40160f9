import { startOf } from "../core/text/cut.ts";
import { parentOf } from "../core/log/names.ts";
import { normalize } from "../core/log/normalize.ts";
import { isDotOrBlank, trimSigns } from "../core/text/trim.ts";
import * as z from "zod";
import { loadDocuments } from "../../../build/modules/documents.ts";
import { err, ok, type Result } from "../core/log/result.ts";
import { fault, type FileFault } from "../documents/file-fault.ts";
import { ACCEPTED, TYPES } from "../documents/kinds.ts";
import {
  FILE_BYTES_MAX,
  FILES_PER_HOUR_MAX,
  FILES_PER_SESSION_MAX,
  NAME_CHARS_MAX,
} from "../documents/limits.ts";

/**
 * The files of a session, in the bucket: `uploads/<session>/<id>`. An id is made of the bytes, so that the same file is the
 * same id, and it leads nowhere in another session. Names of sessions can be used again, so a file also stores when its
 * session was made, and a later session of that name does not have it.
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

/** When a session was made, milliseconds. Null: it does not exist, so it has no files. Absent: not known, not compared. */
type CreatedAt = number | null | undefined;

export interface Arriving {
  readonly session: string;
  readonly createdAt?: number;
  readonly subject: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** milliseconds since the epoch */
  readonly at: number;
}

type Full = FileFault & { readonly retryAfter?: number };

/** Reservations of room, written before the file: simultaneous uploads cannot all find the same room. */
export interface UploadSpace {
  /** the name of the reservation, or why there is no room */
  reserve(arriving: Arriving): Promise<Result<string, Full>>;
  release(id: string): Promise<void>;
}

/** A file stored for this session. `retryAfter` of a fault: seconds. */
export type Arrived = Result<
  { readonly file: StoredFile; readonly deduped: boolean },
  FileFault & { readonly retryAfter?: number }
>;

const metadataSchema = z.object({
  name: z.string(),
  type: z.string(),
  by: z.string(),
  at: z.coerce.number(),
  /** `createdAt` of its session; absent in files from before this was stored */
  of: z.coerce.number().optional(),
});
/** Before `of` was stored, a file could be sent ahead of the first message of its session. */
const SENT_AHEAD_MS = HOUR_MS;

/**
 * Stores a file after checking that it can be opened. Faults: `too_large`, `too_many_files`, `rate_limited`, those of
 * `checkFile`.
 */
export async function keepFile(bucket: R2Bucket, arriving: Arriving, space?: UploadSpace): Promise<Arrived> {
  const { session, createdAt, subject, bytes, at } = arriving;
  if (bytes.length > FILE_BYTES_MAX)
    return fault("too_large", "too_large", "The file is larger than 20 MB.", ACCEPTED);
  const name = cleanName(arriving.name);
  const { checkFile } = await loadDocuments();
  const kind = await checkFile(name, bytes);
  if (!kind.ok) return kind;
  const id = await idOf(bytes);
  const known = await findFile(bucket, session, id, createdAt);
  if (known !== null) return ok({ file: known, deduped: true });
  const full = await spaceFault(bucket, arriving);
  if (full !== null) return err(full);
  const mediaType = TYPES[kind.value];
  const reserved = space === undefined ? ok(null) : await space.reserve(arriving);
  if (!reserved.ok) return reserved;
  const stored = bucket.put(keyOf(session, id), bytes, {
    httpMetadata: { contentType: mediaType },
    // These values are sent as headers.
    customMetadata: {
      name: encodeURIComponent(name),
      type: mediaType,
      by: encodeURIComponent(subject),
      at: String(at),
      ...(createdAt === undefined ? {} : { of: String(createdAt) }),
    },
  });
  try {
    await stored;
  } catch (error) {
    if (reserved.value !== null) await space?.release(reserved.value);
    throw error;
  }
  return ok({ file: { id, name, mediaType, bytes: bytes.length }, deduped: false });
}

/** Null for one that this session has not: of another session, of a deleted one of its name, or of none. */
export async function findFile(
  bucket: R2Bucket,
  session: string,
  id: string,
  createdAt?: CreatedAt,
): Promise<StoredFile | null> {
  if (!isFileId(id)) return null;
  const object = await bucket.head(keyOf(session, id));
  return object === null || !isOwn(object, createdAt) ? null : fileIn(id, object);
}

function isOwn({ customMetadata }: R2Object, createdAt: CreatedAt): boolean {
  if (createdAt === undefined || createdAt === null) return createdAt === undefined;
  const { of, at } = metadataSchema.parse(customMetadata);
  return of === undefined ? at >= createdAt - SENT_AHEAD_MS : of === createdAt;
}

export async function loadFile(
  bucket: R2Bucket,
  session: string,
  id: string,
  createdAt?: CreatedAt,
): Promise<{ readonly file: StoredFile; readonly bytes: Uint8Array } | null> {
  if (!isFileId(id)) return null;
  const object = await bucket.get(keyOf(session, id));
  if (object === null || !isOwn(object, createdAt)) return null;
  return { file: fileIn(id, object), bytes: new Uint8Array(await object.arrayBuffer()) };
}

/**
 * A file of this session, or of one above it: a run that starts others gives them its files to read. `createdAt`: of this
 * session; the sessions above it are older.
 */
export async function loadFamilyFile(
  bucket: R2Bucket,
  session: string,
  id: string,
  createdAt?: CreatedAt,
): Promise<{ readonly file: StoredFile; readonly bytes: Uint8Array } | null> {
  const own = await loadFile(bucket, session, id, createdAt);
  if (own !== null || !isFileId(id)) return own;
  for (let above = parentOf(session); above !== null; above = parentOf(above.session)) {
    const object = await bucket.get(keyOf(above.session, id));
    if (object !== null && isBefore(object, createdAt))
      return { file: fileIn(id, object), bytes: new Uint8Array(await object.arrayBuffer()) };
  }
  return null;
}

function isBefore({ customMetadata }: R2Object, createdAt: CreatedAt): boolean {
  if (createdAt === undefined || createdAt === null) return createdAt === undefined;
  const { of, at } = metadataSchema.parse(customMetadata);
  return (of ?? at) <= createdAt;
}

/** The files of a session, the oldest first. */
export async function filesOf(
  bucket: R2Bucket,
  session: string,
  createdAt?: CreatedAt,
): Promise<readonly StoredFile[]> {
  const prefix = prefixOf(session);
  return (await listFiles(bucket, session))
    .filter((object) => isOwn(object, createdAt))
    .map((object) => ({
      at: metadataSchema.parse(object.customMetadata).at,
      file: fileIn(object.key.slice(prefix.length), object),
    }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ file }) => file);
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
  const { name, type } = metadataSchema.parse(customMetadata);
  return { id, name: decodeURIComponent(name), mediaType: type, bytes: size };
}

async function idOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `f_${[...digest.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The files of a session, up to the most that one may have. With its metadata, R2 lists fewer objects than asked for. */
async function listFiles(bucket: R2Bucket, session: string): Promise<readonly R2Object[]> {
  const found: R2Object[] = [];
  let cursor: string | undefined;
  do {
    const page = await bucket.list({
      prefix: prefixOf(session),
      include: ["customMetadata"],
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.objects);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined && found.length < FILES_PER_SESSION_MAX);
  return found;
}

/** Why there is no room for one more; null where there is. */
async function spaceFault(
  bucket: R2Bucket,
  { session, subject, at }: Arriving,
): Promise<(FileFault & { readonly retryAfter?: number }) | null> {
  const objects = await listFiles(bucket, session);
  if (objects.length >= FILES_PER_SESSION_MAX) return TOO_MANY_FILES;
  const recent = objects
    .map(({ customMetadata }) => metadataSchema.parse(customMetadata))
    .filter((one) => one.by === encodeURIComponent(subject) && one.at > at - HOUR_MS);
  if (recent.length < FILES_PER_HOUR_MAX) return null;
  return tooManyInHour(Math.min(...recent.map((one) => one.at)), at);
}

export const TOO_MANY_FILES: FileFault = {
  class: "conflict",
  code: "too_many_files",
  message: `This session keeps ${FILES_PER_SESSION_MAX} files already.`,
  hint: "Go on in a new session.",
};

/** `first`: the oldest upload of the hour. */
export const tooManyInHour = (first: number, at: number): Full => ({
  class: "rate_limit",
  code: "rate_limited",
  message: "That was the last upload of this hour in this session.",
  hint: "Send the others later.",
  retryAfter: (first + HOUR_MS - at) / 1_000,
});

/** The last part of a path, without what no file name may have. */
export function cleanName(given: string): string {
  const last = normalize(given, "NFC").toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const name = trimSigns(last.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029<>:"|?*]/gu, ""), isDotOrBlank);
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  const stem = startOf(name.slice(0, name.length - ending.length), NAME_CHARS_MAX - ending.length);
  return `${stem === "" ? "file" : stem}${ending}`;
}

/** Room for files, reserved in D1: one statement counts and writes, so that no two uploads count the same room. */
export function createUploadSpace(db: D1Database, newId: () => string): UploadSpace {
  return {
    reserve: async ({ session, createdAt = 0, subject, at }) => {
      const id = newId();
      const [written, counted] = await db.batch<{ total: number; first: number | null }>([
        db
          .prepare(
            `INSERT INTO upload_reservations(id,session_id,session_at,subject,at)
               SELECT ?1,?2,?3,?4,?5
               WHERE (SELECT count(*) FROM upload_reservations WHERE session_id=?2 AND session_at=?3)<?6
                 AND (SELECT count(*) FROM upload_reservations
                        WHERE session_id=?2 AND session_at=?3 AND subject=?4 AND at>?7)<?8`,
          )
          .bind(id, session, createdAt, subject, at, FILES_PER_SESSION_MAX, at - HOUR_MS, FILES_PER_HOUR_MAX),
        db
          .prepare(
            `SELECT count(*) AS total, min(CASE WHEN subject=?3 AND at>?4 THEN at END) AS first
               FROM upload_reservations WHERE session_id=?1 AND session_at=?2`,
          )
          .bind(session, createdAt, subject, at - HOUR_MS),
      ]);
      if (written?.meta.changes === 1) return ok(id);
      const { total = 0, first = null } = counted?.results[0] ?? {};
      return err(total >= FILES_PER_SESSION_MAX ? TOO_MANY_FILES : tooManyInHour(first ?? at, at));
    },
    release: async (id) => {
      await db.prepare("DELETE FROM upload_reservations WHERE id=?1").bind(id).run();
    },
  };
}

/** A session is deleted with its files. */
export async function dropReservations(db: D1Database, session: string): Promise<void> {
  await db.prepare("DELETE FROM upload_reservations WHERE session_id=?1").bind(session).run();
}

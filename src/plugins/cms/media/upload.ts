import type { CmsContext, CmsServices } from "../model/types.ts";
import { runKeyed } from "../storage/commit.ts";
import { loadEnvironment } from "../storage/load.ts";
import { findImage } from "../storage/images.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, numberOrNull } from "../model/columns.ts";
import { findOperation } from "../history/operations.ts";
import { imageBrief, planArrival, queueAgain, sha256Of, storeBytes } from "./library.ts";
import { HOUR_MS, UPLOADS_PER_HOUR_MAX } from "./limits.ts";
import * as z from "zod";
import { readImage } from "./bytes/read-image.ts";

/** Uploads a person's image into the library. It is an operation like any write: history lists it, undo reverts it. */

export interface Upload {
  /** `http:<key>`; the same with the same bytes is the same upload */
  readonly key: string;
  readonly session: string;
  /** of the session, ms; uploads of a deleted session of its name are older, and do not count */
  readonly createdAt?: number;
  readonly subject: string;
  readonly filename: string;
  readonly bytes: Uint8Array;
  /** ms */
  readonly at: number;
}

const uploaded = z.object({
  image: z.object({
    id: z.string(),
    url: z.string(),
    width: z.number().nullable(),
    height: z.number().nullable(),
  }),
  deduped: z.boolean(),
  replayed: z.boolean().default(false),
});
export type Uploaded = z.output<typeof uploaded>;

/** More than so many in an hour. `retryAfter` in seconds. */
export class TooManyUploads extends Error {
  readonly retryAfter: number;
  constructor(retryAfter: number) {
    super(`more than ${UPLOADS_PER_HOUR_MAX} uploads in an hour`);
    this.name = "TooManyUploads";
    this.retryAfter = retryAfter;
  }
}

/**
 * Refuses `too_large`, `unsupported_media`, `not_configured`, `idempotency_mismatch`, and with TooManyUploads.
 * `services.actor` is the person.
 */
export async function upload(services: CmsServices, request: Upload): Promise<Uploaded> {
  const { key, session, subject, filename, bytes, at } = request;
  await loadEnvironment(services);
  // Refused before anything is looked up by it.
  readImage(bytes);
  const sha256 = await sha256Of(bytes);
  const before = await findOperation(services, key);
  const known = before === null ? await findImage(services, { sha256 }) : null;
  if (known !== null) {
    await queueAgain(services, known.id);
    return uploaded.parse({ image: imageBrief(known), deduped: true });
  }
  if (before === null) await checkRate(services, request);
  const stored = await storeBytes(services, bytes);
  const context: CmsContext = {
    key,
    call: "",
    attempt: 1,
    at,
    services,
    approved: null,
    signal: new AbortController().signal,
    facts: { session, run: "", subject },
    log: () => {},
    progress: () => {},
    spend: () => {},
  };
  const guard = {
    sql: `SELECT count(*)<=${UPLOADS_PER_HOUR_MAX} FROM operations
      WHERE session_id=?1->>0 AND actor=?1->>1 AND tool='upload' AND created_at>?1->>2`,
    json: JSON.stringify([session, services.actor ?? "", countedFrom(request)]),
    equals: 1,
  };
  const done = await runKeyed({
    tool: "upload",
    input: { sha256, session },
    context,
    plan: async () => {
      if (before === null) await checkRate(services, request);
      return planArrival({ filename, origin: "chat", ...stored }, context, [guard]);
    },
    // Adding to the library shows nothing to visitors.
    needsApproval: () => Promise.resolve(false),
  });
  return uploaded.parse(done);
}

/** The end of the time before which uploads are not counted. */
const countedFrom = ({ at, createdAt = 0 }: Upload): number => Math.max(at - HOUR_MS, createdAt - 1);

/** By the index of operations of a session. */
async function checkRate(services: CmsServices, request: Upload): Promise<void> {
  const { session, at } = request;
  const [row] = await rowsOf(
    services,
    `SELECT count(*) AS count, min(created_at) AS first FROM operations
      WHERE session_id=?1 AND actor=?2 AND tool='upload' AND created_at>?3`,
    session,
    services.actor ?? "",
    countedFrom(request),
  );
  if (row === undefined || number(row, "count") < UPLOADS_PER_HOUR_MAX) return;
  throw new TooManyUploads(((numberOrNull(row, "first") ?? at) + HOUR_MS - at) / 1_000);
}

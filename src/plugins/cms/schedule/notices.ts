import { complaintOf, createRedactor } from "../../../cairn/core/text/redact.ts";
import { logError } from "../../../cairn/operator-log.ts";
import type { Notice } from "../model/types.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, text } from "../model/columns.ts";
import { waitAfter } from "./attempts.ts";

/**
 * Messages about scheduled work for the session that asked for it. Owns the table `due_notices`: a notice is written in the
 * batch that gives the work up, and delivered by a later pass, so that a failure is never silent.
 */

/** Hands a notice to its session. False: the session is gone, or another has its name. Throws where it cannot be reached. */
export type SendNotice = (notice: Notice) => Promise<boolean>;

const NOTICES_PER_PASS_MAX = 20;
const NOTICE_ATTEMPTS_MAX = 20;

/** Delivers due notices. Returns the number of sessions that got one. */
export async function deliverNotices(db: D1Database, send: SendNotice, now: number): Promise<number> {
  const rows = await rowsOf(
    { db },
    `SELECT id, session_id, made_before, text, attempts FROM due_notices WHERE retry_at<=?1
      ORDER BY retry_at, at, id LIMIT ${NOTICES_PER_PASS_MAX}`,
    now,
  );
  let taken = 0;
  for (const row of rows) {
    const notice = {
      id: text(row, "id"),
      session: text(row, "session_id"),
      createdBefore: number(row, "made_before"),
      text: text(row, "text"),
    };
    const attempts = number(row, "attempts") + 1;
    try {
      // Counted first: a session whose wake kills this pass must not keep the others from their notices.
      await rowsOf(
        { db },
        "UPDATE due_notices SET attempts=?2, retry_at=?3 WHERE id=?1",
        notice.id,
        attempts,
        now + waitAfter(attempts),
      );
      if (await send(notice)) taken += 1;
      await rowsOf({ db }, "DELETE FROM due_notices WHERE id=?1", notice.id);
    } catch (error) {
      logError("a notice was not delivered", notice.id, complaintOf(error, createRedactor([])));
      if (attempts < NOTICE_ATTEMPTS_MAX) continue;
      logError("a notice is given up", notice.id, notice.text);
      await db.prepare("DELETE FROM due_notices WHERE id=?1").bind(notice.id).run();
    }
  }
  return taken;
}

import { err, ok } from "../../core/log/result.ts";
import { FILES_PER_HOUR_MAX, FILES_PER_SESSION_MAX } from "./limits.ts";
import { TOO_MANY_FILES, tooManyInHour, type Room } from "./store.ts";

const HOUR_MS = 3_600_000;

/** Room for files, reserved in D1: one statement counts and writes, so that no two uploads count the same room. */
export function createRoom(db: D1Database, newId: () => string): Room {
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
          .bind(
            ...[id, session, createdAt, subject, at],
            ...[FILES_PER_SESSION_MAX, at - HOUR_MS, FILES_PER_HOUR_MAX],
          ),
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
export async function dropRoom(db: D1Database, session: string): Promise<void> {
  await db.prepare("DELETE FROM upload_reservations WHERE session_id=?1").bind(session).run();
}

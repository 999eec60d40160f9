import type { Notice } from "../model/types.ts";

/** Stores a notice, in the batch of the change that it is about. It is delivered later (schedule/notices.ts). */
export const noticeStatement = (db: D1Database, notice: Notice, at: number): D1PreparedStatement =>
  db
    .prepare(
      "INSERT INTO due_notices(id,session_id,made_before,text,at) VALUES(?1,?2,?3,?4,?5) ON CONFLICT DO NOTHING",
    )
    .bind(notice.id, notice.session, notice.createdBefore, notice.text, at);

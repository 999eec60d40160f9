import type { Answer } from "../../protocol/api.ts";

/** Reads of the inbox, except approvals (migrations/0005). A copy that may lag: answers go to the session. */

type Inbox = Answer<"Inbox">;

/** Questions, also about budgets, and failed scheduled runs of this person's sessions, the last asked first; not those of archived sessions. */
export async function listInbox(
  db: D1Database,
  owner: string,
  limit: number,
): Promise<Omit<Inbox, "approvals">> {
  const { results } = await db
    .prepare(
      `SELECT i.kind, i.view, s.view ->> 'title' AS title FROM inbox_items i JOIN sessions s ON s.id = i.session_id
       WHERE i.owner = ? AND i.dismissed = 0 AND s.archived = 0 ORDER BY i.at DESC, i.session_id, i.id LIMIT ?`,
    )
    .bind(owner, limit + 1)
    .all<{ kind: "question" | "failed_run" | "budget"; view: string; title: string }>();
  const items = results.slice(0, limit);
  // As the session wrote it into its row.
  const of = <Item>(kind: string): Item[] =>
    items
      .filter((item) => item.kind === kind)
      .map(({ view, title }) => ({ ...(JSON.parse(view) as Item), title }));
  return {
    budgetQuestions: of<Inbox["budgetQuestions"][number]>("budget"),
    questions: of<Inbox["questions"][number]>("question"),
    failedRuns: of<Inbox["failedRuns"][number]>("failed_run"),
    more: results.length > limit,
  };
}

/** Takes the failed run off the list of the session's owner; nothing where it is not on it. */
export async function dismiss(db: D1Database, owner: string, session: string, run: string): Promise<void> {
  await db
    .prepare(
      "UPDATE inbox_items SET dismissed = 1 WHERE session_id = ? AND id = ? AND owner = ? AND kind = 'failed_run'",
    )
    .bind(session, run, owner)
    .run();
}

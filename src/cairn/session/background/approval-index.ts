import type { Statement } from "../storage/index-db.ts";
import type { Entry } from "../../core/log/entry.ts";
import { runOf } from "../../core/log/names.ts";
import type { State } from "../../core/state/state.ts";
import { findApproval } from "../../protocol/approval.ts";
import { loadRun } from "../api/log-reader.ts";
import type { Store } from "../engine/ports.ts";

/** Approvals of a session, written to the inbox index of all sessions (D1, migrations/0004). */

/** The approval that a row is about; null for any other row. */
export function approvalIn(entry: Entry): string | null {
  switch (entry.kind) {
    case "approval_requested":
    case "approval_voted":
    case "approval_escalated":
    case "approval_decided":
    case "approval_cancelled":
    case "approval_explained":
      return entry.body.approval;
    default:
      return null;
  }
}

/** Writes these approvals as they are now, and who sees them. The schema of a tool's input is added by who reads the list. */
export function inboxStatements(
  session: string,
  owner: string,
  approvals: ReadonlySet<string>,
  state: State,
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
): Statement[] {
  const runs = new Map<string, readonly Entry[]>();
  return [...approvals].flatMap((id): Statement[] => {
    const run = runOf(id) ?? "";
    const rows = runs.get(run) ?? loadRun(store, state, run);
    runs.set(run, rows);
    const view = findApproval(session, rows, id);
    if (view === null) return [];
    const readers = [...new Set([owner, ...view.approvers.filter((name) => name !== "owner")])];
    return [
      [
        `INSERT INTO approvals (session_id, id, asked_at, state, view) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (session_id, id) DO UPDATE SET asked_at = excluded.asked_at, state = excluded.state, view = excluded.view`,
        session,
        id,
        Date.parse(view.createdAt),
        view.state,
        // The text is rebuilt from the other fields when the row is read: a row has at most 2 MB.
        JSON.stringify({ ...view, decision: undefined }),
      ],
      [
        "INSERT OR IGNORE INTO approval_readers (session_id, id, subject) SELECT ?1, ?2, value FROM json_each(?3)",
        session,
        id,
        JSON.stringify(readers),
      ],
    ];
  });
}

/** Takes the session out of the inbox. */
export const emptyInbox = (session: string): Statement[] => [
  ["DELETE FROM approval_readers WHERE session_id = ?1", session],
  ["DELETE FROM approvals WHERE session_id = ?1", session],
  ["DELETE FROM inbox_items WHERE session_id = ?1", session],
];

import type { SessionView } from "../../cairn/protocol/views.ts";

/** The list of sessions as a person reads it. Pure. */

/** A session in the list; `snippet`: where a search found the words. */
export type Listed = SessionView & { readonly snippet?: string };

export interface Group {
  readonly name: string;
  readonly sessions: readonly Listed[];
}

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

/**
 * Groups: sessions that wait for a person first, then by the day of the last activity; each in the order of the list.
 * Empty groups are left out.
 */
export function groupSessions(sessions: readonly Listed[], now: number): readonly Group[] {
  const today = new Date(now).setHours(0, 0, 0, 0);
  const nameOf = (session: Listed): string => {
    if (waitsForPerson(session)) return "Needs you";
    const days = Math.ceil((today - Date.parse(session.updatedAt)) / DAY_MS);
    if (days <= 0) return "Today";
    if (days <= 1) return "Yesterday";
    if (days <= WEEK_DAYS) return "Last 7 days";
    return days <= MONTH_DAYS ? "Last 30 days" : "Older";
  };
  const names = ["Needs you", "Today", "Yesterday", "Last 7 days", "Last 30 days", "Older"];
  return names
    .map((name) => ({ name, sessions: sessions.filter((session) => nameOf(session) === name) }))
    .filter((group) => group.sessions.length > 0);
}

export const waitsForPerson = ({ status, pendingApprovals }: SessionView): boolean =>
  status === "waiting" || pendingApprovals > 0;

/** The current activity of a session; null while it rests. */
export function doingWords({ status, pendingApprovals }: SessionView): string | null {
  if (pendingApprovals > 1) return `${pendingApprovals} approvals need you`;
  if (pendingApprovals === 1) return "Needs your approval";
  if (status === "waiting") return "Needs your answer";
  if (status === "running") return "Working";
  return null;
}

/** A session without a title yet has not been spoken in. */
export const titleOf = ({ title }: Pick<SessionView, "title">): string => title || "New session";

/** The kind of list: search results, or the archive. */
export interface ListKind {
  readonly search: boolean;
  readonly archived: boolean;
}

/**
 * The list, updated with a session that is known from elsewhere: the list lags, and has a new session only later. An
 * unlisted session comes on top, except in search results. A list with newer data stays as it is.
 */
export function withSession(
  sessions: readonly Listed[],
  known: SessionView,
  { search, archived }: ListKind,
): readonly Listed[] {
  const at = sessions.findIndex(({ id }) => id === known.id);
  const listed = sessions[at];
  if (known.archived !== archived) return listed === undefined ? sessions : sessions.toSpliced(at, 1);
  if (listed === undefined) return search ? sessions : [known, ...sessions];
  if (listed.updatedAt > known.updatedAt) return sessions;
  return sessions.toSpliced(at, 1, { ...listed, ...known });
}

/** How many seconds until the list is asked for again: soon while something works, for it ends without saying so here. */
export function refreshSeconds(sessions: readonly Listed[], search: boolean): number {
  return search || sessions.some(({ status }) => status === "running") ? 4 : 20;
}

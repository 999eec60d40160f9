import type { Address } from "../../../cairn/core/address.ts";

/**
 * Chats on channels: the session of each person in a chat, and if the chat has blocked us. People in a group have
 * separate sessions, and so does a person who links in a chat that was another's before.
 */

export interface Chat {
  /** false: a chat of two */
  readonly isGroup: boolean;
  readonly blocked: boolean;
  /** the last message from there, as `Outgoing.answers` names it; null where the channel needs no name to answer it */
  readonly answers: string | null;
}

/** A session by its name and the time when it was made, because names can be used again. */
export interface NamedSession {
  readonly session: string;
  /** `createdAt` of the session; null where it is not made yet */
  readonly sessionAt: number | null;
}

/** A person's session at a place. */
export interface ChatSession extends NamedSession {
  /** whose session it is */
  readonly subject: string;
  readonly isGroup: boolean;
  /** milliseconds since 1970, now */
  readonly at: number;
}

const KEY = "channel = ?1 AND place = ?2 AND thread = ?3";
const keyOf = ({ channel, place, thread = "" }: Address): readonly [string, string, string] => [
  channel,
  place,
  thread,
];

/** null: no message has come from there yet */
export async function findChat(db: D1Database, address: Address): Promise<Chat | null> {
  const row = await db
    .prepare(`SELECT is_group, blocked_at, answers FROM channel_places WHERE ${KEY}`)
    .bind(...keyOf(address))
    .first<{ is_group: number; blocked_at: number | null; answers: string | null }>();
  if (row === null) return null;
  const { is_group: isGroup, blocked_at: blockedAt, answers } = row;
  return { isGroup: isGroup === 1, blocked: blockedAt !== null, answers };
}

/** The session of this person at the place; null while they have none. */
export async function findChatSession(
  db: D1Database,
  address: Address,
  subject: string,
): Promise<NamedSession | null> {
  return await db
    .prepare(`SELECT session, session_at AS sessionAt FROM channel_sessions WHERE ${KEY} AND subject = ?4`)
    .bind(...keyOf(address), subject)
    .first<NamedSession>();
}

/** Sets the person's session in the chat. A message from the chat shows that it is no longer blocked. */
export async function storeChat(
  db: D1Database,
  address: Address,
  { session, sessionAt, subject, isGroup, at }: ChatSession,
): Promise<void> {
  await db.batch([
    db
      .prepare(
        `INSERT INTO channel_sessions (channel, place, thread, subject, session, session_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
          ON CONFLICT (channel, place, thread, subject) DO UPDATE SET session = ?5, session_at = ?6`,
      )
      .bind(...keyOf(address), subject, session, sessionAt),
    openedBy(db, address, { subject, isGroup, at }),
  ]);
}

/** The session of a person who has none there yet: of two that they open at once, the first stays. */
export async function openChatSession(
  db: D1Database,
  address: Address,
  { session, sessionAt, subject, isGroup, at }: ChatSession,
): Promise<NamedSession> {
  const [opened] = await db.batch<NamedSession>([
    db
      .prepare(
        `INSERT INTO channel_sessions (channel, place, thread, subject, session, session_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
          ON CONFLICT (channel, place, thread, subject) DO UPDATE SET session = session
          RETURNING session, session_at AS sessionAt`,
      )
      .bind(...keyOf(address), subject, session, sessionAt),
    openedBy(db, address, { subject, isGroup, at }),
  ]);
  return opened?.results[0] ?? { session, sessionAt };
}

/** The session of this person at the place was made at this time. */
export async function storeSessionTime(
  db: D1Database,
  address: Address,
  subject: string,
  { session, sessionAt }: NamedSession,
): Promise<void> {
  await db
    .prepare(`UPDATE channel_sessions SET session_at = ?6 WHERE ${KEY} AND subject = ?4 AND session = ?5`)
    .bind(...keyOf(address), subject, session, sessionAt)
    .run();
}

/** The row of the chat: who wrote there last, with their session, and that it is not blocked. */
function openedBy(
  db: D1Database,
  address: Address,
  { subject, isGroup, at }: Pick<ChatSession, "subject" | "isGroup" | "at">,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO channel_places (channel, place, thread, session, subject, is_group, blocked_at, opened_at)
        SELECT channel, place, thread, session, subject, ?5, NULL, ?6 FROM channel_sessions WHERE ${KEY} AND subject = ?4
        ON CONFLICT (channel, place, thread) DO UPDATE SET session = excluded.session, subject = excluded.subject,
          is_group = excluded.is_group, blocked_at = NULL`,
    )
    .bind(...keyOf(address), subject, isGroup ? 1 : 0, at);
}

/** The next message sent to the chat answers this one. */
export async function noteMessage(db: D1Database, address: Address, id: string): Promise<void> {
  await db
    .prepare(`UPDATE channel_places SET answers = ?4 WHERE ${KEY}`)
    .bind(...keyOf(address), id)
    .run();
}

/** Marks a chat as blocked: nothing is sent there until a message comes from it again. */
export async function blockChat(db: D1Database, address: Address, at: number): Promise<void> {
  await db
    .prepare(`UPDATE channel_places SET blocked_at = coalesce(blocked_at, ?4) WHERE ${KEY}`)
    .bind(...keyOf(address), at)
    .run();
}

import type { Address } from "../../core/address.ts";

/** Which session stands behind a place, and whether the place has shut us out. */

export interface Place {
  readonly session: string;
  /** whose session it is */
  readonly subject: string;
  readonly blocked: boolean;
  /** the last message from there, as `Outgoing.answers` names it; null where the channel needs no name to answer it */
  readonly answers: string | null;
}

const KEY = "channel = ?1 AND place = ?2 AND thread = ?3";
const keyOf = ({ channel, place, thread = "" }: Address): readonly [string, string, string] => [
  channel,
  place,
  thread,
];

export async function findPlace(db: D1Database, address: Address): Promise<Place | null> {
  const row = await db
    .prepare(`SELECT session, subject, blocked_at, answers FROM channel_places WHERE ${KEY}`)
    .bind(...keyOf(address))
    .first<{ session: string; subject: string; blocked_at: number | null; answers: string | null }>();
  if (row === null) return null;
  const { session, subject, blocked_at: blockedAt, answers } = row;
  return { session, subject, blocked: blockedAt !== null, answers };
}

/** From now on the place speaks with this session. Words from there say that it takes ours again. */
export async function keepPlace(
  db: D1Database,
  address: Address,
  {
    session,
    subject,
    isGroup,
  }: { readonly session: string; readonly subject: string; readonly isGroup: boolean },
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO channel_places (channel, place, thread, session, subject, is_group, blocked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL)
        ON CONFLICT (channel, place, thread) DO UPDATE SET session = ?4, subject = ?5, is_group = ?6, blocked_at = NULL`,
    )
    .bind(...keyOf(address), session, subject, isGroup ? 1 : 0)
    .run();
}

/** The session of a place that has none yet: of two that open one at once, the first has it. */
export async function openPlace(
  db: D1Database,
  address: Address,
  {
    session,
    subject,
    isGroup,
  }: { readonly session: string; readonly subject: string; readonly isGroup: boolean },
): Promise<string> {
  const row = await db
    .prepare(
      `INSERT INTO channel_places (channel, place, thread, session, subject, is_group, blocked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL)
        ON CONFLICT (channel, place, thread) DO UPDATE SET blocked_at = NULL RETURNING session`,
    )
    .bind(...keyOf(address), session, subject, isGroup ? 1 : 0)
    .first<{ session: string }>();
  return row?.session ?? session;
}

/** What is said there next answers this message. */
export async function noteMessage(db: D1Database, address: Address, id: string): Promise<void> {
  await db
    .prepare(`UPDATE channel_places SET answers = ?4 WHERE ${KEY}`)
    .bind(...keyOf(address), id)
    .run();
}

/** The place has shut us out: nothing is sent there until somebody speaks from it again. */
export async function blockPlace(db: D1Database, address: Address, at: number): Promise<void> {
  await db
    .prepare(`UPDATE channel_places SET blocked_at = coalesce(blocked_at, ?4) WHERE ${KEY}`)
    .bind(...keyOf(address), at)
    .run();
}

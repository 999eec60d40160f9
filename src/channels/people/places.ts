import type { Address } from "../../core/address.ts";

/** Which session stands behind a place, and whether the place has shut us out. */

export interface Place {
  readonly session: string;
  /** whose session it is */
  readonly subject: string;
  readonly blocked: boolean;
}

const KEY = "channel = ?1 AND place = ?2 AND thread = ?3";
const keyOf = ({ channel, place, thread = "" }: Address): readonly [string, string, string] => [
  channel,
  place,
  thread,
];

export async function findPlace(db: D1Database, address: Address): Promise<Place | null> {
  const row = await db
    .prepare(`SELECT session, subject, blocked_at FROM channel_places WHERE ${KEY}`)
    .bind(...keyOf(address))
    .first<{ session: string; subject: string; blocked_at: number | null }>();
  return row === null
    ? null
    : { session: row.session, subject: row.subject, blocked: row.blocked_at !== null };
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

/** The place has shut us out: nothing is sent there until somebody speaks from it again. */
export async function blockPlace(db: D1Database, address: Address, at: number): Promise<void> {
  await db
    .prepare(`UPDATE channel_places SET blocked_at = coalesce(blocked_at, ?4) WHERE ${KEY}`)
    .bind(...keyOf(address), at)
    .run();
}

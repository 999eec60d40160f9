import type { Channel } from "../channel.ts";
import { addressName, type Address, type ChannelName } from "../../../cairn/core/address.ts";

/**
 * Places to which their channel has given another id. All rows of the old id move to the new one, and what still names the old
 * id (entries of sessions, outgoing messages, late updates) is led there when it is used.
 */

/** A move that the vendor has reported. */
export interface Move {
  readonly channel: ChannelName;
  readonly from: string;
  readonly to: string;
  /** milliseconds since 1970: when the vendor moved it, or when it was noticed */
  readonly at: number;
}

/** milliseconds by which the clock of a vendor may differ from ours */
const CLOCKS_MS_MAX = 60_000;

/** The move is stored: the condition of every statement that moves rows. */
const IS_MOVED = "EXISTS (SELECT 1 FROM channel_moves WHERE channel = ?1 AND place = ?2 AND moved_to = ?3)";

/**
 * Moves every row of the old ID, in one transaction; the same move again changes nothing. Rows that the new ID
 * already has stay. Returns false, and moves nothing, if the old ID moved elsewhere, or the new ID already had an
 * owner.
 */
export async function moveChat(db: D1Database, { channel, from, to, at }: Move): Promise<boolean> {
  const move = (query: string): D1PreparedStatement =>
    db.prepare(`${query} AND ${IS_MOVED}`).bind(channel, from, to);
  const [, known] = await db.batch([
    // Words can arrive from the new id before the report of the move does; older ones are from another place.
    db
      .prepare(
        `INSERT INTO channel_moves (channel, place, moved_to, at) SELECT ?1, ?2, ?3, ?4
          WHERE NOT EXISTS (SELECT 1 FROM channel_moves WHERE channel = ?1 AND (place IN (?2, ?3) OR moved_to IN (?2, ?3)))
          AND NOT EXISTS (SELECT 1 FROM channel_links WHERE channel = ?1 AND place = ?3)
          AND NOT EXISTS (SELECT 1 FROM channel_places WHERE channel = ?1 AND place = ?3 AND coalesce(opened_at, 0) < ?5)`,
      )
      .bind(channel, from, to, at, at - CLOCKS_MS_MAX),
    db
      .prepare("SELECT 1 FROM channel_moves WHERE channel = ?1 AND place = ?2 AND moved_to = ?3")
      .bind(channel, from, to),
    move("UPDATE OR IGNORE channel_sessions SET place = ?3 WHERE channel = ?1 AND place = ?2"),
    move("DELETE FROM channel_sessions WHERE channel = ?1 AND place = ?2"),
    // An upgraded group leaves its old ID, which looks as if it had blocked us. Its messages have other IDs from
    // now on.
    move(
      "UPDATE OR IGNORE channel_places SET place = ?3, blocked_at = NULL, answers = NULL WHERE channel = ?1 AND place = ?2",
    ),
    move("DELETE FROM channel_places WHERE channel = ?1 AND place = ?2"),
    move("UPDATE channel_links SET place = ?3 WHERE channel = ?1 AND place = ?2"),
    move("UPDATE channel_buttons SET place = ?3, card = NULL WHERE channel = ?1 AND place = ?2"),
    db
      .prepare(`UPDATE person_settings SET ask = ?5 WHERE ask = ?4 AND ${IS_MOVED}`)
      .bind(channel, from, to, addressName({ channel, place: from }), addressName({ channel, place: to })),
  ]);
  return (known?.results.length ?? 0) > 0;
}

/** The address by which the place is known now. `channel`: the place's own; null where it is not set up. */
export async function currentAddress(
  db: D1Database,
  address: Address,
  channel: Pick<Channel, "mayMove"> | null,
): Promise<Address> {
  if (channel !== null && channel.mayMove?.(address.place) !== true) return address;
  const to = await db
    .prepare("SELECT moved_to FROM channel_moves WHERE channel = ?1 AND place = ?2")
    .bind(address.channel, address.place)
    .first<string>("moved_to");
  return to === null ? address : { ...address, place: to };
}

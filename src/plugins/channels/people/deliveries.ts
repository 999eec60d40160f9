import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import type { ChannelName } from "../../../cairn/core/address.ts";
import type { NamedSession } from "./chats.ts";

/**
 * Deliveries that were received already: a vendor repeats a request, two servers deliver one mail, or somebody sends
 * another's mail again.
 */

/** A delivery that is repeated later than this is a new one. */
export const DELIVERY_RETENTION_MS = 90 * 86_400_000;

/** The session into which a message goes: the one that it went into first, or this one. */
export async function sessionOfMessage(
  db: D1Database,
  channel: ChannelName,
  deliveryId: string,
  { session, sessionAt, at }: NamedSession & { readonly at: number },
): Promise<NamedSession> {
  const [, kept] = await db.batch<NamedSession>([
    db.prepare("DELETE FROM channel_deliveries WHERE at <= ?1").bind(at - DELIVERY_RETENTION_MS),
    db
      .prepare(
        `INSERT INTO channel_deliveries (digest, session, session_at, at) VALUES (?1, ?2, ?3, ?4)
          ON CONFLICT (digest) DO UPDATE SET session = session RETURNING session, session_at AS sessionAt`,
      )
      .bind(digestOf(channel, deliveryId), session, sessionAt, at),
  ]);
  return kept?.results[0] ?? { session, sessionAt };
}

/** The message goes into this session, and into no other when it is repeated. */
export async function moveMessage(
  db: D1Database,
  channel: ChannelName,
  deliveryId: string,
  { session, sessionAt }: NamedSession,
): Promise<void> {
  await db
    .prepare("UPDATE channel_deliveries SET session = ?2, session_at = ?3 WHERE digest = ?1")
    .bind(digestOf(channel, deliveryId), session, sessionAt)
    .run();
}

/** True for a command that has been carried out: `markDone` comes after its last effect, so a crash before it loses nothing. */
export async function isDone(db: D1Database, channel: ChannelName, deliveryId: string): Promise<boolean> {
  const row = await db
    .prepare("SELECT 1 FROM channel_deliveries WHERE digest = ?1")
    .bind(digestOf(channel, `command ${deliveryId}`))
    .first();
  return row !== null;
}

/** False: it was marked before, by another try of the same delivery. */
export async function markDone(
  db: D1Database,
  channel: ChannelName,
  what: "command" | "left out",
  deliveryId: string,
  at: number,
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      "INSERT INTO channel_deliveries (digest, session, at) VALUES (?1, '', ?2) ON CONFLICT DO NOTHING",
    )
    .bind(digestOf(channel, `${what} ${deliveryId}`), at)
    .run();
  return meta.changes > 0;
}

const digestOf = (channel: string, deliveryId: string): string => sha256Hex(`${channel} ${deliveryId}`);

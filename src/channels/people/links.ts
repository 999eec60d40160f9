import * as z from "zod";
import { CHANNELS, type ChannelName } from "../../core/address.ts";
import { sha256Hex } from "../../core/log/digest.ts";
import type { ChannelUser } from "../channel.ts";

/** Who people on a channel are here. A code that a signed-in person asked for makes the pair, once. */

export interface Link {
  readonly channel: ChannelName;
  readonly user: ChannelUser;
  readonly subject: string;
  /** of the credential that asked for the code: what they may do here */
  readonly scopes: readonly string[];
  /** where they were linked: approvals are shown to them there */
  readonly place: string;
  /** milliseconds since 1970 */
  readonly linkedAt: number;
}

const CODE_CHARS = 8;
const CODE_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
/** wrong codes of one user in an hour, after which none is looked at */
const WRONG_MAX = 5;
/** without letters and digits that are taken for one another */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A new code for a person, and when it ends: milliseconds since 1970. Only its digest is kept. */
export async function createCode(
  db: D1Database,
  { subject, scopes }: Pick<Link, "subject" | "scopes">,
  at: number,
): Promise<{ readonly code: string; readonly expiresAt: number }> {
  const bytes = crypto.getRandomValues(new Uint8Array(CODE_CHARS));
  const code = [...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  const expiresAt = at + CODE_MS;
  await db.batch([
    db.prepare("DELETE FROM channel_codes WHERE expires_at <= ?1").bind(at),
    db
      .prepare("INSERT INTO channel_codes (digest, subject, scopes, expires_at) VALUES (?1, ?2, ?3, ?4)")
      .bind(sha256Hex(code), subject, JSON.stringify(scopes), expiresAt),
  ]);
  return { code, expiresAt };
}

export type Linking =
  | { readonly ok: true; readonly subject: string }
  /** `closed`: too many wrong codes in this hour, so that none is looked at */
  | { readonly ok: false; readonly why: "wrong" | "closed" };

/** Links the user by a code: it is used up by that, and whoever they were linked to before is not any more. */
export async function redeemCode(
  db: D1Database,
  said: string,
  { channel, user, place }: Pick<Link, "channel" | "user" | "place">,
  at: number,
): Promise<Linking> {
  const hour = Math.floor(at / HOUR_MS);
  const known = await strangerOf(db, channel, user.id, hour);
  if (known.wrong >= WRONG_MAX) return { ok: false, why: "closed" };
  const digest = sha256Hex(said.trim().toUpperCase());
  const taken = await db
    .prepare("DELETE FROM channel_codes WHERE digest = ?1 AND expires_at > ?2 RETURNING subject, scopes")
    .bind(digest, at)
    .first<{ subject: string; scopes: string }>();
  if (taken === null) {
    await writeStranger(db, channel, user.id, { hour, wrong: known.wrong + 1, told: known.told });
    return { ok: false, why: "wrong" };
  }
  await db.batch([
    db
      .prepare(
        `INSERT INTO channel_links (channel, user_id, user_name, subject, scopes, place, linked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
          ON CONFLICT (channel, user_id) DO UPDATE SET user_name = ?3, subject = ?4, scopes = ?5, place = ?6, linked_at = ?7`,
      )
      .bind(channel, user.id, user.name, taken.subject, taken.scopes, place, at),
    db.prepare("DELETE FROM channel_strangers WHERE channel = ?1 AND user_id = ?2").bind(channel, user.id),
  ]);
  return { ok: true, subject: taken.subject };
}

export async function findLink(db: D1Database, channel: ChannelName, userId: string): Promise<Link | null> {
  const row = await db
    .prepare("SELECT * FROM channel_links WHERE channel = ?1 AND user_id = ?2")
    .bind(channel, userId)
    .first();
  return row === null ? null : linkIn(row);
}

/** Those of a person, the newest first. */
export async function listLinks(db: D1Database, subject: string): Promise<readonly Link[]> {
  const { results } = await db
    .prepare("SELECT * FROM channel_links WHERE subject = ?1 ORDER BY linked_at DESC")
    .bind(subject)
    .all();
  return results.map(linkIn);
}

/** False: they have no such link. */
export async function removeLink(
  db: D1Database,
  {
    subject,
    channel,
    userId,
  }: { readonly subject: string; readonly channel: string; readonly userId: string },
): Promise<boolean> {
  const { meta } = await db
    .prepare("DELETE FROM channel_links WHERE channel = ?1 AND user_id = ?2 AND subject = ?3")
    .bind(channel, userId, subject)
    .run();
  return meta.changes > 0;
}

/** Whether somebody unknown is to be told how to link: once an hour, and of all on the channel at most `max` in it. */
export async function isToBeTold(
  db: D1Database,
  channel: ChannelName,
  userId: string,
  at: number,
  max: number | null = null,
): Promise<boolean> {
  const hour = Math.floor(at / HOUR_MS);
  const { wrong, told } = await strangerOf(db, channel, userId, hour);
  if (told || (max !== null && (await toldIn(db, channel, hour)) >= max)) return false;
  await writeStranger(db, channel, userId, { hour, wrong, told: true });
  return true;
}

async function toldIn(db: D1Database, channel: ChannelName, hour: number): Promise<number> {
  const found = await db
    .prepare("SELECT count(*) AS n FROM channel_strangers WHERE channel = ?1 AND hour = ?2 AND told = 1")
    .bind(channel, hour)
    .first<{ n: number }>();
  return found?.n ?? 0;
}

interface Stranger {
  readonly hour: number;
  readonly wrong: number;
  readonly told: boolean;
}

async function strangerOf(db: D1Database, channel: string, userId: string, hour: number): Promise<Stranger> {
  const row = await db
    .prepare("SELECT wrong, told FROM channel_strangers WHERE channel = ?1 AND user_id = ?2 AND hour = ?3")
    .bind(channel, userId, hour)
    .first<{ wrong: number; told: number }>();
  return { hour, wrong: row?.wrong ?? 0, told: row?.told === 1 };
}

async function writeStranger(
  db: D1Database,
  channel: string,
  userId: string,
  { hour, wrong, told }: Stranger,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO channel_strangers (channel, user_id, hour, wrong, told) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (channel, user_id) DO UPDATE SET hour = ?3, wrong = ?4, told = ?5`,
    )
    .bind(channel, userId, hour, wrong, told ? 1 : 0)
    .run();
}

const rowSchema = z.object({
  channel: z.enum(CHANNELS),
  user_id: z.string(),
  user_name: z.string().nullable(),
  subject: z.string(),
  scopes: z.string(),
  place: z.string(),
  linked_at: z.number(),
});
const scopesSchema = z.array(z.string());

function linkIn(row: unknown): Link {
  const {
    channel,
    user_id: id,
    user_name: name,
    subject,
    scopes,
    place,
    linked_at: linkedAt,
  } = rowSchema.parse(row);
  return {
    channel,
    user: { id, name },
    subject,
    scopes: scopesSchema.parse(JSON.parse(scopes)),
    place,
    linkedAt,
  };
}

import * as z from "zod";
import type { ChannelName } from "../../../cairn/core/address.ts";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import { actorOfGrant, type HeldRights, type People } from "../../../cairn/config/rights.ts";
import type { ChannelUser } from "../channel.ts";

/** Links a user of a channel to a person here. A code that a signed-in person requested makes the link, once. */

export interface Link {
  readonly channel: ChannelName;
  readonly user: ChannelUser;
  readonly subject: string;
  /** name of the grant that asked for the code; null: a link of an earlier release, or of the anonymous of a local host */
  readonly grant: string | null;
  /** of that grant, when it asked: the link never gives more */
  readonly scopes: readonly string[];
  /** where they were linked: approvals are shown to them there */
  readonly place: string;
  /** milliseconds since 1970 */
  readonly linkedAt: number;
}

/** The grant of a link: its rights are looked up at each use (`actorOfGrant`). */
export const rightsHeld = ({
  subject,
  grant,
  scopes,
}: Pick<Link, "subject" | "grant" | "scopes">): HeldRights => ({
  subject,
  grants: grant === null ? null : [grant],
  scopes,
});

/** False for a link whose grant has ended or gives nothing any more: nothing is sent to its user. `people` null: no right ends. */
export function holds(people: People | null, link: Link, at: number): boolean {
  const now = people === null ? null : actorOfGrant(people, rightsHeld(link), at);
  return people === null || (now !== null && now.scopes.length > 0);
}

const CODE_CHARS = 8;
const CODE_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
/** wrong codes of one user in an hour, after which none is looked at */
const WRONG_MAX = 5;
/** without letters and digits that are taken for one another */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/** links that an admin is shown */
const LISTED_MAX = 1_000;
/** possible codes of one message that are looked up */
const VOIDED_MAX = 2_000;

/** A new code for a person, and its end: milliseconds since 1970. Only its digest is stored. */
export async function createCode(
  db: D1Database,
  { subject, scopes, grant = null }: Pick<Link, "subject" | "scopes"> & { readonly grant?: string | null },
  at: number,
): Promise<{ readonly code: string; readonly expiresAt: number }> {
  const bytes = crypto.getRandomValues(new Uint8Array(CODE_CHARS));
  const code = [...bytes].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  const expiresAt = at + CODE_MS;
  await db.batch([
    db.prepare("DELETE FROM channel_codes WHERE expires_at <= ?1").bind(at),
    db
      .prepare(
        "INSERT INTO channel_codes (digest, subject, scopes, expires_at, grant_name) VALUES (?1, ?2, ?3, ?4, ?5)",
      )
      .bind(sha256Hex(code), subject, JSON.stringify(scopes), expiresAt, grant),
  ]);
  return { code, expiresAt };
}

export type Linking =
  | { readonly ok: true; readonly link: Link }
  /** `closed`: too many wrong codes in this hour, so that none is looked at */
  | { readonly ok: false; readonly why: "wrong" | "closed" };

/**
 * Links the user by a code, and uses the code up, in one transaction; an earlier link of the user ends. The same code from the
 * same user again finds the link that it has made, because a vendor repeats what was not answered.
 */
export async function redeemCode(
  db: D1Database,
  typed: string,
  { channel, user, place }: Pick<Link, "channel" | "user" | "place">,
  at: number,
): Promise<Linking> {
  const hour = Math.floor(at / HOUR_MS);
  const known = await strangerOf(db, channel, user.id, hour);
  if (known.wrong >= WRONG_MAX) return { ok: false, why: "closed" };
  const digest = digestOf(typed);
  await db.batch([
    db
      .prepare(
        `INSERT INTO channel_links (channel, user_id, user_name, subject, scopes, grant_name, place, linked_at, code)
          SELECT ?1, ?2, ?3, subject, scopes, grant_name, ?4, ?5, digest FROM channel_codes WHERE digest = ?6 AND expires_at > ?5
          ON CONFLICT (channel, user_id) DO UPDATE SET user_name = excluded.user_name, subject = excluded.subject,
            scopes = excluded.scopes, grant_name = excluded.grant_name, place = excluded.place, linked_at = excluded.linked_at,
            code = excluded.code`,
      )
      .bind(channel, user.id, user.name, place, at, digest),
    db.prepare("DELETE FROM channel_codes WHERE digest = ?1 AND expires_at > ?2").bind(digest, at),
    db
      .prepare(
        `DELETE FROM channel_strangers WHERE channel = ?1 AND user_id = ?2
          AND EXISTS (SELECT 1 FROM channel_links WHERE channel = ?1 AND user_id = ?2 AND code = ?3)`,
      )
      .bind(channel, user.id, digest),
  ]);
  const row = await db
    .prepare("SELECT * FROM channel_links WHERE channel = ?1 AND user_id = ?2 AND code = ?3")
    .bind(channel, user.id, digest)
    .first();
  if (row !== null) return { ok: true, link: linkIn(row) };
  await writeStranger(db, channel, user.id, { hour, wrong: known.wrong + 1, instructed: known.instructed });
  return { ok: false, why: "wrong" };
}

/** Takes back every code in a text that others have read. */
export async function voidCodes(db: D1Database, text: string): Promise<void> {
  const possible = text.match(/(?<![a-z0-9])[a-z2-9]{8}(?![a-z0-9])/gi) ?? [];
  const digests = [...new Set(possible.map(digestOf))].slice(0, VOIDED_MAX);
  if (digests.length === 0) return;
  await db
    .prepare("DELETE FROM channel_codes WHERE digest IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(digests))
    .run();
}

const digestOf = (code: string): string => sha256Hex(code.trim().toUpperCase());

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

/** Everybody's, the newest first. */
export async function listAllLinks(db: D1Database): Promise<readonly Link[]> {
  const { results } = await db
    .prepare(`SELECT * FROM channel_links ORDER BY linked_at DESC LIMIT ${LISTED_MAX}`)
    .all();
  return results.map(linkIn);
}

/** Those of users who were linked at this place: in a chat of two, everybody who reads what is sent there. */
export async function listLinksAt(
  db: D1Database,
  { channel, place }: Pick<Link, "channel" | "place">,
): Promise<readonly Link[]> {
  const { results } = await db
    .prepare("SELECT * FROM channel_links WHERE channel = ?1 AND place = ?2")
    .bind(channel, place)
    .all();
  return results.map(linkIn);
}

/** `subject`: whose link it must be; null: anybody's. False: there is no such link. */
export async function removeLink(
  db: D1Database,
  {
    subject,
    channel,
    userId,
  }: { readonly subject: string | null; readonly channel: string; readonly userId: string },
): Promise<boolean> {
  const { meta } = await db
    .prepare("DELETE FROM channel_links WHERE channel = ?1 AND user_id = ?2 AND (?3 IS NULL OR subject = ?3)")
    .bind(channel, userId, subject)
    .run();
  return meta.changes > 0;
}

/**
 * True if a stranger should get linking instructions: once an hour, and at most `max` strangers per hour on the
 * channel.
 */
export async function shouldSendInstructions(
  db: D1Database,
  channel: ChannelName,
  userId: string,
  at: number,
  max: number | null = null,
): Promise<boolean> {
  const hour = Math.floor(at / HOUR_MS);
  const { wrong, instructed } = await strangerOf(db, channel, userId, hour);
  if (instructed || (max !== null && (await instructedIn(db, channel, hour)) >= max)) return false;
  await writeStranger(db, channel, userId, { hour, wrong, instructed: true });
  return true;
}

async function instructedIn(db: D1Database, channel: ChannelName, hour: number): Promise<number> {
  const found = await db
    .prepare(
      "SELECT count(*) AS n FROM channel_strangers WHERE channel = ?1 AND hour = ?2 AND instructed = 1",
    )
    .bind(channel, hour)
    .first<{ n: number }>();
  return found?.n ?? 0;
}

interface Stranger {
  readonly hour: number;
  readonly wrong: number;
  readonly instructed: boolean;
}

async function strangerOf(db: D1Database, channel: string, userId: string, hour: number): Promise<Stranger> {
  const row = await db
    .prepare(
      "SELECT wrong, instructed FROM channel_strangers WHERE channel = ?1 AND user_id = ?2 AND hour = ?3",
    )
    .bind(channel, userId, hour)
    .first<{ wrong: number; instructed: number }>();
  return { hour, wrong: row?.wrong ?? 0, instructed: row?.instructed === 1 };
}

async function writeStranger(
  db: D1Database,
  channel: string,
  userId: string,
  { hour, wrong, instructed }: Stranger,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO channel_strangers (channel, user_id, hour, wrong, instructed) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (channel, user_id) DO UPDATE SET hour = ?3, wrong = ?4, instructed = ?5`,
    )
    .bind(channel, userId, hour, wrong, instructed ? 1 : 0)
    .run();
}

const rowSchema = z.object({
  channel: z.string(),
  user_id: z.string(),
  user_name: z.string().nullable(),
  subject: z.string(),
  scopes: z.string(),
  grant_name: z.string().nullable(),
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
    grant_name: grant,
    place,
    linked_at: linkedAt,
  } = rowSchema.parse(row);
  return {
    channel,
    user: { id, name },
    subject,
    grant,
    scopes: scopesSchema.parse(JSON.parse(scopes)),
    place,
    linkedAt,
  };
}

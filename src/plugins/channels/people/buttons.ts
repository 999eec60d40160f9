import * as z from "zod";
import type { Address } from "../../../cairn/core/address.ts";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";

/** Buttons of cards: a token is one decision of one person about exactly the card that they were shown. */

/** `all` is of cards that were sent before a button had to show what it approves; it decides nothing any more. */
const DECISIONS = ["approve", "deny", "extend", "finish", "all", "answer"] as const;

export interface Button {
  readonly session: string;
  /** `createdAt` of the session; null in rows of an earlier release */
  readonly sessionAt: number | null;
  /** of an approval, of the question of a run about its budget, or of a question with options */
  readonly approval: string;
  /** digest of what was shown, or the option of a question; empty where there is neither */
  readonly shown: string;
  readonly decision: (typeof DECISIONS)[number];
  /** where it was sent, and the one who may press it there */
  readonly address: Pick<Address, "channel" | "place">;
  readonly userId: string;
  /** milliseconds since 1970 */
  readonly expiresAt: number;
}

const TOKEN_BYTES = 24;

/** Tokens of these buttons, in order. Only digests are stored. */
export async function issueButtons(
  db: D1Database,
  buttons: readonly Button[],
  at: number,
): Promise<string[]> {
  const tokens = buttons.map(() => newToken());
  await db.batch([
    db.prepare("DELETE FROM channel_buttons WHERE expires_at <= ?1").bind(at),
    ...buttons.map(({ session, sessionAt, approval, shown, decision, address, userId, expiresAt }, index) =>
      db
        .prepare(
          `INSERT INTO channel_buttons
            (digest, session, session_at, approval, shown, decision, channel, place, user_id, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
        )
        .bind(
          sha256Hex(tokens[index] ?? ""),
          session,
          sessionAt,
          approval,
          shown,
          decision,
          address.channel,
          address.place,
          userId,
          expiresAt,
        ),
    ),
  ]);
  return tokens;
}

/** The button of a token; null if it is unknown or expired. */
export async function findButton(db: D1Database, token: string, at: number): Promise<Button | null> {
  const row = await db
    .prepare("SELECT * FROM channel_buttons WHERE digest = ?1 AND expires_at > ?2")
    .bind(sha256Hex(token), at)
    .first();
  return row === null ? null : buttonIn(row);
}

/** The message that has these buttons, as its channel names it, so that an answer to it is known for one. */
export async function storeCardOfButtons(
  db: D1Database,
  tokens: readonly string[],
  card: string,
): Promise<void> {
  const update = db.prepare("UPDATE channel_buttons SET card = ?2 WHERE digest = ?1");
  await db.batch(tokens.map((token) => update.bind(sha256Hex(token), card)));
}

/** The card of an approval to which a message of this person is an answer, or null. */
export async function findCard(
  db: D1Database,
  {
    channel,
    place,
    userId,
    card,
  }: Pick<Address, "channel" | "place"> & { readonly userId: string; readonly card: string },
): Promise<Pick<Button, "session" | "sessionAt" | "approval"> | null> {
  const row = await db
    .prepare(
      `SELECT * FROM channel_buttons
        WHERE channel = ?1 AND place = ?2 AND user_id = ?3 AND card = ?4 AND decision = 'deny'`,
    )
    .bind(channel, place, userId, card)
    .first();
  return row === null ? null : buttonIn(row);
}

const rowSchema = z.object({
  session: z.string(),
  session_at: z.number().nullable(),
  approval: z.string(),
  shown: z.string(),
  decision: z.enum(DECISIONS),
  channel: z.string(),
  place: z.string(),
  user_id: z.string(),
  expires_at: z.number(),
});

function buttonIn(row: unknown): Button {
  const {
    session_at: sessionAt,
    channel,
    place,
    user_id: userId,
    expires_at: expiresAt,
    ...same
  } = rowSchema.parse(row);
  return { ...same, sessionAt, userId, expiresAt, address: { channel, place } };
}

function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

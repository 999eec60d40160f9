import { sha256Hex } from "../../core/log/digest.ts";
import type { Address, ChannelName } from "../../core/address.ts";

/** Buttons of cards: a token stands for one decision of one person about exactly what they were shown. */

export interface Button {
  readonly session: string;
  /** full id */
  readonly approval: string;
  /** digest of what was shown */
  readonly shown: string;
  readonly decision: "approve" | "deny";
  /** where it was sent, and the one who may press it there */
  readonly address: Pick<Address, "channel" | "place">;
  readonly userId: string;
  /** milliseconds since 1970 */
  readonly expiresAt: number;
}

const TOKEN_BYTES = 24;

/** Tokens of these buttons, in their order. Only digests are kept. */
export async function issueButtons(
  db: D1Database,
  buttons: readonly Button[],
  at: number,
): Promise<string[]> {
  const tokens = buttons.map(() => newToken());
  await db.batch([
    db.prepare("DELETE FROM channel_buttons WHERE expires_at <= ?1").bind(at),
    ...buttons.map(({ session, approval, shown, decision, address, userId, expiresAt }, index) =>
      db
        .prepare(
          `INSERT INTO channel_buttons (digest, session, approval, shown, decision, channel, place, user_id, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
        )
        .bind(
          ...[sha256Hex(tokens[index] ?? ""), session, approval, shown, decision],
          ...[address.channel, address.place, userId, expiresAt],
        ),
    ),
  ]);
  return tokens;
}

/** What a token stands for; null where there is none such, or its time is over. */
export async function findButton(db: D1Database, token: string, at: number): Promise<Button | null> {
  const row = await db
    .prepare("SELECT * FROM channel_buttons WHERE digest = ?1 AND expires_at > ?2")
    .bind(sha256Hex(token), at)
    .first<
      Record<"session" | "approval" | "shown" | "decision" | "channel" | "place" | "user_id", string> & {
        expires_at: number;
      }
    >();
  if (row === null) return null;
  const { session, approval, shown, place, user_id: userId, expires_at: expiresAt } = row;
  return {
    ...{ session, approval, shown, userId, expiresAt },
    decision: row.decision === "approve" ? "approve" : "deny",
    address: { channel: row.channel as ChannelName, place },
  };
}

function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

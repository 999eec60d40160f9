import * as z from "zod";
import { parseJson } from "../json.ts";
import { readToken, signToken } from "./signed-token.ts";

/** Links by which anybody reads one session, or one run of it, without logging in. The session knows which of them still hold. */

export interface ShareLink {
  readonly session: string;
  /** names it in its session */
  readonly id: string;
  /** milliseconds since the epoch */
  readonly expiresAt: number;
}

const PURPOSE = "cairn-share-link.v1.";

const payloadSchema = z.strictObject({ e: z.int(), i: z.string(), s: z.string(), v: z.literal(1) });

export function signShare(secret: string, { session, id, expiresAt }: ShareLink): string {
  return signToken(secret, PURPOSE, JSON.stringify({ e: expiresAt, i: id, s: session, v: 1 }));
}

/** Parses a token, expired or not; null if the secret did not sign it. */
export function readShare(secret: string, token: string): ShareLink | null {
  const read = payloadSchema.safeParse(parseJson(readToken([secret], PURPOSE, token) ?? ""));
  if (!read.success) return null;
  const { e, i, s } = read.data;
  return { session: s, id: i, expiresAt: e };
}

import * as z from "zod";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import { fromBase64Url, toBase64Url } from "../../../cairn/protocol/signed/signed-token.ts";
import { createOAuthStore } from "./store.ts";

/**
 * The answers to consent forms, among the records of the authorization server. The package reads and deletes an open consent
 * in two steps, so a form that is submitted twice could give two grants: the first to write its answer here is the only one.
 * The address that follows an answer holds a code, so it is encrypted with a key that only the holder of the form has.
 */

/** seconds, as long as the package keeps an open consent */
const ANSWER_SECONDS = 600;
/** how long a second submit waits for the first */
const WAIT_MS = 100;
const WAITS_MAX = 30;

/** A person's answer to one form: `deny`, or `allow` with the scopes. */
export interface ConsentAnswer {
  readonly userId: string;
  readonly decision: string;
}

/** The answer that was given before. */
export interface GivenAnswer {
  readonly decision: string;
  /** where it led; null where the first submit did not come to its end, or its code was redeemed: it leads nowhere again */
  readonly address: string | null;
}

export type Claimed =
  | { readonly kind: "claimed" }
  | ({ readonly kind: "given" } & GivenAnswer)
  /** of another person, or of a first submit that failed meanwhile */
  | { readonly kind: "unknown" };

const rowSchema = z.object({ userId: z.string(), decision: z.string(), sealed: z.string().nullable() });

export function createConsentAnswers(db: D1Database, now: () => number) {
  const store = createOAuthStore(db, now);
  const keyOf = (handle: string): string => `consent_answer:${sha256Hex(handle)}`;
  const read = async (handle: string): Promise<z.output<typeof rowSchema> | null> =>
    rowSchema.nullable().parse(await store.get(keyOf(handle), { type: "json" }));

  return {
    /** Claims the form for this answer, or finds the answer that this person gave before. */
    async claim(handle: string, answer: ConsentAnswer): Promise<Claimed> {
      const ends = Math.floor(now() / 1_000) + ANSWER_SECONDS;
      const { meta } = await db
        .prepare("INSERT INTO oauth_records(key, value, expires_at) VALUES(?, ?, ?) ON CONFLICT DO NOTHING")
        .bind(keyOf(handle), JSON.stringify({ ...answer, sealed: null }), ends)
        .run();
      if (meta.changes > 0) return { kind: "claimed" };
      let given = await read(handle);
      for (let waits = 0; given?.sealed === null && waits < WAITS_MAX; waits += 1) {
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
        given = await read(handle);
      }
      if (given === null || given.userId !== answer.userId) return { kind: "unknown" };
      const address = given.sealed === null ? null : await unseal(handle, given.sealed);
      const isSpent = address !== null && (await isRedeemed(store, address));
      return { kind: "given", decision: given.decision, address: isSpent ? null : address };
    },

    async setAddress(handle: string, answer: ConsentAnswer, address: string): Promise<void> {
      const row = { ...answer, sealed: await seal(handle, address) };
      await store.put(keyOf(handle), JSON.stringify(row), { expirationTtl: ANSWER_SECONDS });
    },

    /** Gives the form back: nothing came of the answer. */
    release: (handle: string): Promise<void> => store.delete(keyOf(handle)),
  };
}

const grantSchema = z.object({ authCodeWrappedKey: z.string() });

/** True where the code of an address was exchanged for tokens, or its grant is gone. An address with an error has no code. */
async function isRedeemed(store: ReturnType<typeof createOAuthStore>, address: string): Promise<boolean> {
  const code = new URL(address).searchParams.get("code");
  if (code === null) return false;
  const [userId = "", grantId = ""] = code.split(":");
  // The package deletes this field when it takes the code; a second use of a code revokes the grant.
  const grant = await store.get(`grant:${userId}:${grantId}`, { type: "json" });
  return !grantSchema.safeParse(grant).success;
}

const IV_BYTES = 12;

async function sealKey(handle: string): Promise<CryptoKey> {
  const material = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(`consent-answer:${handle}`),
  );
  return crypto.subtle.importKey("raw", material, "AES-GCM", false, ["encrypt", "decrypt"]);
}

async function seal(handle: string, address: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const algorithm = { name: "AES-GCM", iv };
  const bytes = await crypto.subtle.encrypt(
    algorithm,
    await sealKey(handle),
    new TextEncoder().encode(address),
  );
  return [iv, new Uint8Array(bytes)].map((part) => toBase64Url(String.fromCharCode(...part))).join(".");
}

/** Null where the row does not belong to this form. */
async function unseal(handle: string, sealed: string): Promise<string | null> {
  const [iv, bytes] = sealed.split(".").map((part) => fromBase64Url(part));
  if (typeof iv !== "string" || typeof bytes !== "string") return null;
  const raw = (text: string): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  try {
    const algorithm = { name: "AES-GCM", iv: raw(iv) };
    return new TextDecoder().decode(
      await crypto.subtle.decrypt(algorithm, await sealKey(handle), raw(bytes)),
    );
  } catch {
    return null;
  }
}

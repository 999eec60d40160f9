import { base64Of } from "../../cairn/core/base64.ts";

/**
 * Encrypts accounts at servers with a secret of the deployment (AES-256-GCM). Each is bound to its purpose: one that
 * is moved to another row, or whose server has a new address, does not decrypt.
 */

export interface Seal {
  close(text: string, of: string): Promise<string>;
  /** null for what was closed with another secret, or for something else */
  open(sealed: string, of: string): Promise<string | null>;
}

/** shorter ones can be guessed */
export const SECRET_CHARS_MIN = 32;
const NONCE_BYTES = 12;

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));

export function createSeal(secret: string): Seal {
  let made: Promise<CryptoKey> | null = null;
  const key = (): Promise<CryptoKey> =>
    (made ??= crypto.subtle
      .importKey("raw", bytes(secret), "HKDF", false, ["deriveKey"])
      .then((base) =>
        crypto.subtle.deriveKey(
          { name: "HKDF", hash: "SHA-256", salt: bytes("cairn"), info: bytes("mcp accounts") },
          base,
          { name: "AES-GCM", length: 256 },
          false,
          ["encrypt", "decrypt"],
        ),
      ));
  return {
    close: async (text, of) => {
      const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const closed = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData: bytes(of) },
        await key(),
        bytes(text),
      );
      return `v1.${base64Of(iv)}.${base64Of(new Uint8Array(closed))}`;
    },
    open: async (sealed, of) => {
      const [version, nonce = "", closed = ""] = sealed.split(".");
      if (version !== "v1") return null;
      try {
        const iv = fromBase64(nonce);
        const text = await crypto.subtle.decrypt(
          { name: "AES-GCM", iv, additionalData: bytes(of) },
          await key(),
          fromBase64(closed),
        );
        return new TextDecoder().decode(text);
      } catch {
        return null;
      }
    },
  };
}

/** Throws where it is none. */
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

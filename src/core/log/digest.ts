import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "./json.ts";

/** SHA-256 of the UTF-8 text, as 64 hex digits. Synchronous, because core decides inside a transaction. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** `sha256-` and base64, as a content security policy names a text. */
export function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** HMAC-SHA256 of the UTF-8 texts, in base64url without padding. */
export function hmacSha256(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

/** Whether two texts are equal, in a time that tells nothing of where they differ. */
export function sameText(left: string, right: string): boolean {
  const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** `sha256:` + hex of the canonical JSON of a value. */
export function digestOf(value: unknown): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}

/** What an approval is bound to: these arguments of this tool in this step of this run. */
export function approvalDigest(what: { args: unknown; run: string; step: string; tool: string }): string {
  return digestOf({ args: what.args, run: what.run, step: what.step, tool: what.tool, v: 1 });
}

/** A number in [0, 1) from the parts: jitter that a replay repeats. */
export function hashedFraction(...parts: readonly (string | number)[]): number {
  return Number.parseInt(sha256Hex(parts.join("/")).slice(0, 8), 16) / 0x1_0000_0000;
}

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

/** True if two texts are equal. Takes the same time no matter where they differ. */
export function sameText(left: string, right: string): boolean {
  const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** `sha256:` + hex of the canonical JSON of a value. */
export function digestOf(value: unknown): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}

/** The content that an approval is bound to: these arguments of this tool in this step of this run. */
export interface Approvable {
  readonly args: unknown;
  readonly run: string;
  readonly step: string;
  readonly tool: string;
  /** `createdAt` of the session, since its name can be used again; null: a digest of version 1, which does not name it */
  readonly sessionAt: number | null;
}

export function approvalDigest({ args, run, step, tool, sessionAt }: Approvable): string {
  const content = { args, run, step, tool };
  return digestOf(sessionAt === null ? { ...content, v: 1 } : { ...content, sessionAt, v: 2 });
}

/** A number in [0, 1) from the parts: jitter that a replay repeats. */
export function hashedFraction(...parts: readonly (string | number)[]): number {
  return Number.parseInt(sha256Hex(parts.join("/")).slice(0, 8), 16) / 0x1_0000_0000;
}

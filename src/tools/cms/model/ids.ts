import { sha256Hex } from "../../../core/log/digest.ts";

export type IdPrefix = "pg" | "sc" | "en" | "im" | "nv" | "co" | "rv";

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** `prefix_` and 12 base-32 letters (60 bits) of the hash of the call's key and a number. */
export function idFor(prefix: IdPrefix, key: string, n: number): string {
  let bits = BigInt(`0x${sha256Hex(`${key}/${n}`).slice(0, 15)}`);
  let letters = "";
  for (let i = 0; i < 12; i++) {
    letters = (BASE32[Number(bits & 31n)] ?? "") + letters;
    bits >>= 5n;
  }
  return `${prefix}_${letters}`;
}

/** Hands out the ids of one plan, in order: planned again, a call names the same things. */
export function minter(key: string): (prefix: IdPrefix) => string {
  let n = 0;
  return (prefix) => idFor(prefix, key, n++);
}

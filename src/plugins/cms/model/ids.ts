import { readJson } from "../../../cairn/core/log/json.ts";
import * as z from "zod";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import { fail } from "./errors.ts";

type IdPrefix = "pg" | "sc" | "en" | "im" | "nv" | "co" | "rv" | "cs" | "si";

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

/** The last row of a page of a list: what it was sorted by, and its id. */
interface ListPosition {
  readonly sort: string | number;
  readonly id: string;
}

const schema = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]);

/** A text that continues a list after this row. `order` names the sort, so that a cursor of another one is refused. */
export function cursorAfter(order: string, position: ListPosition): string {
  const bytes = new TextEncoder().encode(JSON.stringify([order, position.sort, position.id]));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The row that a cursor continues after, or null at the beginning. Refuses `invalid_input` for a foreign one. */
export function positionOf(order: string, cursor: string | undefined): ListPosition | null {
  if (cursor === undefined) return null;
  const parsed = schema.safeParse(decode(cursor));
  if (!parsed.success || parsed.data[0] !== order) {
    throw fail("invalid_input", "The cursor does not belong to this list.", {
      at: "cursor",
      hint: "Pass nextCursor of the last answer with the same sort, or leave it out to begin again.",
    });
  }
  return { sort: parsed.data[1], id: parsed.data[2] };
}

function decode(cursor: string): unknown {
  try {
    const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    return readJson(new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0))));
  } catch {
    return null;
  }
}

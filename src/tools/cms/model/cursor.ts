import * as z from "zod";
import { fail } from "./errors.ts";

/** The last row of a page of a list: what it was sorted by, and its id. */
export interface Place {
  readonly sort: string | number;
  readonly id: string;
}

const schema = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]);

/** A text that continues a list after this row. `order` names the sort, so that a cursor of another one is refused. */
export function cursorAfter(order: string, place: Place): string {
  const bytes = new TextEncoder().encode(JSON.stringify([order, place.sort, place.id]));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The row that a cursor continues after, or null at the beginning. Refuses `invalid_input` for a foreign one. */
export function placeOf(order: string, cursor: string | undefined): Place | null {
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
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0))));
  } catch {
    return null;
  }
}

import type { KeyboardEvent } from "react";
import { isWriting } from "../parts/keys.ts";

/**
 * True for a card's key, pressed outside a text field. Inside a card such a key means nothing else, even when it does
 * nothing.
 */
export function isCardKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return false;
  return ["y", "n", "e", "r"].includes(event.key);
}

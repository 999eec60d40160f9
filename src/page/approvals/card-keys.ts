import type { KeyboardEvent } from "react";
import { isWriting } from "../parts/keys.ts";

/** Whether a key is a card's, pressed where one does not write. Inside a card it means nothing else, also when it does nothing. */
export function isCardKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return false;
  return ["y", "n", "e", "r"].includes(event.key);
}

import { shortened } from "../../cairn/core/text/cut.ts";
/** One line of at most so many characters, never half of a surrogate pair. */
export function oneLine(text: string, chars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return shortened(line, chars);
}

import { normalize } from "../log/normalize.ts";
import { removeHidden } from "./untrusted.ts";

/**
 * The text of a page, and positions of quotes in it. A page is stored in one form: composed characters, single blanks,
 * no empty lines. So a quote is found whatever its line ends and blanks, and its position counts characters of the
 * stored page.
 */

/** Normalizes a page for storage. Idempotent. */
export function pageText(text: string): string {
  return normalize(removeHidden(text), "NFC")
    .split("\n")
    .map((line) => line.replace(/\s+/gu, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}

/** Equal for two texts that differ in blanks, line ends and composition alone. */
export const folded = (text: string): string => normalize(text, "NFC").replace(/\s+/gu, " ").trim();

/** Returns the first position of a quote in the text of a page; null if it is not there. */
export function findQuote(
  page: string,
  quote: string,
): { readonly start: number; readonly end: number } | null {
  const wanted = folded(removeHidden(quote));
  if (wanted === "") return null;
  // Each line end of a page is one blank: places stay what they are.
  const start = page.replaceAll("\n", " ").indexOf(wanted);
  return start < 0 ? null : { start, end: start + wanted.length };
}

/** True if the page contains the quote at that position. */
export const standsAt = (
  page: string,
  { start, end, quote }: { readonly start: number; readonly end: number; readonly quote: string },
): boolean => folded(page.slice(start, end)) === folded(quote) && quote.trim() !== "";

import { startOf } from "../core/text/cut.ts";
import type { Passage } from "../core/log/receipt.ts";
import type { PageContent } from "./page.ts";
import { CHUNK_CHARS, partsOf, verifiedQuotes, type Part } from "./passages.ts";
import { rank } from "./words.ts";

/** A model selects passages of pages. It is not trusted: a passage that is not on the page word for word is dropped. */

/** parts of pages that one call gives to the model */
export const EXTRACTS_MAX = 6;
const NOTE_CHARS_MAX = 600;

export interface Extract {
  readonly quotes: readonly string[];
  /** by the model; may be empty */
  readonly note: string;
  readonly costUsd: number;
}

/** The model that reads parts of pages, each by itself. */
export interface Extractor {
  /** US dollars for one part, at most */
  readonly costUsdMax: number;
  /** Throws where the model fails or answers something else. */
  read(
    part: { readonly goal: string; readonly title: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<Extract>;
}

/** Passages that the model found in a page. */
export interface PageExtract {
  readonly passages: readonly Passage[];
  readonly note: string;
  /** number of quotes that are not on the page */
  readonly dropped: number;
}

/**
 * Returns the model's passages for each page; null if no part of it was read, or no quote was found: then words decide.
 * Never throws if a model fails, and reports each cost when it occurs.
 */
export async function extract(
  pages: readonly PageContent[],
  goal: string,
  extractor: Extractor,
  { signal, spend }: { readonly signal: AbortSignal; readonly spend: (usd: number) => void },
): Promise<(PageExtract | null)[]> {
  const most = Math.max(1, Math.floor(EXTRACTS_MAX / Math.max(1, pages.length)));
  return await Promise.all(
    pages.map(async ({ title, text }) => {
      const parts = nearest(text, goal, most);
      const read = await Promise.all(
        parts.map(async ({ start, end }) => {
          try {
            const found = await extractor.read({ goal, title, text: text.slice(start, end) }, signal);
            spend(found.costUsd);
            return found;
          } catch {
            // The call may have been billed.
            spend(extractor.costUsdMax);
            return null;
          }
        }),
      );
      const found = read.filter((one) => one !== null);
      const { passages, dropped } = verifiedQuotes(
        text,
        found.flatMap((one) => one.quotes),
      );
      const note = found
        .map((one) => one.note.trim())
        .filter((one) => one !== "")
        .join(" ");
      return passages.length === 0 ? null : { passages, dropped, note: startOf(note, NOTE_CHARS_MAX) };
    }),
  );
}

/** The parts that share most with the goal, in the order of the page; its beginning where none shares anything. */
function nearest(text: string, goal: string, most: number): Part[] {
  const parts = partsOf(text, CHUNK_CHARS);
  const ranked = rank(
    parts.map(({ start, end }) => text.slice(start, end)),
    goal,
  ).slice(0, most);
  const indexes = ranked.length === 0 ? [0] : ranked.toSorted((a, b) => a - b);
  return indexes.flatMap((index) => parts[index] ?? []);
}

import type { Json } from "../core/log/json.ts";
import { partsOf } from "./passages.ts";
import { rank } from "./words.ts";
import type { Field } from "./value-fields.ts";

/** characters of a page that its reader is given: those nearest to what is asked */
export const READ_CHARS_MAX = 12_000;
const PART_CHARS = 3_000;

export interface PageAsk {
  readonly question: string;
  readonly fields: readonly Field[];
  readonly title: string;
  readonly text: string;
}

/** Unverified answer of a reader. */
export interface ReadAnswer {
  readonly values: Json;
  readonly quotes: Json;
  readonly costUsd: number;
}

/**
 * A model that reads one page in a separate call: without tools, and without any text of the run except the question.
 */
export interface ValueReader {
  /** US dollars for one page, at most */
  readonly costUsdMax: number;
  /** Throws where the model fails or answers no JSON object. */
  read(ask: PageAsk, signal: AbortSignal): Promise<ReadAnswer>;
}

/** Where tools are listed and never run. */
export const UNCALLED_READER: ValueReader = {
  costUsdMax: 0,
  read: () => Promise.reject(new Error("no model is called here")),
};

/** Returns the parts of a long page near the question, in page order; the beginning if none is near. */
export function nearestText(text: string, question: string, fields: readonly Field[]): string {
  if (text.length <= READ_CHARS_MAX) return text;
  const parts = partsOf(text, PART_CHARS).map(({ start, end }) => text.slice(start, end));
  const words = [question, ...fields.flatMap((one) => [one.name.replaceAll("_", " "), one.description])].join(
    " ",
  );
  const most = READ_CHARS_MAX / PART_CHARS;
  const near = rank(parts, words).slice(0, most);
  const indexes =
    near.length > 0 ? near.toSorted((a, b) => a - b) : parts.map((_, index) => index).slice(0, most);
  return indexes.map((index) => parts[index] ?? "").join("\n");
}

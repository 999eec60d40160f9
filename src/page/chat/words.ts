import { shortened } from "../../cairn/core/text/cut.ts";
import { revealHidden } from "../../cairn/core/text/untrusted.ts";
import { endWords } from "../../cairn/core/text/cause-words.ts";
import type { RunMetadata } from "./turn.ts";

/** Texts about numbers and outcomes. */

/** One sentence about a run that ended otherwise than with its answer; null when all is well, or still going. */
export function endSentence({ outcome, reason }: RunMetadata): string | null {
  if (outcome === "failed") return `It ${endWords(outcome, reason)}.`;
  if (outcome !== "cancelled" && outcome !== "partial") return null;
  const words = endWords(outcome, reason);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

const GIST_CHARS = 90;

/** The input of a call in one short line: its values, without the names that its title implies. */
export function gist(input: unknown): string {
  if (input === undefined || input === null) return "";
  const text = typeof input === "string" ? input : values(input).join(" · ");
  return shortened(text, GIST_CHARS);
}

function values(input: unknown): string[] {
  if (Array.isArray(input)) return input.slice(0, 4).flatMap(values);
  if (typeof input === "object" && input !== null) return Object.values(input).slice(0, 6).flatMap(values);
  if (typeof input === "number") return [String(input)];
  return typeof input === "string" && input !== "" ? [input] : [];
}

/** How far it is: `Reading the pages, 40 %`. */
export const noteText = (note: string, percent: number | null): string =>
  `${revealHidden(note)}${percent === null ? "" : `, ${percent} %`}`;

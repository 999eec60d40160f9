import { LIKENESS_MIN, likenessTo, NEAREST_MAX } from "../../../cairn/core/text/nearest.ts";
import type { Suggestion } from "./errors.ts";

/** A candidate of a suggestion: `names` are what it may have been called. */
export interface Candidate extends Suggestion {
  readonly names: readonly string[];
}

/** The nearest candidates by name, best first: at most three, none below a likeness of 0.35. */
export function nearest(wanted: string, candidates: readonly Candidate[]): Suggestion[] {
  const likeness = likenessTo(wanted);
  return candidates
    .map(({ names, ...suggestion }) => ({ suggestion, score: Math.max(0, ...names.map(likeness)) }))
    .filter((one) => one.score >= LIKENESS_MIN)
    .sort((a, b) => b.score - a.score || (a.suggestion.label < b.suggestion.label ? -1 : 1))
    .slice(0, NEAREST_MAX)
    .map((one) => one.suggestion);
}

/** The nearest of some words, such as field keys. */
export function nearestWord(wanted: string, words: readonly string[]): Suggestion[] {
  return nearest(
    wanted,
    words.map((word) => ({ label: word, value: word, names: [word] })),
  );
}

/** Texts that are cut to a length, never within a visible character (a grapheme cluster of Unicode, UAX #29). */

const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });
/** code units of one visible character; of a longer one, such as a letter under hundreds of marks, a part is shown */
const CHARACTER_UNITS_MAX = 128;
/** code units behind the end that decide whether the character goes on */
const AHEAD = 32;

/**
 * The largest index up to `at` between two visible characters. Where the character at `at` is longer than 128 code units, the
 * index is between two code points instead.
 *
 * @example boundaryBefore("a👨‍👩‍👧", 3) === 1
 */
export function boundaryBefore(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const index = CHARACTERS.segment(text.slice(0, at + AHEAD)).containing(at)?.index ?? at;
  if (at - index <= CHARACTER_UNITS_MAX) return index;
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1)) ? at - 1 : at;
}

/** The end of the visible character that begins at `from`, or of a part of a very long one. */
export function boundaryAfter(text: string, from: number): number {
  const [character] = CHARACTERS.segment(text.slice(from, from + CHARACTER_UNITS_MAX + AHEAD));
  const length = character?.segment.length ?? 0;
  return length <= CHARACTER_UNITS_MAX ? from + length : boundaryBefore(text, from + CHARACTER_UNITS_MAX + 2);
}

/** The first code units of a text, at most so many. */
export const startOf = (text: string, unitsMax: number): string =>
  text.length <= unitsMax ? text : text.slice(0, boundaryBefore(text, unitsMax));

/** The last code units of a text, at most so many. */
export function endOf(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  const at = text.length - unitsMax;
  const from = boundaryBefore(text, at);
  if (from === at) return text.slice(at);
  const [character] = CHARACTERS.segment(text.slice(from, from + CHARACTER_UNITS_MAX));
  return text.slice(Math.max(at, from + (character?.segment.length ?? 0)));
}

/** The text, or its beginning and an ellipsis: at most so many code units. */
export const shortened = (text: string, unitsMax: number): string =>
  text.length <= unitsMax ? text : `${startOf(text, unitsMax - 1)}…`;

/** The text, or its beginning and an ellipsis: at most so many visible characters. */
export function firstCharacters(text: string, max: number): string {
  let count = 0;
  let end = 0;
  for (const { index } of CHARACTERS.segment(text)) {
    count += 1;
    if (count === max) end = index;
    if (count > max) return `${text.slice(0, end)}…`;
  }
  return text;
}

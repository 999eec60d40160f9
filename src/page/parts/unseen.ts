import { HIDDEN, revealHidden } from "../../cairn/core/text/untrusted.ts";

/** A stretch of a text; `unseen` names the kind of character it is where it would not be seen. */
export interface Stretch {
  readonly text: string;
  readonly unseen: string | null;
}

const POINTS = HIDDEN.map(([, from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join("");
const UNSEEN = new RegExp(`[${POINTS}\\u2028\\u2029]`, "gu");

/** Joiners in an emoji or in a script that is written with them, the colour of an emoji, and a place to break a word. */
const ORDINARY =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Emoji})[\ufe0e\ufe0f]|(?<=[\p{L}\p{M}])(?<![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u200c\u200d](?=[\p{L}\p{M}])|\xad/gu;

/**
 * A text in parts, with invisible characters as JSON escapes. A person who decides must see the actual content;
 * `ordinary` leaves alone characters that words and emoji of many languages need.
 */
export function stretches(text: string, { ordinary = false } = {}): readonly Stretch[] {
  const read = text.toWellFormed().replaceAll("\r\n", "\n");
  const left = new Set(ordinary ? [...read.matchAll(ORDINARY)].map(({ index }) => index) : []);
  const found: Stretch[] = [];
  let done = 0;
  for (const { 0: character, index } of read.matchAll(UNSEEN)) {
    if (left.has(index)) continue;
    if (index > done) found.push({ text: read.slice(done, index), unseen: null });
    found.push({ text: revealHidden(character), unseen: nameOf(character) });
    done = index + character.length;
  }
  if (done < read.length) found.push({ text: read.slice(done), unseen: null });
  return found;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return HIDDEN.find(([, from, to]) => from <= code && code <= to)?.[0] ?? "line ends";
}

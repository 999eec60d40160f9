/** Characters that no reader sees, as providers judge them: a message of nothing else counts as empty, and is refused. */

/**
 * White space, control and format characters (zero-width space, soft hyphen, bidi marks, tags), separators, unassigned and
 * private-use code points, lone surrogates, the letters and symbols that Unicode draws blank (Hangul fillers, Braille blank, the place of
 * an object, a null note head), and marks, which are drawn upon another character: behind one, that is the visible one.
 * Source: Unicode 16, `White_Space`, `Default_Ignorable_Code_Point` and the categories C and Z.
 */
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{C}\p{Z}\p{M}\u2800\ufffc\u{1d159}]/u;

/** True if a reader would see at least one character. Reads the text up to that character. */
export function hasVisible(text: string): boolean {
  for (const character of text) if (!UNSEEN.test(character)) return true;
  return false;
}

/** Control and format characters that are not needed to write: joiners of emoji and scripts, tab and line ends are. */
const UNWRITTEN = /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;

/** The text without control characters, format characters, lone surrogates and code points that Unicode has not assigned. */
export const withoutUnwritten = (text: string): string => text.replace(UNWRITTEN, "");

/** Signs that one writes by an input method that ends its words with Enter: Chinese, Japanese, Korean and Yi. */
const COMPOSED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303f\uff00-\uffef]/u;
const ENTER = /[\r\n]$/;

/**
 * True if a piece of a terminal's input is one composed word with an Enter behind it. A terminal hands a composed word over in
 * one piece, and some pass on the Enter that chose it. An Enter that a person presses to send comes in a piece of its own, unless
 * the line is slow; then the text is still in the line and wants one more. Text of several lines is a paste.
 */
export function endsComposedWord(piece: string): boolean {
  const word = piece.replace(ENTER, "");
  if (word === piece) return false;
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(word)) return false;
  const last = Array.from(word.slice(-2)).at(-1);
  return last !== undefined && COMPOSED.test(last);
}

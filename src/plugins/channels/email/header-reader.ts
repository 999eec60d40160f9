/**
 * Reads the value of a structured mail header (RFC 5322 section 3.2) from left to right: blanks, folded lines and comments are
 * skipped, a quoted string is one word. The reader moves only forward, so the work is linear in the length of the value.
 */

const isBlank = (char: string): boolean => char === " " || char === "\t" || char === "\r" || char === "\n";

/** Characters that end an unquoted word, whatever else the word allows. */
const ENDS_WORD = new Set([";", '"', "(", ")", "\\"]);

export class HeaderReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** characters that were read */
  get position(): number {
    return this.#at;
  }

  isAt(char: string): boolean {
    return this.#text.charAt(this.#at) === char;
  }

  /** Skips blanks and comments, which may be nested. False for a comment that does not end. */
  skipBlanks(): boolean {
    let depth = 0;
    for (; !this.atEnd; this.#at++) {
      const char = this.#text.charAt(this.#at);
      if (char === "(") depth++;
      else if (depth === 0 && !isBlank(char)) return true;
      else if (char === ")") depth--;
      else if (char === "\\" && depth > 0) this.#at++;
    }
    return depth === 0;
  }

  /** Takes the character if the reader is at it. */
  take(char: string): boolean {
    if (!this.isAt(char)) return false;
    this.#at++;
    return true;
  }

  /** Moves behind the next such character outside of comments and quoted strings; false where there is none. */
  skipTo(char: string): boolean {
    while (!this.atEnd) {
      if (!this.skipBlanks()) return false;
      if (this.take(char)) return true;
      if (this.isAt('"')) this.takeQuoted();
      else this.#at++;
    }
    return false;
  }

  /** The characters from here on that match, which may be none. */
  takeWhile(matches: (char: string) => boolean): string {
    const from = this.#at;
    while (!this.atEnd && matches(this.#text.charAt(this.#at))) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  /** The content of a quoted string; null where none begins here, or where it does not end. */
  takeQuoted(): string | null {
    if (!this.take('"')) return null;
    const parts: string[] = [];
    let from = this.#at;
    for (; !this.atEnd; this.#at++) {
      const char = this.#text.charAt(this.#at);
      if (char === '"') {
        parts.push(this.#text.slice(from, this.#at++));
        return parts.join("");
      }
      if (char === "\\") {
        parts.push(this.#text.slice(from, this.#at++));
        from = this.#at;
      }
    }
    return null;
  }

  /** An unquoted word: everything up to a blank, a semicolon, a quote or a parenthesis. */
  takeWord(): string {
    return this.takeWhile((char) => !isBlank(char) && !ENDS_WORD.has(char));
  }
}

import { JSON_DEPTH_MAX, type Json } from "../log/json.ts";

/**
 * Reads one JSON value from a text of a model, and what models write in its place: comments, single and typographic
 * quotes, names without quotes, a comma too many, Python's words, line breaks in strings. It never guesses at what is
 * missing.
 */

export type ReadValue =
  | {
      readonly ok: true;
      readonly value: Json;
      /** index behind the value */
      readonly end: number;
      /** it was not strictly JSON */
      readonly repaired: boolean;
    }
  /** `cut`: the text ends inside the value; `inString`: inside a string of it; `end`: index behind what was read of it */
  | { readonly ok: false; readonly cut: boolean; readonly inString: boolean; readonly end: number };

/** closing quote of each opening one */
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’" };
const WORDS: Readonly<Record<string, Json>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
  undefined: null,
};
const STRICT = new Set(["true", "false", "null"]);
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Strict JSON writes line breaks and the like as escapes. */
const hasControls = (text: string): boolean => [...text].some((char) => char < " ");

class Unreadable extends Error {
  readonly cut: boolean;
  readonly inString: boolean;
  constructor(cut: boolean, inString = false) {
    super("unreadable");
    this.cut = cut;
    this.inString = inString;
  }
}

/** The value that begins at `at`, but for space before it. */
export function readValue(text: string, at: number): ReadValue {
  const reader = new ValueReader(text, at);
  try {
    const value = reader.value(0);
    return { ok: true, value, end: reader.at, repaired: reader.repaired };
  } catch (error) {
    if (error instanceof Unreadable)
      return {
        ok: false,
        cut: error.cut,
        inString: error.inString,
        end: error.cut ? text.length : reader.at,
      };
    throw error;
  }
}

export interface ReadString {
  readonly text: string;
  /** index behind what was read */
  readonly end: number;
  readonly closed: boolean;
}

/** The string up to its closing quote, or as far as it is certain. `at`: behind the opening quote. */
export function readString(text: string, at: number, close: string): ReadString {
  let out = "";
  let from = at;
  while (from < text.length) {
    const char = text.charAt(from);
    if (text.startsWith(close, from)) return { text: out, end: from + close.length, closed: true };
    if (char !== "\\") {
      out += char;
      from += 1;
      continue;
    }
    const next = text.charAt(from + 1);
    if (next === "") break;
    if (next !== "u") {
      out += ESCAPES[next] ?? next;
      from += 2;
      continue;
    }
    const hex = text.slice(from + 2, from + 6);
    if (hex.length < 4) break;
    const isHex = /^[0-9a-f]{4}$/iu.test(hex);
    out += isHex ? String.fromCharCode(Number.parseInt(hex, 16)) : "u";
    from += isHex ? 6 : 2;
  }
  return { text: out, end: from, closed: false };
}

class ValueReader {
  readonly text: string;
  at: number;
  repaired = false;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  value(depth: number): Json {
    if (depth > JSON_DEPTH_MAX) throw new Unreadable(false);
    this.skip();
    const char = this.text.charAt(this.at);
    if (char === "") throw new Unreadable(true);
    if (char === "{") return this.object(depth);
    if (char === "[") return this.list(depth);
    if (QUOTES[char] !== undefined) return this.string();
    return this.bare();
  }

  private object(depth: number): Json {
    const fields: [string, Json][] = [];
    this.at += 1;
    for (;;) {
      this.skip();
      if (this.take("}")) break;
      const key = this.key();
      // This key would set the prototype instead of a field.
      if (key === "__proto__") throw new Unreadable(false);
      this.skip();
      if (!this.take(":")) throw this.fault();
      fields.push([key, this.value(depth + 1)]);
      if (!this.goesOn("}")) break;
    }
    return Object.fromEntries(fields);
  }

  private list(depth: number): Json {
    const items: Json[] = [];
    this.at += 1;
    for (;;) {
      this.skip();
      if (this.take("]")) break;
      items.push(this.value(depth + 1));
      if (!this.goesOn("]")) break;
    }
    return items;
  }

  /** After an item: a comma, or the end. A comma before the end is one too many. */
  private goesOn(close: string): boolean {
    this.skip();
    if (this.take(close)) return false;
    if (!this.take(",")) throw this.fault();
    this.skip();
    if (this.text.charAt(this.at) === close) this.repaired = true;
    return true;
  }

  private key(): string {
    if (QUOTES[this.text.charAt(this.at)] !== undefined) return this.string();
    const name = /^[A-Za-z_$][\w$-]*/u.exec(this.text.slice(this.at, this.at + 200))?.[0];
    if (name === undefined) throw this.fault();
    this.at += name.length;
    this.repaired = true;
    return name;
  }

  private string(): string {
    const open = this.text.charAt(this.at);
    const triple = open.repeat(3);
    const isTriple = (open === '"' || open === "'") && this.text.startsWith(triple, this.at);
    const close = isTriple ? triple : (QUOTES[open] ?? open);
    const from = this.at + (isTriple ? 3 : 1);
    const read = readString(this.text, from, close);
    if (!read.closed) throw new Unreadable(true, true);
    if (close !== '"' || hasControls(this.text.slice(from, read.end))) this.repaired = true;
    this.at = read.end;
    return read.text;
  }

  private bare(): Json {
    const word = /^[-+]?[\w.]+(?:[eE][-+]?\d+)?/u.exec(this.text.slice(this.at, this.at + 400))?.[0];
    if (word === undefined) throw this.fault();
    const behind = this.at + word.length;
    if (Object.hasOwn(WORDS, word)) {
      this.at = behind;
      this.repaired ||= !STRICT.has(word);
      return WORDS[word] ?? null;
    }
    if (behind >= this.text.length) throw new Unreadable(true);
    if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/u.test(word)) throw new Unreadable(false);
    const number = Number(word);
    if (!Number.isFinite(number)) throw new Unreadable(false);
    this.at = behind;
    this.repaired ||= !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/u.test(word);
    return number;
  }

  private take(char: string): boolean {
    if (this.text.charAt(this.at) !== char) return false;
    this.at += 1;
    return true;
  }

  /** Space and comments. */
  private skip(): void {
    for (;;) {
      while (/\s/u.test(this.text.charAt(this.at))) this.at += 1;
      const isLine = this.text.startsWith("//", this.at) || this.text.charAt(this.at) === "#";
      if (!isLine && !this.text.startsWith("/*", this.at)) return;
      const close = isLine ? "\n" : "*/";
      const end = this.text.indexOf(close, this.at + 1);
      if (end < 0) throw new Unreadable(true);
      this.at = end + close.length;
      this.repaired = true;
    }
  }

  private fault(): Unreadable {
    return new Unreadable(this.at >= this.text.length);
  }
}

import { HeaderReader } from "./header-reader.ts";

/**
 * One `Authentication-Results` header as RFC 8601 section 2.2 defines it. Two liberties are taken, because servers write both
 * without quotes: a value may contain `/`, `:` and `=` (signatures, IPv6), and a pair may have no type (`action=none`).
 */

/** the longest header that is read; servers write a few hundred characters */
const CHARS_MAX = 16_384;

export interface Finding {
  /** such as `dkim`, in lower case */
  readonly method: string;
  /** such as `pass`, in lower case */
  readonly result: string;
  /** such as `header.from`, in lower case; null for a property that is given twice, because either may be valid */
  readonly properties: ReadonlyMap<string, string | null>;
}

export interface AuthenticationResults {
  /** name of the server that wrote the header, in lower case */
  readonly server: string;
  /** as far as they can be read: everything behind a fault of the syntax is left out */
  readonly findings: readonly Finding[];
  /** the whole header follows the syntax */
  readonly isWhole: boolean;
}

/** Null where the server's name cannot be read, or the version is not 1. */
export function readAuthenticationResults(value: string): AuthenticationResults | null {
  if (value.length > CHARS_MAX) return null;
  const reader = new HeaderReader(value);
  if (!reader.skipBlanks()) return null;
  const server = reader.takeQuoted() ?? reader.takeWord();
  if (server === "" || !reader.skipBlanks()) return null;
  const version = reader.takeWhile(isDigit);
  if ((version !== "" && version !== "1") || !reader.skipBlanks()) return null;
  const findings: Finding[] = [];
  while (!reader.atEnd) {
    const finding = readFinding(reader);
    if (finding === null) return { server: server.toLowerCase(), findings, isWhole: false };
    if (finding !== "none") findings.push(finding);
  }
  return { server: server.toLowerCase(), findings, isWhole: true };
}

const isDigit = (char: string): boolean => char >= "0" && char <= "9";
const isKeyword = (char: string): boolean => /^[a-z0-9_-]$/i.test(char);

/** A semicolon and what follows it up to the next one; `none` where nothing was found; null for a fault of the syntax. */
function readFinding(reader: HeaderReader): Finding | "none" | null {
  if (!reader.take(";") || !reader.skipBlanks()) return null;
  if (reader.atEnd) return "none";
  const method = reader.takeWhile(isKeyword).toLowerCase();
  if (!reader.skipBlanks()) return null;
  if (method === "none" && reader.atEnd) return "none";
  let version = "1";
  if (reader.take("/")) {
    if (!reader.skipBlanks()) return null;
    version = reader.takeWhile(isDigit);
    if (!reader.skipBlanks()) return null;
  }
  if (method === "" || !reader.take("=") || !reader.skipBlanks()) return null;
  const result = reader.takeWhile(isKeyword).toLowerCase();
  if (result === "") return null;
  const properties = readProperties(reader);
  if (properties === null) return null;
  return version === "1" ? { method, result, properties } : "none";
}

function readProperties(reader: HeaderReader): ReadonlyMap<string, string | null> | null {
  const properties = new Map<string, string | null>();
  for (;;) {
    const before = reader.position;
    if (!reader.skipBlanks()) return null;
    if (reader.atEnd || reader.isAt(";")) return properties;
    // Pairs, and a result and its first pair, need a separator.
    if (reader.position === before) return null;
    const name = readName(reader);
    if (name === null || !reader.take("=") || !reader.skipBlanks()) return null;
    const value = readValue(reader);
    if (value === null) return null;
    if (name.includes(".")) properties.set(name, properties.has(name) ? null : value);
  }
}

/** `header.d`, or a word without a type; blanks and comments may surround the dot. */
function readName(reader: HeaderReader): string | null {
  const type = reader.takeWhile(isKeyword);
  if (type === "" || !reader.skipBlanks()) return null;
  if (!reader.take(".")) return type.toLowerCase();
  if (!reader.skipBlanks()) return null;
  const property = reader.takeWhile(isKeyword);
  if (property === "" || !reader.skipBlanks()) return null;
  return `${type}.${property}`.toLowerCase();
}

/** A word, a quoted string, or a mailbox whose local part may be quoted. In lower case. */
function readValue(reader: HeaderReader): string | null {
  if (!reader.isAt('"')) return reader.takeWord().toLowerCase() || null;
  const quoted = reader.takeQuoted();
  if (quoted === null) return null;
  const domain = reader.isAt("@") ? reader.takeWord() : "";
  return `${quoted}${domain}`.toLowerCase();
}

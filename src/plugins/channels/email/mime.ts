import { HeaderReader } from "./header-reader.ts";
import type { MailHeader } from "./mail-header.ts";

/**
 * The structure of a mail (RFC 2045, 2046): its headers, and its parts with their bytes decoded. Each byte is visited
 * a constant number of times, and the numbers of parts, header lines and levels are bounded; a mail beyond a bound is
 * refused. Attached messages stay attachments, unparsed.
 */

/** bytes of the headers of the mail, and of those of each part */
export const HEAD_BYTES_MAX = 131_072;
const HEADER_LINES_MAX = 2_000;
export const PARTS_MAX = 500;
/** multipart bodies inside of one another */
export const LEVELS_MAX = 20;
const BOUNDARY_BYTES_MAX = 200;
/** parameters of one header; a file name may come in so many pieces */
const PARAMETERS_MAX = 100;

export interface Head {
  readonly headers: readonly MailHeader[];
  /** place of the first byte behind the empty line that ends the headers */
  readonly bodyAt: number;
}

export interface MailPart {
  /** such as `text/plain`, in lower case */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** `attachment`, `inline`; empty where the part names none */
  readonly disposition: string;
  readonly dispositionParameters: ReadonlyMap<string, string>;
  readonly hasContentId: boolean;
  /** number of the innermost `multipart/alternative` around the part */
  readonly alternative: number | null;
  readonly isRelated: boolean;
  readonly bytes: Uint8Array;
}

export type Refused = { readonly refused: string };

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const DASH = 0x2d;

/** The headers at the beginning of `bytes`, unfolded, in their order; refused beyond the bounds. */
export function readHead(bytes: Uint8Array): Head | Refused {
  const lines: string[][] = [];
  const decoder = new TextDecoder();
  let count = 0;
  let at = 0;
  while (at < bytes.length) {
    const { end, next } = lineAt(bytes, at);
    if (next > HEAD_BYTES_MAX || ++count > HEADER_LINES_MAX)
      return {
        refused: `The headers of a mail may have ${HEAD_BYTES_MAX} bytes and ${HEADER_LINES_MAX} lines.`,
      };
    const isFolded = bytes[at] === 0x20 || bytes[at] === 0x09;
    const line = decoder.decode(bytes.subarray(at, end));
    at = next;
    if (line === "") break;
    const open = lines.at(-1);
    if (isFolded && open !== undefined) open.push(line);
    else lines.push([line]);
  }
  return { headers: lines.map((pieces) => headerOf(pieces.join(" "))), bodyAt: at };
}

function headerOf(line: string): MailHeader {
  const colon = line.indexOf(":");
  const key = colon < 0 ? line : line.slice(0, colon);
  return { key: key.trim().toLowerCase(), value: colon < 0 ? "" : line.slice(colon + 1).trim() };
}

/** `end`: behind its last byte without its line end; `next`: the first byte of the line behind it. */
function lineAt(bytes: Uint8Array, at: number): { readonly end: number; readonly next: number } {
  const feed = bytes.indexOf(LINE_FEED, at);
  if (feed < 0) return { end: bytes.length, next: bytes.length };
  return { end: feed > at && bytes[feed - 1] === RETURN ? feed - 1 : feed, next: feed + 1 };
}

/** The first value of a header; empty where there is none. */
export const headerIn = (headers: readonly MailHeader[], name: string): string =>
  headers.find(({ key }) => key === name)?.value ?? "";

interface Multipart {
  readonly boundary: Uint8Array;
  readonly alternative: number | null;
  readonly isRelated: boolean;
  readonly isDigest: boolean;
}

/** The parts of a mail that have a content, in their order; refused beyond the bounds. */
export function readParts(bytes: Uint8Array, { headers, bodyAt }: Head): readonly MailPart[] | Refused {
  const parts: MailPart[] = [];
  const open: Multipart[] = [];
  let count = 0;
  /** the part that is being read: its headers, and where its content begins; null between parts */
  let leaf: { readonly head: PartHead; readonly from: number } | null = null;

  const endLeaf = (end: number): void => {
    if (leaf !== null) parts.push(partOf(leaf.head, bytes.subarray(leaf.from, Math.max(leaf.from, end))));
    leaf = null;
  };
  const begin = (partHeaders: readonly MailHeader[], from: number): Refused | null => {
    const around = open.at(-1);
    const head = readPartHead(partHeaders, around);
    const boundary = new TextEncoder().encode((head.parameters.get("boundary") ?? "").trimEnd());
    const { length } = boundary;
    if (!head.type.startsWith("multipart/") || length === 0 || length > BOUNDARY_BYTES_MAX) {
      leaf = { head, from };
      return null;
    }
    if (open.length >= LEVELS_MAX)
      return { refused: `The parts of a mail may be ${LEVELS_MAX} levels deep.` };
    open.push({
      boundary,
      alternative: head.type === "multipart/alternative" ? count : head.alternative,
      isRelated: head.isRelated || head.type === "multipart/related",
      isDigest: head.type === "multipart/digest",
    });
    return null;
  };

  const refused = begin(headers, bodyAt);
  if (refused !== null) return refused;
  for (let at = bodyAt; at < bytes.length && open.length > 0;) {
    const { end, next } = lineAt(bytes, at);
    const mark =
      bytes[at] === DASH && bytes[at + 1] === DASH ? boundaryIn(bytes.subarray(at, end), open) : null;
    if (mark === null) {
      at = next;
      continue;
    }
    endLeaf(at - (bytes[at - 2] === RETURN ? 2 : 1));
    open.length = mark.ends ? mark.level : mark.level + 1;
    at = next;
    if (mark.ends) continue;
    if (++count > PARTS_MAX) return { refused: `A mail may have ${PARTS_MAX} parts.` };
    const head = readHead(bytes.subarray(at));
    if ("refused" in head) return head;
    at += head.bodyAt;
    const beyond = begin(head.headers, at);
    if (beyond !== null) return beyond;
  }
  endLeaf(bytes.length);
  return parts;
}

/** The innermost open boundary on this line, and if it is the closing one. Blanks may follow it. */
function boundaryIn(
  line: Uint8Array,
  open: readonly Multipart[],
): { readonly level: number; readonly ends: boolean } | null {
  let end = line.length;
  while (end > 2 && (line[end - 1] === 0x20 || line[end - 1] === 0x09)) end--;
  const hasEnd = end >= 4 && line[end - 1] === DASH && line[end - 2] === DASH;
  for (let level = open.length - 1; level >= 0; level--) {
    const { boundary } = open[level] ?? { boundary: line };
    const isSame = end === boundary.length + 2;
    if (!isSame && !(hasEnd && end === boundary.length + 4)) continue;
    if (boundary.every((byte, at) => line[at + 2] === byte)) return { level, ends: !isSame };
  }
  return null;
}

type PartHead = Omit<MailPart, "bytes"> & { readonly encoding: string };

function readPartHead(headers: readonly MailHeader[], around: Multipart | undefined): PartHead {
  const content = readStructured(headerIn(headers, "content-type"));
  const disposition = readStructured(headerIn(headers, "content-disposition"));
  return {
    type: content.value || (around?.isDigest === true ? "message/rfc822" : "text/plain"),
    parameters: content.parameters,
    disposition: disposition.value,
    dispositionParameters: disposition.parameters,
    hasContentId: headerIn(headers, "content-id") !== "",
    alternative: around?.alternative ?? null,
    isRelated: around?.isRelated ?? false,
    encoding: readStructured(headerIn(headers, "content-transfer-encoding")).value,
  };
}

/** A value with parameters, such as `text/plain; charset=utf-8` (RFC 2045 section 5.1). Names and value are in lower case. */
export function readStructured(text: string): {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
} {
  const reader = new HeaderReader(text);
  const parameters = new Map<string, string>();
  reader.skipBlanks();
  const value = reader.takeWord().toLowerCase();
  while (reader.skipTo(";") && parameters.size < PARAMETERS_MAX) {
    reader.skipBlanks();
    const name = reader.takeWhile((char) => /[^\s=;"()]/.test(char)).toLowerCase();
    reader.skipBlanks();
    if (name === "" || !reader.take("=")) continue;
    reader.skipBlanks();
    const given = reader.isAt('"') ? reader.takeQuoted() : reader.takeWord();
    if (given !== null && !parameters.has(name)) parameters.set(name, given);
  }
  return { value, parameters };
}

function partOf({ encoding, ...head }: PartHead, raw: Uint8Array): MailPart {
  const bytes =
    encoding === "base64" ? decodeBase64(raw) : encoding === "quoted-printable" ? decodeQuoted(raw) : raw;
  return { ...head, bytes };
}

const BASE64 = new Int16Array(256).fill(-1);
for (const [at, char] of Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
).entries())
  BASE64[char.charCodeAt(0)] = at;

/** Line ends and everything else that is not base64 is skipped. */
function decodeBase64(raw: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((raw.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let held = 0;
  for (const byte of raw) {
    const six = BASE64[byte] ?? -1;
    if (six < 0) continue;
    held = ((held << 6) | six) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (held >> bits) & 0xff;
  }
  return bytes.subarray(0, length);
}

/** Invalid escapes stay as they are written. */
function decodeQuoted(raw: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(raw.length);
  let length = 0;
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at] ?? 0;
    if (byte !== 0x3d) {
      bytes[length++] = byte;
      continue;
    }
    const first = raw[at + 1] ?? 0;
    const second = raw[at + 2] ?? 0;
    if (isHex(first) && isHex(second)) {
      bytes[length++] = Number.parseInt(String.fromCharCode(first, second), 16);
      at += 2;
    } else if (first === LINE_FEED) at += 1;
    else if (first === RETURN && second === LINE_FEED) at += 2;
    else bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}

const isHex = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);

/** Decodes bytes in the named character set; Windows-1252 for an unknown one. At most `bytesMax` of them. */
export function decodeCharset(bytes: Uint8Array, charset: string | undefined, bytesMax: number): string {
  const some = bytes.subarray(0, bytesMax);
  const name = (charset ?? "utf-8")
    .trim()
    .toLowerCase()
    .replace(/^(iso-8859-8)-[ei]$/, "$1");
  try {
    return new TextDecoder(name).decode(some);
  } catch {
    return new TextDecoder("windows-1252").decode(some);
  }
}

/** Format=flowed (RFC 3676): a line that ends with a blank goes on in the next one. */
export function unflow(text: string, dropsBlank: boolean): string {
  const pieces: string[] = [];
  let goesOn = false;
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (at > 0 && !goesOn) pieces.push("\n");
    goesOn = line.endsWith(" ") && line !== "-- ";
    pieces.push(goesOn && dropsBlank ? line.slice(0, -1) : line);
  }
  return pieces.join("");
}

/** A parameter that may be encoded and in pieces (RFC 2231): `name*=utf-8''…`, `name*0*=…`; undefined where there is none. */
export function extendedParameter(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  const whole = parameters.get(`${name}*`);
  if (whole !== undefined) return decodeExtended([[whole, true]]);
  const pieces: (readonly [text: string, isEncoded: boolean])[] = [];
  for (let at = 0; at < PARAMETERS_MAX; at++) {
    const encoded = parameters.get(`${name}*${at}*`);
    const plain = encoded ?? parameters.get(`${name}*${at}`);
    if (plain === undefined) break;
    pieces.push([plain, encoded !== undefined]);
  }
  return pieces.length === 0 ? undefined : decodeExtended(pieces);
}

function decodeExtended(pieces: readonly (readonly [text: string, isEncoded: boolean])[]): string {
  let charset = "utf-8";
  const bytes = pieces.flatMap(([text, isEncoded], at) => {
    if (!isEncoded) return [...new TextEncoder().encode(text)];
    const [, named, rest] = (at === 0 ? /^([^']*)'[^']*'([\s\S]*)$/.exec(text) : null) ?? [];
    if (named !== undefined && named !== "") charset = named;
    return bytesOfEscapes(rest ?? text);
  });
  return decodeCharset(new Uint8Array(bytes), charset, bytes.length);
}

function bytesOfEscapes(text: string): number[] {
  const raw = new TextEncoder().encode(text);
  const bytes: number[] = [];
  for (let at = 0; at < raw.length; at++) {
    const [byte, first, second] = [raw[at] ?? 0, raw[at + 1] ?? 0, raw[at + 2] ?? 0];
    if (byte === 0x25 && isHex(first) && isHex(second)) {
      bytes.push(Number.parseInt(String.fromCharCode(first, second), 16));
      at += 2;
    } else bytes.push(byte);
  }
  return bytes;
}

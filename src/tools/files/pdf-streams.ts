import { Inflate } from "fflate";
import { STREAM_BYTES_MAX, STREAMS_BYTES_MAX, STREAMS_MAX } from "./limits.ts";

/**
 * What the streams of a PDF come to once they are unpacked, before anything reads them: a page of a few kilobytes may unpack
 * to gigabytes, and the reader of PDFs has no bound. Pictures are left out: no text is in them, and nothing unpacks them.
 */

const PIECE_BYTES = 16_384;
/** characters before a stream that say what it is */
const HEAD_BYTES = 600;
/** a stream that is packed twice is counted at its end */
const DEPTH_MAX = 3;
const latin = new TextDecoder("latin1");

/** Whether it unpacks to more than a reader can bear. Streams that cannot be unpacked count for what came of them. */
export function unpacksTooFar(bytes: Uint8Array): boolean {
  let all = 0;
  let count = 0;
  for (const stream of packedStreams(bytes)) {
    if (++count > STREAMS_MAX) return true;
    const length = unpackedLength(stream, Math.min(STREAM_BYTES_MAX, STREAMS_BYTES_MAX - all));
    if (length === null) return true;
    all += length;
  }
  return false;
}

const START = bytesOf("stream");
const END = bytesOf("endstream");

function* packedStreams(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = find(bytes, START, 0); at >= 0;) {
    let start = at + START.length;
    if (bytes[start] === 0x0d) start++;
    if (bytes[start] === 0x0a) start++;
    const end = find(bytes, END, start);
    const stream = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (isZlib(stream) && !isPicture(latin.decode(bytes.subarray(Math.max(0, at - HEAD_BYTES), at))))
      yield stream;
    at = end < 0 ? -1 : find(bytes, START, end + END.length);
  }
}

const isPicture = (before: string): boolean =>
  /\/Subtype\s*\/Image\b/.test(before.slice(before.lastIndexOf(" obj") + 1));

/** RFC 1950: the method is deflate, and the two bytes are a multiple of 31. */
const isZlib = (bytes: Uint8Array): boolean => {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
};

class Enough extends Error {}

/** Bytes; null above `max`. */
function unpackedLength(stream: Uint8Array, max: number): number | null {
  let length = 0;
  const count = (depth: number) => {
    const inflate = new Inflate();
    let inner: ReturnType<typeof count> | null = null;
    let begun = false;
    inflate.ondata = (piece) => {
      length += piece.length;
      if (length > max) throw new Enough();
      if (!begun && piece.length > 1 && depth < DEPTH_MAX && isZlib(piece)) inner = count(depth + 1);
      const rest = inner !== null && !begun ? piece.subarray(2) : piece;
      if (piece.length > 0) begun = true;
      inner?.(rest);
    };
    return (piece: Uint8Array): void => {
      try {
        inflate.push(piece);
      } catch (error) {
        if (error instanceof Enough) throw error;
        // What is no stream after all, or ends behind its end, says nothing more.
      }
    };
  };
  const push = count(1);
  try {
    for (let at = 2; at < stream.length; at += PIECE_BYTES) push(stream.subarray(at, at + PIECE_BYTES));
  } catch {
    return null;
  }
  return length;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function find(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  for (let at = from; at + wanted.length <= bytes.length; at++) {
    let same = 0;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same++;
    if (same === wanted.length) return at;
  }
  return -1;
}

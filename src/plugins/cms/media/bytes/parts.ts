/** Pieces of bytes: read as Latin-1, and copied. */

export const latin = (bytes: Uint8Array, from: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(from, from + length));

/**
 * Parts of a file, copied into one buffer. An object for each part would cost many times the file's size: a part may have two
 * bytes, and a file millions of parts.
 */
export interface Copy {
  /** Appends the bytes from `from` up to `to`. */
  add(from: number, to: number): void;
  /** Bytes added so far. */
  length(): number;
  /** A view of the bytes added so far. */
  bytes(): Uint8Array;
}

/** An empty copy with room for every byte of the source once. */
export function copyOf(source: Uint8Array): Copy {
  const target = new Uint8Array(source.length);
  let length = 0;
  return {
    add: (from, to) => {
      // Small parts are copied by hand: a view of the source for each would be the object that this avoids.
      if (to - from <= SMALL_PART_BYTES) {
        for (let at = from; at < to; at++) target[length++] = source[at] ?? 0;
        return;
      }
      target.set(source.subarray(from, to), length);
      length += to - from;
    },
    length: () => length,
    bytes: () => target.subarray(0, length),
  };
}

const SMALL_PART_BYTES = 64;

/** True if the bytes at this place are those of the text, in Latin-1. Makes no string. */
export function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++)
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}

import type { Similarity } from "../embedding/embedder.ts";

/** Vectors: validation, storage format, and the score of a cosine. Pure. */

const FLOAT_BYTES = 4;
/** a hit that shares no word is never shown as a certain one */
const MEANING_SCORE_MAX = 0.9;

/** The reason why a vector cannot be stored, or null. `dimensions`: of the stored ones; null before the first. */
export function vectorFault(vector: readonly number[] | null, dimensions: number | null): string | null {
  if (vector === null || vector.length === 0) return "it is no list of numbers";
  if (dimensions !== null && vector.length !== dimensions)
    return `it has ${vector.length} numbers, and those that are stored have ${dimensions}`;
  if (!vector.every(Number.isFinite)) return "it holds something that is no finite number";
  const length = lengthOf(vector);
  if (length === 0) return "it is all zeros";
  return Number.isFinite(length) ? null : "its numbers are too large to be measured";
}

/** The same direction with length 1, so that a cosine is a sum of products. */
export function toUnit(vector: readonly number[]): Float32Array {
  const length = lengthOf(vector);
  return Float32Array.from(vector, (one) => one / length);
}

const lengthOf = (vector: readonly number[]): number => Math.hypot(...vector);

export const dimensionsOf = (bytes: number): number => bytes / FLOAT_BYTES;
export const bytesOfVector = (dimensions: number): number => dimensions * FLOAT_BYTES;

/** As it goes into D1 in one text with others: the bytes of its Float32 numbers, little-endian, in hex digits. */
export function hexOf(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("hex");
}

/** Parses the `hex()` of a stored vector. */
export function vectorOf(hex: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(hex, "hex"));
  return new Float32Array(bytes.buffer);
}

/** Cosine of two vectors of length 1. */
export function cosineOf(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** 0 to 0.9: the position of a cosine between this model's values for unrelated and for equal texts. */
export function meaningScore(cosine: number, { from, to }: Similarity): number {
  return Math.min(MEANING_SCORE_MAX, Math.max(0, (cosine - from) / (to - from)));
}

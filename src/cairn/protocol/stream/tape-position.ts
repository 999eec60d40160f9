/**
 * `pos`, the place of a chunk in its run's stream: seq * 2^22 + sub. A chunk made from an entry has that entry's seq and
 * its index among the entry's chunks. Streamed text has the seq of the entry that opened its attempt (`base`) and
 * 1024 + its place on the attempt's tape (core/text/markers.ts). So the same content has the same pos however it was cut, live or replayed.
 */
const SUBS_PER_SEQ = 2 ** 22;
/** chunks that one entry may make; the tape begins after them */
const TAPE_FROM = 1_024;

/** Place of the chunk number `index` (from 0) of an entry. */
export function tapePosition(seq: number, index: number): number {
  return seq * SUBS_PER_SEQ + index;
}

/** Place on the tape of the attempt that the entry `base` opened. */
export function draftPosition(base: number, offset: number): number {
  return base * SUBS_PER_SEQ + TAPE_FROM + offset;
}

/** True if a position is on the tape of the attempt that `base` opened. */
export function isOnTape(pos: number, base: number): boolean {
  return Math.floor(pos / SUBS_PER_SEQ) === base && pos % SUBS_PER_SEQ >= TAPE_FROM;
}

function isStreamed(pos: number): boolean {
  return pos % SUBS_PER_SEQ >= TAPE_FROM;
}

interface Positioned {
  readonly pos: number | null;
  readonly chunk: { readonly type: string; readonly delta?: string };
}

/**
 * Returns the part of a chunk after `pos`: the chunk, the rest of its text if `pos` is inside it, or null. A chunk
 * without a position is transient and never part of a replay.
 */
export function restAfter<Chunk extends Positioned>(placed: Chunk, pos: number): Chunk | null {
  if (placed.pos === null || placed.pos <= pos) return null;
  const { delta } = placed.chunk;
  const left = placed.pos - pos;
  if (delta === undefined || !isStreamed(placed.pos) || left >= delta.length) return placed;
  return { ...placed, chunk: { ...placed.chunk, delta: delta.slice(delta.length - left) } };
}

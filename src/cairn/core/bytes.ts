/** Bytes in several pieces: joining them, and reading the body of a request or an answer up to a bound. */

/** The pieces as one array; the piece itself where there is one. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [first, ...more] = pieces;
  if (first !== undefined && more.length === 0) return first;
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The rest of a body that is too large: given up, or left to be read by somebody else. */
export type Rest = "cancel" | "leave";

/**
 * All bytes of a body, counted as they come out of its compression; null where there are more than `bytesMax`. The array is the
 * whole of its buffer. Throws the error of a body that breaks off. The body is never left locked.
 */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
  rest: Rest = "cancel",
): Promise<Uint8Array<ArrayBuffer> | null> {
  const read = createBuffer(bytesMax);
  return (await fill(read, body, rest)) ? read.bytes() : null;
}

/** As `readBytes`, but the first `bytesMax` bytes where there are more. */
export async function readFirstBytes(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const read = createBuffer(bytesMax);
  await fill(read, body, "cancel");
  return read.bytes();
}

/** True where the whole body is in the buffer. */
async function fill(buffer: Buffered, body: ReadableStream<Uint8Array> | null, rest: Rest): Promise<boolean> {
  if (body === null) return true;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return true;
      if (buffer.add(value)) continue;
      // A failed cancel changes nothing: the answer is the same.
      if (rest === "cancel") await reader.cancel().catch(() => undefined);
      return false;
    }
  } finally {
    reader.releaseLock();
  }
}

interface Buffered {
  /** False where only the beginning of the piece has room. */
  add(piece: Uint8Array): boolean;
  bytes(): Uint8Array<ArrayBuffer>;
}

/** A buffer that doubles when it is full: as a list, pieces of a few bytes would take a hundred times the memory of their bytes. */
function createBuffer(bytesMax: number): Buffered {
  let buffer = new Uint8Array();
  let length = 0;
  return {
    add(piece) {
      const fitting = piece.subarray(0, bytesMax - length);
      const end = length + fitting.length;
      if (end > buffer.length) {
        const larger = new Uint8Array(Math.min(bytesMax, Math.max(end, 2 * buffer.length)));
        larger.set(buffer);
        buffer = larger;
      }
      buffer.set(fitting, length);
      length = end;
      return fitting.length === piece.length;
    },
    bytes: () => (length === buffer.length ? buffer : buffer.slice(0, length)),
  };
}

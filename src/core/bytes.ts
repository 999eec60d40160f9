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

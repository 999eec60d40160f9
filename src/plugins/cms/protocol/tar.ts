/**
 * The tar format of a site file: POSIX ustar, plain files, nothing else. Written by hand because resuming a cut file
 * needs the position of each member in it, which libraries do not expose.
 */

export const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
const SIZE_MAX = 0o77777777777;

/** The blocks behind the last member. */
export const END_OF_ARCHIVE = new Uint8Array(2 * BLOCK_BYTES);

export interface TarHeader {
  readonly name: string;
  /** bytes of the member, without its padding */
  readonly size: number;
}

/** Padding after a member, so that the next one begins at a block. */
export const paddingOf = (size: number): number => (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;

/** The header of a member. Always the same for the same name and size: no time, no owner. */
export function headerOf({ name, size }: TarHeader): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK_BYTES);
  const put = (at: number, text: string): void => block.set(new TextEncoder().encode(text), at);
  if (new TextEncoder().encode(name).length > NAME_BYTES_MAX || size > SIZE_MAX)
    throw new RangeError(`a tar file has no room for ${name}`);
  put(0, name);
  put(100, "0000644\0");
  put(108, "0000000\0");
  put(116, "0000000\0");
  put(124, `${size.toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(156, "0");
  put(257, "ustar\0");
  put(263, "00");
  put(148, `${checksumOf(block).toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** A header; `end` for a block of zeros; null for anything else. */
export function readHeader(block: Uint8Array): TarHeader | "end" | null {
  if (block.length !== BLOCK_BYTES) return null;
  if (block.every((byte) => byte === 0)) return "end";
  const text = (at: number, length: number): string =>
    new TextDecoder().decode(block.subarray(at, at + length)).replace(/\0.*$/s, "");
  const octal = (at: number, length: number): number | null => {
    const digits = text(at, length).trim();
    return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : null;
  };
  const size = octal(124, 12);
  if (size === null || octal(148, 8) !== checksumOf(block)) return null;
  if (text(257, 5) !== "ustar" || text(156, 1) !== "0") return null;
  return { name: text(0, NAME_BYTES_MAX), size };
}

/** The sum of all bytes, those of the sum itself taken as spaces. */
function checksumOf(block: Uint8Array): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

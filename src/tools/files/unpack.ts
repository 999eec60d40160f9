import { Unzip, UnzipInflate } from "fflate";
import { ok, type Result } from "../../core/log/result.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { ARCHIVE_ENTRIES_MAX, UNPACKED_BYTES_MAX } from "./limits.ts";

/** An office file is an archive. Its parts are unpacked piece by piece and counted, whatever it says of their size. */

/** Deflate makes at most about a thousand times as much of it: so much is unpacked before the next count. */
const PIECE_BYTES = 16_384;

const DAMAGED = "The file is damaged: it cannot be unpacked.";
const SAVE_AGAIN = "Open it, save it again, and send that.";

class TooMuch extends Error {}

/** The parts by name, those that are wanted with their bytes, the others empty. Faults: `too_large`, `unreadable`. */
export function unpack(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): Result<ReadonlyMap<string, Uint8Array>, FileFault> {
  const parts = new Map<string, Uint8Array[]>();
  let unpacked = 0;
  let broken = false;
  const archive = new Unzip((part) => {
    if (parts.size >= ARCHIVE_ENTRIES_MAX) throw new TooMuch();
    const pieces: Uint8Array[] = [];
    parts.set(part.name, pieces);
    if (!isWanted(part.name)) return;
    part.ondata = (error, piece) => {
      if (error !== null) {
        // What is thrown below comes back as an error of the part.
        if (error instanceof TooMuch) throw error;
        broken = true;
        return;
      }
      unpacked += piece.length;
      if (unpacked > UNPACKED_BYTES_MAX) throw new TooMuch();
      pieces.push(piece);
    };
    part.start();
  });
  archive.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      archive.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length);
  } catch (error) {
    if (!(error instanceof TooMuch)) return fault("invalid_args", "unreadable", DAMAGED, SAVE_AGAIN);
    const size = UNPACKED_BYTES_MAX / 1_048_576;
    return fault(
      "too_large",
      "too_large",
      `The file is larger than ${size} MB once it is unpacked.`,
      "Send a smaller part of it, or its text.",
    );
  }
  if (broken) return fault("invalid_args", "unreadable", DAMAGED, SAVE_AGAIN);
  return ok(new Map([...parts].map(([name, pieces]) => [name, joined(pieces)])));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

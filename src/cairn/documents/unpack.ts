import { Unzip, UnzipInflate } from "fflate";
import { ok, type Result } from "../core/log/result.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { ARCHIVE_ENTRIES_MAX, UNPACKED_BYTES_MAX } from "./limits.ts";

/**
 * An office file is an archive. Its parts are unpacked piece by piece and counted, regardless of their stated size, and
 * no part is ever in memory as a whole.
 */

/** Deflate makes at most about a thousand times as much of it: so much is unpacked before the next count. */
const PIECE_BYTES = 1_024;

const DAMAGED = "The file is damaged: it cannot be unpacked.";
const SAVE_AGAIN = "Open it, save it again, and send that.";

class TooMuch extends Error {}
class Enough extends Error {}

/** Reads one part while it is unpacked. */
export interface PartReader {
  /** False where nothing more is needed of any part. */
  write(piece: Uint8Array): boolean;
}

/**
 * Gives the pieces of each part to the reader that `readerOf` names for it; parts without a reader are not unpacked. The names
 * of all parts that were seen come back. Faults: `too_large`, `unreadable`.
 */
export function unpack(
  bytes: Uint8Array,
  readerOf: (name: string) => PartReader | null,
): Result<ReadonlySet<string>, FileFault> {
  const names = new Set<string>();
  let entries = 0;
  let unpacked = 0;
  let broken = false;
  const archive = new Unzip((part) => {
    if (++entries > ARCHIVE_ENTRIES_MAX) throw new TooMuch();
    // A second part of a name that is there already is not looked at: readers of archives disagree about which one it is.
    if (names.has(part.name)) return;
    names.add(part.name);
    const reader = readerOf(part.name);
    if (reader === null) return;
    part.ondata = (error, piece) => {
      if (error !== null) {
        // An error thrown below becomes an error of the part.
        if (error instanceof TooMuch || error instanceof Enough) throw error;
        broken = true;
        return;
      }
      unpacked += piece.length;
      if (unpacked > UNPACKED_BYTES_MAX) throw new TooMuch();
      if (!reader.write(piece)) throw new Enough();
    };
    part.start();
  });
  archive.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      archive.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length);
  } catch (error) {
    if (error instanceof Enough) return ok(names);
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
  return ok(names);
}

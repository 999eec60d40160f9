import type { DraftPiece } from "../log/model.ts";

/** Counts the shown text of one attempt of a model call. */
export interface Tape {
  /** place after the piece's last unit */
  add(piece: Pick<DraftPiece, "part" | "text">): number;
}

/**
 * The tape of an attempt: one unit for each part's start, one for each UTF-16 unit of its shown text, one for each part's
 * end, however the text was cut. A part whose text is all hidden does not exist on it.
 */
export function createTape(): Tape {
  let place = 0;
  let open: number | null = null;
  return {
    add({ part, text }) {
      if (text === "") return place;
      if (open !== part) place += open === null ? 1 : 2;
      open = part;
      place += text.length;
      return place;
    },
  };
}

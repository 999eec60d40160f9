import type { DraftPiece } from "../log/model.ts";

/**
 * The FINAL_ANSWER marker: a line of the model's text, outside code fences, that begins with it announces the answer.
 * The marker is never shown. The filter works on deltas and gives the same text for every split.
 */
const MARKER = "FINAL_ANSWER:";

const FENCE = "```";

/** Text before the marker, the candidate after it (null without one), and both joined as they are shown. */
interface MarkedText {
  readonly shown: string;
  readonly candidate: string | null;
}

export interface MarkerFilter {
  /** shown text that is certain so far; holds back a tail that could become the marker */
  push(text: string): string;
  /** what was held back */
  end(): string;
}

export function createMarkerFilter(onMarker: (shownBefore: number) => void = () => {}): MarkerFilter {
  let held = "";
  /** the space at the start of a line that may still turn into the marker */
  let indent = "";
  let atLineStart = true;
  let inFence = false;
  let shown = 0;
  let skipSpace = false;

  const emit = (text: string): string => {
    shown += text.length;
    return text;
  };

  /** Consumes the held text as far as it is certain. */
  const drain = (final: boolean): string => {
    let out = "";
    while (held.length > 0) {
      if (skipSpace) {
        const rest = held.replace(/^[ \t]+/, "");
        held = rest;
        if (held.length === 0) break;
        skipSpace = false;
        atLineStart = false;
      }
      if (atLineStart) {
        const blanks = /^[ \t]*/.exec(held)?.[0].length ?? 0;
        indent += held.slice(0, blanks);
        held = held.slice(blanks);
        if (!final && couldBecome(held)) break;
        if (held.startsWith(FENCE)) inFence = !inFence;
        else if (!inFence && held.startsWith(MARKER)) {
          held = held.slice(MARKER.length);
          indent = "";
          onMarker(shown + out.length);
          skipSpace = true;
          continue;
        }
        out += indent;
        indent = "";
        atLineStart = false;
      }
      const newline = held.indexOf("\n");
      const end = newline < 0 ? held.length : newline + 1;
      out += held.slice(0, end);
      held = held.slice(end);
      if (newline >= 0) atLineStart = true;
    }
    if (final) {
      out += indent;
      indent = "";
    }
    return emit(out);
  };

  return {
    push: (text) => {
      held += text;
      return drain(false);
    },
    end: () => drain(true),
  };
}

/** True if the beginning of a line may still become the marker or a fence. */
function couldBecome(line: string): boolean {
  return [MARKER, FENCE].some((word) => line.length < word.length && word.startsWith(line));
}

export function readMarker(text: string): MarkedText {
  let from: number | null = null;
  const filter = createMarkerFilter((at) => (from = at));
  const shown = filter.push(text) + filter.end();
  return { shown, candidate: from === null ? null : shown.slice(from).trim() };
}

export function stripMarker(text: string): string {
  return readMarker(text).shown;
}

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
  let index = 0;
  let open: number | null = null;
  return {
    add({ part, text }) {
      if (text === "") return index;
      if (open !== part) index += open === null ? 1 : 2;
      open = part;
      index += text.length;
      return index;
    },
  };
}

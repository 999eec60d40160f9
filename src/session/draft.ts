import { DRAFT_FLUSH_BYTES, DRAFT_FLUSH_MS, DRAFT_FLUSH_MS_MAX } from "../core/limits.ts";
import { createMarkerFilter, type MarkerFilter } from "../core/marker.ts";
import type { DraftPiece } from "../core/model.ts";
import { createTape, type Tape } from "../core/tape.ts";
import type { PlacedDraft } from "./ports.ts";

export interface DraftPlace {
  readonly run: string;
  readonly step: string;
  readonly attempt: number;
  readonly base: number;
}

/**
 * The text of a model call in flight: placed, freed of the marker, shown at once, and saved by the block, so that a
 * cancelled call keeps its partial text even across a crash. Everything in it is a draft until its step commits.
 */
export class Draft {
  readonly #place: DraftPlace;
  readonly #show: (piece: PlacedDraft) => void;
  readonly #save: (index: number, pieces: readonly DraftPiece[]) => void;
  readonly #clock: () => number;
  readonly #tape: Tape = createTape();
  #filter: {
    readonly part: number;
    readonly type: DraftPiece["type"];
    readonly marker: MarkerFilter;
  } | null = null;
  #unsaved: DraftPiece[] = [];
  #unsavedChars = 0;
  #savedAt: number;
  #blocks = 0;
  /** doubles with every block: each is a billed row, written to be deleted */
  #patience = DRAFT_FLUSH_MS;

  constructor(
    place: DraftPlace,
    show: (piece: PlacedDraft) => void,
    save: (index: number, pieces: readonly DraftPiece[]) => void,
    clock: () => number,
  ) {
    this.#place = place;
    this.#show = show;
    this.#save = save;
    this.#clock = clock;
    this.#savedAt = clock();
  }

  push(piece: DraftPiece): void {
    this.#unsaved.push(piece);
    this.#unsavedChars += piece.text.length;
    if (this.#filter?.part !== piece.part) {
      this.end();
      this.#filter = { part: piece.part, type: piece.type, marker: createMarkerFilter() };
    }
    // A thought is not an answer: the marker means nothing in it.
    this.#emit(
      piece.type,
      piece.part,
      piece.type === "text" ? this.#filter.marker.push(piece.text) : piece.text,
    );
    const now = this.#clock();
    if (now - this.#savedAt >= this.#patience || this.#unsavedChars >= DRAFT_FLUSH_BYTES) {
      this.#save(this.#blocks++, this.#unsaved);
      this.#unsaved = [];
      this.#unsavedChars = 0;
      this.#savedAt = now;
      this.#patience = Math.min(DRAFT_FLUSH_MS_MAX, this.#patience * 2);
    }
  }

  /** What the filter of the last part still holds. */
  end(): void {
    const filter = this.#filter;
    this.#filter = null;
    if (filter !== null && filter.type === "text") this.#emit(filter.type, filter.part, filter.marker.end());
  }

  #emit(type: DraftPiece["type"], part: number, text: string): void {
    if (text === "") return;
    this.#show({ ...this.#place, type, part, text, end: this.#tape.add({ part, text }) });
  }
}

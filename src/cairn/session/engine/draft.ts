import { DRAFT_FLUSH_BYTES, DRAFT_FLUSH_MS, DRAFT_FLUSH_MS_MAX } from "../../core/limits.ts";
import type { DraftPiece } from "../../core/log/model.ts";
import { createMarkerFilter, type MarkerFilter, createTape, type Tape } from "../../core/text/markers.ts";
import type { Redactor, StreamRedactor } from "../../core/text/redact.ts";
import type { PlacedDraft } from "./ports.ts";

export interface DraftAddress {
  readonly run: string;
  readonly step: string;
  readonly attempt: number;
  readonly base: number;
}

/**
 * The text of a model call in flight: scrubbed of secrets, positioned, freed of the marker, shown at once, and saved in
 * blocks, so that a cancelled call preserves its partial text even across a crash. Everything in it is a draft until
 * its step commits.
 */
export class Draft {
  readonly #address: DraftAddress;
  readonly #show: (piece: PlacedDraft) => void;
  readonly #save: (index: number, pieces: readonly DraftPiece[]) => void;
  readonly #clock: () => number;
  readonly #tape: Tape = createTape();
  readonly #redact: Redactor;
  #filter: {
    readonly part: number;
    readonly type: DraftPiece["type"];
    readonly secrets: StreamRedactor;
    readonly marker: MarkerFilter;
  } | null = null;
  #unsaved: DraftPiece[] = [];
  #unsavedChars = 0;
  #savedAt: number;
  #blocks = 0;
  /** doubles with every block: each is a billed row, written to be deleted */
  #patience = DRAFT_FLUSH_MS;

  constructor(
    address: DraftAddress,
    show: (piece: PlacedDraft) => void,
    save: (index: number, pieces: readonly DraftPiece[]) => void,
    clock: () => number,
    redact: Redactor,
  ) {
    this.#address = address;
    this.#show = show;
    this.#save = save;
    this.#clock = clock;
    this.#redact = redact;
    this.#savedAt = clock();
  }

  push({ type, part, text }: DraftPiece): void {
    if (this.#filter?.part !== part) {
      this.end();
      this.#filter = { part, type, secrets: this.#redact.stream(), marker: createMarkerFilter() };
    }
    this.#add({ type, part, text: this.#filter.secrets.push(text) });
    const now = this.#clock();
    const due = now - this.#savedAt >= this.#patience || this.#unsavedChars >= DRAFT_FLUSH_BYTES;
    if (due && this.#unsaved.length > 0) {
      this.#save(this.#blocks++, this.#unsaved);
      this.#unsaved = [];
      this.#unsavedChars = 0;
      this.#savedAt = now;
      this.#patience = Math.min(DRAFT_FLUSH_MS_MAX, this.#patience * 2);
    }
  }

  /** Flushes the filters of the last part. */
  end(): void {
    const filter = this.#filter;
    if (filter === null) return;
    const { type, part, secrets, marker } = filter;
    this.#add({ type, part, text: secrets.end() });
    this.#filter = null;
    if (type === "text") this.#emit(type, part, marker.end());
  }

  /** Scrubbed text: to be saved as it is, and shown without the marker. */
  #add(piece: DraftPiece): void {
    const { type, part, text } = piece;
    if (text === "") return;
    this.#unsaved.push(piece);
    this.#unsavedChars += text.length;
    // A thought is not an answer: the marker means nothing in it.
    this.#emit(type, part, type === "text" ? (this.#filter?.marker.push(text) ?? text) : text);
  }

  #emit(type: DraftPiece["type"], part: number, text: string): void {
    if (text === "") return;
    this.#show({ ...this.#address, type, part, text, end: this.#tape.add({ part, text }) });
  }
}

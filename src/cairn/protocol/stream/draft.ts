import type { DraftPiece } from "../../core/log/model.ts";
import { draftPosition } from "./tape-position.ts";
import type { PlacedChunk } from "./ui-chunk.ts";

/** A piece of shown text of a model call in flight; `end` is the place on the attempt's tape after it. */
export interface TapedPiece extends DraftPiece {
  readonly step: string;
  readonly base: number;
  readonly end: number;
}

/**
 * The chunks of one attempt while it streams: the same starts, deltas and ends, under the same places, that its
 * `model_replied` will make. The end of the last part comes only with the reply.
 */
export class DraftChunks {
  readonly base: number;
  #part: number | null = null;
  #type: DraftPiece["type"] = "text";
  #shown = -1;

  constructor(base: number) {
    this.base = base;
  }

  accept(piece: TapedPiece): PlacedChunk[] {
    if (piece.text === "") return [];
    const at = (offset: number): number => draftPosition(this.base, offset);
    const from = piece.end - piece.text.length;
    const out: PlacedChunk[] = [];
    if (this.#part !== piece.part) {
      if (this.#part !== null) {
        out.push({ pos: at(from - 1), chunk: { type: `${this.#type}-end`, id: this.#id(piece.step) } });
      }
      this.#part = piece.part;
      this.#type = piece.type;
      this.#shown += 1;
      out.push({ pos: at(from), chunk: { type: `${piece.type}-start`, id: this.#id(piece.step) } });
    }
    const id = this.#id(piece.step);
    out.push({ pos: at(piece.end), chunk: { type: `${piece.type}-delta`, id, delta: piece.text } });
    return out;
  }

  #id(step: string): string {
    return `${step}t${this.#shown}`;
  }
}

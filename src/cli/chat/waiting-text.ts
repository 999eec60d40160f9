import { isLast, type Chunk } from "./chunks.ts";

/**
 * The text of the current step. It is shown once the step goes on with something else, or once the run has ended,
 * below the receipt; a text that the review rejects, or that belongs to a lost attempt, is never shown.
 */
export class WaitingText {
  private chunks: Chunk[] = [];

  /** True where the chunk is text, or belongs to text that waits: it is shown later. */
  takes(chunk: Chunk): boolean {
    const isPart = chunk.type === "text-end" || chunk.type === "data-citations";
    if (chunk.type !== "text-delta" && !(isPart && this.chunks.length > 0)) return false;
    this.chunks.push(chunk);
    return true;
  }

  /** The chunks to show before this one, which are none while the text may still be the answer. */
  release(chunk: Chunk): readonly Chunk[] {
    if (chunk.type === "reset-step" || isSentBack(chunk)) this.chunks = [];
    return STAYS.has(chunk.type) && !isLast(chunk) ? [] : this.releaseAll();
  }

  releaseAll(): readonly Chunk[] {
    const all = this.chunks;
    this.chunks = [];
    return all;
  }
}

const isSentBack = (chunk: Chunk): boolean =>
  chunk.type === "data-verdict" && chunk.data.source === "review" && chunk.data.accepted === false;

/** Chunks between the text of an answer and the end of its run. */
const STAYS: ReadonlySet<Chunk["type"]> = new Set([
  "data-verdict",
  "data-step",
  "finish-step",
  "message-metadata",
  "reasoning-delta",
  "reasoning-end",
]);

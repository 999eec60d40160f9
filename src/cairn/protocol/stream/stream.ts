import type { Entry } from "../../core/log/entry.ts";
import { accumulate } from "./accumulate.ts";
import type { Progress } from "../../core/log/tool.ts";
import { RunChunks } from "./chunks.ts";
import type { Emission, SegmentEnd } from "./emission.ts";
import { DraftChunks, type TapedPiece } from "./draft.ts";
import { isOnTape, restAfter } from "./tape-position.ts";
import type { DataChunk, PlacedChunk, UiMessage } from "./ui-chunk.ts";

/** The part of a run's stream between two waits for a person. */
export interface Segment {
  readonly index: number;
  /** `<request id>` or `<runId>`, then `<runId>.c1`, … */
  readonly id: string;
  readonly chunks: readonly PlacedChunk[];
  readonly end: SegmentEnd | null;
}

/** Chunks that an entry or a draft adds to the newest segment. */
export interface Update {
  readonly segment: Segment;
  readonly opened: boolean;
  readonly chunks: readonly PlacedChunk[];
  readonly end: SegmentEnd | null;
  readonly withdrawn: boolean;
}

/**
 * The stream of one run, held whole: what was sent can be sent again from any `pos`. Rebuilt from the log it differs only
 * in where texts are cut. A text that was streamed is not sent again when its reply commits.
 */
export class RunStream {
  readonly id: string;
  readonly #chunks: RunChunks;
  readonly #segments: Growing[] = [];
  #draft: DraftChunks | null = null;
  #sent = 0;

  constructor(session: string, run: string) {
    this.#chunks = new RunChunks(session, run);
    this.id = this.#chunks.id;
  }

  /** id of the message that asked for the run, once its run_queued is known */
  get message(): string | null {
    return this.#chunks.queued?.body.message ?? null;
  }

  get queuedSeq(): number | null {
    return this.#chunks.queued?.seq ?? null;
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** The newest segment while it is open. */
  get open(): Segment | null {
    const last = this.#segments.at(-1);
    return last === undefined || last.end !== null ? null : last;
  }

  /** `pos` of the last chunk, 0 before the first. */
  get pos(): number {
    return this.#sent;
  }

  accept(entry: Entry): Update | null {
    const emission = this.#chunks.accept(entry);
    return emission === null ? null : this.#grow(emission);
  }

  /** A piece of the model call in flight; null when it belongs to another attempt. */
  draft(piece: TapedPiece): Update | null {
    if (piece.base !== this.#chunks.base) return null;
    if (this.#draft?.base !== piece.base) this.#draft = new DraftChunks(piece.base);
    const chunks = this.#draft.accept(piece);
    if (chunks.length === 0) return null;
    const segment = this.#chunks.segment;
    return this.#grow({ segment, opened: false, chunks, end: null, withdrawn: null, request: null });
  }

  /** Returns the transient progress of a tool of the open step; null without a reader (`RunChunks.progress`). */
  progress(progress: Progress | null): DataChunk | null {
    return this.#chunks.progress(progress);
  }

  /** Every chunk after `pos`, the rest of a text when `pos` is inside it. */
  after(pos: number): PlacedChunk[] {
    return this.#segments.flatMap((segment) => chunksAfter(segment.chunks, pos));
  }

  /** The chunks as one message: without the ends and starts of the segments between. */
  whole(): PlacedChunk[] {
    return this.#segments.flatMap((segment, index) =>
      segment.chunks.filter(
        ({ chunk }) =>
          !(index > 0 && chunk.type === "start") &&
          !(index < this.#segments.length - 1 && chunk.type === "finish"),
      ),
    );
  }

  /** The run's message up to now, or up to its last closed segment; null while there is nothing to show. */
  toMessage(upTo: "now" | "closed" = "now"): UiMessage | null {
    const segments = upTo === "now" ? this.#segments : this.#segments.filter((item) => item.end !== null);
    if (segments.length === 0) return null;
    return accumulate(
      this.id,
      segments.flatMap((segment) => segment.chunks),
    );
  }

  #grow(emission: Emission): Update {
    let segment = this.#segments[emission.segment];
    if (segment === undefined) {
      segment = {
        index: emission.segment,
        id: emission.request ?? this.#segmentId(emission.segment),
        chunks: [],
        end: null,
      };
      this.#segments.push(segment);
    }
    const { withdrawn } = emission;
    if (withdrawn !== null) {
      segment.chunks = segment.chunks.filter(({ pos }) => pos === null || !isOnTape(pos, withdrawn));
      this.#draft = null;
    }
    const chunks = chunksAfter(emission.chunks, this.#sent);
    segment.chunks.push(...chunks);
    segment.end = emission.end;
    this.#sent = chunks.at(-1)?.pos ?? this.#sent;
    const { opened, end } = emission;
    return { segment, opened, chunks, end, withdrawn: withdrawn !== null };
  }

  #segmentId(index: number): string {
    return index === 0 ? (this.#chunks.queued?.body.request ?? this.id) : `${this.id}.c${index}`;
  }
}

interface Growing extends Segment {
  chunks: PlacedChunk[];
  end: SegmentEnd | null;
}

export function chunksAfter(chunks: readonly PlacedChunk[], pos: number): PlacedChunk[] {
  return chunks.flatMap((placed) => restAfter(placed, pos) ?? []);
}

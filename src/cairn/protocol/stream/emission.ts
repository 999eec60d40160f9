import type { Progress } from "../../core/log/tool.ts";
import type { StepView } from "./data-parts.ts";
import type { PlacedChunk, UiChunk } from "./ui-chunk.ts";

/** Chunks that one entry adds. `withdrawn`: the base of an attempt whose streamed text is void. */
export interface Emission {
  readonly segment: number;
  readonly opened: boolean;
  readonly chunks: readonly PlacedChunk[];
  readonly end: SegmentEnd | null;
  readonly withdrawn: number | null;
  /** the client's name for the opened segment, if it gave one */
  readonly request: string | null;
}

/** `last` ends the run; otherwise the run waits for a person. */
export interface SegmentEnd {
  readonly outcome: "completed" | "aborted" | "error" | "skipped";
  readonly errorText: string | null;
  readonly last: boolean;
}

/** The same while it is being made. */
export interface Outgoing {
  readonly streamed: PlacedChunk[];
  readonly chunks: UiChunk[];
  opens: boolean;
  end: SegmentEnd | null;
  withdrawn: number | null;
  request: string | null;
}

/** The step that a run is at, as its message shows it. */
export interface OpenStep {
  view: StepView;
  base: number | null;
  /** text and reasoning parts shown so far */
  parts: number;
  /** finish-step was sent */
  finished: boolean;
  /** nothing more comes of it */
  closed: boolean;
  /** start of the wait for a person, milliseconds since the epoch; null without one */
  waiting: number | null;
  /** it is finished by what follows it, not by its last call */
  late: boolean;
  readonly open: Set<string>;
  /** last progress that the model reported in this step */
  progress: Progress | null;
}

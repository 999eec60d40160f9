/** How long one model call may stay silent, and how long it may take. */

interface PatienceLimits {
  /** until the first content, from the moment of the call, in ms */
  readonly firstChunkMs: number;
  /** between pieces of content, in ms */
  readonly chunkMs: number;
  /** of the whole call, in ms */
  readonly timeoutMs: number;
}

interface Patience {
  /** aborts with a TimeoutError when a limit is exceeded, and without a reason when the call is left */
  readonly signal: AbortSignal;
  /** a piece of content came */
  received(): void;
  /** the model is done: only the limit of the whole call is left */
  finished(): void;
  /** ends the call; one that has not come to its end is aborted */
  leave(ended: boolean): void;
}

interface Limit {
  readonly at: number;
  readonly text: string;
}

/**
 * Begins to wait. Leaves no timer behind once `leave` was called. One timer serves every limit: it looks again when it
 * fires, because to set one anew with each piece of content costs more than the piece.
 */
export function createPatience({ firstChunkMs, chunkMs, timeoutMs }: PatienceLimits): Patience {
  const controller = new AbortController();
  const began = performance.now();
  const whole: Limit = { at: began + timeoutMs, text: "the call took too long" };
  let silence: Limit | null = { at: began + firstChunkMs, text: "no content in time" };
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** when the timer fires: never later than the next limit */
  let due = 0;
  const look = (): void => {
    const limit = silence !== null && silence.at < whole.at ? silence : whole;
    const left = limit.at - performance.now();
    due = limit.at;
    if (left <= 0) controller.abort(new DOMException(limit.text, "TimeoutError"));
    else timer = setTimeout(look, left);
  };
  look();
  return {
    signal: controller.signal,
    received() {
      silence = { at: performance.now() + chunkMs, text: "the content stopped coming" };
      if (silence.at >= due) return;
      clearTimeout(timer);
      look();
    },
    finished() {
      silence = null;
    },
    leave(ended) {
      clearTimeout(timer);
      if (!ended) controller.abort();
    },
  };
}

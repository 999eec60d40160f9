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
  /** aborts with a TimeoutError when a limit is passed, and with nothing to say when the call is left */
  readonly signal: AbortSignal;
  /** a piece of content came */
  heard(): void;
  /** the model has said all: only the limit of the whole call is left */
  finished(): void;
  /** ends the call, whatever of it is still under way */
  leave(): void;
}

/** Begins to wait. Leaves no timer behind once `leave` was called. */
export function createPatience({ firstChunkMs, chunkMs, timeoutMs }: PatienceLimits): Patience {
  const controller = new AbortController();
  const abortAfter = (ms: number, text: string): ReturnType<typeof setTimeout> =>
    setTimeout(() => controller.abort(new DOMException(text, "TimeoutError")), ms);
  const whole = abortAfter(timeoutMs, "the call took too long");
  let silence = abortAfter(firstChunkMs, "no content in time");
  return {
    signal: controller.signal,
    heard() {
      clearTimeout(silence);
      silence = abortAfter(chunkMs, "the content stopped coming");
    },
    finished: () => clearTimeout(silence),
    leave() {
      clearTimeout(whole);
      clearTimeout(silence);
      controller.abort();
    },
  };
}

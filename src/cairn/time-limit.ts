/**
 * Bounds the time of work. Not by AbortSignal.timeout: its timer cannot be cleared, and a pending timer keeps an idle object awake.
 */

/** Does work whose signal aborts after so many milliseconds, or with the outer signal. */
export async function withTimeLimit<Value>(
  ms: number,
  outer: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  try {
    return await work(outer === null ? limit.signal : AbortSignal.any([outer, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** Waits so many milliseconds for work that cannot be stopped, then rejects with this message. */
export async function waitAtMost<Value>(ms: number, work: Promise<Value>, message: string): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Work that is stopped after so many milliseconds, or with the outer signal. Not AbortSignal.timeout: its timer cannot be
 * cleared, and a pending timer keeps an idle object awake.
 */
export async function within<Value>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  try {
    return await work(AbortSignal.any([outer, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** Statistics over a series of rounds. All of them refuse an empty series. */

/** The value below which the share `p` of a series lies, by the nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1))];
  if (value === undefined) throw new Error("a series without values");
  return value;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error("a series without values");
  return (upper + lower) / 2;
}

export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new Error("a series without values");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

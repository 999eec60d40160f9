/**
 * Two lists of the same things, each best first, as one: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).
 * Scores of words and cosines cannot be compared; places can.
 */
const RANK_DAMPING = 60;

/** The keys of both lists, best first; a tie goes to the first list. */
export function mergeByRank(first: readonly string[], second: readonly string[]): string[] {
  const worth = new Map<string, number>();
  for (const list of [first, second])
    for (const [at, key] of list.entries())
      worth.set(key, (worth.get(key) ?? 0) + 1 / (RANK_DAMPING + at + 1));
  return [...worth].sort((one, other) => other[1] - one[1]).map(([key]) => key);
}

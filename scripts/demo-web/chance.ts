/** Draws that are the same for the same seed, so that the corpus is the same everywhere (mulberry32). */
export interface Chance {
  /** a whole number, both ends included */
  between(from: number, to: number): number;
  pick<T>(all: readonly [T, ...T[]]): T;
  /** the same things in another order */
  shuffled<T>(all: readonly T[]): T[];
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    between,
    pick: ([first, ...more]) => {
      const at = between(0, more.length);
      return at === 0 ? first : (more[at - 1] ?? first);
    },
    shuffled: (all) => {
      const left = [...all];
      return all.map(() => left.splice(between(0, left.length - 1), 1)).flat();
    },
  };
}

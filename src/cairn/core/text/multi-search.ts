/** An occurrence of a needle. */
export interface Found<Needle> {
  readonly start: number;
  readonly end: number;
  readonly needle: Needle;
}

/** Looks for many texts at once in a long one. */
export interface Needles<Needle> {
  /** from left to right, none overlapping another; of several that begin at one place the longest */
  find(text: string): Found<Needle>[];
  /** whether the text, from this place to its end, is the beginning of a needle and not yet the whole of it */
  mayGrow(text: string, index: number): boolean;
  /** characters of the longest needle */
  readonly longest: number;
}

/** characters that decide how far to move on */
const HASHES = 1 << 14;
const hash = (first: number, second: number): number => (first * 31 + second) & (HASHES - 1);

/**
 * The search of Wu and Manber ("A fast algorithm for multi-pattern searching", University of Arizona TR-94-17, 1994): a
 * window as long as the shortest needle; its last two characters determine how far it may move before any needle can
 * end in it. A text without matches is mostly skipped, however many needles there are. Each needle has at least two
 * characters.
 */
export function createNeedles<Needle extends { readonly text: string }>(
  needles: readonly Needle[],
): Needles<Needle> {
  const sorted = needles.toSorted((a, b) => b.text.length - a.text.length);
  const longest = sorted[0]?.text.length ?? 0;
  const window = sorted.at(-1)?.text.length ?? 0;
  if (needles.length > 0 && window < 2) throw new Error("a needle has at least two characters");
  // A session without secrets has no table: it would be 32 KiB.
  const shifts = new Uint16Array(needles.length === 0 ? 0 : HASHES).fill(
    Math.min(Math.max(1, window - 1), 0xffff),
  );
  const ending = new Map<number, Needle[]>();
  const beginning = new Map<string, Needle[]>();
  for (const needle of sorted) {
    const { text } = needle;
    for (let at = 1; at < window; at++) {
      const block = hash(text.charCodeAt(at - 1), text.charCodeAt(at));
      const shift = Math.min(shifts[block] ?? 0, window - 1 - at);
      shifts[block] = shift;
      if (shift === 0 && at === window - 1) push(ending, block, needle);
    }
    push(beginning, text.charAt(0), needle);
  }

  const find = (text: string): Found<Needle>[] => {
    const found: Found<Needle>[] = [];
    if (window === 0) return found;
    let at = window - 1;
    while (at < text.length) {
      const block = hash(text.charCodeAt(at - 1), text.charCodeAt(at));
      const shift = shifts[block] ?? 0;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at - window + 1;
      const needle = ending.get(block)?.find((each) => text.startsWith(each.text, start));
      if (needle === undefined) at++;
      else {
        const end = start + needle.text.length;
        found.push({ start, end, needle });
        at = end + window - 1;
      }
    }
    return found;
  };

  const mayGrow = (text: string, index: number): boolean => {
    const left = text.length - index;
    const candidates = beginning.get(text.charAt(index));
    if (candidates === undefined) return false;
    const tail = text.slice(index);
    return candidates.some((needle) => needle.text.length > left && needle.text.startsWith(tail));
  };

  return { find, mayGrow, longest };
}

function push<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const items = map.get(key);
  if (items === undefined) map.set(key, [item]);
  else items.push(item);
}

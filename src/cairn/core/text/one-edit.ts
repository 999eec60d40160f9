/** Words with this many letters or more are compared with a typing mistake in mind: among shorter ones most are one letter apart. */
const LETTERS_MIN = 4;
const LETTERS_MAX = 64;

/**
 * True if one typing mistake makes one word of the other: a letter that is wrong, missing or too many, or two neighbours that are
 * swapped (Damerau 1964). Equal words are none, and neither are words of fewer than four letters. Takes time linear in the words.
 */
export function isOneEditApart(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 2) return false;
  const [a, b] = [[...one], [...other]];
  const longest = Math.max(a.length, b.length);
  if (longest > LETTERS_MAX || Math.min(a.length, b.length) < LETTERS_MIN - 1 || longest < LETTERS_MIN)
    return false;
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

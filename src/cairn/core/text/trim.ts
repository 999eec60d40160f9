/**
 * The text without the signs at both of its ends that `isSign` names. Takes one step for each of them, where a pattern such as
 * `[.\s]+$` looks at the rest of a run from each of its characters: seconds for a long name of blanks.
 */
export function trimSigns(text: string, isSign: (sign: string) => boolean): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSign(text.charAt(from))) from++;
  while (from < to && isSign(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

/** Dots and blanks, with which no file name begins or ends. */
export const isDotOrBlank = (sign: string): boolean => /^[.\s]$/.test(sign);

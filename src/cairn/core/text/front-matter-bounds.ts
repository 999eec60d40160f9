/**
 * Bounds of front matter, checked before a YAML parser reads it. Parsing time doubles with each level of `{` and of
 * explicit keys (`? `): a few hundred characters would occupy it for minutes.
 */

const CHARS_MAX = 8_192;
/** brackets inside of one another, in quotes too */
const BRACKET_DEPTH_MAX = 16;
/** indicators that open a level on one line, such as `- - -` */
const INDICATORS_PER_LINE_MAX = 8;
const EXPLICIT_KEYS_MAX = 4;

/** Indicators at the beginning of a line. */
const INDICATORS = /^[ \t]*(?:[-?:](?=[ \t]|$)[ \t]*)*/;
/** A `?` without a word before it. */
const EXPLICIT_KEY = /(?<![^\s[{,])\?(?=\s|$)/g;

/**
 * Why the front matter of a text may not be parsed, as a sentence; null when it may. The front matter is everything between a
 * first line `---` and the next one, or the end of the text. Linear in its length.
 */
export function frontMatterFault(text: string): string | null {
  const start = /^\uFEFF?---[ \t]*\r?\n/.exec(text)?.[0].length;
  if (start === undefined) return null;
  const end = /^---[ \t]*\r?$/m.exec(text.slice(start, start + CHARS_MAX + 1));
  if (end === null && text.length - start > CHARS_MAX)
    return `Its front matter is longer than ${CHARS_MAX} characters.`;
  const yaml = text.slice(start, end === null ? undefined : start + end.index);
  if (bracketDepth(yaml) > BRACKET_DEPTH_MAX)
    return `Its front matter has brackets more than ${BRACKET_DEPTH_MAX} levels deep.`;
  if ((yaml.match(EXPLICIT_KEY)?.length ?? 0) > EXPLICIT_KEYS_MAX)
    return `Its front matter has more than ${EXPLICIT_KEYS_MAX} explicit keys (“? ”).`;
  const isDeep = yaml.split(/\r\n?|\n/).some((line) => {
    const indicators = (INDICATORS.exec(line)?.[0] ?? "").replace(/[ \t]/g, "");
    return indicators.length > INDICATORS_PER_LINE_MAX;
  });
  return isDeep ? `A line of its front matter opens more than ${INDICATORS_PER_LINE_MAX} levels.` : null;
}

function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const sign of text.match(/[[\]{}]/g) ?? []) {
    depth = sign === "[" || sign === "{" ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/**
 * Bounds for text that is parsed as markdown. The parser's recursion grows with the depth of quotes and lists, and its
 * work with the square of one block's length: each unclosed emphasis, bracket and link is tried against everything
 * after it. Text beyond any of these bounds is shown unparsed.
 */

/** characters of one text */
export const MARKDOWN_CHARS_MAX = 131_072;
/** quotes and lists inside of one another, as far as one line opens them or its indentation allows them */
export const MARKDOWN_NESTING_MAX = 100;
/** marks of each stretch of lines times its characters, summed up: about ten times the parsing of ordinary text at the worst */
export const MARKDOWN_WORK_MAX = 64_000_000;
/** lines of each stretch times the cells of its widest line, summed up: short rows of a table are filled up */
export const MARKDOWN_CELLS_MAX = 10_000;
/** lines, blank ones too: the parser stores several events for each, 190 MB for a text of line breaks alone */
export const MARKDOWN_LINES_MAX = 20_000;

/** a mark of HEAVY costs as much as this many others */
const HEAVY_MARKS = 4;
const COLUMNS_PER_LEVEL = 2;

const MARKS = /[*_~[\]<`!]/g;
/** Bare links and the ends of links, which are followed to their end; lines that may underline a heading. */
const HEAVY = /www\.|https?:|mailto:|xmpp:|@|\]\(|^[ \t]*(?:=|[-+*][ \t]*$)/gi;
/** Markers of quotes and lists at the beginning of a line. */
const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))*[ \t]*/;
const CONTAINER = />|[-+*]|\d+[.)]/g;

/** True if parsing a text as markdown costs about as much as ordinary text of its size. Linear in the length. */
export function isParsableMarkdown(text: string): boolean {
  if (text.length > MARKDOWN_CHARS_MAX) return false;
  let work = 0;
  let cells = 0;
  let [chars, lines, marks, width] = [0, 0, 0, 0];
  const all = text.split(/\r\n?|\n/);
  if (all.length > MARKDOWN_LINES_MAX) return false;
  for (const line of [...all, ""]) {
    if (line.trim() === "") {
      work += marks * chars;
      if (width > 1) cells += lines * width;
      [chars, lines, marks, width] = [0, 0, 0, 0];
      continue;
    }
    const opening = CONTAINERS.exec(line)?.[0] ?? "";
    const opened = countOf(opening, CONTAINER);
    if (opened + countOf(opening, /[ \t]/g) / COLUMNS_PER_LEVEL > MARKDOWN_NESTING_MAX) return false;
    chars += line.length + 1;
    lines += 1;
    marks += countOf(line.slice(opening.length), MARKS) + HEAVY_MARKS * countOf(line, HEAVY);
    marks += Math.max(0, opened - 1);
    width = Math.max(width, countOf(line, /\|/g) + 1);
  }
  return work <= MARKDOWN_WORK_MAX && cells <= MARKDOWN_CELLS_MAX;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

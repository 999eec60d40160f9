/** Opens or closes a stretch of code. */
const FENCE = /^\s*(`{3,}|~{3,})/;
const LIST_ITEM = /^\s*(?:[-+*]|\d{1,9}[.)])(?:\s|$)/;
/** The target of a link or a footnote, which any block may name. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;
/** HTML may hold marks of other blocks, and empty lines. */
const HTML = /^ {0,3}</;

/**
 * A text in Markdown as pieces that may be parsed one by one: the elements of the pieces are those of the whole. While a
 * text grows at its end only the last piece changes. A place that might not be a boundary is none.
 */
export function markdownBlocks(text: string): readonly string[] {
  if (DEFINITION.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | null = null;
  /** it has a list, or what is indented as in one: an item behind it may be part of it */
  let hasList = false;
  let afterEmpty = false;
  // Code inside of a list ends with its fence or with the list: from there on nothing is sure. Nor is it behind HTML.
  let isSure = true;
  for (const line of text.split(/\r\n?|\n/)) {
    const isEmpty = line.trim() === "";
    const begins = isSure && afterEmpty && fence === null && !isEmpty && !/^\s/.test(line);
    if (begins && !(hasList && LIST_ITEM.test(line))) {
      blocks.push(block.join("\n"));
      block = [];
      hasList = false;
    }
    block.push(line);
    if (fence === null && !isEmpty && (LIST_ITEM.test(line) || /^\s/.test(line))) hasList = true;
    if (fence === null && (HTML.test(line) || (hasList && FENCE.test(line)))) isSure = false;
    fence = fenceAfter(line, fence);
    afterEmpty = isEmpty;
  }
  blocks.push(block.join("\n"));
  return blocks;
}

/** The fence that is open behind a line. */
function fenceAfter(line: string, open: string | null): string | null {
  const mark = FENCE.exec(line)?.[1];
  if (mark === undefined) return open;
  if (open === null) return mark;
  return mark.startsWith(open) && line.trim() === mark ? null : open;
}

/** A text of a model for a line that shows none of its marks: without stars, backticks and the signs of headings and quotes. */
export const plainWords = (markdown: string): string =>
  markdown
    .replace(/\*\*|__|`+/g, "")
    .replace(/^\s*(?:#{1,6}|>)\s+/gm, "")
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, "$1");

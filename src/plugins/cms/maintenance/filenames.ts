/** Describes an image by its file name, if no model can look at it. Pure. */

/** Names given by cameras, phones and programs, and meaningless words. */
const MEANINGLESS_NAME =
  /^((img|dsc[fn]?|pxl|mvimg)\d*|image|photo|picture|screenshot|untitled|download|copy|final|edited|whatsapp|at|[a-f0-9]{8,}|\d+|v\d+|\d+x\d+)$/i;
const WORDS_MAX = 12;

export interface FilenameDescription {
  /** as a sentence; empty for a meaningless name */
  readonly description: string;
  readonly tags: readonly string[];
}

export function describeFilename(filename: string): FilenameDescription {
  const words = filename
    .replace(/\.[A-Za-z0-9]+$/, "")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !MEANINGLESS_NAME.test(word))
    .slice(0, WORDS_MAX);
  const text = words.join(" ").toLowerCase();
  const tags = [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length > 2);
  return { description: text.slice(0, 1).toUpperCase() + text.slice(1), tags: tags.slice(0, 10) };
}

import type { Block, Mark, Run } from "../text/blocks.ts";
import { joined, plainOf } from "../text/plain.ts";
import { splitBlocks, type Fit } from "../text/split.ts";

/**
 * Blocks as Slack's mrkdwn (https://docs.slack.dev/messaging/formatting-message-text). It has no escape for its own
 * marks, so a paragraph with such a mark in its text is sent as plain text.
 */

/** of one section, in UTF-16 units */
export const SLACK_SECTION_CHARS_MAX = 3_000;
/** sections of one part; beyond it the part is plain, because a message has at most fifty */
const SECTIONS_PER_PART_MAX = 8;

export interface SlackText {
  readonly type: "mrkdwn" | "plain_text";
  readonly text: string;
}

export const splitForSlack = (
  blocks: readonly Block[],
  fit: Pick<Fit, "partsMax" | "link">,
): readonly (readonly Block[])[] =>
  splitBlocks(blocks, { ...fit, max: SLACK_SECTION_CHARS_MAX, cost: slackCost });

/** of a section, in UTF-16 units */
export const slackCost = (block: Block): number => Math.max(mrkdwnOf(block).length, plainOf(block).length);

/** The sections of one part, none longer than the part may be. */
export function toSlackTexts(part: readonly Block[]): readonly SlackText[] {
  const groups: { type: SlackText["type"]; blocks: Block[] }[] = [];
  for (const block of part) {
    const type = isAmbiguous(block) ? "plain_text" : "mrkdwn";
    const last = groups.at(-1);
    if (last?.type === type) last.blocks.push(block);
    else groups.push({ type, blocks: [block] });
  }
  if (groups.length > SECTIONS_PER_PART_MAX) return [{ type: "plain_text", text: joined(part, plainOf) }];
  return groups.map(({ type, blocks }) => ({
    type,
    text: joined(blocks, type === "mrkdwn" ? mrkdwnOf : plainOf),
  }));
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
export const escapeSlack = (text: string): string => text.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign);

function mrkdwnOf(block: Block): string {
  if (block.kind === "code") return `\`\`\`\n${escapeSlack(block.text)}\n\`\`\``;
  const pieces = piecesOf(block.runs);
  const text = pieces.map((piece, at) => pieceText(piece, pieces[at - 1], pieces[at + 1])).join("");
  return block.isQuote ? text.replace(/^/gm, "> ") : text;
}

/** Runs without line breaks in them, and without spaces at the ends of what is marked: marks hold neither. */
function piecesOf(runs: readonly Run[]): readonly Run[] {
  return runs.flatMap((run) =>
    run.text
      .split(run.marks.length === 0 && run.url === null ? /(\n)/ : /(\n|^\s+|(?<!\s)\s+$)/)
      .filter((text) => text !== "")
      .map((text) => (/^\s+$/.test(text) ? { text, marks: [], url: null } : { ...run, text })),
  );
}

const SIGNS: readonly (readonly [mark: Mark, sign: string])[] = [
  ["bold", "*"],
  ["italic", "_"],
  ["strike", "~"],
  ["code", "`"],
];

function pieceText(piece: Run, before: Run | undefined, after: Run | undefined): string {
  const text = escapeSlack(piece.text);
  if (piece.url !== null) return `<${escapeSlack(piece.url)}|${text}>`;
  // A mark next to a letter is literal.
  const isFree = isEdge(before?.text.at(-1)) && isEdge(after?.text[0]);
  if (!isFree) return text;
  const marks = piece.marks.includes("code") ? ["code"] : piece.marks;
  return SIGNS.filter(([mark]) => marks.includes(mark)).reduceRight(
    (inner, [, sign]) => `${sign}${inner}${sign}`,
    text,
  );
}

const isEdge = (sign: string | undefined): boolean =>
  sign === undefined || /[\s.,;:!?()[\]"'…—–-]/.test(sign);
const isSpace = (sign: string | undefined): boolean => sign === undefined || /\s/.test(sign);
const isWord = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);

/** True if Slack could read a mark in the text itself. */
function isAmbiguous(block: Block): boolean {
  if (block.kind === "code") return block.text.includes("```") || /^`|`$/.test(block.text);
  if (block.runs.some(({ text }) => text.includes("`"))) return true;
  // The text of a code block is literal.
  const words = block.runs
    .map(({ text, marks }) => (marks.includes("code") ? "`".repeat(text.length) : text))
    .join("");
  if (/^[ \t]*>/m.test(words)) return true;
  // The name of an emoji is shown as its picture.
  if (/:[a-z+-][\w+'-]*:/.test(words)) return true;
  return [...words.matchAll(/[*_~]/g)].some(({ index }) => {
    const [before, after] = [words[index - 1], words[index + 1]];
    return !(isWord(before) && isWord(after)) && !(isSpace(before) && isSpace(after));
  });
}

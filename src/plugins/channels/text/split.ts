import { boundaryBefore } from "../../../cairn/core/text/cut.ts";
import { isTight, plainBlock, plainRun, safeUrl, textOfBlock, type Block, type Run } from "./blocks.ts";

/** A text in parts that a channel takes: cut between blocks, and inside of one only where it is longer than a part. */

/** a longer text is cut, and ends with a link to the rest */
export const PARTS_MAX = 5;

export interface Fit {
  /** of one part, as `cost` counts */
  readonly max: number;
  readonly partsMax: number;
  /** what a block takes of a part */
  readonly cost: (block: Block) => number;
  /** URL of the complete text; null if there is none */
  readonly link: string | null;
}

/** At least one part; no part costs more than `max`, and no character is cut in two. */
export function splitBlocks(blocks: readonly Block[], fit: Fit): readonly (readonly Block[])[] {
  const whole = fill(blocks, fit, () => fit.max);
  if (whole.length <= fit.partsMax) return whole;
  const note = noteOf(fit.link);
  const reserved = fit.cost(note) + GAP;
  const parts = fill(blocks, fit, (at) => (at === fit.partsMax - 1 ? fit.max - reserved : fit.max));
  return parts.slice(0, fit.partsMax).map((part, at) => (at === fit.partsMax - 1 ? [...part, note] : part));
}

/** True when nothing of a text is left out. */
export const isWhole = (blocks: readonly Block[], fit: Omit<Fit, "link">): boolean =>
  fill(blocks, { ...fit, link: null }, () => fit.max).length <= fit.partsMax;

/** a longer one leaves too little of a part */
const LINK_CHARS_MAX = 500;

function noteOf(link: string | null): Block {
  const url = link === null ? null : safeUrl(link);
  if (url === null || url.length > LINK_CHARS_MAX) return plainBlock("… The rest does not fit here.");
  return {
    kind: "text",
    runs: [plainRun("… Read the rest: "), plainRun(url, url)],
    isQuote: false,
    isTight: false,
  };
}

/** characters between two blocks: an empty line */
const GAP = 2;
const gapBefore = (block: Block): number => (isTight(block) ? 1 : GAP);

function fill(
  blocks: readonly Block[],
  { cost, partsMax }: Fit,
  maxOf: (part: number) => number,
): readonly (readonly Block[])[] {
  let part: Block[] = [];
  let used = 0;
  const parts: Block[][] = [part];
  const open = (): void => {
    part = [];
    used = 0;
    parts.push(part);
  };
  const put = (block: Block, gap: number): void => {
    part.push(block);
    used += cost(block) + gap;
  };
  for (const block of blocks) {
    let rest: Block | null = block;
    // Text beyond the last part is never shown.
    while (rest !== null && parts.length <= partsMax) {
      const gap = part.length === 0 ? 0 : gapBefore(rest);
      const capacity = maxOf(parts.length - 1) - used - gap;
      if (cost(rest) <= capacity) {
        put(rest, gap);
        rest = null;
      } else if (part.length > 0) open();
      else {
        const [head, tail] = cut(rest, capacity, cost);
        put(head, 0);
        rest = tail;
        if (rest !== null) open();
      }
    }
  }
  return parts;
}

/** The beginning of a block that costs at most `room`, to the end of a line or word where there is one near, and the rest. */
function cut(block: Block, capacity: number, cost: Fit["cost"]): readonly [head: Block, tail: Block | null] {
  const text = textOfBlock(block);
  let [low, high] = [1, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (cost(sliced(block, 0, middle)) <= capacity) low = middle;
    else high = middle - 1;
  }
  const at = boundary(text, low, block.kind === "code" ? ["\n"] : ["\n", ". ", " "]);
  const next = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
  const start = block.kind === "code" ? at + (text[at] === "\n" ? 1 : 0) : next;
  return [sliced(block, 0, at), start >= text.length ? null : sliced(block, start, text.length)];
}

function boundary(text: string, most: number, ends: readonly string[]): number {
  const half = Math.floor(most / 2);
  if (most >= text.length) return most;
  for (const end of ends) {
    const at = text.lastIndexOf(end, most);
    if (at > half && at + end.trimEnd().length <= most) return at + end.trimEnd().length;
  }
  const between = boundaryBefore(text, most);
  if (between > 0) return between;
  // A character that is wider than the room is cut, and one code point goes into it whole.
  return isInsideOfPair(text, most) ? (most === 1 ? 2 : most - 1) : most;
}

const isInsideOfPair = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text[at - 1] ?? "") && /[\udc00-\udfff]/.test(text[at] ?? "");

function sliced(block: Block, from: number, to: number): Block {
  if (block.kind === "code") return { ...block, text: block.text.slice(from, to) };
  const runs: Run[] = [];
  let start = 0;
  for (const run of block.runs) {
    const text = run.text.slice(Math.max(0, from - start), Math.max(0, to - start));
    if (text !== "") runs.push({ ...run, text });
    start += run.text.length;
  }
  return { ...block, runs, isTight: from === 0 && block.isTight };
}

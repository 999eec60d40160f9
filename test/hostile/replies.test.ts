import { expect, test } from "vitest";
import { createReader } from "../../src/cairn/core/dialects/create-reader.ts";
import { createMarkerFilter } from "../../src/cairn/core/text/markers.ts";
import { isOverLimit, processorMs } from "./processor-time.ts";
import { filled, UNITS } from "./shapes.ts";

/**
 * Replies of a model that come in small pieces: a reader that looks at all of its text with each piece takes the square of the
 * length: many seconds for this one. Processor time is counted generously, because a busy machine slows each instruction down.
 */
const CHARS = 65_536;
const PIECE_CHARS = 4;
const MS_MAX = 1_500;

const OFFERS = [
  {
    name: "page_edit",
    description: "Edits a page.",
    inputSchema: { type: "object", properties: { page: { type: "string" } } },
  },
];
const HEADS = [
  "",
  '{"thought":"',
  "<tool_call>",
  '<tool_call>{"a":"',
  "```\n",
  '{"action":"page_edit"}',
  "<code>",
];
const ENDS = ["", "x", "```"];
const MORE_UNITS = ["{“", "{/*", "{'a", '{"""', '{"thought":"a"}', "\n`", "</tool_call>", "<answer>"];

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARS) yield text.slice(at, at + PIECE_CHARS);
}

function read(dialect: "json" | "tags" | "native", text: string): void {
  const sink = { say: () => undefined, split: () => undefined, call: () => undefined };
  const reader = createReader({ dialect, offers: OFFERS, takesWritten: true }, sink);
  for (const piece of pieces(text)) reader.push(piece);
  reader.end();
}

test.each(["json", "tags", "native"] as const)(
  "%s: a reply in small pieces is read in time that grows with its length",
  (dialect) => {
    const slow: unknown[] = [];
    for (const [at, head] of HEADS.entries())
      for (const [which, unit] of [...UNITS, ...MORE_UNITS].entries()) {
        // Each shape stands behind some of the beginnings, and each of the new ones behind all.
        if (which < UNITS.length && which % HEADS.length !== at) continue;
        const text = head + filled(unit, CHARS) + (ENDS[which % ENDS.length] ?? "");
        const ms = processorMs(() => read(dialect, text));
        if (isOverLimit(ms, MS_MAX)) slow.push({ head, unit, ms });
      }
    expect(slow).toEqual([]);
  },
  600_000,
);

test("the marker of an answer is looked for in time that grows with the text", () => {
  const slow = UNITS.filter((unit) => {
    const filter = createMarkerFilter();
    const text = filled(unit, CHARS);
    const ms = processorMs(() => [...pieces(text)].map((piece) => filter.push(piece)));
    return isOverLimit(ms, MS_MAX);
  });
  expect(slow).toEqual([]);
}, 600_000);

import { describe, expect, test } from "vitest";
import { createNativeReader } from "../../../../src/cairn/core/dialects/native.ts";

/** The tags around an answer in a reply of the native dialect, whole and in pieces of every size. */

function read(text: string, chars: number): { readonly text: string; readonly reasoning: string } {
  const said = { text: "", reasoning: "" };
  const reader = createNativeReader(
    { dialect: "native", offers: [], takesWritten: true },
    {
      say: (kind, words) => void (said[kind] += words),
      split: () => {},
      call: () => {},
    },
  );
  for (let at = 0; at < text.length; at += chars) reader.push(text.slice(at, at + chars));
  reader.end();
  return said;
}

const SIZES = [1, 2, 3, 7, 1_000];

describe("tags of a final answer are not shown", () => {
  test.each([
    ["<answer>Tea it is.</answer>", "Tea it is."],
    ["<answer>\nTea it is.\n</answer>\n", "Tea it is."],
    ["<think>Hm.</think><answer>Tea it is.</answer>", "Tea it is."],
    ["<think>Hm.</think>\n\n<answer>Tea it is.</answer>", "Tea it is."],
    ["<final_answer>Tea it is.</final_answer>", "Tea it is."],
    ["<ANSWER>Tea it is.</Answer>", "Tea it is."],
    ["<final-answer>Tea it is.</final-answer>", "Tea it is."],
    ["I looked.\n<answer>Tea it is.</answer>", "I looked.\nTea it is."],
    ["I looked. <answer>Tea it is.</answer>", "I looked. Tea it is."],
    ["<answer>Tea it is.", "Tea it is."],
    ["Tea it is.</answer>", "Tea it is."],
    ["<answer>One.</answer>\n<answer>Two.</answer>", "One.\nTwo."],
    ['<answer>{"name":"tea","arguments":{}}</answer>', '{"name":"tea","arguments":{}}'],
  ])("%j", (reply, shown) => {
    for (const size of SIZES) expect([size, read(reply, size).text.trim()]).toEqual([size, shown]);
  });
});

describe("words about the tags stay as they are", () => {
  test.each([
    "Put it in `<answer>` tags.",
    "Models write <answer> before their result.",
    "```xml\n<answer>Tea</answer>\n```",
    "The closing </answer> comes last, as always.",
    "<answers>are another tag</answers>",
    "a < b and <answer",
  ])("%j", (reply) => {
    for (const size of SIZES) expect([size, read(reply, size).text]).toEqual([size, reply]);
  });
});

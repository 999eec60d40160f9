import { describe, expect, test } from "vitest";
import { CORPUS } from "./corpus.ts";
import { hear } from "./read-reply.ts";

const TAG = /<\/?(?:think|thinking|tool_call|tool_response|answer)\s*>|^[ \t]*FINAL_ANSWER:/imu;

test("the corpus holds the 28 replies that every build must read, and at least 120 more", () => {
  expect(CORPUS.filter(({ name }) => name !== undefined)).toHaveLength(28);
  expect(CORPUS.length).toBeGreaterThanOrEqual(148);
});

describe("a reply becomes its thoughts, calls and answer, in every split of its text", () => {
  test.each(CORPUS.map((one) => [one.dialect, one.reply, one] as const))("%s %j", (dialect, reply, want) => {
    const whole = hear(dialect, [reply]);
    const { read } = whole;
    const faults = read.faults.filter((fault) => fault !== "no_thought");
    expect(read.calls.map(({ tool, input }) => [tool, input])).toEqual(want.calls);
    expect(faults).toEqual(want.faults);
    expect(read.answer).toBe(want.answer ?? null);
    expect(want.repairs?.filter((one) => !read.repairs.some((repair) => repair === one)) ?? []).toEqual([]);
    expect(read.texts).toEqual(want.texts ?? read.texts);
    expect(read.thoughts).toEqual(want.thoughts ?? read.thoughts);
    // In a fence or between backticks a tag is quoted.
    expect(want.quotes === undefined ? whole.shown : "").not.toMatch(TAG);
    for (let at = 0; at <= reply.length; at += 1)
      expect(hear(dialect, [reply.slice(0, at), reply.slice(at)]), `split at ${at}`).toEqual(whole);
    expect(hear(dialect, [...reply]), "by character").toEqual(whole);
    expect(hear(dialect, reply.split(/(?<=\s)/u)), "by word").toEqual(whole);
  });
});

test("a thought and an answer are heard while they stream", () => {
  expect(hear("json", ['{"thought": "I look', " at it"]).parts).toEqual([
    { type: "reasoning", text: "I look at it" },
  ]);
  const pieces = ["<think>I lo", "ok</think><answer>Te", "a"];
  expect(hear("tags", pieces).parts).toEqual([
    { type: "reasoning", text: "I look" },
    { type: "text", text: "Tea" },
  ]);
});

describe("a forced answer is taken as it stands", () => {
  test.each([
    ["json", "Tea it is.", "Tea it is."],
    ["json", '{"thought":"Done.","action":"complete","action_input":{"answer":"Tea it is."}}', "Tea it is."],
    ["tags", "Tea it is.", "Tea it is."],
    ["tags", "<think>Done.</think><answer>Tea it is.</answer>", "Tea it is."],
    ["native", "<think>Done.</think>Tea it is.", "Tea it is."],
  ] as const)("%s %j", (dialect, reply, text) => {
    const { read } = hear(dialect, [reply], []);
    expect([read.texts.join(""), read.calls, read.faults]).toEqual([text, [], []]);
  });
});

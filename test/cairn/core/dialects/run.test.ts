import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { traceRun } from "../../../../src/cairn/core/trace.ts";
import type { Dialect } from "../../../../src/cairn/core/log/model.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";
import { wordedModel } from "./worded-model.ts";

/** Runs whose model says all it says in words. */

const ANSWER = "The page has been read from its beginning to its end, and nothing in it has to be changed.";
const SAYS = {
  json: {
    look: '{"thought": "I look first.", "action": "look", "action_input": {"name": "a"}}',
    done: `{"thought": "That is all.", "action": "complete", "action_input": {"answer": "${ANSWER}"}}`,
  },
  tags: {
    look: '<think>I look first.</think>\n<tool_call>{"name": "look", "arguments": {"name": "a"}}</tool_call>',
    done: `<think>That is all.</think>\n<answer>${ANSWER}</answer>`,
  },
} as const;

async function played(dialect: Dialect, ...lines: readonly (string | Error)[]) {
  const { model, asked } = wordedModel(...lines);
  const platform = new FakePlatform(model);
  platform.dialect = dialect;
  platform.say("Look at the page.");
  await platform.settle();
  expect(platform.folded).toEqual(platform.state);
  const kinds = platform.log.map((entry) => entry.kind);
  const answer = platform.log.findLast((entry) => entry.kind === "answer");
  const ended = platform.log.findLast((entry) => entry.kind === "run_ended");
  const verdicts = platform.log.flatMap((entry) => (entry.kind === "verdict" ? [entry.body] : []));
  return {
    platform,
    asked,
    kinds,
    verdicts,
    trace: traceRun("s", platform.log),
    answer: answer?.kind === "answer" ? answer.body : null,
    outcome: ended?.kind === "run_ended" ? ended.body.outcome : null,
  };
}
const textOf = (prompt: unknown): string => JSON.stringify(prompt);

describe.each(["json", "tags"] as const)("in %s", (dialect) => {
  const { look, done } = SAYS[dialect];

  test("a model calls a tool and answers, and the log is that of any other run", async () => {
    const { platform, kinds, asked, answer, outcome, trace } = await played(dialect, look, done);
    expect(kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "call_intended",
      "call_settled",
      "step_started",
      "model_replied",
      ...(dialect === "json" ? ["review", "call_settled"] : ["review"])
        .slice(0, 1)
        .filter(() => dialect === "tags"),
      ...(dialect === "json" ? ["call_settled", "review"] : []),
      "answer",
      "run_ended",
    ]);
    expect(platform.effects.reads).toBe(1);
    expect([answer?.text, answer?.source, outcome]).toEqual([
      ANSWER,
      dialect === "json" ? "complete" : "tag",
      "completed",
    ]);
    expect(trace.map(({ thought, dialect: of, action }) => [thought, of, action])).toEqual([
      ["I look first.", dialect, "look"],
      ["That is all.", dialect, dialect === "json" ? "complete" : null],
    ]);
    expect(asked.map(({ tools }) => tools)).toEqual([undefined, undefined]);
    expect(asked[0]?.stopSequences?.length).toBeGreaterThan(0);
  });

  test("what was done is told in the words of the dialect, each role in its turn", async () => {
    const { asked } = await played(dialect, look, done);
    const prompt = asked[1]?.prompt ?? [];
    expect(prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(textOf(prompt[2])).toContain("I look first.");
    expect(textOf(prompt[3])).toContain(
      dialect === "json" ? "Observation: look returned:" : "<tool_response>",
    );
  });

  test("a reply that cannot be read is told its faults, then an example; the third forces the answer", async () => {
    const { answer, asked, verdicts, outcome } = await played(dialect, "Hm.", "Well.", "So.", ANSWER);
    const told = verdicts.filter(({ act }) => act !== "note").map(({ code, act }) => [code, act]);
    expect(told).toEqual([
      ["UNUSABLE", "reask"],
      ["UNUSABLE", "reask"],
      ["UNUSABLE", "reask"],
      ["INVALID_OUTPUT", "force"],
    ]);
    const [first, second] = verdicts.filter(({ code }) => code === "UNUSABLE").map(({ hint }) => hint);
    expect(first).toContain(
      dialect === "json" ? "it held no JSON object" : "neither a <tool_call> nor an <answer>",
    );
    expect([first?.includes("For example"), second?.includes("For example")]).toEqual([false, true]);
    expect(asked).toHaveLength(4);
    expect([answer?.text, answer?.source, outcome]).toEqual([ANSWER, "forced", "completed_partial"]);
  });

  test("and where the forced answer is empty, the run ends as one whose output was invalid", async () => {
    const { outcome } = await played(dialect, "Hm.", "Well.", "So.", "", "");
    expect(outcome).toBe("failed_invalid_output");
  });

  test("a line FINAL_ANSWER: answers, and in a fence it does not", async () => {
    const marked = await played(dialect, look, `I am done.\nFINAL_ANSWER: ${ANSWER}`);
    expect([marked.answer?.text, marked.answer?.source]).toEqual([ANSWER, "marker"]);
    const quoted = await played(dialect, `\`\`\`\nFINAL_ANSWER: ${ANSWER}\n\`\`\``, look, done);
    expect(quoted.verdicts.map(({ code }) => code)).toEqual(["UNUSABLE"]);
  });

  test("a tool that is not there is refused with those that are near", async () => {
    const { platform } = await played(dialect, look.replace('"look"', '"lookk"'), done);
    const settled = platform.log.find((entry) => entry.kind === "call_settled");
    expect(settled?.body).toMatchObject({ status: "refused", failure: { code: "unknown_tool" } });
    expect(settled?.body).toMatchObject({ failure: { hint: expect.stringContaining("look") } });
    expect(platform.effects.reads).toBe(0);
  });

  test("what is drafted, joined, is what is kept, and holds no tag", async () => {
    const { platform } = await played(dialect, look, done);
    const drafted = platform.drafts.map(({ text }) => text).join("");
    const kept = platform.log.flatMap((entry) =>
      entry.kind === "model_replied"
        ? entry.body.parts.flatMap((part) => (part.type === "call" ? [] : [part.text]))
        : [],
    );
    expect(drafted).toBe(kept.join(""));
    expect(drafted).not.toMatch(/<\/?(?:think|tool_call|answer)|action_input|FINAL_ANSWER/u);
  });
});

test("a reply without a thought is noted in the trace, and is no fault", async () => {
  const { trace, verdicts } = await played(
    "json",
    '{"action": "look", "action_input": {"name": "a"}}',
    SAYS.json.done,
  );
  expect(trace[0]?.["parse"]).toEqual({ repairs: [], faults: ["no_thought"] });
  expect(verdicts).toEqual([]);
});

test("an answer beside calls is held, and the next reply is the answer", async () => {
  const both = `${SAYS.tags.look}\n<answer>Too early to say.</answer>`;
  const { platform, answer, verdicts } = await played("tags", both, SAYS.tags.done);
  expect(platform.effects.reads).toBe(1);
  expect(verdicts.map(({ code, act }) => [code, act])).toEqual([["ANSWER_BEFORE_RESULTS", "reask"]]);
  expect(answer?.text).toBe(ANSWER);
});

test("a native model that writes its call is taken at its word", async () => {
  const { platform, outcome } = await played(
    "native",
    '{"name": "look", "arguments": {"name": "a"}}',
    ANSWER,
  );
  expect([platform.effects.reads, outcome]).toEqual([1, "completed"]);
  const drafted = platform.drafts.map(({ text }) => text).join("");
  expect(drafted).toBe(ANSWER);
});

test("a model whose provider says that it takes no tools goes on in json at once, and stays there", async () => {
  const refused = new APICallError({
    message: "Bad Request",
    url: "http://m",
    requestBodyValues: {},
    statusCode: 400,
    isRetryable: false,
    responseBody: '{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools"}}',
  });
  const { platform, kinds, asked, outcome } = await played("native", refused, SAYS.json.look, SAYS.json.done);
  expect(outcome).toBe("completed");
  expect(asked.map(({ tools }) => tools === undefined)).toEqual([false, true, true]);
  expect(kinds.filter((kind) => kind === "model_failed")).toHaveLength(1);
  expect(platform.log.find((entry) => entry.kind === "model_failed")?.body).toMatchObject({
    class: "no_tools",
    then: "dialect",
  });
});

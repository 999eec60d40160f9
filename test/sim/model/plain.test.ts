import { describe, expect, test } from "vitest";
import { toPrompt } from "../../../src/cairn/models/messages.ts";
import type { ModelFailure, ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { hasVisible } from "../../../src/cairn/core/text/unseen.ts";
import type { Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Providers that refuse a request for something in its history: the request is sent once more in plain form, and then a person is asked. */

const REFUSAL: ModelFailure = {
  class: "bad_request",
  message: "The model's provider refused the request as invalid. (status 400)",
  retryAfterMs: null,
  usage: null,
};

/** Refuses what the rule finds in the request as it goes over the wire; otherwise says the lines, by step. */
const strict =
  (refuses: (prompt: string) => boolean, ...lines: readonly Line[]) =>
  (request: ModelRequest): Line => {
    const prompt = JSON.stringify(toPrompt(request.instructions, request.messages));
    if (refuses(prompt)) return { fail: REFUSAL };
    return lines[Number(/s(\d+)$/.exec(request.step)?.[1] ?? 1) - 1] ?? { text: "Done." };
  };

const failuresOf = (platform: FakePlatform): readonly string[] =>
  platform.log.flatMap((entry) => (entry.kind === "model_failed" ? [entry.body.then] : []));
const endOf = (platform: FakePlatform): readonly string[] =>
  platform.log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : []));

const SENDS: Line = { calls: [["send", { name: "hello" }]] };

describe("a refused request is sent once more in plain form", () => {
  test.each<[string, (prompt: string) => boolean, Line, string]>([
    ["thoughts", (prompt) => prompt.includes('"reasoning"'), { ...SENDS, thought: "I send it." }, "go"],
    ["bidi marks in a message", (prompt) => prompt.includes("\u202e"), SENDS, "go \u202enow"],
    ["a lone surrogate", (prompt) => prompt.includes("\\ud800"), SENDS, "go \ud800 now"],
    [
      "a control character in a reply",
      (prompt) => prompt.includes("\\u0007"),
      { ...SENDS, text: "I send\u0007 it." },
      "go",
    ],
  ])("without %s", async (_, refuses, line, words) => {
    const platform = new FakePlatform(strict(refuses, line));
    platform.say(words);
    await platform.settle();
    expect(failuresOf(platform)).toEqual(["plain"]);
    expect(endOf(platform)).toEqual(["completed"]);
    // The rest of the run stays plain, and the next run of the session works as well.
    platform.say("go on");
    await platform.settle();
    expect(endOf(platform)).toHaveLength(2);
    expect(failuresOf(platform)).not.toContain("end");
  });

  test("calls and results stay in it", async () => {
    const platform = new FakePlatform(
      strict((prompt) => prompt.includes('"reasoning"'), { ...SENDS, thought: "I send it." }),
    );
    platform.say("go");
    await platform.settle();
    const resent = platform.requests[2];
    expect(resent?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  test("a request that is plain already is not repeated", async () => {
    const platform = new FakePlatform(strict(() => true));
    platform.say("go");
    await platform.settle();
    expect(platform.requests).toHaveLength(1);
    expect(failuresOf(platform)).toEqual(["end"]);
  });

  test("once for each model of a run; then the person reads what to do", async () => {
    const platform = new FakePlatform(strict(() => true));
    platform.say("go \u202enow", { fallbacks: ["rehearsal:other"] });
    await platform.settle();
    expect(failuresOf(platform)).toEqual(["plain", "fallback", "plain", "end"]);
    const answer = platform.log.findLast(({ kind }) => kind === "answer");
    expect(answer?.kind === "answer" ? answer.body.text : "").toContain("Start a new session");
  });
});

test("no text or thought without a visible character is ever on the wire", async () => {
  const blank = "\u200b\u2060 \n";
  const platform = new FakePlatform((request: ModelRequest): Line => {
    if (request.step.endsWith("s1"))
      return { text: blank, thought: " ", calls: [["send", { name: "hello" }]] };
    return { text: "Done." };
  });
  platform.say("go");
  await platform.settle();
  expect(endOf(platform)).toEqual(["completed"]);
  for (const request of platform.requests)
    for (const { role, content } of toPrompt("", request.messages)) {
      if (role !== "assistant" && role !== "user") continue;
      const texts = content.flatMap((part) =>
        part.type === "text" || part.type === "reasoning" ? [part.text] : [],
      );
      expect(texts.filter((text) => !hasVisible(text))).toEqual([]);
      expect(content.length).toBeGreaterThan(0);
    }
});

import { describe, expect, test } from "vitest";
import type { BodyOf, Outcome } from "../../../src/cairn/core/log/entry.ts";
import { outcomeClass } from "../../../src/cairn/core/log/run.ts";
import { NO_USAGE } from "../../../src/cairn/core/log/model.ts";
import { endSentence } from "../../../src/page/log-text/ends.ts";
import { whyOf, type Why } from "../../../src/page/log-text/why.ts";
import { MODEL_ERROR_WORDS } from "../../../src/page/log-text/codes.ts";
import { entriesOfRun } from "../../../src/page/trace/timeline.ts";
import { eventOf } from "../../../src/cairn/protocol/views.ts";
import { REPORT } from "../../sim/platform/fake-model.ts";
import { FakePlatform, type Line } from "../../sim/platform/platform.ts";
import { denied, MODEL_ERRORS, OUTCOMES_ALL } from "./trace-fixture.ts";

const why = (platform: FakePlatform, run = "r1"): Why =>
  whyOf(entriesOfRun(platform.log.map(eventOf), run), platform.now);
const ended = (outcome: Outcome, reason: string | null): BodyOf<"run_ended"> => ({
  outcome,
  class: outcomeClass(outcome),
  reason,
  steps: 3,
  usage: NO_USAGE,
  activeMs: 0,
});
const fail = (kind: (typeof MODEL_ERRORS)[number], retryAfterMs: number | null = null): Line => ({
  fail: { class: kind, message: "It said so.", retryAfterMs, usage: null },
});

describe("why a run ended", () => {
  test("with an answer that the review let pass, at once or after a while", async () => {
    const platform = new FakePlatform([{ text: "On it." }, { text: REPORT }]);
    platform.say("Look at everything and tell me of it.");
    await platform.settle();
    expect(why(platform)).toEqual({
      tone: "good",
      sentence: "Answered in 2 steps. The answer passed its check after one rejected draft.",
      until: null,
    });
  });

  test("with an answer, and how many of its calls were not done", async () => {
    expect(why(await denied()).sentence).toBe(
      "Answered in 3 steps. The answer passed its check; 2 of its calls were not done.",
    );
  });

  test("stopped by a person, with or without their reason", async () => {
    const platform = new FakePlatform(() => ({ calls: [["ask_human", { question: "Which?" }]] }));
    for (const [reason, sentence] of [
      [null, "ada stopped it."],
      ["wrong page", "ada stopped it: “wrong page”."],
      ["cleared", "ada stopped it by clearing the conversation."],
    ] as const) {
      platform.say("go");
      await platform.settle();
      platform.cancel(reason);
      await platform.settle();
      expect(why(platform, `r${platform.state.runs}`)).toEqual({ tone: "plain", sentence, until: null });
    }
  });

  test("with its steps used up", async () => {
    const platform = new FakePlatform(({ tools, step }) =>
      tools.length === 0 ? { text: REPORT } : { calls: [["look", { name: step }]] },
    );
    platform.say("go", { limits: { steps: 4 } });
    await platform.settle();
    expect(why(platform)).toEqual({
      tone: "waits",
      sentence:
        "It hit the step limit (3 of 4, one of them kept for the answer), so it gave a partial answer.",
      until: null,
    });
  });

  test("with all of its steps used, where none is reserved for an answer", async () => {
    const platform = new FakePlatform(({ step }) => ({ calls: [["look", { name: step }]] }));
    platform.say("go", { wanted: { limits: { steps: 4 }, onExhausted: "fail" } });
    await platform.settle();
    expect(why(platform)?.sentence).toContain("(4 of 4)");
  });

  test("without a model, and which of them were tried", async () => {
    const platform = new FakePlatform(() => fail("auth"));
    platform.say("go");
    await platform.settle();
    expect(why(platform)).toEqual({
      tone: "bad",
      sentence:
        "The model gave no answer (the provider refused the key: it said so), so it ended without an answer.",
      until: null,
    });
    const two = new FakePlatform(() => fail("bad_request"));
    two.say("go", { fallbacks: ["rehearsal:other"] });
    await two.settle();
    expect(why(two).sentence).toMatch(/^None of its 2 models answered/);
  });

  test("with replies that were cut off, or that could not be used", async () => {
    const cut = new FakePlatform(({ tools }) =>
      tools.length === 0 ? { text: REPORT } : { text: "cut", finish: "length" },
    );
    cut.say("go");
    await cut.settle();
    expect(why(cut).sentence).toMatch(
      /^The model's replies were cut off by their length limit, so it gave a partial answer/,
    );
    const unusable = new FakePlatform(({ tools }) =>
      tools.length === 0 ? { text: REPORT } : { calls: [["nope", {}]] },
    );
    unusable.say("go");
    await unusable.settle();
    expect(why(unusable).sentence).toMatch(
      /^The model's replies could not be used, so it gave a partial answer/,
    );
  });

  test("with a question that nobody answered", async () => {
    const platform = new FakePlatform(() => ({ calls: [["ask_human", { question: "Which?" }]] }));
    platform.policy = { questions: { waitMs: 1_000, otherwise: "end" } };
    platform.restart();
    platform.say("go");
    await platform.settle();
    expect(why(platform).sentence).toBe("Nobody answered its question in time, so it ended.");
  });

  const reasons: readonly (readonly [Outcome, string | null, RegExp])[] = [
    ["completed", null, /^Answered in 3 steps. The answer passed its check\.$/],
    ["completed", "budget:cost", /^It hit the cost limit, so it answered\.$/],
    ["completed_partial", "budget:wall", /^It hit the time limit, so it gave a partial answer\.$/],
    ["completed_partial", "deadline", /^Its deadline passed, so/],
    ["completed_partial", "stuck", /^It kept repeating itself, so/],
    ["completed_partial", "invalid_output", /^The model's replies could not be used, so/],
    [
      "completed_partial",
      "review:CLAIM_UNBACKED",
      /^The log does not confirm all of its answer \(it claims an action/,
    ],
    [
      "completed_partial",
      "stopWhen:stepCountIs(3)",
      /^A rule of its agent stopped it \(stepCountIs\(3\)\), so/,
    ],
    ["completed_partial", "recovery_exhausted", /^It was interrupted too often, so/],
    ["completed_partial", "provider:model_down", /^No model was available, so/],
    [
      "failed_budget",
      "budget:steps",
      /^It hit the step limit, so it ended without an answer from the model\.$/,
    ],
    ["failed_budget", "budget", /^It reached its limits, so/],
    ["failed_stuck", "stuck", /so it ended without a usable answer\.$/],
    ["failed_invalid_output", "invalid_output", /so it ended without a usable answer\.$/],
    ["failed_review", "review:NO_SUBSTANTIVE", /so it ended with a list of open items\.$/],
    ["failed_provider", "provider:timeout", /^The model gave no answer \(the model took too long\), so/],
    ["failed_auth", "provider:auth", /^The model gave no answer \(the provider refused the key\), so/],
    ["failed_internal", "guard_error", /^Internal checks failed too often, so/],
    ["failed_internal", "context", /^The conversation has grown too large for the model, so/],
    ["denied", "denied_again", /^It kept requesting what is not allowed, so it ended\.$/],
    ["expired", "question_expired", /^Nobody answered its question in time, so it ended\.$/],
    ["cancelled", "cancelled", /^It was stopped\.$/],
    ["superseded", "superseded", /^It was stopped, because a newer message took its place\.$/],
    ["skipped", "queue_full", /^It was not run: queue_full\.$/],
    ["failed_internal", "something_new", /^It stopped by “something_new”, so it ended without an answer\.$/],
  ];

  test.each(reasons)("%s, %s", (outcome, reason, sentence) => {
    expect(endSentence(ended(outcome, reason), [])).toMatch(sentence);
  });

  test("has words for every outcome, every amount and every failure of a model", () => {
    expect(new Set(reasons.map(([outcome]) => outcome))).toEqual(new Set(OUTCOMES_ALL));
    for (const amount of ["steps", "tokens", "cost", "wall", "calls", "messages", "day"])
      expect(endSentence(ended("failed_budget", `budget:${amount}`), [])).toMatch(
        /^(It hit the [a-z ]+|Today's budget is used up), so/,
      );
    for (const error of MODEL_ERRORS)
      expect(endSentence(ended("failed_provider", `provider:${error}`), [])).toContain(
        `(${MODEL_ERROR_WORDS[error]})`,
      );
  });
});

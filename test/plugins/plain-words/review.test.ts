import { describe, expect, test } from "vitest";
import { review } from "../../../src/cairn/core/guards/review/review.ts";
import { HINT_CHARS_MAX } from "../../../src/cairn/core/limits.ts";
import { loadAnswers } from "../../corpus/answers/index.ts";
import { scoreAnswers } from "../../corpus/eval-answers.ts";
import { scoreReviews, wilson } from "../../corpus/eval-reviews.ts";
import { WORDS } from "../../../src/plugins/plain-words/words.ts";
import { CASES } from "./review-cases.ts";
import { effect, failed, item, run } from "../../cairn/core/guards/review/review-run.ts";

describe("the review of done by words", () => {
  test.each(CASES.filter((one) => one.label === "accept"))("lets pass $id", ({ subject }) => {
    expect(review(subject, WORDS)).toBeNull();
  });

  test.each(CASES.filter((one) => one.label === "refuse"))("sends back $id", ({ subject, codes }) => {
    const said = review(subject, WORDS)?.codes ?? [];
    expect(said.some((code) => codes?.includes(code))).toBe(true);
  });

  test("the codes come in their order, the first one counts, and the hint fits a note", () => {
    const verdict = review(
      run(
        "Create the team page and publish it",
        [failed("page_create", "server", "", { effect: "keyed" })],
        "I have published the page.",
        {
          plan: [item("p1", "Create the team page", "open")],
        },
      ),
      WORDS,
    );
    expect(verdict?.code).toBe("ERROR_UNRESOLVED");
    expect(verdict?.codes).toEqual([
      "ERROR_UNRESOLVED",
      "PLAN_ITEMS_OPEN",
      "CLAIM_UNBACKED",
      "NOTHING_CHANGED",
    ]);
    for (const { subject } of CASES)
      expect(review(subject, WORDS)?.hint.length ?? 0).toBeLessThanOrEqual(HINT_CHARS_MAX);
  });

  test("evidence names rows and copies no content", () => {
    const call = failed("page_update", "server", "secret words", { effect: "keyed", target: "page:p1" });
    const verdict = review(run("Update it", [call], "All done."), WORDS);
    expect(verdict?.evidence).toEqual({ seqs: [call.seq], names: [call.id] });
  });

  test("the same frozen subject twice gets the same verdict", () => {
    for (const { subject } of CASES) {
      const frozen = freeze(structuredClone(subject));
      expect(review(frozen, WORDS)).toEqual(review(frozen, WORDS));
    }
  });

  test("a trivial run is held to what it says and to what it claims, and to nothing else", () => {
    const plan = [item("p1", "Create the page", "open")];
    expect(review(run("hey", [], "On it!", { profile: "trivial", plan }), WORDS)).toBeNull();
    expect(review(run("hey", [], "", { profile: "trivial" }), WORDS)?.code).toBe("NO_SEND");
  });

  test.each(["The page is gone.", "Die Seite ist nun weg."])(
    "%s is a false claim where a person denied the call",
    (claim) => {
      const denied = failed("page_delete", null, "jobs", {
        effect: "keyed",
        verbs: ["delete"],
        status: "denied",
      });
      expect(review(run("Delete the page", [denied], claim), WORDS)?.codes).toEqual(["CLAIM_UNBACKED"]);
    },
  );

  test("a tool that does not say what it does speaks against no claim", () => {
    expect(review(run("Publish it", [effect("deploy_thing", null)], "Published it."), WORDS)).toBeNull();
    expect(review(run("Publish it", [effect("page_update", "update")], "Published it."), WORDS)?.code).toBe(
      "CLAIM_UNBACKED",
    );
  });
});

test("every false answer of the corpus is met, and few of the true ones come back", () => {
  const { passed, lines } = scoreAnswers(loadAnswers());
  expect(passed, lines.join("\n")).toBe(true);
});

describe("the scoring of a corpus", () => {
  test("counts what was caught and what was sent back, with the interval of each", () => {
    const score = scoreReviews(CASES);
    expect(score.falseDone + score.trueDone).toBe(CASES.length);
    expect(score).toMatchObject({ caughtShare: 1, sentBackShare: 0, wrong: [] });
    const [low, high] = score.sentBackInterval;
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(0);
  });

  test("a label that the rules do not meet is named and counted", () => {
    const [first] = CASES;
    const turned = [{ ...first!, label: "refuse", codes: ["NO_SEND"] } as const];
    expect(scoreReviews(turned)).toMatchObject({
      falseDone: 1,
      caught: 0,
      caughtShare: 0,
      wrong: [{ id: first!.id }],
    });
  });

  test("the interval is that of Wilson", () => {
    const [low, high] = wilson(9, 10);
    expect(low).toBeCloseTo(0.5958, 3);
    expect(high).toBeCloseTo(0.9821, 3);
  });
});

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  }
  return value;
}

import { describe, expect, test } from "vitest";
import { decideFinish } from "../../../../../src/cairn/core/guards/review/decide.ts";
import type { ReviewCode } from "../../../../../src/cairn/core/guards/review/review.ts";
import type { ReviewSubject } from "../../../../../src/cairn/core/guards/review/subject.ts";
import { effect, failed, item, read, run } from "./review-run.ts";
import { STRICT } from "./strict-words.ts";

/** A model that gives the same candidate again and again: what becomes of each. */
function stubborn(subject: ReviewSubject): readonly string[] {
  const said: string[] = [];
  let refusals: Readonly<Record<string, number>> = {};
  for (let round = 0; round < 6; round++) {
    const finish = decideFinish({ ...subject, refusals }, STRICT);
    said.push(finish.do);
    if (finish.do !== "refuse") break;
    const { code } = finish.verdict;
    refusals = { ...refusals, [code]: (refusals[code] ?? 0) + 1 };
  }
  return said;
}

const found = read("search", "alpha beta");
const broken = failed("page_update", "server", "", {
  effect: "keyed",
  target: "page:p1",
  title: "Edit page properties",
});

describe("a finish that is refused", () => {
  test("is refused once for each reason, and then stands below its receipt", () => {
    expect(stubborn(run("Research it", [found], "On it, working on it."))).toEqual(["refuse", "end"]);
    const subject = run("Publish it", [effect("page_update", "update")], "I published the page.");
    expect(stubborn(subject)).toEqual(["refuse", "end"]);
    const end = decideFinish({ ...subject, refusals: { CLAIM_UNBACKED: 1 } }, STRICT);
    expect(end).toMatchObject({ do: "end", code: "REVIEW_CAP", reason: "review:CLAIM_UNBACKED" });
    expect(end.do === "end" ? end.text : null).toBe("I published the page.");
  });

  test("a reason that was not given before comes first", () => {
    const subject = run("Update it", [broken], "Working on it.", { refusals: { ACK_ONLY: 1 } });
    expect(decideFinish(subject, STRICT)).toMatchObject({
      do: "refuse",
      verdict: { code: "ERROR_UNRESOLVED" },
    });
  });

  test("three times in all, whatever the reasons", () => {
    const refusals = { ACK_ONLY: 1, EMPTY_PROMISE: 1, PLAN_ITEMS_OPEN: 1 };
    const end = decideFinish(run("Update it", [broken], "All done.", { refusals }), STRICT);
    expect(end).toMatchObject({ do: "end", reason: "review:ERROR_UNRESOLVED" });
  });

  test.each<[ReviewCode, ReviewSubject]>([["NO_SEND", run("Find it", [found], "")]])(
    "%s: without a word, the closing report stands in place of the answer",
    (code, subject) => {
      const refusals = { NO_SEND: 1, UNSENT_RESULTS: 1, ACK_ONLY: 1 };
      expect(decideFinish({ ...subject, refusals }, STRICT)).toMatchObject({
        do: "end",
        text: null,
        reason: `review:${code}`,
      });
    },
  );

  test("without an ordinary step left the answer is forced", () => {
    const subject = run("Research it", [found], "On it.", { stepsLeft: 0 });
    expect(decideFinish(subject, STRICT)).toMatchObject({ do: "force", code: "REVIEW_NO_STEP" });
    expect(decideFinish({ ...subject, refusals: { ACK_ONLY: 1 } }, STRICT).do).toBe("end");
  });

  test("nothing to object to: the candidate is the answer", () => {
    expect(decideFinish(run("Fix it", [effect("page_update", "update")], "Done."), STRICT)).toEqual({
      do: "accept",
      text: "Done.",
    });
  });
});

describe("what is left open in the plan", () => {
  const plan = [item("p1", "Translate the page", "open"), item("p2", "Tell the person", "open", "deliver")];

  test("is added to an answer that was sent back too often, unless it says so itself", () => {
    const spent = { plan, refusals: { PLAN_ITEMS_OPEN: 1 } };
    const done = effect("page_update", "update");
    const end = decideFinish(run("Update and translate it", [done], "I updated it.", spent), STRICT);
    expect(end).toMatchObject({ do: "end", text: "I updated it.\n\nNot done: Translate the page." });
    const subject = run("Update it", [broken], "The update failed. Not done: translating the page.", {
      plan,
    });
    expect(decideFinish(subject, STRICT).do).toBe("accept");
  });
});

import { describe, expect, test } from "vitest";
import { decideFinish, forcedFault } from "../../../../src/core/guards/review/decide.ts";
import type { ReviewCode } from "../../../../src/core/guards/review/review.ts";
import type { ReviewSubject } from "../../../../src/core/guards/review/subject.ts";
import { effect, failed, item, read, run } from "./review-run.ts";

/** A model that gives the same candidate again and again: what becomes of each. */
function stubborn(subject: ReviewSubject): readonly string[] {
  const said: string[] = [];
  let refusals: Readonly<Record<string, number>> = {};
  for (let round = 0; round < 6; round++) {
    const finish = decideFinish({ ...subject, refusals });
    said.push(finish.do === "end" ? `end ${finish.outcome}` : finish.do);
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
  test("a mere acknowledgement twice, and then the run has failed its review", () => {
    expect(stubborn(run("Research it", [found], "On it, working on it."))).toEqual([
      "refuse",
      "refuse",
      "end failed_review",
    ]);
  });

  test("an unsupported claim once, and then it stands above its receipt", () => {
    const subject = run("Publish it", [effect("page_update", "update")], "I published the page.");
    expect(stubborn(subject)).toEqual(["refuse", "end completed_partial"]);
    const end = decideFinish({ ...subject, refusals: { CLAIM_UNBACKED: 1 } });
    expect(end).toMatchObject({ do: "end", code: "REVIEW_CAP", reason: "review:CLAIM_UNBACKED" });
    expect(end.do === "end" ? end.text : null).toBe("I published the page.");
  });

  test("three in all, whatever the codes", () => {
    const refusals = { ACK_ONLY: 1, EMPTY_PROMISE: 1, PLAN_ITEMS_OPEN: 1 };
    const end = decideFinish(run("Update it", [broken], "All done.", { refusals }));
    expect(end).toMatchObject({ do: "end", outcome: "completed_partial", reason: "review:ERROR_UNRESOLVED" });
  });

  test.each<[ReviewCode, ReviewSubject]>([
    ["NO_SEND", run("Find it", [found], "")],
    ["ACK_ONLY", run("Find it", [found], "Working on it.")],
    ["EMPTY_PROMISE", run("Find it", [found], "I saw alpha. I will get back to you.")],
    ["NO_SUBSTANTIVE", run("Look at the pages for me", [found], "I have looked at everything.")],
  ])("%s leaves no answer that could be delivered", (code, subject) => {
    expect(decideFinish({ ...subject, refusals: { [code]: 2 } })).toMatchObject({
      ...{ do: "end", outcome: "failed_review", text: null },
      reason: `review:${code}`,
    });
  });

  test("without an ordinary step left the answer is forced", () => {
    const subject = run("Research it", [found], "On it.", { stepsLeft: 0 });
    expect(decideFinish(subject)).toMatchObject({ do: "force", code: "REVIEW_NO_STEP" });
    expect(decideFinish({ ...subject, refusals: { ACK_ONLY: 2 } }).do).toBe("end");
  });

  test("nothing changed and not a word of it: asked once, then it stands above its receipt", () => {
    const denied = failed("page_delete", null, "jobs", {
      effect: "keyed",
      verbs: ["delete"],
      status: "denied",
    });
    for (const said of ["La pagina è eliminata.", "页面已删除。", "Strona została usunięta."]) {
      const subject = run("Elimina la pagina", [denied], said);
      expect(stubborn(subject)).toEqual(["refuse", "accept"]);
    }
  });

  test("nothing to object to: the candidate is the answer", () => {
    expect(decideFinish(run("Fix it", [effect("page_update", "update")], "Done."))).toEqual({
      do: "accept",
      text: "Done.",
    });
  });
});

describe("what is left open in the plan", () => {
  const plan = [item("p1", "Translate the page", "open"), item("p2", "Tell the person", "open", "deliver")];

  test("is added to an answer that was sent back too often, unless it says so itself", () => {
    const spent = { plan, refusals: { PLAN_ITEMS_OPEN: 2 } };
    const done = effect("page_update", "update");
    const end = decideFinish(run("Update and translate it", [done], "I updated it.", spent));
    expect(end).toMatchObject({ do: "end", text: "I updated it.\n\nNot done: Translate the page." });
    const subject = run("Update it", [broken], "The update failed. Not done: translating the page.", {
      plan,
    });
    expect(decideFinish(subject).do).toBe("accept");
  });
});

describe("a forced answer", () => {
  test.each([
    [
      "Our crew is published.",
      [failed("set_status", "conflict", "crew", { effect: "keyed", verbs: ["publish"] })],
    ],
    ["I published the page.", []],
    ["I will publish it tomorrow.", []],
  ])("that says what is not so is at fault: %s", (said, calls) => {
    expect(forcedFault(run("Publish Our crew", calls, said))).not.toBeNull();
  });

  test.each([
    ["I could not publish it.", [broken]],
    ["I have looked at everything.", [found]],
  ])("that is true is none: %s", (said, calls) => {
    expect(forcedFault(run("Publish Our crew", calls, said))).toBeNull();
  });

  test("that is one word in a language without a list is held against what failed", () => {
    const fault = forcedFault(run("Publish Our crew", [broken], "Pubblicata."));
    expect(fault).toMatchObject({ code: "ERROR_UNRESOLVED" });
  });
});

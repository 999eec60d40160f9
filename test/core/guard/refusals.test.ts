import { describe, expect, test } from "vitest";
import { decideFinish, openPoints, withOpenPoints } from "../../../src/core/guard/refusals.ts";
import type { ReviewCode } from "../../../src/core/guard/review.ts";
import type { ReviewSubject } from "../../../src/core/guard/subject.ts";
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

  test("an unsupported claim once, and then it is told with what is open", () => {
    const subject = run("Publish it", [effect("page_update", "update")], "I published the page.");
    expect(stubborn(subject)).toEqual(["refuse", "end completed_partial"]);
    const end = decideFinish({ ...subject, refusals: { CLAIM_UNBACKED: 1 } });
    expect(end).toMatchObject({ do: "end", code: "REVIEW_CAP", reason: "review:CLAIM_UNBACKED" });
    expect(end.do === "end" ? end.text : null).toBe(
      "I published the page.\n\nChecked against what was really done, this is open:\n- No call of this run did this: publish",
    );
  });

  test("three in all, whatever the codes", () => {
    const refusals = { ACK_ONLY: 1, EMPTY_PROMISE: 1, PLAN_ITEMS_OPEN: 1 };
    const end = decideFinish(run("Update it", [broken], "All done.", { refusals }));
    expect(end).toMatchObject({ do: "end", outcome: "completed_partial", reason: "review:ERROR_UNRESOLVED" });
    expect(end.do === "end" ? end.open : []).toEqual([
      "Edit page properties: failed (server)",
      "No call of this run changed anything",
    ]);
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

  test("news from the person and open work come before any review", () => {
    const subject = run("Research it", [found], "On it.", { inputPending: true, workPending: true });
    expect(decideFinish(subject)).toMatchObject({ do: "reask", code: "INPUT_PENDING" });
    expect(decideFinish({ ...subject, inputPending: false })).toEqual({ do: "wait", code: "WORK_PENDING" });
  });

  test("nothing to object to: the candidate is the answer", () => {
    expect(decideFinish(run("Fix it", [effect("page_update", "update")], "Done."))).toEqual({
      do: "accept",
      text: "Done.",
    });
  });
});

describe("what is open", () => {
  test("failures, plan items and claims, each once", () => {
    const subject = run(
      "Publish it",
      [broken, failed("send", null, "", { effect: "once", title: "Send" })],
      "I published it.",
      {
        plan: [item("p1", "Translate the page", "open"), item("p2", "Tell the person", "open", "deliver")],
      },
    );
    expect(openPoints(subject)).toEqual([
      "Edit page properties: failed (server)",
      "Send: it is not known whether it happened",
      "Not done: Translate the page",
      "No call of this run did this: publish",
    ]);
  });

  test("what the candidate says itself is not said again", () => {
    const subject = run("Update it", [broken], "The update failed. Not done: translating the page.", {
      plan: [item("p1", "Translate the page", "open")],
    });
    expect(openPoints(subject)).toEqual([]);
    expect(withOpenPoints(subject.candidate, [])).toBe(subject.candidate);
  });

  test("the list has a heading in the language of the answer", () => {
    expect(withOpenPoints("Ich habe die Seite veröffentlicht und das Bild ersetzt.", ["x"])).toContain(
      "ist dies offen:\n- x",
    );
    expect(withOpenPoints("J'ai publié la page et les images.", ["x"])).toContain("ceci reste ouvert :\n- x");
  });
});

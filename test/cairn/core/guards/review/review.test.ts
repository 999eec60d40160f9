import { describe, expect, test } from "vitest";
import { NO_WORDS } from "../../../../../src/cairn/core/guards/no-words.ts";
import { candidateOf, review } from "../../../../../src/cairn/core/guards/review/review.ts";
import { effect, failed, item, read, run } from "./review-run.ts";
import { STRICT } from "./strict-words.ts";

const found = read("search", "alpha beta");
const broken = failed("page_update", "server", "", { effect: "keyed", target: "page:p1" });
const changed = effect("page_update", "update");

describe("the review without words", () => {
  test.each<[string, Parameters<typeof run>]>([
    ["an acknowledgement", ["Research it", [found], "On it."]],
    ["a promise", ["Research it", [found], "I will do it later."]],
    ["a failure that is not named", ["Update it", [broken], "All done."]],
    ["a claim", ["Publish it", [changed], "I published the page."]],
    ["a claim of a run that changed nothing", ["Publish it", [], "I published the page."]],
  ])("lets pass %s: the receipt says what was done", (_what, subject) => {
    expect(review(run(...subject), NO_WORDS)).toBeNull();
  });

  test("sends back silence, results that were not told, and an open plan", () => {
    expect(review(run("Find it", [], ""), NO_WORDS)?.codes).toEqual(["NO_SEND"]);
    expect(review(run("Find it", [found], ""), NO_WORDS)?.codes).toEqual(["NO_SEND", "UNSENT_RESULTS"]);
    const plan = [item("p1", "Translate the page", "open")];
    expect(review(run("Do it", [changed], "I updated it.", { plan }), NO_WORDS)?.codes).toEqual([
      "PLAN_ITEMS_OPEN",
    ]);
    expect(review(run("Do it", [changed], "Translate the page yourself.", { plan }), NO_WORDS)).toBeNull();
    expect(review(run("Do it", [changed], "I left p1 out.", { plan }), NO_WORDS)).toBeNull();
  });

  test("takes a long message, one that asks, and one that names a result for substantive", () => {
    const of = (text: string, results: readonly string[] = ["Harbor Lines runs 14 ferries"]) =>
      NO_WORDS.qualityOf(text, { request: "Research the market", results });
    expect(of("On it.")).toBe("neutral");
    expect(of(" ")).toBe("neutral");
    expect(of("14.")).toBe("substantive");
    expect(of("Which one do you mean?")).toBe("substantive");
    expect(of("x ".repeat(400))).toBe("substantive");
    expect(of("The end.", [])).toBe("neutral");
  });
});

describe("the review with words", () => {
  test.each<[string, Parameters<typeof run>]>([
    ["ACK_ONLY", ["Research it", [found], "On it."]],
    ["EMPTY_PROMISE", ["Research it", [found], "I will do it later."]],
    ["ERROR_UNRESOLVED", ["Update it", [broken], "All done."]],
    ["CLAIM_UNBACKED", ["Publish it", [changed], "I published the page."]],
    ["NOTHING_CHANGED", ["Change it", [], "Changed it."]],
  ])("sends back for %s", (code, subject) => {
    expect(review(run(...subject), STRICT)?.codes).toEqual([code]);
  });

  test("a promise is none where a call goes on after the run", () => {
    const later = effect("schedule_task", null, null, { opensLater: true });
    expect(review(run("Do it", [later], "I will do it later."), STRICT)).toBeNull();
  });

  test("what a person denied is listed by the receipt, and needs no word", () => {
    const denied = failed("page_delete", null, "jobs", { effect: "keyed", status: "denied" });
    expect(review(run("Delete it", [denied], "Changed nothing."), STRICT)).toBeNull();
  });
});

test("an empty reply takes the held text only while nothing fresh came after it", () => {
  const older = read("find", "alpha");
  const held = { seq: older.seq + 1, text: "Two pages." };
  expect(candidateOf("", held, [older])).toBe("Two pages.");
  expect(candidateOf(" ", held, [older, { ...older, seq: held.seq + 1 }])).toBe("");
  expect(candidateOf(" ", held, [older, { ...older, seq: held.seq + 1, fresh: false }])).toBe("Two pages.");
  expect(candidateOf("Three.", held, [older])).toBe("Three.");
  expect(candidateOf("", null, [])).toBe("");
});

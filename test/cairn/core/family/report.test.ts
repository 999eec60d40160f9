import { describe, expect, test } from "vitest";
import { citedIn, reportOutput } from "../../../../src/cairn/core/family/report.ts";
import { marksOf, renameMarks } from "../../../../src/cairn/core/guards/review/citations.ts";
import { NO_USAGE } from "../../../../src/cairn/core/log/model.ts";
import type { ChildReport } from "../../../../src/cairn/core/log/child.ts";
import { isObject } from "../../../../src/cairn/core/log/json.ts";
import { NO_AMOUNT } from "../../../../src/cairn/core/state/run/children.ts";

/** A report under the names of the parent's session: a mark of the child must never stand for what the parent has read. */

const report = (more: Partial<ChildReport>): ChildReport => ({
  child: "ses~r1s1c0",
  outcome: "completed",
  reason: null,
  answer: "",
  used: NO_AMOUNT,
  usage: NO_USAGE,
  sessions: 1,
  tainted: false,
  private: false,
  ...more,
});
const NAMES = new Map([
  ["e1", "e7"],
  ["e2", "e8"],
]);
const outputOf = (more: Partial<ChildReport>, names = NAMES): Record<string, unknown> => {
  const output = reportOutput(report(more), names);
  if (!isObject(output)) throw new Error("a report is an object");
  return output;
};

test.each([
  ["It is 5 [e1].", "It is 5 [e7]."],
  ["It is 5 [e1, e2].", "It is 5 [e7, e8]."],
  ["It is 5 [e1;e2].", "It is 5 [e7, e8]."],
  ["It is 5 [e2 , e1].", "It is 5 [e8, e7]."],
  ["It is 5 [e1][e2].", "It is 5 [e7][e8]."],
  ["It is 5 [e1, e3].", "It is 5 [e7]."],
  ["It is 5 [e3, e4].", "It is 5."],
  ["It is 5 [e3].", "It is 5."],
  ["It is 5 [e8].", "It is 5."],
  ["No mark: e1, [f1], [1].", "No mark: e1, [f1], [1]."],
])("an answer of %j reads %j", (answer, renamed) => {
  expect(outputOf({ answer })["answer"]).toBe(renamed);
});

test.each([
  ["It is 5 [e1 and e2].", "It is 5 [e7, e8]."],
  ["It is 5 [e1 & e3].", "It is 5 [e7]."],
  ["It is 5 [source e1].", "It is 5 [e7]."],
  ["It is 5 [Sources: e1, e2].", "It is 5 [e7, e8]."],
  ["It is 5 [Source E1].", "It is 5 [e7]."],
  ["It is 5 [see e2, p. 3].", "It is 5 [e8]."],
  ["Es sind 5 [Quelle e1 und e2].", "Es sind 5 [e7, e8]."],
  ["C'est 5 [voir e2].", "C'est 5 [e8]."],
  ["Son 5 [fuente e1 y e2].", "Son 5 [e7, e8]."],
  ["It is 5 (e1).", "It is 5 [e7]."],
  ["It is 5 (e1, e2).", "It is 5 [e7, e8]."],
  ["It is 5 (source e1).", "It is 5 [e7]."],
  ["It is 5 (evidence E2).", "It is 5 [e8]."],
  ["It is 5 \uff08e1\uff09.", "It is 5 [e7]."],
  ["It is 5 \u3010e1\u2020source\u3011.", "It is 5 [e7]."],
  ["It is 5 \u3010e1\u3011.", "It is 5 [e7]."],
  ["It is 5 [^e1].", "It is 5 [e7]."],
  ["It is 5 [e1; e2].", "It is 5 [e7, e8]."],
  ["It is 5 [e3 and e4].", "It is 5."],
  ["It is 5 [source e8].", "It is 5."],
  ["It is 5 (e8).", "It is 5."],
  ["It is 5 (e8) and (e7).", "It is 5 and."],
])("a mark in other words, %j, reads %j", (answer, renamed) => {
  expect(outputOf({ answer })["answer"]).toBe(renamed);
});

test.each([
  "The total (E1) is the sum of (E2) and (E3).",
  "Cells [E1 and E2] are empty.",
  "Call `f(e1)` or `(e1)`, then `[source e1]`.",
  "Call open(e1) first.",
  "```\nif (e1) return [e1 and x];\n```",
  "~~~\n(e1)\n~~~",
  "```\n(e1) and no end",
  "The engine (e10x), the mode (e-1), the value (1e1) and the key (me1).",
  "It is (the e1 road) and [as the e1 shows].",
  "By (e), (e.g. 5) or [sources]; see (page 1) [and].",
])("%j is no mark", (answer) => {
  expect(outputOf({ answer })["answer"]).toBe(answer);
});

test("marks in the value and the summary are renamed too, however deep", () => {
  const output = outputOf({
    answer: "It is 5 [e1].",
    summary: "Five [e2], or six [e3].",
    value: { height: "5 [e1]", all: [{ "of [e2]": "x [e1, e3]" }, 5, null, true] },
  });
  expect(output).toMatchObject({
    answer: "It is 5 [e7].",
    summary: "Five [e8], or six.",
    value: { height: "5 [e7]", all: [{ "of [e8]": "x [e7]" }, 5, null, true] },
  });
});

test.each([
  "[e[e9]1]",
  "[e1[e9], e2]",
  "[e[e9][e9]3]",
  "[[e9]e3]",
  "[e[e[e9]9]3]",
  `${"[e".repeat(40)}[e9]${"9]".repeat(40)}`,
  "[e3[e9],[e9]e4]",
  "([e9]e3)",
  "[(e9)e3]",
  "[source [e9]e3 and (e9)e4]",
])("%j leaves no mark but those of the new names", (answer) => {
  // As a model may repeat them: every kind of bracket is one.
  const brackets = String(outputOf({ answer })["answer"]).replaceAll("(", "[").replaceAll(")", "]");
  const marks = marksOf(brackets);
  expect(marks.filter((id) => id !== "e7" && id !== "e8")).toEqual([]);
});

test("a mark that signs keep apart which nobody sees is none afterwards either", () => {
  const hidden = "It is 5 [e\u200b3] and [e\u{e0001}1].";
  const { answer } = outputOf({ answer: hidden, tainted: true });
  expect(marksOf(String(answer).replaceAll(/[\u200b\u{e0001}]/gu, ""))).toEqual(["e7"]);
});

test("a long hostile answer is renamed in a number of steps that its length bounds", () => {
  const answer = "[e1, ".repeat(20_000) + "[e9]".repeat(5_000);
  expect(marksOf(renameMarks(answer, NAMES)).filter((id) => id === "e9")).toEqual([]);
});

describe("what a report cites", () => {
  const page = (text: string) => ({
    url: `https://a.example/${text}`,
    title: text,
    date: null,
    text,
    links: [],
    fetchedAt: 1,
  });
  const citation = (id: string, name: string, start: number, end: number, quote: string) => ({
    id,
    page: name,
    url: "https://a.example/",
    title: "",
    fetchedAt: 1,
    start,
    end,
    quote,
  });

  test("are its pages, each once, and every passage of them at its own place", () => {
    const citations = [
      citation("e1", "p1", 0, 3, "one"),
      citation("e2", "p2", 0, 3, "two"),
      citation("e3", "p1", 4, 8, "more"),
      citation("e4", "p9", 0, 1, "x"),
    ];
    const { found, marks } = citedIn(
      report({ citations }),
      new Map([
        ["p1", page("one more")],
        ["p2", page("two")],
      ]),
    );
    expect(found.pages.map(({ text, passages }) => [text, passages])).toEqual([
      [
        "one more",
        [
          { start: 0, end: 3, quote: "one" },
          { start: 4, end: 8, quote: "more" },
        ],
      ],
      ["two", [{ start: 0, end: 3, quote: "two" }]],
    ]);
    expect(marks).toEqual([
      { was: "e1", id: { $evidence: [0, 0] }, page: { $page: 0 } },
      { was: "e2", id: { $evidence: [1, 0] }, page: { $page: 1 } },
      { was: "e3", id: { $evidence: [0, 1] }, page: { $page: 0 } },
    ]);
    // A report that cites nothing has read nothing for its parent.
    expect(citedIn(report({}), new Map([["p1", page("one")]]))).toEqual({
      found: { pages: [], urls: [] },
      marks: [],
    });
  });

  test("stands in what the model is shown under its new names alone", () => {
    const citations = [citation("e1", "p1", 0, 3, "one"), citation("e3", "p1", 4, 8, "more")];
    expect(outputOf({ answer: "x", citations })["evidence"]).toEqual([
      { id: "e7", url: "https://a.example/", title: "", quote: "one" },
    ]);
    expect(outputOf({ answer: "x", citations }, new Map())).not.toHaveProperty("evidence");
  });
});

test.each([
  ["completed", true, "answered"],
  ["completed_partial", true, "partial"],
  ["cancelled", false, "cancelled"],
  ["failed_provider", false, "failed"],
] as const)("a child that ended %s is told as %s, %s", (outcome, ok, face) => {
  expect(outputOf({ outcome, reason: "why", answer: "a" })).toEqual({
    ok,
    child: "ses~r1s1c0",
    outcome: face,
    reason: "why",
    answer: "a",
  });
});

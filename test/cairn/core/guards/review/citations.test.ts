import { describe, expect, test } from "vitest";
import {
  citationRuleOf,
  citeAnswer,
  citedBy,
  markedStretches,
  marksOf,
  renameMarks,
  type Cite,
} from "../../../../../src/cairn/core/guards/review/citations.ts";
import type { Entry } from "../../../../../src/cairn/core/log/entry.ts";
import type { Citation } from "../../../../../src/cairn/core/log/receipt.ts";
import { PLAIN_SPEC, type RunSpec } from "../../../../../src/cairn/core/log/run-spec.ts";

/** The marks of an answer: each names one quote, a mark of nothing goes, and what is good stays as it was written. */

const citation = (id: string): Citation => ({
  id,
  page: `p${id.slice(1)}`,
  url: `https://example.org/${id}`,
  title: id,
  fetchedAt: 1,
  start: 0,
  end: 5,
  quote: `quote ${id}`,
});
/** The session knows the evidence e1 to e9, and e12. */
const cite: Cite = (id) => (/^e(?:[1-9]|12)$/.test(id) ? citation(id) : null);
const ids = (items: readonly Citation[] | undefined): string[] => (items ?? []).map(({ id }) => id);

describe("marks", () => {
  test.each<readonly [string, readonly string[]]>([
    ["It opens [e1].", ["e1"]],
    ["It opens [e12] and closes [e3].", ["e12", "e3"]],
    ["It opens [e1, e2].", ["e1", "e2"]],
    ["It opens [e1;e2 ; e3].", ["e1", "e2", "e3"]],
    ["Twice [e1], once more [e1].", ["e1"]],
    ["Nothing [e0] [e] [E1] [1] [p1] (e1) [e1a] [ e1 ] [e1, x] [e1234567890].", []],
    ["Next to each other [e1][e2].", ["e1", "e2"]],
  ])("of %j", (text, wanted) => {
    expect(marksOf(text)).toEqual(wanted);
    expect(
      markedStretches(text)
        .map((one) => one.text)
        .join(""),
    ).toBe(text);
    expect([...new Set(markedStretches(text).flatMap((one) => one.ids))]).toEqual(wanted);
  });
});

describe("an answer", () => {
  test.each(["check", "require", null] as const)(
    "cites each quote once, in the order of its marks (rule %s)",
    (rule) => {
      const said = "It opens in May [e2]. It closes in October [e1, e2].\n\nIt is steep.";
      const { text, citations, warnings } = citeAnswer(said, rule, cite);
      expect(text).toBe(said);
      expect(ids(citations?.items)).toEqual(["e2", "e1"]);
      expect(citations?.items).toEqual([citation("e2"), citation("e1")]);
      expect(citations?.unmarked).toBe(1);
      expect(warnings).toEqual([]);
    },
  );

  test.each<readonly [string, string, readonly string[], readonly string[]]>([
    ["It opens [e99].", "It opens.", [], ["e99"]],
    ["It opens [e1, e99].", "It opens [e1].", ["e1"], ["e99"]],
    ["It opens [e99; e2, e1].", "It opens [e2, e1].", ["e2", "e1"], ["e99"]],
    ["It opens [e99] and closes [e1].", "It opens and closes [e1].", ["e1"], ["e99"]],
    ["[e98] It opens [e99].", " It opens.", [], ["e98", "e99"]],
    ["It opens [e1].", "It opens [e1].", ["e1"], []],
  ])("loses the marks of nothing: %j", (said, wanted, good, bad) => {
    const { text, citations, warnings } = citeAnswer(said, "check", cite);
    expect(text).toBe(wanted);
    expect(ids(citations?.items)).toEqual(good);
    expect(warnings).toEqual(
      bad.length === 0 ? [] : [`Marks of no evidence were taken out: ${bad.join(", ")}.`],
    );
  });

  test("that must cite and does not says so, whether it has no marks or marks of nothing", () => {
    expect(citeAnswer("It opens.", "require", cite).warnings).toEqual(["It cites nothing that was read."]);
    expect(citeAnswer("It opens [e99].", "require", cite).warnings).toEqual([
      "Marks of no evidence were taken out: e99.",
      "It cites nothing that was read.",
    ]);
    expect(citeAnswer("It opens [e1].", "require", cite).warnings).toEqual([]);
    expect(citeAnswer("It opens.", "check", cite).warnings).toEqual([]);
  });

  test("that nobody asked to cite keeps its text, and carries what is good", () => {
    expect(citeAnswer("It opens [e99].", null, cite)).toEqual({
      text: "It opens [e99].",
      citations: null,
      warnings: [],
    });
    const { text, citations } = citeAnswer("It opens [e1, e99].", null, cite);
    expect([text, ids(citations?.items)]).toEqual(["It opens [e1, e99].", ["e1"]]);
    expect(citeAnswer("It opens.", "check", cite).citations).toEqual({ items: [], unmarked: 1 });
  });

  test("is told by how many of its marks are good and which are not", () => {
    expect(citedBy("a [e1, e99] b [e2] c [e98]", "check", cite)).toEqual({
      rule: "check",
      unknown: ["e99", "e98"],
      known: 2,
    });
    expect(citedBy("a", "require", cite)).toEqual({ rule: "require", unknown: [], known: 0 });
  });

  test("counts the paragraphs that say something and mark nothing, without headings and code", () => {
    const text =
      "# Heading\n\nSaid [e1].\n\nNot marked.\n\n```\nlet code\n\nlet more\n```\n\n---\n\n## Another\nAnd this.";
    expect(citeAnswer(text, "check", cite).citations?.unmarked).toBe(2);
  });
});

describe("how strict a run is", () => {
  const queued = (spec: Partial<RunSpec>): Entry =>
    ({
      kind: "run_queued",
      run: "r2",
      seq: 1,
      at: 1,
      step: null,
      body: { spec: { ...PLAIN_SPEC, ...spec } },
    }) as never;
  const evidence = { id: "e1", page: "p1", start: 0, end: 1, quote: "q" };
  const read = (run: string, count: number): Entry =>
    ({
      kind: "call_settled",
      run,
      seq: 2,
      at: 1,
      step: `${run}s1`,
      body: {
        call: `${run}s1c1`,
        tool: "visit",
        sources: { pages: [], evidence: count === 0 ? [] : [evidence] },
      },
    }) as never;

  test.each<readonly [string, Partial<RunSpec>, string, readonly Entry[], string | null]>([
    ["as it was asked to be", { citations: "require" }, "standard", [], "require"],
    [
      "as it was asked to be, although it is research",
      { citations: "check" },
      "research",
      [read("r2", 1)],
      "check",
    ],
    ["not at all where that was asked for", { citations: "off" }, "research", [read("r2", 1)], null],
    ["not at all where it is no research", {}, "standard", [read("r2", 1)], null],
    ["must cite where research has read pages", {}, "research", [read("r2", 1)], "require"],
    ["has its marks checked where research has read none", {}, "research", [], "check"],
    ["has its marks checked where what it read gave no evidence", {}, "research", [read("r2", 0)], "check"],
    ["has its marks checked where another run has read", {}, "research", [read("r1", 1)], "check"],
  ])("%s", (_name, spec, profile, entries, wanted) => {
    expect(citationRuleOf({ run: "r2", profile: profile as never }, [queued(spec), ...entries])).toBe(wanted);
  });
});

describe("marks of another text", () => {
  const names = new Map([
    ["e1", "e7"],
    ["e2", "e1"],
  ]);
  test.each<readonly [string, string]>([
    ["It opens [e1].", "It opens [e7]."],
    ["It opens [e2, e1].", "It opens [e1, e7]."],
    ["It opens [e3].", "It opens."],
    ["It opens [e3, e1].", "It opens [e7]."],
    ["Both [e1][e2].", "Both [e7][e1]."],
    ["No marks [x] f(e1) `(e1)`.", "No marks [x] f(e1) `(e1)`."],
    ["The words between stay [e3], all of them [e4].", "The words between stay, all of them."],
    ["A range [e1-e3].", "A range [e7, e1]."],
    ["A range [e1–e3].", "A range [e7, e1]."],
    ["A range [e1–2].", "A range [e7, e1]."],
    ["A range [e3-e9].", "A range."],
    ["Blanks [ e1 ].", "Blanks [e7]."],
    ["A capital [E1].", "A capital [e7]."],
    ["A capital [E3].", "A capital."],
    ["No comma [e1 e2].", "No comma [e7, e1]."],
    ["A comma too many [e1;e3,].", "A comma too many [e7]."],
    ["A zero [e01].", "A zero [e7]."],
    ["No such number [e0].", "No such number."],
    ["Emphasis [**e1**] [`e3`].", "Emphasis [e7]."],
    ["Other brackets 【e1】 【e3】［e2］.", "Other brackets [e7][e1]."],
    ["A hidden sign [e1\u200b] [e\u200b3].", "A hidden sign [e7]."],
    ["Wide digits [e１].", "Wide digits [e7]."],
    ["Escaped \\[e1\\].", "Escaped [e7]."],
    ["A footnote [^e1].", "A footnote [e7]."],
    ["No marks [1e5] [e1.5] [e-2] [the e1].", "No marks [1e5] [e1.5] [e-2] [the e1]."],
  ])("%j get the names that they have here", (text, wanted) => {
    expect(renameMarks(text, names)).toBe(wanted);
  });

  test("never end as marks that are not of these names, whatever is left when one goes", () => {
    for (const text of [
      "[[e3]e4]",
      "[e[e3]9]",
      "[e[e[e3]3]3]",
      "[e3[e4], e5]",
      "[[[[[[e3]e3]e3]e3]e3]e3]",
      "[e [e3]9]",
    ])
      expect([text, marksOf(renameMarks(text, names)).filter((id) => id !== "e7" && id !== "e1")]).toEqual([
        text,
        [],
      ]);
  });
});

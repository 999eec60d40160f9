import { readFileSync } from "node:fs";
import path from "node:path";
import { format } from "oxfmt";
import { expect, test } from "vitest";
import { REHEARSAL_RIGHT_MIN } from "../bench-research/report.ts";
import { ROWS_MAX } from "../bench/gates.ts";
import {
  readBetween,
  renderReadme,
  renderReport,
  RESEARCH_QUESTIONS,
  SITE_TASKS,
  type Results,
} from "../bench/report.ts";
import { sectionOf, tableEntries } from "../docs/doc-pages.ts";
import { ROOT } from "./source-tree.ts";

/** Published figures: what the bench has measured, of this code, within its gates. `npm run bench` writes them. */

const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const results = JSON.parse(read("test/bench/results.json")) as Results;
const page = read("docs/benchmark.md");
const [tasks, questions] = [SITE_TASKS, RESEARCH_QUESTIONS].map((name) => readBetween(page, name));

test("docs/benchmark.md is what `npm run bench` writes of its results", async () => {
  const { code } = await format("report.md", renderReport(results, tasks, questions), { printWidth: 110 });
  expect(page).toBe(code);
});

test("the README shows five rows of the results, with date and commit", () => {
  const shown = tableEntries(readBetween(read("README.md"), "benchmark"));
  expect(shown).toHaveLength(5);
  expect(shown).toEqual(tableEntries(renderReadme(results.measures)));
});

test("the tasks of a site and the questions to the web are within their gates", () => {
  const shares = (table = "", column: number): string[] =>
    tableEntries(table).map((cells) => cells[column] ?? "");
  expect(new Set([...shares(tasks, 2), ...shares(tasks, 3), ...shares(questions, 2)])).toEqual(
    new Set(["100 %"]),
  );
  const inAll = tableEntries(questions ?? "").find(([kind]) => kind === "in all") ?? [];
  expect(Number.parseInt(inAll[3] ?? "", 10)).toBeGreaterThanOrEqual(REHEARSAL_RIGHT_MIN);
});

test("docs/deploy.md computes the cost of a run from the gates of the rows", () => {
  const shown = tableEntries(sectionOf(read("docs/deploy.md"), "## Cost"))
    .filter(([, counted]) => counted?.endsWith(" rows written"))
    .map(([, counted, cost]) => [counted, cost]);
  const dollars = (rows: number): string => (rows / 1_000).toFixed(3);
  const expected = [
    ROWS_MAX["one more model call with one tool call"],
    ROWS_MAX["3 model calls × 40 deltas, 2 tool calls"],
    ROWS_MAX["10 model calls, 18 tool calls"],
    ROWS_MAX["1 answer of 400 deltas"],
  ].map((rows) => [`${rows} rows written`, dollars(rows)]);
  expect(shown).toEqual(expected);
});

import { AGENTS, CONTENDERS, NAMES, type Name } from "./contenders.ts";
import { judgeRow, type Target } from "./gates.ts";
import type { Measure, Row } from "./measure.ts";
import { AGE_COMMITS_MAX, AGE_DAYS_MAX, provenanceLine } from "./age.ts";
import { median, percentile } from "./numbers.ts";

/** Measured results with every raw round: the file `results.json`. */
export interface Results {
  /** ISO 8601 */
  readonly date: string;
  readonly command: string;
  readonly machine: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly peers: Readonly<Record<string, string>>;
  readonly measures: readonly Measured[];
}

export interface Measured extends Pick<Measure, "id" | "title" | "how" | "ahead" | "missed" | "alone"> {
  /** ISO 8601 */
  readonly date: string;
  /** of the measured code, abbreviated; ends in `-dirty` where files were changed */
  readonly commit: string;
  readonly seconds: number;
  /** of the machine, of the minute before; missing in older results */
  readonly load?: number;
  readonly rows: readonly Row[];
}

/** Name of the block that `npm run bench:cms -- --write` puts into the report. */
export const SITE_TASKS = "site tasks";

/** Name of the block that `npm run bench:research -- --write` puts into the report. */
export const RESEARCH_QUESTIONS = "research questions";

/** The report as Markdown. `tasks` and `questions` are the blocks of other commands, as the page has them. */
export function renderReport(results: Results, tasks = "", questions = ""): string {
  const facts = (values: Readonly<Record<string, string>>): string =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ");
  return [
    "# Benchmark",
    "<!-- Written by `npm run bench`. Edit test/bench instead. -->",
    "Cairn next to the agents that the makers of the platform publish. Less is always better.",
    contents([
      "How it is measured",
      ...results.measures.map(({ title }) => title),
      "Tasks of a site",
      "Questions to the web",
    ]),
    "## How it is measured",
    "All contenders use the same scripted model in a separate process, the same tool and the same workerd, without tracing. They take turns. " +
      "A cell is the median of the rounds, with their range in brackets where it is wide; `test/bench/results.json` has every round. " +
      "A figure in bold is better than Cairn's. " +
      "Peers run with their documented calls and defaults, except that ThinkHarness may repeat the tool after a crash, as Cairn may, and Think has no other tools. " +
      "`streamText` (in a worker that stores nothing), bare alarms and *same durability* (a loop with Cairn's commits and alarms and nothing else) are lower bounds, not agents.",
    `Each table names the date and commit of its measurement; \`npm run check\` fails if it is older than ${AGE_DAYS_MAX} days or ${AGE_COMMITS_MAX} commits. ` +
      `Last run: ${facts(results.machine)}; ${facts({ ...results.versions, ...results.peers })}.`,
    ...results.measures.flatMap(renderMeasure),
    "## Tasks of a site",
    SITE_TASKS_HOW,
    `<!-- ${SITE_TASKS} -->`,
    tasks,
    `<!-- /${SITE_TASKS} -->`,
    "## Questions to the web",
    RESEARCH_HOW,
    `<!-- ${RESEARCH_QUESTIONS} -->`,
    questions,
    `<!-- /${RESEARCH_QUESTIONS} -->`,
    "",
  ].join("\n\n");
}

const SITE_TASKS_HOW =
  "`npm run bench:cms` plays editing tasks through the whole loop. A task (`test/bench-cms/tasks`) is a sample site, a request, its calls, the person's answers, and the expected difference of the site, which alone is graded.\n\n" +
  "- _gold_: the written calls.\n" +
  "- _gold under deaths_: the same with random crashes around writes, requests and effects, in three schedules per task. All rows must equal those without.\n" +
  "- _rehearsal model_: rules that get only the request; no required score. `npm run bench:cms -- --model openai-compatible:NAME` tests another model, with the [variables](configuration.md) of a deployment.\n\n" +
  "Incidents are failures of other systems, such as [contentful-mcp-server 319](https://github.com/contentful/contentful-mcp-server/issues/319) (published unasked). `--only incidents` plays one kind, `--task ID` one task, `--seeds N` more schedules. The exit code is 1 if gold fails anywhere.";

const RESEARCH_HOW =
  "`npm run bench:research` asks about the [invented pages](research.md#try-it-without-an-account) through the whole loop. A question (`test/bench-research/questions`) has the answer, an outdated one, and the words that support it.\n\n" +
  "- _gold_: the written path of searching, reading and citing.\n" +
  "- _rehearsal model_: correct answers with a source, by rules. `npm run bench:research -- --model openai-compatible:NAME` tests another model.\n" +
  "- _citations_: cited passages that hold the supporting words.\n" +
  "- _pages_, _model calls_, _tool calls_, _seconds_: means per answer.\n\n" +
  "`--only dates` asks one kind, `--question ID` one question, `--misses` explains wrong answers. The exit code is 1 if gold fails anywhere, or the rehearsal model is right in less than 80 %.";

/** Text between the two marks, without the marks; empty if they are missing. */
export function readBetween(text: string, name: string): string {
  return new RegExp(`<!-- ${name} -->([\\s\\S]*)<!-- /${name} -->`).exec(text)?.[1]?.trim() ?? "";
}

/** A text with what stands between `<!-- name -->` and `<!-- /name -->` replaced. Throws when it has no such place. */
export function putBetween(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(open);
  const to = text.indexOf(close);
  if (from < 0 || to < from) throw new Error(`there is no place for ${name} in the text`);
  return `${text.slice(0, from + open.length)}\n\n${content}\n\n${text.slice(to)}`;
}

/** A link to each heading, by the name that GitHub gives it. */
function contents(headings: readonly string[]): string {
  const anchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-");
  return headings.map((heading) => `- [${heading}](#${anchor(heading)})`).join("\n");
}

/** Rows that the README shows: where Cairn is ahead and where a peer is. */
const README_ROWS: readonly string[] = [
  "rows: 3 model calls × 40 deltas, 2 tool calls",
  "rows: one more model call with one tool call",
  "overhead: step to step, p50",
  "recovery: without a client, p95",
  "wake: until the model is asked",
];

/** The five rows of the README. Throws when one of them was not measured. */
export function renderReadme(measures: readonly Measured[]): string {
  const of = ({ id }: Measured, row: Row): string => `${id}: ${row.what}`;
  const known = measures.flatMap((measure) => measure.rows.map((row) => of(measure, row)));
  const missing = README_ROWS.filter((name) => !known.includes(name));
  if (missing.length > 0) throw new Error(`nothing is measured as ${missing.join("; ")}`);
  return renderTargets(measures, (measure, row) => README_ROWS.includes(of(measure, row)));
}

/** A table of the rows with a target, one line each, with the date and commit of their measurement. */
export function renderTargets(
  measures: readonly Measured[],
  isShown: (measure: Measured, row: Row) => boolean = () => true,
): string {
  const lines = measures.flatMap((measure) =>
    measure.rows
      .filter((row) => isShown(measure, row))
      .flatMap((row) => {
        const target = judgeRow(measure.id, row, measure.rows);
        if (target === null || measure.alone === true) return [];
        const best = peersOf(row).toSorted((a, b) => median(a.values) - median(b.values))[0];
        return [
          [
            `${measure.title}: ${row.what}`,
            cellText(row.cells.cairn, row.unit),
            targetText(target),
            cellText(best?.values, row.unit, best?.name),
            `${measure.date.slice(0, 10)} \`${measure.commit}\``,
          ],
        ];
      }),
  );
  return table(["measure", "Cairn", "target", "best peer", "measured"], lines);
}

const targetText = (target: Target | null): string =>
  target === null ? "" : target.met ? target.says : `**missed:** ${target.says}`;

/** The slowest calls of a large table; the others are in results.json. */
const SLOWEST = 8;

/** Each call with its times and, where it is known, what it is billed. */
function renderAlone(measure: Measured): string[] {
  const { id, title, how, rows } = measure;
  const isBilled = rows.some(({ billed }) => billed !== undefined);
  const calls = rows.flatMap((row) => {
    const { cairn } = row.cells;
    if (cairn === undefined || typeof cairn === "string") return [];
    return [{ row, p50: median(cairn), p95: percentile(cairn, 0.95) }];
  });
  const isLong = calls.length > 2 * SLOWEST;
  const shown = isLong ? calls.toSorted((a, b) => b.p95 - a.p95).slice(0, SLOWEST) : calls;
  const lines = shown.map(({ row, p50, p95 }) => {
    const { billed, what } = row;
    const target = judgeRow(id, row, rows);
    const slow = target?.met === false ? `**${figure(p95)}**` : figure(p95);
    const bill = billed === undefined ? [] : [figure(billed.read), figure(billed.written)];
    return [what, figure(p50), slow, ...bill];
  });
  const bill = isBilled ? ["rows read", "rows written"] : [];
  const p95s = calls.map(({ p95 }) => p95);
  return [
    `## ${title}`,
    how,
    ...(isLong
      ? [
          `${calls.length} calls: half have a p95 of at most ${figure(median(p95s))} ms. The ${SLOWEST} slowest:`,
        ]
      : []),
    table([isBilled ? "call" : "", "p50 (ms)", "p95 (ms)", ...bill], lines),
    ...(measure.missed === undefined || !isMissed(measure) ? [] : [measure.missed]),
    measuredOn(measure),
  ];
}

/** True if a row of the measure misses its target. */
export const isMissed = ({ id, rows }: Measured): boolean =>
  rows.some((row) => judgeRow(id, row, rows)?.met === false);

function measuredOn({ date, commit, load }: Measured): string {
  const busy = load === undefined ? "" : `, load ${figure(load)}`;
  return provenanceLine({ date, commit }, busy);
}

function renderMeasure(measure: Measured): string[] {
  if (measure.alone === true) return renderAlone(measure);
  const { id, rows } = measure;
  const shown = NAMES.filter((name) => rows.some((row) => row.cells[name] !== undefined));
  const targets = rows.map((row) => judgeRow(id, row, rows));
  const hasTargets = targets.some((target) => target !== null);
  const missing = rows.flatMap((row) =>
    Object.entries(row.cells).flatMap(([name, cell]) =>
      typeof cell === "string" ? [`- ${CONTENDERS[name as Name].title}, ${row.what}: n/a, ${cell}`] : [],
    ),
  );
  return [
    `## ${measure.title}`,
    measure.how,
    table(
      ["", ...shown.map((name) => CONTENDERS[name].title), ...(hasTargets ? ["target"] : [])],
      rows.map((row, at) => [
        `${row.what} (${row.unit})`,
        ...shown.map((name) =>
          isAhead(name, row) ? `**${cellText(row.cells[name])}**` : cellText(row.cells[name]),
        ),
        ...(hasTargets ? [targetText(targets[at] ?? null)] : []),
      ]),
    ),
    ...(missing.length === 0 ? [] : [missing.join("\n")]),
    ...(measure.ahead === undefined || !rows.some((row) => AGENTS.some((name) => isAhead(name, row)))
      ? []
      : [measure.ahead]),
    ...(isMissed(measure) ? [`Missed: ${measure.missed ?? "no reason is known."}`] : []),
    measuredOn(measure),
  ];
}

/** True if a peer's median is below Cairn's. */
function isAhead(name: Name, row: Row): boolean {
  const own = row.cells.cairn;
  if (own === undefined || typeof own === "string") return false;
  return peersOf(row).some(
    (peer) => peer.name === CONTENDERS[name].title && median(peer.values) < median(own),
  );
}

function peersOf(row: Row): { readonly name: string; readonly values: readonly number[] }[] {
  return AGENTS.flatMap((name) => {
    const cell = row.cells[name];
    if (name === "cairn" || cell === undefined || typeof cell === "string") return [];
    return [{ name: CONTENDERS[name].title, values: cell }];
  });
}

/** Ranges below this share of the median are left out. */
const WIDE_SHARE = 0.1;

function cellText(cell: readonly number[] | string | undefined, unit = "", name = ""): string {
  if (cell === undefined) return "";
  if (typeof cell === "string") return "n/a";
  const low = Math.min(...cell);
  const high = Math.max(...cell);
  const isWide = high - low > WIDE_SHARE * median(cell);
  const range = isWide ? ` (${figure(low)}–${figure(high)})` : "";
  return [name, `${figure(median(cell))}${range}`, unit].filter((part) => part !== "").join(" ");
}

/** Three digits, or all of them before the point. */
function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? "---" : "---:"))), ...lines.map(line)].join("\n");
}

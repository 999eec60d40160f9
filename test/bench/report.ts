import { AGENTS, CONTENDERS, NAMES, type Name } from "./contenders.ts";
import type { Measure, Row } from "./measure.ts";
import { median, percentile } from "./numbers.ts";

/** What a run has measured, with every raw round: the file `results.json`. */
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
  readonly seconds: number;
  /** of the machine, of the minute before; not known of what was measured before it was noted */
  readonly load?: number;
  readonly rows: readonly Row[];
}

/** what `npm run bench:cms -- --write` puts into the report */
export const SITE_TASKS = "site tasks";

/** what `npm run bench:research -- --write` puts into it */
export const RESEARCH_QUESTIONS = "research questions";

/** The report of a run, in Markdown. `tasks` and `questions` are what stands there already, which other commands measure. */
export function renderReport(results: Results, tasks = "", questions = ""): string {
  const facts = (values: Readonly<Record<string, string>>): string =>
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ");
  return [
    "# Benchmark",
    "<!-- Written by `npm run bench`. Edit test/bench instead. -->",
    contents([
      "The largest differences",
      "Cairn and its targets",
      ...results.measures.map(({ title }) => title),
      "Tasks of a site",
      "Questions to the web",
    ]),
    `Measured with \`${results.command}\`, each table when it says so; last: ${facts(results.machine)}; ${facts(results.versions)}. Peers: ${facts(results.peers)}.`,
    "Every contender gets the same scripted model in its own process, the same tool and the same workerd, without tracing. Contenders take turns " +
      "(A B C D, A B C D, …). A cell is the median of the rounds, with their range in brackets; less is better. Each raw round stands in " +
      "`test/bench/results.json`. The peers are driven through the same programmatic calls that their documentation names, " +
      "with their defaults, except that ThinkHarness may run the tool again after a crash, as Cairn may, and that Think offers the model this tool alone. `streamText` in a worker that keeps nothing and bare alarms are no agents but the floor. *Same durability* is a floor too: a loop that commits before and after each effect and sets an alarm for each step, as Cairn does, and does nothing else.",
    "## The largest differences",
    renderDifferences(results.measures),
    "## Cairn and its targets",
    renderTargets(results.measures),
    ...renderMissed(results.measures),
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
  "`npm run bench:cms` plays tasks of editing a site through the whole loop: session, guards, approvals, tools, and the database as SQLite in memory. A task is data (`test/bench-cms/tasks`): a sample site and what was done on it before, a wish in plain words, the calls that fulfil it, what the person answers when they are asked, and how the site must differ at the end. It is graded by that difference alone, over drafts, what visitors see, and open change sets. What differs and is not expected fails it, and so does what is missing; no word of an answer counts.\n\n" +
  "- _gold_: the calls that are written down, and what became of each.\n" +
  "- _gold under deaths_: the same, while the process dies at random before or after what it writes, asks or does, in three schedules of each task. Beside the difference, every row of operations, revisions, references and search must be as without deaths. After each batch what visitors see may have changed by one whole operation alone, and nothing may have been done twice.\n" +
  "- _rehearsal model_: rules that have nothing but the wish. Its score has no bar: most of these wishes are beyond it, and a model of yours should do better. `npm run bench:cms -- --model openai-compatible:NAME` asks one, with the [variables](configuration.md) of a deployment; its figures stand in the same column.\n\n" +
  "Among the incidents are edits that an agent published unasked ([contentful-mcp-server 319](https://github.com/contentful/contentful-mcp-server/issues/319)), overwritten texts without a way back ([324](https://github.com/contentful/contentful-mcp-server/issues/324)), and a whole push to be taken back as one ([dotCMS 31360](https://github.com/dotCMS/core/issues/31360)). `--only incidents` plays one kind, `--task ID` one task with all that was missed, `--seeds N` more schedules of deaths. The exit code is 1 when gold is not fulfilled everywhere.";

const RESEARCH_HOW =
  "`npm run bench:research` asks questions about the [invented pages](research.md#try-it-without-an-account) through the whole loop: session, guards, search, the judge of addresses, and the pages themselves, with old news, copies, dead links, redirects, PDF and orders to the reader among them. A question is data (`test/bench-research/questions`), made of the same table of facts as the pages: what answers it, what an old page says instead, and which words of which page bear it out.\n\n" +
  "- _gold_: the path that is written down. It searches, reads, and cites the passages that bear the answer out.\n" +
  "- _rehearsal model_: answers that are right and cite a source, by rules that know forms of questions and no answer. `npm run bench:research -- --model openai-compatible:NAME` asks another model, with the [variables](configuration.md) of a deployment; its figures stand in the same column. Right is what says the value, or all names and no other, or that no page says it; whoever repeats what an old page says must say of which year it is.\n" +
  "- _citations_: of all passages that the answers cite, those that hold the words that bear the answer out, on their page.\n" +
  "- _pages_, _model calls_, _tool calls_, _seconds_: the mean of an answer. Redirects and pages that have gone are counted as pages.\n\n" +
  "`--only dates` asks one kind, `--question ID` one question with its answer, `--misses` says why answers are wrong. The exit code is 1 when gold does not answer everything, or the rehearsal model less than 80 %.";

/** What stands between the two marks, without the marks; empty where there is no such place. */
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

/** What the README shows: where Cairn is ahead and where a peer is. */
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
  return renderTargets(
    measures.map((measure) => ({
      ...measure,
      rows: measure.rows.filter((row) => README_ROWS.includes(of(measure, row))),
    })),
  );
}

/** The targets, one line each. */
export function renderTargets(measures: readonly Measured[]): string {
  const compared = measures.filter((one) => one.alone !== true);
  const lines = compared.flatMap((measure) =>
    measure.rows.flatMap((row) =>
      row.target === null
        ? []
        : [
            [
              `${measure.title}: ${row.what}`,
              cellText(row.cells.cairn, row.unit),
              row.target.says,
              row.target.met ? "met" : "**missed**",
              cellText(best(row)?.values, row.unit, best(row)?.name),
            ],
          ],
    ),
  );
  return table(["measure", "Cairn", "target", "", "best peer"], lines);
}

const DIFFERENCES = 6;

/** Where Cairn and the best peer are furthest apart, whoever is ahead: the largest of each measure. */
export function renderDifferences(measures: readonly Measured[]): string {
  const found = measures.flatMap((measure) => {
    const rows = measure.rows.flatMap((row) => {
      const own = row.cells.cairn;
      const peer = best(row);
      if (own === undefined || typeof own === "string" || peer === null) return [];
      const ratio = median(own) / median(peer.values);
      return ratio > 0 && Number.isFinite(ratio) ? [{ measure, row, own, peer, ratio }] : [];
    });
    return rows.toSorted((a, b) => distance(b.ratio) - distance(a.ratio)).slice(0, 1);
  });
  const lines = found
    .toSorted((a, b) => distance(b.ratio) - distance(a.ratio))
    .slice(0, DIFFERENCES)
    .map(({ measure, row, own, peer, ratio }) => [
      `${measure.title}: ${row.what}`,
      cellText(own, row.unit),
      cellText(peer.values, row.unit, peer.name),
      ratio <= 1 ? `${figure(1 / ratio)} × less` : `${figure(ratio)} × **more**`,
    ]);
  return table(["measure", "Cairn", "best peer", "Cairn takes"], lines);
}

/** How far a ratio is from one, in either direction. */
const distance = (ratio: number): number => Math.abs(Math.log(ratio));

/** What was missed, with its reason, measure by measure. */
function renderMissed(measures: readonly Measured[]): string[] {
  const lines = measures.flatMap(({ title, rows, missed, alone }) => {
    if (alone === true) return [];
    const names = rows.filter(({ target }) => target?.met === false).map(({ what }) => what);
    return names.length === 0 ? [] : [`- ${title} (${names.join("; ")}): ${missed ?? "no reason is known."}`];
  });
  return lines.length === 0 ? [] : ["Missed, and why:", lines.join("\n")];
}

/** Each call with its times and, where it is known, what it is billed. */
function renderAlone(measure: Measured): string[] {
  const { title, how, rows, missed } = measure;
  const isBilled = rows.some(({ billed }) => billed !== undefined);
  const lines = rows.flatMap(({ what, cells, billed, target }) => {
    const { cairn } = cells;
    if (cairn === undefined || typeof cairn === "string") return [];
    const p95 = figure(percentile(cairn, 0.95));
    const shown = target?.met === false ? `**${p95}**` : p95;
    const bill = billed === undefined ? [] : [figure(billed.read), figure(billed.written)];
    return [[what, figure(median(cairn)), shown, ...bill]];
  });
  const bill = isBilled ? ["rows read", "rows written"] : [];
  return [
    `## ${title}`,
    how,
    table([isBilled ? "call" : "", "p50 (ms)", "p95 (ms)", ...bill], lines),
    ...(missed === undefined || rows.every(({ target }) => target?.met !== false) ? [] : [missed]),
    measuredOn(measure),
  ];
}

function measuredOn({ date, seconds, load }: Measured): string {
  const busy = load === undefined ? "" : `, at a load of ${figure(load)}`;
  return `_Measured on ${date.slice(0, 16).replace("T", " ")} UTC, in ${Math.round(seconds)} s${busy}._`;
}

function renderMeasure(measure: Measured): string[] {
  if (measure.alone === true) return renderAlone(measure);
  const shown = NAMES.filter((name) => measure.rows.some((row) => row.cells[name] !== undefined));
  const missing = measure.rows.flatMap((row) =>
    Object.entries(row.cells).flatMap(([name, cell]) =>
      typeof cell === "string" ? [`- ${CONTENDERS[name as Name].title}, ${row.what}: n/a, ${cell}`] : [],
    ),
  );
  const ahead = aheadOf(measure);
  return [
    `## ${measure.title}`,
    measure.how,
    table(
      ["", ...shown.map((name) => CONTENDERS[name].title)],
      measure.rows.map((row) => [
        `${row.what} (${row.unit})`,
        ...shown.map((name) => cellText(row.cells[name])),
      ]),
    ),
    ...(missing.length === 0 ? [] : [missing.join("\n")]),
    ...(ahead.length === 0
      ? []
      : [
          [
            "A peer is ahead here:",
            "",
            ...ahead,
            ...(measure.ahead === undefined ? [] : ["", measure.ahead]),
          ].join("\n"),
        ]),
    measuredOn(measure),
  ];
}

/** Peers whose median is below Cairn's, a line for each row. */
function aheadOf({ rows }: Measured): string[] {
  return rows.flatMap((row) => {
    const own = row.cells.cairn;
    if (own === undefined || typeof own === "string") return [];
    const ahead = peersOf(row).filter((peer) => median(peer.values) < median(own));
    return ahead.length === 0 ? [] : [`- ${row.what}: ${ahead.map((peer) => peer.name).join(", ")}`];
  });
}

function best(row: Row): { readonly name: string; readonly values: readonly number[] } | null {
  return peersOf(row).toSorted((a, b) => median(a.values) - median(b.values))[0] ?? null;
}

function peersOf(row: Row): { readonly name: string; readonly values: readonly number[] }[] {
  return AGENTS.flatMap((name) => {
    const cell = row.cells[name];
    if (name === "cairn" || cell === undefined || typeof cell === "string") return [];
    return [{ name: CONTENDERS[name].title, values: cell }];
  });
}

function cellText(cell: readonly number[] | string | undefined, unit = "", name = ""): string {
  if (cell === undefined) return "";
  if (typeof cell === "string") return "n/a";
  const low = Math.min(...cell);
  const high = Math.max(...cell);
  const range = low === high ? "" : ` (${figure(low)}–${figure(high)})`;
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

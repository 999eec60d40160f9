import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startDemoWeb, type DemoWeb } from "../../scripts/demo-web/server.ts";
import { currentCommit, provenanceLine } from "../bench/age.ts";
import { putBetween, RESEARCH_QUESTIONS } from "../bench/report.ts";
import { KINDS, type Question } from "./format.ts";
import { QUESTIONS } from "./questions.ts";
import { REHEARSAL_RIGHT_MIN, renderTable, rightOf, type Score } from "./report.ts";
import { gradeAnswer, type Grade } from "./run/grade.ts";
import type { Mind } from "./run/mind.ts";
import { playQuestion } from "./run/play.ts";

/**
 * `npm run bench:research`: questions about the invented pages, through the whole loop. Each is answered by the path that is
 * written down, then by a model that has nothing but the question.
 *
 *   --only KIND      questions of one kind; --question ID one question, with its answer
 *   --model NAME     who is asked: such as openai-compatible:…, with the variables of a deployment. Left out: rehearsal;
 *                    none: nobody
 *   --misses         why answers of the model are wrong
 *   --write          puts the table into docs/benchmark.md
 *
 * The exit code is 1 when the path that is written down does not answer a question, and when the rehearsal model answers
 * fewer of all than it must.
 */
interface Options {
  readonly only: string | null;
  readonly question: string | null;
  readonly mind: Exclude<Mind, "gold"> | null;
  readonly misses: boolean;
  readonly writes: boolean;
}

function readOptions(args: readonly string[]): Options {
  const known = ["--only", "--question", "--model"];
  const given = new Map<string, string>();
  let [misses, writes] = [false, false];
  for (let at = 0; at < args.length; at++) {
    const [name = "", value] = [args[at], args[at + 1]];
    if (name === "--misses") misses = true;
    else if (name === "--write") writes = true;
    else if (!known.includes(name) || value === undefined)
      throw new Error(`what is ${name}? Known: ${known.join(", ")}, --misses, --write`);
    else {
      given.set(name, value);
      at++;
    }
  }
  const only = given.get("--only") ?? null;
  if (only !== null && !KINDS.some((kind) => kind === only))
    throw new Error(`there is no kind ${only}: ${KINDS.join(", ")}`);
  const model = given.get("--model") ?? "rehearsal";
  return {
    only,
    misses,
    writes,
    question: given.get("--question") ?? null,
    mind: model === "none" ? null : model === "rehearsal" ? model : { model },
  };
}

/** A question that does not come to an end is one that is not answered. */
async function answerBy(question: Question, mind: Mind, web: DemoWeb): Promise<Grade> {
  try {
    return gradeAnswer(question, await playQuestion(question, mind, web));
  } catch (error) {
    const nothing = { cited: 0, borneOut: 0, pages: 0, modelCalls: 0, toolCalls: 0, seconds: 0, answer: "" };
    return { question: question.id, faults: [String(error)], ...nothing };
  }
}

const options = readOptions(process.argv.slice(2));
const chosen = QUESTIONS.filter(
  (one) =>
    (options.only === null || one.kind === options.only) &&
    (options.question === null || one.id === options.question),
);
if (chosen.length === 0) throw new Error(`there is no question ${options.question ?? ""}`);
const { mind } = options;
const began = performance.now();
const web = await startDemoWeb();
const scores: Score[] = [];
for (const question of chosen) {
  const gold = await answerBy(question, "gold", web);
  const own = mind === null ? null : await answerBy(question, mind, web);
  scores.push({ question, gold, own });
  for (const fault of gold.faults) console.log(`${question.id} (gold): ${fault}`);
  if (own === null || !(options.misses || options.question !== null)) continue;
  for (const fault of own.faults) console.log(`${question.id} (model): ${fault}`);
  if (options.question !== null) console.log(`${question.ask}\n${own.answer}`);
}
await web.close();
const table = renderTable(scores, mind);
console.log(table);
if (options.writes) {
  const measured = provenanceLine({ date: new Date().toISOString(), commit: currentCommit() });
  const report = path.resolve(import.meta.dirname, "../../docs/benchmark.md");
  writeFileSync(
    report,
    putBetween(readFileSync(report, "utf8"), RESEARCH_QUESTIONS, `${table}\n\n${measured}`),
  );
}
console.log(`${Math.round((performance.now() - began) / 1_000)} s`);
const own = scores.flatMap((score) => score.own ?? []);
const isWhole = options.only === null && options.question === null;
const isWorse = mind === "rehearsal" && isWhole && rightOf(own) < REHEARSAL_RIGHT_MIN;
process.exitCode = isWorse || rightOf(scores.map(({ gold }) => gold)) < 100 ? 1 : 0;

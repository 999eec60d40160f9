import { startOf } from "../../cairn/core/text/cut.ts";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createSiteClient, Stopped } from "../site/client.ts";
import type { RolloutOptions } from "./options.ts";
import { checkQuestionFiles } from "./question-files.ts";
import { isJudgedBy, judgeNamed } from "./judge.ts";
import { parseQuestions, type Question } from "./questions.ts";
import { work } from "./rollout.ts";
import { keyOf, openResults, rolloutKey, type Done, type Row } from "./rows.ts";
import { countedRows, scoreLines, scoreOf, type Score } from "./score.ts";

/** All rollouts of a file of questions that its results do not have yet, and what they all come to. */

interface Task {
  readonly question: Question;
  readonly rollout: number;
}

/** Throws `Stopped` with what a person can do about it; what was finished by then is in the file. */
export async function runRollouts(
  options: RolloutOptions,
  print: (line: string) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<Score> {
  const { n, concurrency, out, url } = options;
  const questions = parseQuestions(await readQuestions(options.questions), options.questions);
  const folder = path.dirname(path.resolve(options.questions));
  await checkQuestionFiles(questions, folder);
  const results = await openResults(out);
  try {
    const have = new Set(results.done.map((row) => rolloutKey({ key: keyOf(row) }, row.rollout)));
    const tasks = tasksOf(questions, n);
    const left = tasks.filter(({ question, rollout }) => !have.has(rolloutKey(question, rollout)));
    if (results.mended) print(`The last result in ${out} was cut off in the middle: it is done again.`);
    print(
      left.length === tasks.length
        ? `${tasks.length} rollouts: ${questions.length} questions, ${n} each, at ${url}.`
        : `${tasks.length - left.length} of ${tasks.length} rollouts are in ${out}. ${left.length} are left.`,
    );
    const client = createSiteClient(options);
    const judge = judgeNamed(options.judge, client);
    const judgeOf = options.judge === "words" ? {} : { judge: options.judge };
    const rows: Done[] = [];
    /** Finished work is not lost where the judge cannot be asked: the row is judged the next time. */
    const judged = async (row: Row, question: Question, stopped: AbortSignal): Promise<Row> => {
      try {
        const { correct, why } = await judge(question, row, stopped);
        if (question.answer === null) return row;
        return { ...row, correct, ...judgeOf, ...(why === null ? {} : { judged: why }) };
      } catch (error) {
        await results.add(row);
        throw error;
      }
    };
    const began = Date.now();
    let finished = 0;
    await inTurn(left, concurrency, signal, async ({ question, rollout }, stopped) => {
      const came = await work(client, question, rollout, { ...options, folder }, stopped);
      const row = await judged(came, question, stopped);
      await results.add(row);
      rows.push(row);
      finished++;
      const rest = ((Date.now() - began) / finished) * (left.length - finished);
      const progress = `${tasks.length - left.length + finished} of ${tasks.length}`;
      print(`${progress}  ${rowText(row)}.${finished === left.length ? "" : ` About ${spanOf(rest)} left.`}`);
    });
    const counted = countedRows(questions, n, results.done);
    const old = questions.flatMap((question) =>
      [...(counted.get(question.key)?.values() ?? [])].map((row) => ({ question, row })),
    );
    await inTurn(old, concurrency, signal, async ({ question, row }, stopped) => {
      const isJudged = isJudgedBy(options.judge, row);
      const correct = isJudged ? row.correct : (await judge(question, row, stopped)).correct;
      rows.push({ ...row, correct: correct ?? null });
    });
    const score = scoreOf(questions, n, rows);
    for (const line of ["", ...scoreLines(score, n, options.judge)]) print(line);
    return score;
  } finally {
    await results.close();
  }
}

async function readQuestions(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Stopped(code === "ENOENT" ? `There is no file ${file}.` : `${file} cannot be read (${code}).`);
  }
}

/** Round by round, so that all questions have been asked once as soon as can be. */
const tasksOf = (questions: readonly Question[], n: number): readonly Task[] =>
  Array.from({ length: n }, (_, index) =>
    questions.map((question) => ({ question, rollout: index + 1 })),
  ).flat();

/** So many at a time. The first that fails stops the others, and is what is thrown. */
async function inTurn<One>(
  all: readonly One[],
  atOnce: number,
  signal: AbortSignal,
  work: (one: One, stopped: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const stopped = AbortSignal.any([signal, failed.signal]);
  const faults: unknown[] = [];
  let next = 0;
  const take = async (): Promise<void> => {
    for (let index = next++; index < all.length && !stopped.aborted; index = next++) {
      const one = all[index];
      if (one === undefined) return;
      try {
        await work(one, stopped);
      } catch (error) {
        faults.push(error);
        failed.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, take));
  if (faults.length > 0) throw faults[0];
  signal.throwIfAborted();
}

const LABEL_CHARS_MAX = 40;

function rowText({ id, question, rollout, termination, correct, tool_calls: calls, seconds }: Row): string {
  const label = startOf((id ?? question).replace(/\s+/g, " "), LABEL_CHARS_MAX);
  const verdict = correct === null ? "" : correct ? ", right" : ", wrong";
  return `${label} (${rollout}): ${termination}${verdict}, ${calls} ${calls === 1 ? "call" : "calls"}, ${seconds} s`;
}

const spanOf = (ms: number): string =>
  ms < 90_000 ? `${Math.ceil(ms / 1_000)} s` : `${Math.ceil(ms / 60_000)} min`;

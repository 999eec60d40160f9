import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { currentCommit, provenanceLine } from "../bench/age.ts";
import { putBetween, SITE_TASKS } from "../bench/report.ts";
import { createThreads } from "../sim/parallel.ts";
import { KINDS } from "./format.ts";
import { renderTable, type Score } from "./report.ts";
import { gradeTask, type Grade } from "./run/grade.ts";
import type { Mind } from "./run/mind.ts";
import { TASKS } from "./tasks.ts";

/**
 * `npm run bench:cms`: tasks of a site, graded by how the site differs at their end. Each is played with its gold calls, then
 * with them under random deaths of the process, then by a model that has nothing but the wish.
 *
 *   --only KIND      tasks of one kind; --task ID one task, with all that it missed
 *   --seeds N        random schedules of deaths of each task (3); --from N the first of them (1)
 *   --model NAME     who has the wish: such as openai-compatible:…, with the variables of a deployment. Left out: rehearsal;
 *                    none: nobody
 *   --misses         what the model missed in each task
 *   --write          puts the table into docs/benchmark.md
 *
 * The exit code is 1 when a task fails with its gold calls, with or without deaths. A model's score has no bar.
 */
interface Work {
  readonly id: string;
  readonly seeds: readonly number[];
  readonly mind: Mind | null;
}

const threads = createThreads<Work, Grade>(fileURLToPath(import.meta.url));

threads.serve(work);

async function work({ id, seeds, mind }: Work): Promise<Grade> {
  const task = TASKS.find((one) => one.id === id);
  if (task === undefined) throw new Error(`there is no task ${id}`);
  try {
    return await gradeTask(task, seeds, mind);
  } catch (error) {
    return { task: id, gold: [String(error)], crashes: [], mind: null, answer: "" };
  }
}

interface Options {
  readonly only: string | null;
  readonly task: string | null;
  readonly seeds: readonly number[];
  readonly mind: Mind | null;
  readonly misses: boolean;
  readonly writes: boolean;
}

function readOptions(args: readonly string[]): Options {
  const known = ["--only", "--task", "--seeds", "--from", "--model"];
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
  const number = (name: string, otherwise: number): number => Number(given.get(name) ?? otherwise);
  const seeds = Array.from({ length: number("--seeds", 3) }, (_, at) => number("--from", 1) + at);
  const model = given.get("--model") ?? "rehearsal";
  const only = given.get("--only") ?? null;
  if (only !== null && !KINDS.some((kind) => kind === only))
    throw new Error(`there is no kind ${only}: ${KINDS.join(", ")}`);
  return {
    only,
    seeds,
    misses,
    writes,
    task: given.get("--task") ?? null,
    mind: model === "none" ? null : model === "rehearsal" ? model : { model },
  };
}

if (isMainThread) {
  const options = readOptions(process.argv.slice(2));
  const tasks = TASKS.filter(
    (one) =>
      (options.only === null || one.kind === options.only) &&
      (options.task === null || one.id === options.task),
  );
  if (tasks.length === 0) throw new Error(`there is no task ${options.task ?? ""}`);
  const { seeds, mind } = options;
  const grades = new Map<string, Grade>();
  const orders = tasks.map(({ id }): Work => ({ id, seeds, mind }));
  const began = performance.now();
  if (typeof mind === "object" && mind !== null) {
    // A dying isolate complains on its way out.
    console.error = () => {};
    // A provider is asked one thing at a time.
    for (const order of orders) grades.set(order.id, await work(order));
  } else await threads.work(orders, ({ id }, grade) => void grades.set(id, grade));
  const scores = tasks.flatMap((task): Score[] => {
    const grade = grades.get(task.id);
    return grade === undefined ? [] : [{ task, grade }];
  });
  const tellsAll = options.misses || options.task !== null;
  for (const { task, grade } of scores) {
    for (const fault of grade.gold) console.log(`${task.id} (gold): ${fault}`);
    for (const { seed, faults } of grade.crashes)
      for (const fault of faults) console.log(`${task.id} (deaths, --from ${seed} --seeds 1): ${fault}`);
    if (!tellsAll || grade.mind === null) continue;
    for (const miss of grade.mind) console.log(`${task.id} (model): ${miss}`);
    if (options.task !== null) console.log(`${task.id} (model) answered: ${grade.answer}`);
  }
  const table = renderTable(scores, mind);
  console.log(table);
  if (options.writes) {
    const measured = provenanceLine({ date: new Date().toISOString(), commit: currentCommit() });
    const report = path.resolve(import.meta.dirname, "../../docs/benchmark.md");
    writeFileSync(report, putBetween(readFileSync(report, "utf8"), SITE_TASKS, `${table}\n\n${measured}`));
  }
  console.log(`${Math.round((performance.now() - began) / 1_000)} s`);
  const isWhole = scores.length === tasks.length;
  const failed = scores.some(
    ({ grade }) => grade.gold.length > 0 || grade.crashes.some((one) => one.faults.length > 0),
  );
  process.exitCode = failed || !isWhole ? 1 : 0;
}

import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { parsePlan, type Part } from "./choices.ts";
import { explore, type Explored } from "./explore.ts";
import { exploreTree, playTree } from "./family/explore.ts";
import { ALL_TREES, treeOf } from "./family/all.ts";
import { TREE_INVARIANTS } from "./family/invariants.ts";
import { INVARIANTS } from "./invariants/invariants.ts";
import { createThreads } from "./parallel.ts";
import { play } from "./play.ts";
import { SCRIPTS } from "./scripts/scripts.ts";
import { liveThrough } from "./scripts/random-day.ts";
import { liveSiteDay } from "./site/days.ts";
import { exploreOnSite, SITE_LOOP_INVARIANTS, SITE_SCRIPTS } from "./site/loop.ts";
import { SITE_INVARIANTS } from "./site/watch.ts";
import type { FakePlatform } from "./platform/platform.ts";

/**
 * `npm run sim`: every schedule of each script with up to two departures from the usual (crashes at any crossing; late,
 * repeated and lost alarms), then, when asked, seeded random days; what always holds is checked after every one.
 *
 *   --all               also the schedules with two departures of the scripts that have very many
 *   --most N            departures at once (2, or what the script says)
 *   --script TEXT       only the script whose name has it
 *   --plan PLAN         with --script: plays that schedule alone and prints its log
 *   --tree TEXT         only the tree of sessions whose name has it; with --plan PLAN that schedule of it alone
 *   --pairs             of trees: two departures at once, at the places between their sessions
 *   --site-days N       random days of a site with change sets (100); --site-day SEED lives through that one alone
 *   --days N            random days (0); --from SEED the first of them (1); --acts N what happens in each (40)
 *   --day SEED          lives through that day alone and prints its log
 */
type Task =
  | { readonly kind: "script"; readonly name: string; readonly most: number | null; readonly part: Part }
  | {
      readonly kind: "tree";
      readonly name: string;
      readonly pairs: boolean;
      readonly all: boolean;
      readonly part: Part;
    }
  | { readonly kind: "days"; readonly from: number; readonly days: number; readonly acts: number }
  | { readonly kind: "site"; readonly from: number; readonly days: number }
  /** index among the scripts of the site */
  | { readonly kind: "runs on the site"; readonly script: number };

interface Report {
  readonly runs: number;
  readonly crashes: number;
  /** the rule, and the command that shows it again */
  readonly broken: readonly { readonly rule: string; readonly again: string }[];
}

const DAYS_PER_TASK = 10;
const SITE_DAYS = 100;
/** tasks of one script: small enough that no thread is left alone with the last of them */
const PARTS = 6;
const TREE_PARTS = 2;
const file = fileURLToPath(import.meta.url);

const threads = createThreads<Task, Report>(file);

threads.serve((task) => {
  if (task.kind === "script") return exploreScript(task);
  if (task.kind === "tree") return exploreTreeOf(task);
  if (task.kind === "runs on the site") return exploreSiteScript(task);
  return task.kind === "site" ? liveOnSite(task) : liveThroughDays(task);
});

async function exploreScript({ name, most, part }: Extract<Task, { kind: "script" }>): Promise<Report> {
  const explored = await explore(scriptOf(name), most === null ? { part } : { most, part });
  return reportOf(explored, `npm run sim -- --script "${name}" --plan`);
}

async function exploreTreeOf({ name, pairs, all, part }: Extract<Task, { kind: "tree" }>): Promise<Report> {
  const explored = await exploreTree(
    treeOf(name),
    pairs ? { most: 2, reach: "family", part } : { part, every: all ? 1 : (treeOf(name).every ?? 1) },
  );
  return reportOf(explored, `npm run sim -- ${pairs ? "--pairs " : ""}--tree "${name}" --plan`);
}

function reportOf({ schedules, crashes, faults }: Explored, again: string): Report {
  const broken = faults.map(({ rule, plan }) => ({ rule, again: `${again} ${plan}` }));
  return { runs: schedules, crashes, broken };
}

async function liveThroughDays({ from, days, acts }: Extract<Task, { kind: "days" }>): Promise<Report> {
  const broken: { rule: string; again: string }[] = [];
  let crashes = 0;
  for (let seed = from; seed < from + days; seed++) {
    const day = await liveThrough(seed, acts);
    crashes += day.crashes;
    for (const rule of day.faults)
      broken.push({ rule, again: `npm run sim -- --day ${seed} --acts ${acts}` });
    day.platform.disk.close();
  }
  return { runs: days, crashes, broken };
}

/** of the places where the isolate could die in a run on the site, one of so many is tried */
const SITE_EVERY = 3;

async function exploreSiteScript({ script }: Extract<Task, { kind: "runs on the site" }>): Promise<Report> {
  const found = SITE_SCRIPTS[script];
  if (found === undefined) throw new Error(`no script of the site has the number ${script}`);
  const { runs, crashes, faults } = await exploreOnSite(found, SITE_EVERY);
  const again = "npx vitest run --project core test/sim/site/loop.test.ts";
  return { runs, crashes, broken: faults.map(({ rule }) => ({ rule: SITE_LOOP_INVARIANTS[rule], again })) };
}

async function liveOnSite({ from, days }: Extract<Task, { kind: "site" }>): Promise<Report> {
  const broken: { rule: string; again: string }[] = [];
  let crashes = 0;
  for (let seed = from; seed < from + days; seed++) {
    const day = await liveSiteDay(seed);
    crashes += day.deaths;
    for (const rule of day.faults)
      broken.push({ rule: SITE_INVARIANTS[rule], again: `npm run sim -- --site-day ${seed}` });
  }
  return { runs: days, crashes, broken };
}

function scriptOf(name: string): (typeof SCRIPTS)[number] {
  const found =
    SCRIPTS.find((script) => script.name === name) ?? SCRIPTS.find((script) => script.name.includes(name));
  if (found === undefined) throw new Error(`no script is named ${name}`);
  return found;
}

function option(name: string): string | null {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? null : (process.argv[at + 1] ?? "");
}

const numberOf = (name: string, otherwise: number): number => Number(option(name) ?? otherwise);

function printLog(platform: FakePlatform): void {
  for (const { seq, at, run, step, kind, body } of platform.log)
    console.log(seq, at, run, step, kind, JSON.stringify(body));
}

function show(platform: FakePlatform, faults: readonly string[]): number {
  printLog(platform);
  return sayWhether(faults);
}

function sayWhether(faults: readonly string[]): number {
  console.log(faults.length === 0 ? "Everything holds." : `Broken: ${faults.join("; ")}`);
  return faults.length === 0 ? 0 : 1;
}

/** Works the tasks in all threads; prints a line for each script, and each broken rule with how to see it again. */
async function runAll(tasks: readonly Task[]): Promise<Report & { readonly time: string }> {
  const began = performance.now();
  const scripts = new Map<string, { runs: number; parts: number }>();
  const all = { runs: 0, crashes: 0, broken: [] as { rule: string; again: string }[] };
  await threads.work(tasks, (task, report) => {
    all.runs += report.runs;
    all.crashes += report.crashes;
    all.broken.push(...report.broken);
    if (task.kind === "script" || task.kind === "tree") {
      const { runs, parts } = scripts.get(task.name) ?? { runs: 0, parts: 0 };
      const script = { runs: runs + report.runs, parts: parts + 1 };
      scripts.set(task.name, script);
      if (script.parts === task.part.of) console.log(`${String(script.runs).padStart(6)}  ${task.name}`);
    }
    for (const { rule, again } of report.broken.slice(0, 10)) console.log(`        BROKEN ${rule}: ${again}`);
  });
  const seconds = (performance.now() - began) / 1_000;
  return { ...all, time: `${seconds.toFixed(1)} s (${(all.runs / seconds).toFixed(0)} a second)` };
}

async function runMain(): Promise<number> {
  const plan = option("plan");
  const only = option("script");
  const onlyTree = option("tree");
  const pairs = process.argv.includes("--pairs");
  if (plan !== null && onlyTree !== null) {
    const { world, faults } = await playTree(treeOf(onlyTree), parsePlan(plan), pairs ? "family" : "all");
    for (const name of world.names) {
      console.log(`--- ${name}`);
      printLog(world.session(name));
    }
    return sayWhether(faults);
  }
  if (plan !== null) {
    const { platform, faults } = await play(scriptOf(only ?? ""), parsePlan(plan));
    return show(platform, faults);
  }
  const acts = numberOf("acts", 40);
  const day = option("day");
  if (day !== null) {
    const { platform, faults } = await liveThrough(Number(day), acts);
    return show(platform, faults);
  }
  const siteDay = option("site-day");
  if (siteDay !== null) {
    const { faults } = await liveSiteDay(Number(siteDay));
    console.log(
      faults.length === 0
        ? "Everything holds."
        : `Broken: ${faults.map((one) => SITE_INVARIANTS[one]).join("; ")}`,
    );
    return faults.length === 0 ? 0 : 1;
  }
  const most = option("most") === null ? null : numberOf("most", 2);
  const all = process.argv.includes("--all") || only !== null;
  const scripts = onlyTree !== null ? [] : only === null ? SCRIPTS : [scriptOf(only)];
  const explored = await runAll(
    scripts.flatMap(({ name, long = false }) =>
      Array.from({ length: PARTS }, (_, index) => ({
        kind: "script" as const,
        name,
        most: most ?? (long && !all ? 1 : null),
        part: { index, of: PARTS },
      })),
    ),
  );
  if (scripts.length > 0)
    console.log(
      `${explored.runs} schedules of ${scripts.length} scripts, ${explored.crashes} crashes, ${Object.keys(INVARIANTS).length} invariants, ${explored.broken.length} broken, in ${explored.time}`,
    );
  const trees = onlyTree !== null ? [treeOf(onlyTree)] : only === null ? ALL_TREES : [];
  const grown = await runAll(
    trees.flatMap(({ name }) =>
      Array.from({ length: TREE_PARTS }, (_, index) => ({
        kind: "tree" as const,
        name,
        part: { index, of: TREE_PARTS },
        all: onlyTree !== null,
        pairs: pairs || (most ?? 0) > 2,
      })),
    ),
  );
  if (trees.length > 0)
    console.log(
      `${grown.runs} schedules of ${trees.length} trees of sessions, ${grown.crashes} crashes, ${TREE_INVARIANTS.length} invariants, ${grown.broken.length} broken, in ${grown.time}`,
    );
  const everything = only === null && onlyTree === null;
  const siteDays = everything ? numberOf("site-days", SITE_DAYS) : 0;
  const onSite = await runAll(
    Array.from({ length: Math.ceil(siteDays / DAYS_PER_TASK) }, (_, at) => ({
      kind: "site" as const,
      from: 1 + at * DAYS_PER_TASK,
      days: Math.min(DAYS_PER_TASK, siteDays - at * DAYS_PER_TASK),
    })),
  );
  if (siteDays > 0)
    console.log(
      `${onSite.runs} random days of a site and its change sets, ${onSite.crashes} crashes, ${Object.keys(SITE_INVARIANTS).length} invariants, ${onSite.broken.length} broken, in ${onSite.time}`,
    );
  const runs = await runAll(
    siteDays > 0 ? SITE_SCRIPTS.map((_, script) => ({ kind: "runs on the site" as const, script })) : [],
  );
  if (siteDays > 0)
    console.log(
      `${runs.runs} schedules of ${SITE_SCRIPTS.length} scripts on a site, ${runs.crashes} crashes, ${runs.broken.length} broken, in ${runs.time}`,
    );
  const days = everything ? numberOf("days", 0) : 0;
  const from = numberOf("from", 1);
  const lived = await runAll(
    Array.from({ length: Math.ceil(days / DAYS_PER_TASK) }, (_, at) => ({
      kind: "days" as const,
      from: from + at * DAYS_PER_TASK,
      days: Math.min(DAYS_PER_TASK, days - at * DAYS_PER_TASK),
      acts,
    })),
  );
  if (days > 0)
    console.log(
      `${lived.runs} random days, ${lived.crashes} crashes, ${lived.broken.length} broken, in ${lived.time}`,
    );
  return [explored, grown, onSite, runs, lived].every(({ broken }) => broken.length === 0) ? 0 : 1;
}

if (isMainThread && process.argv[1] === file) {
  console.error = () => {};
  process.exitCode = await runMain();
}

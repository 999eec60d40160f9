import { registerHooks } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { Fault } from "./invariants/invariants.ts";
import { MUTANTS as LOOP_MUTANTS, type Mutant } from "./mutants.ts";
import { FAMILY_MUTANTS } from "./family/mutants.ts";
import { SITE_MUTANTS } from "./site/mutants.ts";

/**
 * `npm run sim:mutants`: puts each known fault into the source as a fresh thread loads it, and lets the simulation look for
 * it. Passes when every one is found by the invariant that is meant to find it. `--only TEXT` tries those whose name has it.
 */
const file = fileURLToPath(import.meta.url);
const MUTANTS: readonly Mutant[] = [...LOOP_MUTANTS, ...FAMILY_MUTANTS, ...SITE_MUTANTS];
/** random days of the site in which a fault of it must show */
const SITE_DAYS = 250;
const root = path.resolve(import.meta.dirname, "../..");

interface Verdict {
  readonly found: boolean;
  readonly schedules: number;
  readonly others: readonly string[];
  readonly problem: string | null;
}

/** Loads the source with the edits in it. An edit whose text does not stand there exactly once is a problem. */
function mutate(mutant: Mutant): () => string | null {
  const missing = new Set(mutant.edits);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const edits = mutant.edits.filter(([name]) => url === pathToFileURL(path.join(root, name)).href);
      if (edits.length === 0) return loaded;
      let source = String(Buffer.from(loaded.source as Uint8Array));
      for (const edit of edits) {
        const [, find, replace] = edit;
        if (source.split(find).length !== 2) continue;
        source = source.replace(find, () => replace);
        missing.delete(edit);
      }
      return { ...loaded, source };
    },
  });
  return () => {
    const stale = [...missing].map(([name, find]) => `${name} has no single "${find.trim()}"`);
    return stale.length === 0 ? null : stale.join("; ");
  };
}

async function hunt(mutant: Mutant): Promise<Verdict> {
  const stale = mutate(mutant);
  if (mutant.tree === true) return huntInTrees(mutant, stale);
  return mutant.site === true ? huntOnSite(mutant, stale) : huntInScripts(mutant, stale);
}

async function huntInTrees(mutant: Mutant, stale: () => string | null): Promise<Verdict> {
  const { exploreTree } = await import("./family/explore.ts");
  const { ALL_TREES } = await import("./family/all.ts");
  const trees = ALL_TREES.filter(({ name }) => name.startsWith(mutant.script ?? ""));
  const seen = new Set<string>();
  const enough = (): boolean => seen.has(mutant.caught);
  let problem = stale() ?? (trees.length === 0 ? `no tree is named ${mutant.script}` : null);
  let schedules = 0;
  for (const most of [0, 1]) {
    for (const tree of problem === null && !enough() ? trees : []) {
      try {
        const found = (faults: readonly Fault[]): boolean =>
          faults.some(({ rule }) => rule === mutant.caught);
        const explored = await exploreTree(tree, { most, enough: found });
        schedules += explored.schedules;
        for (const { rule } of explored.faults) seen.add(rule);
      } catch (error) {
        problem = String(error);
      }
      if (enough()) break;
    }
  }
  return { found: enough(), schedules, others: [...seen].slice(0, 5), problem };
}

async function huntOnSite(mutant: Mutant, stale: () => string | null): Promise<Verdict> {
  const { liveSiteDay } = await import("./site/days.ts");
  const { SITE_INVARIANTS } = await import("./site/watch.ts");
  const seen = new Set<string>();
  const problem = stale();
  let days = 0;
  if (problem !== null) return { found: false, schedules: 0, others: [], problem };
  const known = mutant.day === undefined ? [] : [mutant.day];
  for (const day of [...known, ...Array.from({ length: SITE_DAYS }, (_, at) => at + 1)]) {
    if (seen.has(mutant.caught)) break;
    days += 1;
    try {
      for (const rule of (await liveSiteDay(day)).faults) seen.add(SITE_INVARIANTS[rule]);
    } catch (error) {
      // A day that ends in an error shows a fault too, but not by the invariant that is meant to.
      seen.add(String(error));
    }
  }
  return { found: seen.has(mutant.caught), schedules: days, others: [...seen].slice(0, 3), problem };
}

async function huntInScripts(mutant: Mutant, stale: () => string | null): Promise<Verdict> {
  const { explore } = await import("./explore.ts");
  const { SCRIPTS } = await import("./scripts/scripts.ts");
  const scripts = SCRIPTS.filter(
    (script) => mutant.script === undefined || script.name.startsWith(mutant.script),
  );
  const seen = new Set<string>();
  let schedules = 0;
  const enough = (faults: readonly Fault[]): boolean => faults.some(({ rule }) => rule === mutant.caught);
  let problem = stale() ?? (scripts.length === 0 ? `no script is named ${mutant.script}` : null);
  // Few departures first: most faults need none or one.
  for (const most of [0, 1, 2]) {
    for (const script of problem === null && !seen.has(mutant.caught) ? scripts : []) {
      try {
        const explored = await explore(script, { most, enough });
        schedules += explored.schedules;
        for (const { rule } of explored.faults) seen.add(rule);
      } catch (error) {
        problem = String(error);
      }
      if (enough([...seen].map((rule) => ({ rule, plan: "" })))) break;
    }
  }
  return { found: seen.has(mutant.caught), schedules, others: [...seen], problem };
}

function inThread(index: number): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: { mutant: index } });
    worker.once("message", (verdict: Verdict) => {
      resolve(verdict);
      void worker.terminate();
    });
    worker.once("error", reject);
  });
}

async function huntAll(): Promise<number> {
  const only = process.argv[process.argv.indexOf("--only") + 1] ?? "";
  const wanted = MUTANTS.flatMap((mutant, index) =>
    !process.argv.includes("--only") || mutant.name.includes(only) ? [index] : [],
  );
  const left = [...wanted];
  const began = performance.now();
  let survived = 0;
  const work = async (): Promise<void> => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      const mutant = MUTANTS[index];
      if (mutant === undefined) continue;
      const { found, schedules, others, problem } = await inThread(index);
      if (found) console.log(`caught    ${mutant.name} (${schedules} schedules)`);
      else {
        survived++;
        console.log(`SURVIVED  ${mutant.name}: not found by "${mutant.caught}" in ${schedules} schedules`);
        if (problem !== null) console.log(`          ${problem}`);
        if (others.length > 0) console.log(`          found by: ${others.join("; ")}`);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${wanted.length} mutants, ${survived} survived, in ${seconds} s`);
  return survived === 0 ? 0 : 1;
}

if (isMainThread) process.exitCode = await huntAll();
else {
  console.error = () => {};
  const mutant = MUTANTS[(workerData as { mutant: number }).mutant];
  if (mutant !== undefined) parentPort?.postMessage(await hunt(mutant), []);
}

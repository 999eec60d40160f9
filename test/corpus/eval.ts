import { readFileSync } from "node:fs";
import path from "node:path";
import { confusion, scoreTrace, summarise, type Rate, type Score, type Scored } from "./loops/score.ts";
import { parseTraces } from "./loops/trace.ts";

/**
 * `npm run eval:guards`: the loop detector against the labelled traces. Files of JSON lines may be named; without any it
 * takes the corpus. The last line counts all traces; the exit code is 0 when the `held` ones pass the gate.
 */

const PRECISION_MIN = 0.98;
const RECALL_MIN = 0.95;

const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : ["loops.jsonl", "loops-hand.jsonl"].map((name) => path.join(import.meta.dirname, name));
const scored = files.flatMap((file) => parseTraces(readFileSync(file, "utf8"))).map(scoreTrace);
const held = scored.filter((one) => one.trace.split === "held");

printWrong(scored);
printTable(scored);
printLevel2(scored);
const gate = printScore("held", summarise(held));
const all = printScore("all", summarise(scored));
const passed = held.length > 0 && gate.precision.value >= PRECISION_MIN && gate.recall.value >= RECALL_MIN;
console.log(`held: ${passed ? "passed" : "FAILED"} (precision >= ${PRECISION_MIN}, recall >= ${RECALL_MIN})`);
console.log(`precision ${rounded(all.precision)} recall ${rounded(all.recall)} traces ${all.traces}`);
process.exitCode = passed ? 0 : 1;

/** Rounded down: a share just below the gate must not read as one that meets it. */
function rounded({ hits, of }: Rate): string {
  return (of === 0 ? 1 : Math.floor((100 * hits) / of) / 100).toFixed(2);
}

/** Every trace that was judged wrong, so that a person can read it. */
function printWrong(all: readonly Scored[]): void {
  for (const { trace, result, first } of all) {
    if (result === "hit" || result === "silent") continue;
    const said = first === null ? "nothing" : `${first.verdict.rule} at turn ${first.turn}`;
    const wanted =
      trace.label === "ok" ? "ok" : `${trace.rules.join(", ")} at ${trace.onset}-${trace.detect_by}`;
    console.log(`${result}: ${trace.id} (${trace.split}, ${trace.family}) wants ${wanted}, got ${said}`);
  }
}

function printTable(all: readonly Scored[]): void {
  console.log("\nlabel -> first rule that fired (traces)");
  for (const [label, entry] of [...confusion(all)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const cells = [...entry].sort(([, a], [, b]) => b - a).map(([rule, count]) => `${rule} ${count}`);
    console.log(`${label.padEnd(18)}${cells.join(", ")}`);
  }
  console.log("");
}

function printLevel2(all: readonly Scored[]): void {
  const shown = all.filter((one) => one.result === "hit" && one.level2 !== null);
  const soon = shown.filter((one) => one.level2 === true);
  console.log(
    `level 2 within one further repeat: ${soon.length} of ${shown.length} hits that repeat once more`,
  );
}

function printScore(name: string, score: Score): Score {
  console.log(`${name}: ${score.traces} traces, ${score.loops} loops`);
  console.log(`  precision ${shown(score.precision)}`);
  console.log(`  recall    ${shown(score.recall)}`);
  return score;
}

function shown({ value, hits, of, from, to }: Rate): string {
  return `${value.toFixed(4)} (${hits} of ${of}), Wilson 95 %: ${from.toFixed(3)} to ${to.toFixed(3)}`;
}

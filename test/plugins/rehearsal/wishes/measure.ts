import { CLAIMS_HOLD_MIN, score } from "./judge.ts";
import { playWish } from "./play.ts";
import { WISHES } from "./wishes.ts";

/**
 * Plays every wish against the rehearsal model and prints what came of it: `npx node test/plugins/rehearsal/wishes/measure.ts`
 * (`--all`: those too that came out well; `--text`: the wish and the whole answer with each). Ends with 1 when a bar is missed.
 */

const isFlag = (flag: string): boolean => process.argv.includes(flag);
const runs = WISHES.map(playWish);
const result = score(runs.map(({ judgement }) => judgement));
const FAULTS = new Set(["wrong write", "false claim", "neither"]);

for (const { judgement, text } of runs) {
  const { wish, outcome, differences } = judgement;
  if (!FAULTS.has(outcome) && !isFlag("--all")) continue;
  console.log(`${outcome.padEnd(12)} ${wish.id.padEnd(24)} ${differences.join("; ")}`);
  if (isFlag("--text")) console.log(`    > ${wish.text}\n    < ${text.replaceAll("\n", "\n      ")}\n`);
}
for (const [outcome, count] of Object.entries(result.counts))
  console.log(`${String(count).padStart(4)} ${outcome}`);
console.log(`${String(runs.length).padStart(4)} wishes`);
console.log(`wrong writes: ${result.wrong.length} (bar 0)`);
console.log(`neither done, in part, asked nor declined: ${result.open.length} (bar 0)`);
console.log(`claims that hold: ${(100 * result.claimsHold).toFixed(1)} % (bar ${100 * CLAIMS_HOLD_MIN} %)`);
process.exitCode = result.passes ? 0 : 1;

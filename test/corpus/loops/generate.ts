import { writeFileSync } from "node:fs";
import path from "node:path";
import { findLoops } from "./definitions.ts";
import type { Loop } from "./loop.ts";
import { LOOPS } from "./loop-families.ts";
import { LOOP_FAMILIES, OK_FAMILIES, type LoopTrace } from "./loop-format.ts";
import { OKS } from "./ok-families.ts";
import { TraceWriter } from "./trace-writer.ts";

/**
 * Writes `loops.jsonl`: `node test/corpus/loops/generate.ts`. Each trace follows from its seed alone. A label is what its family
 * has built in, and the definitions of the rules must find the very same in the finished trace: otherwise this throws.
 */
export function generateLoops(): LoopTrace[] {
  const loops = LOOP_FAMILIES.flatMap((family, place) => {
    const { write, count } = LOOPS[family];
    return numbers(count).map((n) => {
      const w = new TraceWriter(1_000 * (place + 1) + n);
      const config = configOf(family, n);
      const loop = write(w, config);
      return proved(
        w.finish({ id: nameOf(family, n), split: splitOf(n), config }, family, labelOf(family, loop)),
        loop,
      );
    });
  });
  const oks = OK_FAMILIES.flatMap((family, place) => {
    const { write, count } = OKS[family];
    return numbers(count).map((n) => {
      const w = new TraceWriter(101_000 + 1_000 * place + n);
      write(w);
      w.turn("That is all; it is as you wanted it.");
      return proved(w.finish({ id: nameOf(family, n), split: splitOf(n), config: {} }, family, null), null);
    });
  });
  return [...loops, ...oks];
}

/** Turns of grace after the one in which the definition is complete. */
const GRACE = 1;
const GRACE_MIXED = 2;

function labelOf(family: string, { onset, complete }: Loop) {
  const grace = family === "mixed" || family === "paraphrased" ? GRACE_MIXED : GRACE;
  return { onset, detect_by: complete + grace, rules: [] };
}

/** The trace with the rules that are complete by `detect_by`, that of its family first. */
function proved(trace: LoopTrace, built: Loop | null): LoopTrace {
  const found = findLoops(trace);
  const fail = (): never => {
    throw new Error(`${trace.id}: built ${JSON.stringify(built)}, found ${JSON.stringify(found)}`);
  };
  if (built === null) return found.length === 0 ? trace : fail();
  const own = trace.family.replace(/\d$/, "");
  const main =
    found.find((one) => one.rule === own) ??
    (own === "mixed" || own === "paraphrased" ? found[0] : undefined);
  if (main === undefined || main.onset !== built.onset || main.complete !== built.complete) return fail();
  if (found.some((one) => one.onset < built.onset)) return fail();
  const others = found.filter((one) => one !== main && one.complete <= (trace.detect_by ?? 0));
  return { ...trace, rules: [main.rule, ...others.map((one) => one.rule)] };
}

function configOf(family: string, n: number): LoopTrace["config"] {
  if (n % 4 !== 3) return {};
  if (family === "same_result" || family === "same_thought")
    return { onStuck: { action: "force_answer", iterations: 4 + (n % 2) } };
  return family === "no_progress" ? { profile: "research" } : {};
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const nameOf = (family: string, n: number): string => `${family}-${String(n + 1).padStart(3, "0")}`;
const splitOf = (n: number): "tune" | "held" => ([1, 4, 7].includes(n % 10) ? "held" : "tune");

/** The traces as the text of a file, a line each. */
export const asLines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

if (import.meta.main) writeFileSync(path.join(import.meta.dirname, "loops.jsonl"), asLines(generateLoops()));

import { OUTSIDE } from "./outside.ts";
import { PARSERS, SINGLE, type Input } from "./parsers.ts";
import { asyncProcessorMs, isOverLimit } from "./processor-time.ts";
import { UNITS } from "./shapes.ts";

/**
 * Runs the parsers whose numbers are given (`node --expose-gc measure.ts 0 1 2`; `single` or `outside` for the inputs of one kind) on every
 * hostile input, and prints a line of JSON for each. `ms` is the processor time of this thread. `mib` is what the heap and the
 * buffers have grown by when the parser has ended, before anything is collected: garbage is counted too, as far as the
 * collector has left it. What is alive at once is bounded by the heap that the caller gives to this process.
 */

export interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly ms: number;
  readonly mib: number;
  /** true where the parser took longer than an input may */
  readonly slow: boolean;
}

/**
 * Processor time that an input may take. The issue asks for one second, and a busy machine slows each instruction down. The code
 * before this table took 8 to 90 seconds.
 */
const MS_MAX = 2_000;

const MIB = 1_048_576;
const GROUPS: Readonly<Record<string, typeof SINGLE>> = { single: SINGLE, outside: OUTSIDE };
/** Inputs above 256 KB get each second shape, above these bounds each sixth and twelfth: a neighbouring parser gets the next ones. */
const LARGE_CHARS = 1 * MIB;
const HUGE_CHARS = 8 * MIB;

const used = (): number => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

async function measure(name: string, unit: string, input: Input): Promise<void> {
  globalThis.gc?.();
  const before = used();
  const ms = await asyncProcessorMs(input);
  const mib = (used() - before) / MIB;
  const measured: Measured = { name, unit, ms, mib, slow: isOverLimit(ms, MS_MAX) };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}

for (const which of process.argv.slice(2)) {
  for (const [name, make] of GROUPS[which] ?? []) await measure(name, "", make());
  const parser = PARSERS[Number(which)];
  if (parser === undefined) continue;
  // The first run compiles the code.
  await parser.input("a ")();
  const step =
    parser.chars > HUGE_CHARS ? 12 : parser.chars > LARGE_CHARS ? 6 : parser.chars > 256 * 1_024 ? 2 : 1;
  const units = UNITS.filter((_, at) => at % step === Number(which) % step);
  for (const unit of units) await measure(parser.name, unit, parser.input(unit));
}

import { expect, test } from "vitest";
import { isOverLimit, processorMs } from "./processor-time.ts";
import { filled, UNITS, WORDS } from "./shapes.ts";
import { TEXT_FUNCTIONS } from "./text-functions.ts";

/**
 * The functions that read answers, requests and pages. Processor time of this thread is measured, because waiting for a busy
 * machine is none. A shape on which a text of 32 KB takes long is measured at 128 KB, where a quadratic function takes 16 times as
 * long: seconds.
 */
const PROBE = 32_768;
const LARGE = 131_072;
const FLOOR_MS = 60;
/** of a text of 128 KB */
const CPU_MS_MAX = 1_000;
const TRIES = 3;

/** The last sign differs at each try, because some functions remember the texts that they have read. */
const leastOf = (read: (text: string) => unknown, unit: string, chars: number): number =>
  Math.min(
    ...Array.from({ length: TRIES }, (_, at) => {
      const text = `${filled(unit, chars - 1)}${String(at)}`;
      return processorMs(() => read(text));
    }),
  );

/** The time of a shape that is too slow; empty for any other. */
function excessOf(read: (text: string) => unknown, unit: string): readonly string[] {
  const probe = filled(unit, PROBE);
  if (processorMs(() => read(probe)) <= FLOOR_MS) return [];
  const large = leastOf(read, unit, LARGE);
  return isOverLimit(large, CPU_MS_MAX) ? [`${JSON.stringify(unit)}: ${large} ms`] : [];
}

test.each(Object.entries(TEXT_FUNCTIONS))(
  "%s reads 128 KB of any shape within a second",
  (name, read) => {
    read("a b");
    // Each function gets a third of the shapes, which begins elsewhere for the next one, and all words.
    const units = UNITS.filter((_unit, at) => (at + name.length) % 3 === 0);
    expect([...units, ...WORDS].flatMap((unit) => excessOf(read, unit))).toEqual([]);
  },
  300_000,
);

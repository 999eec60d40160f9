import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import type { Measured } from "./measure.ts";
import { OUTSIDE } from "./outside.ts";
import { PARSERS, SINGLE } from "./parsers.ts";
import { UNITS } from "./shapes.ts";

/**
 * Every parser of bytes from outside, on every hostile shape, at the largest size that its entry point accepts. A few parsers run
 * in a process of their own, whose heap leaves room for the text of the input (up to 40 MB) and for what is read of it: one that
 * keeps more alive ends the process.
 */
const HEAP_MIB = 144;
/** heap and buffers of one input, garbage included; the largest is a copy of an image and its cleaned form */
const MIB_MAX = 112;

function measured(which: readonly string[]): readonly Measured[] {
  const script = path.join(import.meta.dirname, "measure.ts");
  // Parsers of the worker import prompts.
  const hooks = path.join(import.meta.dirname, "../../src/cli/require-node.cjs");
  const flags = ["--expose-gc", `--max-old-space-size=${HEAP_MIB}`, "--max-semi-space-size=4"];
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    ["--require", hooks, ...flags, script, ...which],
    {
      encoding: "utf8",
      maxBuffer: 64 * 1_048_576,
    },
  );
  expect([which, status, status === 0 ? "" : stderr.slice(0, 2_000)]).toEqual([which, 0, ""]);
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Measured);
}

const slowOf = (all: readonly Measured[]): readonly Measured[] => all.filter(({ slow }) => slow);

/** Parsers that share a process: a process loads them all, which takes as long as the rows of two of them. */
const SHARED = 5;
const groups = Array.from({ length: Math.ceil(PARSERS.length / SHARED) }, (_, at) =>
  PARSERS.map(({ name }, which) => ({ name, which: String(which) })).slice(at * SHARED, (at + 1) * SHARED),
);
test.each(groups.map((group) => [group.map(({ name }) => name).join(", "), group] as const))(
  "%s: each is bounded",
  (_names, group) => {
    const all = measured(group.map(({ which }) => which));
    const few = group.filter(
      ({ name }) => all.filter((one) => one.name === name).length < Math.floor(UNITS.length / 12),
    );
    expect(few).toEqual([]);
    expect(slowOf(all)).toEqual([]);
  },
  600_000,
);

test.each([
  ["inputs of one kind", "single", SINGLE.length],
  ["images, sites, messages, skills, servers and streams", "outside", OUTSIDE.length],
])(
  "%s are bounded",
  (_name, which, count) => {
    const all = measured([which]);
    expect(all).toHaveLength(count);
    expect(slowOf(all)).toEqual([]);
    expect(all.filter(({ mib }) => mib > MIB_MAX && which === "outside")).toEqual([]);
  },
  600_000,
);

import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findLoops } from "../../../../corpus/loops/definitions.ts";
import { asLines, generateLoops } from "../../../../corpus/loops/generate.ts";
import {
  LOOP_FAMILIES,
  loopTrace,
  OK_FAMILIES,
  type LoopTrace,
} from "../../../../corpus/loops/loop-format.ts";
import { turnsOf } from "../../../../corpus/loops/turns.ts";

const fileOf = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, "../../../../corpus", name), "utf8");
const linesOf = (name: string): unknown[] =>
  fileOf(name)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

const generated = linesOf("loops.jsonl");
const byHand = linesOf("loops-hand.jsonl");
const traces = [...generated, ...byHand].map((line) => loopTrace.parse(line));

/** Contradictions inside a trace; empty if the trace is sound. */
function faultsOf(trace: LoopTrace): string[] {
  const faults: string[] = [];
  const isLoop = trace.label === "loop";
  if (isLoop !== (trace.onset !== undefined && trace.detect_by !== undefined && trace.rules.length > 0))
    faults.push("onset, detect_by and rules belong to a loop, all of them");
  if ((trace.onset ?? 0) > (trace.detect_by ?? 0)) faults.push("detected before it begins");
  if (isLoop !== (LOOP_FAMILIES as readonly string[]).includes(trace.family)) faults.push("family and label");
  if (!trace.id.startsWith(trace.by === "hand" ? `hand-${trace.family}-` : `${trace.family}-`))
    faults.push("an id begins with its family");
  const { turns, compactions } = turnsOf(trace);
  if ((trace.detect_by ?? 0) > turns.length) faults.push("ends before it must be detected");
  for (const { from, to, after } of compactions)
    if (from > to || to > after) faults.push("compacts the future");
  const calls = trace.events.flatMap((event) => (event.t === "reply" ? event.calls : []));
  const results = trace.events.flatMap((event) => (event.t === "result" ? [event.call] : []));
  if (new Set(calls.map((call) => call.id)).size !== calls.length) faults.push("call ids repeat");
  if (
    results.toSorted().join() !==
    calls
      .map((call) => call.id)
      .toSorted()
      .join()
  )
    faults.push("calls and results are not one to one");
  for (const { tool } of calls) if (!Object.hasOwn(trace.tools, tool)) faults.push(`${tool} is not declared`);
  if (trace.events.some((event, n) => event.at < (trace.events[n - 1]?.at ?? 0))) faults.push("time falls");
  return faults;
}

describe("the corpus of loops", () => {
  test("is what its generator writes, byte for byte", () => {
    expect(asLines(generateLoops()) === fileOf("loops.jsonl")).toBe(true);
  });

  test("holds sound traces only, each with its own id", () => {
    expect(traces.flatMap((trace) => faultsOf(trace).map((fault) => `${trace.id}: ${fault}`))).toEqual([]);
    expect(new Set(traces.map((trace) => trace.id)).size).toBe(traces.length);
  });

  test("has the sizes that its measurements need", () => {
    const ok = traces.filter((trace) => trace.label === "ok").length;
    const held = traces.filter((trace) => trace.split === "held").length;
    expect(traces.length).toBeGreaterThanOrEqual(320);
    expect(byHand.length).toBeGreaterThanOrEqual(70);
    expect(traces.filter((trace) => trace.by === "hand").length).toBe(byHand.length);
    expect(ok / traces.length).toBeGreaterThanOrEqual(0.4);
    expect(held / traces.length).toBeGreaterThan(0.27);
    expect(held / traces.length).toBeLessThan(0.36);
    const family = (name: string): number =>
      traces.filter((trace) => trace.family.replace(/\d$/, "") === name).length;
    const loops = new Set(LOOP_FAMILIES.map((name) => name.replace(/\d$/, "")));
    expect([...loops].filter((name) => family(name) < 12)).toEqual([]);
    expect(OK_FAMILIES.filter((name) => family(name) < 15)).toEqual([]);
  });

  test("has no trace twice, but for its name", () => {
    const bodies = traces.map((trace) => JSON.stringify(trace.events.map((event) => ({ ...event, at: 0 }))));
    expect(new Set(bodies).size).toBe(bodies.length);
  });

  test("has honest work that is near to a loop: take away what excuses it, and it is one", () => {
    const excused: Readonly<Record<string, (trace: LoopTrace) => LoopTrace>> = {
      polling: (trace) => {
        const plain = Object.entries(trace.tools).map(([name, { polling: _, ...tool }]) => [name, tool]);
        return { ...trace, tools: Object.fromEntries(plain) as LoopTrace["tools"] };
      },
      paging: (trace) => ({
        ...trace,
        events: trace.events.map((event) =>
          event.t === "result" && event.ok ? { ...event, output: { items: [] } } : event,
        ),
      }),
      after_human: (trace) => ({
        ...trace,
        events: trace.events.filter((event, n) => event.t !== "human" || n === 0),
      }),
    };
    const innocent = Object.entries(excused).map(([family, without]) => {
      const own = traces.filter((trace) => trace.family === family);
      return [family, own.filter((trace) => findLoops(without(trace)).length === 0).length] as const;
    });
    expect(innocent).toEqual([
      ["polling", 0],
      ["paging", 0],
      ["after_human", 0],
    ]);
  });

  test("is labelled as the definitions of the rules say, also where a person wrote it", () => {
    const doubts = traces.flatMap((trace) => {
      const found = findLoops(trace);
      if (trace.label === "ok") return found.length === 0 ? [] : [`${trace.id}: ${JSON.stringify(found)}`];
      const first = found[0];
      const within =
        first !== undefined &&
        found.some((one) => one.rule === trace.rules[0]) &&
        found.every((one) => one.onset >= (trace.onset ?? 0)) &&
        first.complete <= (trace.detect_by ?? 0);
      return within ? [] : [`${trace.id} ${trace.onset}..${trace.detect_by}: ${JSON.stringify(found)}`];
    });
    expect(doubts).toEqual([]);
  });
});

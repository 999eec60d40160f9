import * as z from "zod";
import { definePack, defineTool } from "../../../src/cairn/tools/define.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import type { FakePlatform } from "../platform/platform.ts";
import {
  broken,
  calls,
  look,
  put,
  run,
  saysBy,
  steps,
  withMore,
  type Called,
  type Scenario,
  type Scenarios,
} from "./scenario.ts";

/** A search that finds nothing new, and a page that is written to. */
const more = definePack({
  name: "more",
  prompts: [],
  services: () => ({}),
  tools: [
    defineTool({
      name: "find",
      version: 1,
      title: "Find",
      description: "Searches.",
      input: z.strictObject({ q: z.string() }),
      effect: "read",
      tier: "open",
      shape: { query: "q", ids: "items[].id" },
      run: () => Promise.resolve({ items: [{ id: "one" }] }),
    }),
    defineTool({
      name: "write",
      version: 1,
      title: "Write",
      description: "Writes a page.",
      input: z.strictObject({ page: z.string(), text: z.string() }),
      effect: "keyed",
      tier: "write",
      shape: { target: ["page"], value: ["text"] },
      run: () => Promise.resolve({ ok: true }),
    }),
  ],
});

/** Does it in so many steps, then reports; without tools it says how far it came. */
const does = (count: number, line: (step: number) => Line): FakePlatform =>
  withMore(
    saysBy((step, { tools }) =>
      tools.length === 0 ? { text: "As far as I got." } : step <= count ? line(step) : { text: REPORT },
    ),
    { own: (tools) => void tools.add(more, {}) },
  );

const inLoop =
  (count: number, line: (step: number) => Called | Line): Scenario =>
  () =>
    run(
      does(count, (step) => {
        const said = line(step);
        return Array.isArray(said) ? calls(said) : said;
      }),
      steps(60),
    );

/** back to one that was there before, twice, and no cycle */
const COLOURS = ["red", "blue", "red", "green", "blue"];
const letter = (step: number): string => "abcdefghijklm"[step] ?? "";

/** The ladder. */
export const LADDER: Scenarios = {
  LOOP_HINT: inLoop(3, () => look("a")),
  LOOP_WARN: inLoop(20, () => look("a")),
  LOOP_BLOCK: inLoop(20, () => look("a")),
  STUCK: inLoop(20, () => look("a")),
};

/** Each rule by which a run is seen to go in circles. */
export const LOOPS: Scenarios = {
  "loop.same_result": inLoop(3, () => look("a")),
  "loop.same_error": async () => {
    // The second time it may fail again, since something was changed between.
    const platform = does(4, (step) => calls(step % 2 === 1 ? look("gone") : put(`p${step}`)));
    platform.effects.broken.set("look", broken("conflict"));
    return run(platform, steps(60));
  },
  // By two tools: one alone rests after its third failure.
  "loop.error_streak": () => {
    const platform = does(4, (step) => calls(step % 2 ? look(`p${step}`) : ["list", { page: step }]));
    for (const tool of ["look", "list"]) platform.effects.broken.set(tool, broken("not_found"));
    return run(platform, steps(60));
  },
  "loop.cycle": inLoop(4, (step) => look(step % 2 ? "a" : "b")),
  "loop.monologue": inLoop(4, () => ({ text: "" })),
  "loop.same_thought": inLoop(6, (step) =>
    step % 2
      ? { text: "Certainly something wonderful happens.", calls: [["nowhere", { step }]] }
      : look(`p${step}`),
  ),
  "loop.near_query": inLoop(4, (step) => [
    "find",
    { q: `mountain huts open weather ${"again ".repeat(step)}`.trim() },
  ]),
  "loop.drift": inLoop(5, (step) => ["list", { page: step }]),
  "loop.thrash": inLoop(5, (step) => ["write", { page: "home", text: COLOURS[step - 1] ?? "" }]),
  "loop.block_echo": () =>
    run(
      saysBy((step) => (step <= 5 ? calls(put("a")) : { text: REPORT })),
      { role: "guest" },
    ),
  "loop.after_compaction": inLoop(17, (step) => look(step === 3 || step >= 16 ? "x" : `p${step}`)),
  "loop.bookkeeping": inLoop(7, (step) => ["retrieve_memory", { query: `word ${"x".repeat(step)}` }]),
  "loop.no_progress": inLoop(9, (step) => ["bulk", { name: letter(step) }]),
};

import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { BUILTIN_TOOLS, isReserved, toolNamed } from "../../../src/cairn/core/log/names.ts";
import type { CallOrder } from "../../../src/cairn/core/log/tool.ts";
import { traceLines } from "../../../src/cairn/core/trace.ts";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import { logError, setLogLevel } from "../../../src/cairn/operator-log.ts";
import { ShownProgress } from "../../../src/cairn/session/engine/progress.ts";
import { builtinPack } from "../../../src/cairn/tools/builtin/pack.ts";
import { definePack, defineTool, ToolError } from "../../../src/cairn/tools/define.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { ROOT } from "../../house/source-tree.ts";
import { platformWith } from "../../sim/platform/platform.ts";

/** Progress reports of running tools: to the trace, to the operator's tail, and to every watcher. */

const SECRET = "sentinel-0123456789";
const late: (() => void)[] = [];
const crawl = defineTool<null, z.ZodType, { readonly pages: number }>({
  name: "crawl",
  description: "Crawls.",
  input: z.strictObject({ fails: z.boolean().default(false), lines: z.int().default(2) }),
  effect: "read",
  tier: "open",
  run: async (input, { log, progress }) => {
    const { fails, lines } = z.object({ fails: z.boolean(), lines: z.int() }).parse(input);
    for (let line = 1; line <= lines; line++) log(`page ${line} of ${SECRET}`);
    progress("half of it", 49.6);
    progress(`all of ${SECRET}`, 1000);
    late.push(() => (log("too late"), progress("too late")));
    if (fails) throw new ToolError("not_found", "gone", "It is gone.");
    return { pages: lines };
  },
});
const pack = definePack<unknown, null>({
  name: "crawling",
  tools: [crawl],
  prompts: [],
  services: () => null,
});
const named = (name: string) =>
  definePack<unknown, null>({
    name: "own",
    tools: [{ definition: { ...crawl.definition, name } }],
    prompts: [],
    services: () => null,
  });
const order = (input: { readonly fails?: boolean; readonly lines?: number }): CallOrder => ({
  call: "r1s1c0",
  tool: "crawl",
  input: { fails: false, lines: 2, ...input },
  key: "s/r1s1c0",
  run: "r1",
  subject: "ada",
  attempt: 1,
  at: 0,
  approved: null,
});
const registry = (): Registry =>
  new Registry("s", () => 0, createRedactor([{ name: "KEY", value: SECRET }])).add(pack, {});

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  late.length = 0;
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  setLogLevel("error");
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("context.log", () => {
  test("keeps the first twenty lines of a call, each cut, and none with a secret", async () => {
    const long = await registry().run(order({ lines: 30 }), new AbortController().signal);
    expect(long.logs).toHaveLength(20);
    expect(long.logs?.[0]).toBe("page 1 of [secret:KEY]");
    const failed = await registry().run(order({ fails: true, lines: 1 }), new AbortController().signal);
    expect(failed).toMatchObject({ kind: "failed", logs: ["page 1 of [secret:KEY]"] });
    const silent = await registry().run(order({ lines: 0 }), new AbortController().signal);
    expect(silent).not.toHaveProperty("logs");
  });

  test("is one line of JSON in the tail at the level info, and nothing below it", async () => {
    await registry().run(order({ lines: 1 }), new AbortController().signal);
    expect(lines).toEqual([]);
    setLogLevel("info");
    await registry().run(order({ lines: 1 }), new AbortController().signal);
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        level: "info",
        event: "tool_log",
        session: "s",
        run: "r1",
        call: "r1s1c0",
        tool: "crawl",
        attempt: 1,
        text: "page 1 of [secret:KEY]",
      },
    ]);
  });

  test("stands with the result in the log and in the trace, once, and not in the prompt", async () => {
    const session = platformWith(pack, {}, [{ calls: [["crawl", {}]] }, { text: "Two pages." }]);
    session.protect([{ name: "KEY", value: SECRET }]);
    session.say("Crawl.");
    await session.settle();
    const logs = session.log.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body.logs] : []));
    expect(logs).toEqual([["page 1 of [secret:KEY]", "page 2 of [secret:KEY]"]]);
    const trace = traceLines("s", session.log).join("\n");
    expect(trace).toContain('"logs":["page 1 of [secret:KEY]","page 2 of [secret:KEY]"]');
    expect(JSON.stringify(session.requests)).not.toContain("page 1 of");
  });
});

describe("context.progress", () => {
  test("is told in whole percent, without secrets, and not after the end", async () => {
    const told: unknown[] = [];
    const ran = await registry().run(order({}), new AbortController().signal, (each) => told.push(each));
    for (const speak of late) speak();
    expect(told).toEqual([
      { text: "half of it", percent: 50 },
      { text: "all of [secret:KEY]", percent: 100 },
    ]);
    expect(ran.logs).toHaveLength(2);
  });

  test("is shown at once, then at most four times a second, the last one always, and then no more", () => {
    vi.useFakeTimers({ now: 0 });
    const shown: [number, string | null][] = [];
    const progress = new ShownProgress((told) => shown.push([Date.now(), told?.text ?? null]), Date.now);
    for (let tick = 0; tick < 100; tick++) {
      progress.push({ call: "r1s1c0", text: `${tick}`, percent: tick });
      vi.advanceTimersByTime(10);
    }
    expect(shown.slice(0, 3)).toEqual([
      [0, "0"],
      [250, "24"],
      [500, "49"],
    ]);
    vi.advanceTimersByTime(250);
    expect(shown.at(-1)?.[1]).toBe("99");
    expect(shown.length).toBeLessThanOrEqual(6);
    vi.advanceTimersByTime(250);
    for (const text of ["soon", "never"]) progress.push({ call: "r1s1c0", text, percent: null });
    progress.end();
    vi.advanceTimersByTime(1_000);
    expect(shown.at(-1)?.[1]).toBeNull();
    expect(shown.map(([, text]) => text)).not.toContain("never");
  });

  test("shows nothing, not even an end, for a tool that says nothing", () => {
    const shown: unknown[] = [];
    new ShownProgress(
      (told) => shown.push(told),
      () => 0,
    ).end();
    expect(shown).toEqual([]);
  });
});

describe("the tail", () => {
  test("has one line for each step that ended, with its tools and tokens", async () => {
    setLogLevel("info");
    const session = platformWith(pack, {}, [
      {
        calls: [
          ["crawl", { lines: 0 }],
          ["crawl", { lines: 1 }],
        ],
      },
      { text: "Two crawls, one page." },
    ]);
    session.say("Crawl twice.");
    await session.settle();
    const steps = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event }) => event === "step");
    expect(steps.map(({ event, run, step, tools }) => ({ event, run, step, tools }))).toEqual([
      {
        event: "step",
        run: "r1",
        step: "r1s1",
        tools: [
          { tool: "crawl", status: "ok", ms: expect.any(Number) },
          { tool: "crawl", status: "ok", ms: expect.any(Number) },
        ],
      },
      { event: "step", run: "r1", step: "r1s2", tools: [] },
    ]);
    for (const key of ["inputTokens", "outputTokens", "ms", "modelMs"])
      expect(steps.map((step) => typeof step[key])).toEqual(["number", "number"]);
  });

  test("has the lines that the documentation shows", async () => {
    setLogLevel("info");
    const session = platformWith(pack, {}, [{ calls: [["crawl", { lines: 1 }]] }, { text: "One page." }]);
    session.say("Crawl.");
    await session.settle();
    const keysOf = (line: string): string[] => Object.keys(JSON.parse(line) as object);
    const page = readFileSync(path.join(ROOT, "docs/deploy.md"), "utf8");
    const shown = page
      .split("\n")
      .filter((line) => line.startsWith('{"level"') || line.startsWith('{ "level"'));
    expect(shown.map(keysOf)).toEqual([keysOf(lines[1] ?? ""), keysOf(lines[0] ?? "")]);
  });

  test("has complaints unless it is off", () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    logError("one failed", "why");
    expect(said.mock.calls).toEqual([["cairn: one failed", "why"]]);
    setLogLevel("off");
    logError("another failed");
    expect(said.mock.calls).toHaveLength(1);
  });
});

describe("log_progress", () => {
  const script = [
    { calls: [["log_progress", { message: "Halfway", percent: 50 }]] },
    { text: "Done with it." },
  ] as const;

  test("is an entry and a result, without an intent, and no work", async () => {
    const session = platformWith(pack, {}, script.map((line) => ({ ...line })) as never);
    session.say("Do it.");
    await session.settle();
    expect(session.kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "progress_noted",
      "call_settled",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    const noted = session.log.flatMap((entry) => (entry.kind === "progress_noted" ? [entry.body] : []));
    expect(noted).toEqual([{ call: "r1s1c0", text: "Halfway", percent: 50 }]);
    const traits = builtinPack.tools.find((tool) => tool.definition.name === "log_progress")?.definition.kind;
    expect(traits).toBe("bookkeeping");
  });
});

describe("names of built-in tools", () => {
  test("are those of the pack", () => {
    expect(builtinPack.tools.map((tool) => tool.definition.name).toSorted()).toEqual(
      [...BUILTIN_TOOLS].toSorted(),
    );
  });

  test("stand for no tool of a pack, and neither do their aliases", () => {
    for (const name of [...BUILTIN_TOOLS, "pause_for_human", "__complete__", "__own"])
      expect(() => new Registry("s", () => 0).add(named(name), {})).toThrow(
        `tool ${name} of the pack own: this name is that of a built-in tool`,
      );
    expect(isReserved("crawl")).toBe(false);
    expect(isReserved("constructor")).toBe(false);
  });

  test("have aliases: one everywhere, those with underscores in JSON alone", () => {
    expect(toolNamed("pause_for_human")).toBe("ask_human");
    expect(toolNamed("__complete__")).toBe("__complete__");
    expect(toolNamed("__complete__", "json")).toBe("complete");
    expect(toolNamed("constructor", "json")).toBe("constructor");
  });

  test("pause_for_human asks the person, as ask_human", async () => {
    const session = platformWith(pack, {}, [{ calls: [["pause_for_human", { question: "Which page?" }]] }]);
    session.say("Publish it.");
    await session.settle();
    const asked = session.log.flatMap((entry) => (entry.kind === "human_asked" ? [entry.body.text] : []));
    expect(asked).toEqual(["Which page?"]);
    const calls = session.log.flatMap((entry) => (entry.kind === "model_replied" ? entry.body.calls : []));
    expect(calls.map(({ tool }) => tool)).toEqual(["ask_human"]);
    expect(session.requests[0]?.tools.map(({ name }) => name)).not.toContain("pause_for_human");
  });
});

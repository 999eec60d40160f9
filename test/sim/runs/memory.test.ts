import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { FACT_BYTES_MAX } from "../../../src/cairn/core/limits.ts";
import type { ModelRequest } from "../../../src/cairn/core/log/model.ts";
import { receiveClear } from "../../../src/cairn/core/loop/receive.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { explore } from "../explore.ts";
import { byStep } from "../platform/fake-model.ts";
import { say } from "../scripts/scripts.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

const store = (key: string, value: string): [string, Json] => ["store_memory", { key, value }];
const recall = (asked: { readonly key?: string; readonly query?: string }): [string, Json] => [
  "retrieve_memory",
  asked,
];

/** The results of a run's calls, by name, as the model reads them. */
function results(platform: FakePlatform): [string, string, Json][] {
  return platform.log.flatMap((entry): [string, string, Json][] =>
    entry.kind === "call_settled"
      ? [[entry.body.call, entry.body.status, JSON.parse(entry.body.observation) as Json]]
      : [],
  );
}

/** The block that stands last in a prompt. */
function lastBlock(request: ModelRequest | undefined): string {
  const part = request?.messages.at(-1);
  if (part?.role !== "user") return "";
  return part.parts.map((one) => (one.type === "text" ? one.text : "")).join("");
}

describe("a call that only concerns memory", () => {
  test("is settled with the reply, without an intent and without a wake of its own", async () => {
    const platform = new FakePlatform([
      { calls: [store("tone", "warm")] },
      { text: "From now on I write warmly." },
    ]);
    platform.say("write warmly");
    await platform.settle();
    expect(platform.kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "call_settled",
      "memory_changed",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(platform.wakes).toBe(2);
    expect(platform.folded).toEqual(platform.state);
  });

  test("keeps its place among the other calls of the reply", async () => {
    const platform = new FakePlatform([
      {
        calls: [
          ["look", { name: "a" }],
          recall({ key: "tone" }),
          store("tone", "warm"),
          recall({ query: "tone" }),
          ["look", { name: "b" }],
          ["put", { name: "c" }],
        ],
      },
      { text: "Done." },
    ]);
    platform.say("go");
    await platform.settle();
    expect(results(platform)).toEqual([
      ["r1s1c0", "ok", { ok: true, name: "a" }],
      ["r1s1c1", "ok", { ok: true, found: false, key: "tone", near: [] }],
      ["r1s1c2", "ok", { ok: true, key: "tone", replaced: false, keys: 1 }],
      ["r1s1c3", "ok", { ok: true, found: true, items: [{ key: "tone", value: "warm" }], total: 1 }],
      ["r1s1c4", "ok", { ok: true, name: "b" }],
      ["r1s1c5", "ok", { ok: true, put: "c" }],
    ]);
    expect(
      platform.log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.call] : [])),
    ).toEqual(["r1s1c0", "r1s1c4", "r1s1c5"]);
  });

  test("does not keep what follows a change of the same reply that failed", async () => {
    const platform = new FakePlatform([
      { calls: [["put", { name: "a" }], store("made", "page a")] },
      { text: "It failed." },
    ]);
    platform.effects.failures.set("put", [new ToolError("conflict", "slug_taken", "taken")]);
    platform.say("go");
    await platform.settle();
    expect(results(platform).map(([call, status]) => [call, status])).toEqual([
      ["r1s1c0", "error"],
      ["r1s1c1", "refused"],
    ]);
    expect(platform.state.memory.facts).toEqual([]);
  });

  test("is refused with what does not fit before anything is written", async () => {
    const platform = new FakePlatform([
      {
        calls: [
          store("big", "x".repeat(FACT_BYTES_MAX + 1)),
          store("bytes", "ü".repeat(FACT_BYTES_MAX / 2 + 1)),
          store("  ", "blank"),
          store("fits", "ü".repeat(FACT_BYTES_MAX / 2)),
        ],
      },
      { text: "Done." },
    ]);
    platform.say("go");
    await platform.settle();
    expect(results(platform).map(([call, status]) => [call, status])).toEqual([
      ["r1s1c0", "refused"],
      ["r1s1c1", "refused"],
      ["r1s1c2", "refused"],
      ["r1s1c3", "ok"],
    ]);
    expect(platform.state.memory.facts.map((fact) => fact.key)).toEqual(["fits"]);
  });
});

describe("what was stored", () => {
  const twoRuns = (): FakePlatform =>
    new FakePlatform((request) => {
      const lines: Readonly<Record<string, Line>> = {
        r1s1: { calls: [store("tone", "warm, never loud")] },
        r2s1: { calls: [recall({ key: "tone" })] },
      };
      return lines[request.step] ?? { text: "Done." };
    });

  test("is in the next prompts, last, and in the runs that follow, on another isolate too", async () => {
    const platform = twoRuns();
    platform.say("write warmly");
    await platform.settle();
    expect(lastBlock(platform.requests[0])).not.toContain("warm");
    expect(lastBlock(platform.requests[1])).toMatch(
      /^<cairn-situation>\n[\s\S]*\nmemory:\n- nothing yet\nremembered [^\n]*:\n- "tone": "warm, never loud"\nbudget: [^\n]*\n<\/cairn-situation>$/,
    );
    platform.restart();
    platform.say("which tone?");
    await platform.settle();
    expect(lastBlock(platform.requests[2])).toContain('- "tone": "warm, never loud"');
    expect(results(platform).at(-1)).toEqual([
      "r2s1c0",
      "ok",
      { ok: true, found: true, key: "tone", value: "warm, never loud" },
    ]);
  });

  test("stands in its entry alone: the snapshot knows the key and the place", async () => {
    const platform = twoRuns();
    platform.say("write warmly");
    await platform.settle();
    expect(platform.state.memory.facts).toEqual([{ key: "tone", seq: 7 }]);
    expect(JSON.stringify(platform.state)).not.toContain("never loud");
    expect(platform.log[6]).toMatchObject({
      kind: "memory_changed",
      body: {
        call: "r1s1c0",
        tool: "store_memory",
        changes: [],
        facts: [{ op: "store", key: "tone", value: "warm, never loud" }],
      },
    });
  });

  test("is gone after the session was cleared, and its entry stays", async () => {
    const platform = twoRuns();
    platform.say("write warmly");
    await platform.settle();
    platform.engine.record((tx) => tx.append(receiveClear(tx.state, { id: "c1", actor: "ada" })));
    platform.say("which tone?");
    await platform.settle();
    expect(results(platform).at(-1)).toEqual([
      "r2s1c0",
      "ok",
      { ok: true, found: false, key: "tone", near: [] },
    ]);
    expect(platform.log[6]?.kind).toBe("memory_changed");
  });

  describe("survives", () => {
    // A dying isolate complains on its way out.
    beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
    afterEach(() => vi.restoreAllMocks());

    test("a crash at any crossing, and no schedule stores it twice or loses it", async () => {
      const lines: readonly Line[] = [
        {
          calls: [
            ["look", { name: "a" }],
            store("tone", "warm"),
            ["put", { name: "b" }],
            store("tone", "cool"),
          ],
        },
        { calls: [recall({ key: "tone" }), store("tone", "")] },
        { text: "Done." },
      ];
      const { faults, schedules } = await explore(
        { name: "memory", platform: () => new FakePlatform(byStep(...lines)), deeds: [say("m1")] },
        {
          most: 1,
          inspect: (platform) => {
            const stored = platform.log.flatMap((entry) =>
              entry.kind === "memory_changed" ? (entry.body.facts ?? []) : [],
            );
            expect(stored.map((change) => (change.op === "store" ? change.value : change.op))).toEqual([
              "warm",
              "cool",
              "forget",
            ]);
            const recalled = results(platform).find(([call]) => call === "r1s2c0");
            expect(recalled?.[2]).toMatchObject({ found: true, value: "cool" });
          },
        },
      );
      expect(faults).toEqual([]);
      expect(schedules).toBeGreaterThan(20);
    });
  });
});

describe("what the tools touched", () => {
  test("is shown anew at every step, each result with its own focus, in the order of the calls", async () => {
    const platform = new FakePlatform([
      {
        calls: [
          ["look", { name: "a" }],
          ["look", { name: "b" }],
        ],
      },
      { calls: [["look", { name: "a" }]] },
      { text: "Done." },
    ]);
    platform.say("look");
    await platform.settle();
    const memoryOf = (at: number): string[] =>
      lastBlock(platform.requests[at])
        .split("\n")
        .filter((line) => line.startsWith("- "));
    expect(memoryOf(0)).toEqual(["- nothing yet"]);
    expect(memoryOf(1)).toEqual(['- page b "b" focus', '- page a "a"']);
    expect(memoryOf(2)).toEqual(['- page a "a" focus', '- page b "b"']);
    expect(platform.state.memory.entities.map(({ id, tool, step }) => [id, tool, step])).toEqual([
      ["a", "look", "r1s2"],
      ["b", "look", "r1s1"],
    ]);
  });
});

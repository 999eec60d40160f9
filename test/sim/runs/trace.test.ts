import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import { findBrokenLine, traceLines, traceRun } from "../../../src/cairn/core/trace.ts";
import { FakePlatform } from "../platform/platform.ts";

async function worked(): Promise<FakePlatform> {
  const platform = new FakePlatform([
    {
      thought: "I look first.",
      calls: [
        ["look", { name: "a" }],
        ["look", { name: "b" }],
      ],
    },
    { text: "Now I publish.", calls: [["publish", { name: "a" }]] },
    { text: "All done." },
  ]);
  platform.say("go");
  await platform.settle();
  platform.decide("approve", "fine");
  await platform.settle();
  return platform;
}

describe("the trace", () => {
  test("tells what was said against an answer, and what fired before the first step", async () => {
    const platform = new FakePlatform([{ text: "I have published the page." }]);
    platform.say("Publish the page.", { limits: { steps: 2 } });
    await platform.settle();
    const records = traceRun("ses", platform.log);
    const guards = records.flatMap((record) => record["guards"] as { code: string }[]);
    const fired = platform.log.flatMap((entry) => (entry.kind === "verdict" ? [entry.body.code] : []));
    expect(fired).toContain("LAST_STEP");
    expect(guards.map(({ code }) => code).toSorted()).toEqual(fired.toSorted());
    const codes = records.flatMap((record) => (record["verdict"] as { codes: string[] } | null)?.codes ?? []);
    expect(codes).toContain("CLAIM_UNBACKED");
  });

  test("has one record per step, with what was thought, done, seen, decided and spent", async () => {
    const records = traceRun("ses", (await worked()).log);
    expect(records).toHaveLength(3);
    expect(records[0]).toMatchObject({
      iteration: 1,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      thought: "I look first.",
      action: "look",
      action_input: { name: "a" },
      observation: '{"ok":true,"name":"a"}',
      success: true,
      run: "ses.r1",
      step: "r1s1",
      purpose: "step",
      model: "scripted",
      attempts: 1,
      tokens: { input: 100, output: 10, estimated: false },
      latency_ms: 5,
      prompt_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      prompt_chars: expect.any(Number),
    });
    expect(records[0]?.["calls"]).toHaveLength(2);
    expect(records[1]).toMatchObject({
      thought: "Now I publish.",
      calls: [
        {
          tool: "publish",
          class: "keyed",
          status: "ok",
          approval: { decision: "approve", actor: "ada", via: "http", reason: "fine" },
        },
      ],
    });
    expect(records[2]).toMatchObject({
      action: null,
      text: "All done.",
      calls: [],
      verdict: { accept: true },
    });
    expect(new Set(records.map((record) => record["prompt_digest"])).size).toBe(3);
  });

  test("tells of lost attempts, failures and refusals", async () => {
    const platform = new FakePlatform([
      { fail: { class: "rate_limit", message: "slow down", retryAfterMs: 2_000, usage: null } },
      { calls: [["nope", {}]] },
      { text: "Done." },
    ]);
    platform.say("go");
    await platform.settle();
    const [first] = traceRun("ses", platform.log);
    expect(first).toMatchObject({
      attempts: 2,
      success: false,
      retries: [{ class: "rate_limit", message: "slow down", then: "retry" }],
      calls: [{ tool: "nope", status: "refused", error: { code: "unknown_tool" } }],
    });
  });

  test("exports as lines with a seal that one changed byte breaks", async () => {
    const lines = traceLines("ses", (await worked()).log);
    expect(lines.map((line) => (JSON.parse(line) as { line: string }).line)).toEqual([
      "run",
      "step",
      "step",
      "step",
      "end",
    ]);
    expect(findBrokenLine(lines)).toBeNull();
    expect(findBrokenLine(lines.map((line) => line.replace("All done.", "All gone.")))).not.toBeNull();
    expect(findBrokenLine([lines[0] ?? "", ...lines.slice(2)])).not.toBeNull();
  });

  test("never shows what fields named like secrets hold", async () => {
    const platform = new FakePlatform([
      { calls: [["look", { name: "a", password: "hunter2" }]] },
      { text: "Done." },
    ]);
    platform.say("go");
    await platform.settle();
    expect(JSON.stringify(traceRun("ses", platform.log))).not.toContain("hunter2");
  });
});

describe("a secret", () => {
  const sentinel = "c4n4ry+/with=odd chars?&";
  const bytes = new TextEncoder().encode(sentinel);
  const base64 = btoa(String.fromCharCode(...bytes));

  test("in arguments, results, errors, thoughts, text and words of the person is in no row, prompt, draft or frame", async () => {
    const platform = new FakePlatform([
      { thought: `I know ${sentinel}`, text: `It is ${sentinel}.`, calls: [["look", { name: sentinel }]] },
      { calls: [["bulk", { name: "x" }]] },
      { text: `The key is ${encodeURIComponent(sentinel)} or ${base64}.` },
    ]);
    platform.secrets = [{ name: "API_KEY", value: sentinel }];
    platform.restart();
    platform.effects.bulk = JSON.stringify({ long: `${sentinel} `.repeat(2_000), encoded: base64 });
    platform.say(`my key is ${sentinel}, remember it`);
    await platform.settle();
    const tables = ["entries", "cursor", "snapshot", "blobs", "chunks", "seen", "meta"];
    const disk = tables.flatMap((table) =>
      platform.disk.exec(`SELECT * FROM ${table}`).map((entry) => JSON.stringify(entry)),
    );
    const everywhere = [
      ...disk,
      JSON.stringify(platform.requests),
      JSON.stringify(platform.drafts),
      JSON.stringify(platform.published),
    ].join("\n");
    for (const form of [
      sentinel,
      base64,
      base64.replace(/=+$/, ""),
      encodeURIComponent(sentinel),
      JSON.stringify(sentinel).slice(1, -1),
    ]) {
      expect(everywhere.includes(form), form).toBe(false);
    }
    expect(everywhere).toContain("[secret:API_KEY]");
    expect(platform.folded).toEqual(platform.state);
  });

  test("is known by its form, and ordinary words are left as they are", () => {
    const redact = createRedactor([{ name: "SHORT", value: "abc" }]);
    const jwt =
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    for (const key of [
      jwt,
      "sk-proj-abcdefghijklmnop1234",
      "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
      "AKIAIOSFODNN7EXAMPLE",
      "Bearer abcdefghijklmnopqrstuvwxyz",
    ]) {
      expect(redact(`the key ${key} is here`)).toBe("the key [redacted] is here");
    }
    const words = {
      text: "The bearer of this letter, abc, has a sketch and a token of thanks.",
      n: 42,
      list: [true, null],
    };
    expect(redact(words)).toBe(words);
  });
});

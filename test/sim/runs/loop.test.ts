import { describe, expect, test, vi } from "vitest";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { FakePlatform } from "../platform/platform.ts";

const outcome = (platform: FakePlatform): unknown => {
  const last = platform.log.findLast((entry) => entry.kind === "run_ended");
  return last?.kind === "run_ended" ? [last.body.outcome, last.body.reason] : null;
};
const answer = (platform: FakePlatform): string | null => {
  const last = platform.log.findLast((entry) => entry.kind === "answer");
  return last?.kind === "answer" ? last.body.text : null;
};

describe("a run", () => {
  test("of one plain answer is one wake and eight entries", async () => {
    const platform = new FakePlatform([{ text: "Hello." }]);
    platform.say("hi");
    await platform.settle();
    expect(platform.kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(platform.wakes).toBe(1);
    expect(answer(platform)).toBe("Hello.");
    expect(outcome(platform)).toEqual(["completed", null]);
    expect(platform.disk.alarm).toBeNull();
    expect(platform.folded).toEqual(platform.state);
  });

  test("of a read and two changes is one wake per step, each call intended before it runs", async () => {
    const platform = new FakePlatform([
      { thought: "look", calls: [["look", { name: "a" }]] },
      {
        calls: [
          ["put", { name: "b" }],
          ["send", { name: "c" }],
        ],
      },
      { text: "Done." },
    ]);
    platform.say("do it");
    await platform.settle();
    expect(platform.kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "call_intended",
      "call_settled",
      "step_started",
      "model_replied",
      "call_intended",
      "call_settled",
      "call_intended",
      "call_settled",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(platform.wakes).toBe(3);
    expect(platform.effects).toMatchObject({ reads: 1, once: ["r1s2c1"] });
    expect([...platform.effects.keyed]).toEqual([["ses/r1s2c0", 1]]);
    expect(platform.published).toEqual(platform.log);
    expect(platform.folded).toEqual(platform.state);
    expect(platform.requests[1]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });

  test("waits for a person without an alarm before its expiry, then acts on exactly what was shown", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "about" }]] }, { text: "Published." }]);
    platform.say("publish about");
    await platform.settle();
    expect(platform.kinds.slice(-2)).toEqual(["model_replied", "approval_requested"]);
    expect(platform.disk.alarm).toBeGreaterThan(platform.now + 23 * 3_600_000);
    expect(platform.effects.keyed.size).toBe(0);
    platform.restart();
    expect(platform.decide("approve").ok).toBe(true);
    expect(platform.decide("deny")).toMatchObject({ ok: false, code: "already_decided" });
    expect(platform.effects.keyed.size).toBe(0);
    await platform.settle();
    expect(platform.kinds.slice(5)).toEqual([
      "approval_requested",
      "approval_decided",
      "call_intended",
      "call_settled",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect([...platform.effects.keyed.values()]).toEqual([1]);
  });

  test("that is denied goes on with the reason and without the effect", async () => {
    const platform = new FakePlatform([
      { calls: [["publish", { name: "about" }]] },
      { text: "Not published." },
    ]);
    platform.say("publish about");
    await platform.settle();
    platform.decide("deny", "too early");
    await platform.settle();
    expect(platform.effects.keyed.size).toBe(0);
    const settled = platform.log.find((entry) => entry.kind === "call_settled");
    expect(settled?.kind === "call_settled" && settled.body.status).toBe("denied");
    expect(settled?.kind === "call_settled" && settled.body.observation).toContain("too early");
    expect(outcome(platform)).toEqual(["completed", null]);
  });

  test("goes on as if denied when nobody decides in a day", async () => {
    const platform = new FakePlatform([
      { calls: [["publish", { name: "about" }]] },
      { text: "Nobody came." },
    ]);
    platform.say("publish about");
    await platform.settle();
    await platform.settle(25 * 3_600_000);
    expect(platform.kinds).toContain("approval_decided");
    expect(platform.effects.keyed.size).toBe(0);
    expect(outcome(platform)).toEqual(["completed", null]);
  });

  test("keeps its last step for an answer without tools", async () => {
    const platform = new FakePlatform((request) =>
      request.tools.length === 0
        ? { text: "This far I came." }
        : { calls: [["look", { name: `p${platform.requests.length}` }]] },
    );
    platform.say("look for ever");
    await platform.settle();
    expect(platform.requests.length).toBe(15);
    expect(answer(platform)).toBe("This far I came.");
    expect(outcome(platform)).toEqual(["completed_partial", "budget:steps"]);
    expect(platform.folded).toEqual(platform.state);
  });

  test("ends honestly when the forced answer is empty twice", async () => {
    const platform = new FakePlatform((request) =>
      request.tools.length === 0 ? {} : { calls: [["look", { name: request.step }]] },
    );
    platform.say("look for ever");
    await platform.settle();
    expect(outcome(platform)).toEqual(["completed_partial", "budget:steps"]);
    expect(answer(platform)).toContain("ended without an answer of the model, because it hit the step limit");
  });

  test("shows the text after FINAL_ANSWER and not the marker", async () => {
    const platform = new FakePlatform([{ text: "Thinking aloud.\nFINAL_ANSWER: It is done." }]);
    platform.say("go");
    await platform.settle();
    expect(answer(platform)).toBe("It is done.");
    expect(platform.drafts.map((piece) => piece.text).join("")).toBe("Thinking aloud.\nIt is done.");
  });

  test("ends with the answer that complete carries", async () => {
    const platform = new FakePlatform([{ calls: [["complete", { answer: "All good.", confidence: 0.9 }]] }]);
    platform.say("go");
    await platform.settle();
    expect(answer(platform)).toBe("All good.");
    expect(platform.kinds.slice(4)).toEqual([
      "model_replied",
      "call_settled",
      "review",
      "answer",
      "run_ended",
    ]);
  });

  test("is told of unknown tools and unfit arguments and goes on", async () => {
    const platform = new FakePlatform([
      {
        calls: [
          ["lok", { name: "a" }],
          ["look", { nme: "a" }],
        ],
      },
      { text: "I see." },
    ]);
    platform.say("go");
    await platform.settle();
    const failures = platform.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [entry.body.failure?.code] : [],
    );
    expect(failures).toEqual(["unknown_tool", "invalid_input"]);
    expect(outcome(platform)).toEqual(["completed", null]);
  });

  test("forces the answer after three unusable replies", async () => {
    const platform = new FakePlatform((request) => (request.tools.length === 0 ? { text: "Sorry." } : {}));
    platform.say("go");
    await platform.settle();
    expect(platform.requests.length).toBe(4);
    expect(outcome(platform)).toEqual(["completed_partial", "invalid_output"]);
  });

  test("runs two equal calls of one reply once and gives both the result", async () => {
    const platform = new FakePlatform([
      {
        calls: [
          ["look", { name: "a" }],
          ["look", { name: "a" }],
        ],
      },
      { text: "Done." },
    ]);
    platform.say("go");
    await platform.settle();
    expect(platform.effects.reads).toBe(1);
    const reused = platform.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [entry.body.reusedFrom] : [],
    );
    expect(reused).toEqual([null, "r1s1c0"]);
  });
});

describe("a provider", () => {
  const failure = (errorClass: "rate_limit" | "auth", retryAfterMs: number | null = null) =>
    ({ fail: { class: errorClass, message: "no", retryAfterMs, usage: null } }) as const;

  test("that asks for two minutes gets them by alarm, under the same step", async () => {
    const platform = new FakePlatform([failure("rate_limit", 120_000), { text: "Hello." }]);
    platform.say("hi");
    await platform.settle(1_000);
    expect(platform.disk.alarm).toBeGreaterThanOrEqual(platform.now + 119_000);
    await platform.settle(200_000);
    expect(platform.kinds.filter((kind) => kind === "step_started")).toHaveLength(1);
    expect(platform.requests.map((request) => [request.step, request.attempt])).toEqual([
      ["r1s1", 1],
      ["r1s1", 2],
    ]);
    expect(outcome(platform)).toEqual(["completed", null]);
  });

  test("that refuses the key ends the run with words, or hands over to the fallback", async () => {
    const alone = new FakePlatform([failure("auth")]);
    alone.say("hi");
    await alone.settle();
    expect(outcome(alone)).toEqual(["failed_auth", "provider:auth"]);
    expect(answer(alone)).toContain("model");
    const with2 = new FakePlatform([failure("auth"), { text: "I am the second." }]);
    with2.say("hi", { fallbacks: ["rehearsal:"] });
    await with2.settle();
    expect(answer(with2)).toBe("I am the second.");
  });

  test("that is gone for good ends after six tries", async () => {
    const platform = new FakePlatform(() => failure("rate_limit"));
    platform.say("hi");
    await platform.settle(100_000);
    expect(platform.requests.length).toBe(6);
    expect(outcome(platform)).toEqual(["failed_provider", "provider:rate_limit"]);
  });
});

describe("a tool", () => {
  test("that fails in passing is tried again under the same key", async () => {
    const platform = new FakePlatform([{ calls: [["put", { name: "a" }]] }, { text: "Done." }]);
    platform.effects.failures.set("put", [new ToolError("server", "unavailable", "try later")]);
    platform.say("go");
    await platform.settle();
    const keys = platform.log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.key] : []));
    expect(keys).toEqual(["ses/r1s1c0", "ses/r1s1c0"]);
    expect(outcome(platform)).toEqual(["completed", null]);
  });

  test("that fails for good is told to the model, and later changes of the reply do not run", async () => {
    const platform = new FakePlatform([
      {
        calls: [
          ["put", { name: "a" }],
          ["send", { name: "b" }],
        ],
      },
      { text: "It failed." },
    ]);
    platform.effects.failures.set("put", [new ToolError("conflict", "slug_taken", "taken")]);
    platform.say("go");
    await platform.settle();
    const settled = platform.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [entry.body.failure?.code] : [],
    );
    expect(settled).toEqual(["slug_taken", "batch_stopped"]);
    expect(platform.effects.once).toEqual([]);
  });
});

describe("a stop", () => {
  test("in a model call keeps the partial text and begins nothing", async () => {
    const platform = new FakePlatform([{ text: "I was going to", calls: [["send", { name: "a" }]] }]);
    platform.onModel = () => void platform.cancel("enough");
    platform.say("go");
    await platform.settle();
    expect(platform.kinds.slice(4)).toEqual(["command_queued", "model_replied", "answer", "run_ended"]);
    expect(outcome(platform)).toEqual(["cancelled", "enough"]);
    expect(platform.effects.once).toEqual([]);
  });

  test("while an approval waits cancels it", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }]);
    platform.say("go");
    await platform.settle();
    expect(platform.cancel()).toEqual(["r1"]);
    expect(platform.cancel()).toEqual([]);
    await platform.settle();
    expect(platform.kinds.slice(5)).toEqual([
      "approval_requested",
      "command_queued",
      "approval_cancelled",
      "call_settled",
      "answer",
      "run_ended",
    ]);
    expect(outcome(platform)).toEqual(["cancelled", "cancelled"]);
  });
});

describe("messages", () => {
  test("during a run queue and are answered in order, each by its own run", async () => {
    const platform = new FakePlatform([{ text: "One." }, { text: "Two." }]);
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("second");
    };
    platform.say("first");
    await platform.settle();
    const answers = platform.log.flatMap((entry) =>
      entry.kind === "answer" ? [[entry.run, entry.body.text]] : [],
    );
    expect(answers).toEqual([
      ["r1", "One."],
      ["r2", "Two."],
    ]);
  });

  test("that join a run beside its answer are read before it may end", async () => {
    const platform = new FakePlatform([{ text: "One." }, { text: "Both." }]);
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("and this", { mode: "join" });
    };
    platform.say("first");
    await platform.settle();
    expect(answer(platform)).toBe("Both.");
    expect(platform.requests.length).toBe(2);
  });

  test("that replace a run cancel it first", async () => {
    const platform = new FakePlatform([{ text: "One." }, { text: "Two." }]);
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("instead", { mode: "replace" });
    };
    platform.say("first");
    await platform.settle();
    const ends = platform.log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : []));
    expect(ends).toEqual(["superseded", "completed"]);
  });
});

describe("a deployment that cannot begin a run", () => {
  test("keeps it, ever more patiently, until one that can is deployed", async () => {
    const platform = new FakePlatform([{ text: "Hello." }]);
    const broken = vi.spyOn(console, "error").mockImplementation(() => {});
    platform.broken = true;
    platform.say("hi");
    await platform.settle(60_000, 20);
    expect(platform.kinds).toEqual(["user_message", "run_queued"]);
    expect(platform.disk.alarm).not.toBeNull();
    expect(platform.wakes).toBeLessThan(10);
    platform.broken = false;
    await platform.settle(3_600_000);
    expect(outcome(platform)).toEqual(["completed", null]);
    broken.mockRestore();
  });
});

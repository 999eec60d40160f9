import { describe, expect, test, vi } from "vitest";
import { ToolError } from "../../../src/tools/define.ts";
import { World } from "../platform/platform.ts";

const outcome = (world: World): unknown => {
  const last = world.log.findLast((entry) => entry.kind === "run_ended");
  return last?.kind === "run_ended" ? [last.body.outcome, last.body.reason] : null;
};
const answer = (world: World): string | null => {
  const last = world.log.findLast((entry) => entry.kind === "answer");
  return last?.kind === "answer" ? last.body.text : null;
};

describe("a run", () => {
  test("of one plain answer is one wake and eight rows", async () => {
    const world = new World([{ text: "Hello." }]);
    world.say("hi");
    await world.settle();
    expect(world.kinds).toEqual([
      "user_said",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(world.wakes).toBe(1);
    expect(answer(world)).toBe("Hello.");
    expect(outcome(world)).toEqual(["completed", null]);
    expect(world.disk.alarm).toBeNull();
    expect(world.folded).toEqual(world.state);
  });

  test("of a read and two changes is one wake per step, each call intended before it runs", async () => {
    const world = new World([
      { thought: "look", calls: [["look", { name: "a" }]] },
      {
        calls: [
          ["put", { name: "b" }],
          ["send", { name: "c" }],
        ],
      },
      { text: "Done." },
    ]);
    world.say("do it");
    await world.settle();
    expect(world.kinds).toEqual([
      "user_said",
      "run_queued",
      "run_started",
      "step_started",
      "model_replied",
      "call_intended",
      "call_settled",
      "memory_changed",
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
    expect(world.wakes).toBe(3);
    expect(world.effects).toMatchObject({ reads: 1, once: ["r1s2c1"] });
    expect([...world.effects.keyed]).toEqual([["ses/r1s2c0", 1]]);
    expect(world.published).toEqual(world.log);
    expect(world.folded).toEqual(world.state);
    expect(world.requests[1]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });

  test("waits for a person without an alarm before its expiry, then acts on exactly what was shown", async () => {
    const world = new World([{ calls: [["publish", { name: "about" }]] }, { text: "Published." }]);
    world.say("publish about");
    await world.settle();
    expect(world.kinds.slice(-2)).toEqual(["model_replied", "approval_requested"]);
    expect(world.disk.alarm).toBeGreaterThan(world.now + 23 * 3_600_000);
    expect(world.effects.keyed.size).toBe(0);
    world.restart();
    expect(world.decide("approve").ok).toBe(true);
    expect(world.decide("deny")).toMatchObject({ ok: false, code: "already_decided" });
    expect(world.effects.keyed.size).toBe(0);
    await world.settle();
    expect(world.kinds.slice(5)).toEqual([
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
    expect([...world.effects.keyed.values()]).toEqual([1]);
  });

  test("that is denied goes on with the reason and without the effect", async () => {
    const world = new World([{ calls: [["publish", { name: "about" }]] }, { text: "Not published." }]);
    world.say("publish about");
    await world.settle();
    world.decide("deny", "too early");
    await world.settle();
    expect(world.effects.keyed.size).toBe(0);
    const settled = world.log.find((entry) => entry.kind === "call_settled");
    expect(settled?.kind === "call_settled" && settled.body.status).toBe("denied");
    expect(settled?.kind === "call_settled" && settled.body.observation).toContain("too early");
    expect(outcome(world)).toEqual(["completed", null]);
  });

  test("goes on as if denied when nobody decides in a day", async () => {
    const world = new World([{ calls: [["publish", { name: "about" }]] }, { text: "Nobody came." }]);
    world.say("publish about");
    await world.settle();
    await world.settle(25 * 3_600_000);
    expect(world.kinds).toContain("approval_decided");
    expect(world.effects.keyed.size).toBe(0);
    expect(outcome(world)).toEqual(["completed", null]);
  });

  test("keeps its last step for an answer without tools", async () => {
    const world = new World((request) =>
      request.tools.length === 0
        ? { text: "This far I came." }
        : { calls: [["look", { name: `p${world.requests.length}` }]] },
    );
    world.say("look for ever");
    await world.settle();
    expect(world.requests.length).toBe(15);
    expect(answer(world)).toBe("This far I came.");
    expect(outcome(world)).toEqual(["completed_partial", "budget:steps"]);
    expect(world.folded).toEqual(world.state);
  });

  test("ends honestly when the forced answer is empty twice", async () => {
    const world = new World((request) =>
      request.tools.length === 0 ? {} : { calls: [["look", { name: request.step }]] },
    );
    world.say("look for ever");
    await world.settle();
    expect(outcome(world)).toEqual(["completed_partial", "budget:steps"]);
    expect(answer(world)).toContain("limits of this run are spent");
  });

  test("shows the text after FINAL_ANSWER and not the marker", async () => {
    const world = new World([{ text: "Thinking aloud.\nFINAL_ANSWER: It is done." }]);
    world.say("go");
    await world.settle();
    expect(answer(world)).toBe("It is done.");
    expect(world.drafts.map((piece) => piece.text).join("")).toBe("Thinking aloud.\nIt is done.");
  });

  test("ends with the answer that complete carries", async () => {
    const world = new World([{ calls: [["complete", { answer: "All good.", confidence: 0.9 }]] }]);
    world.say("go");
    await world.settle();
    expect(answer(world)).toBe("All good.");
    expect(world.kinds.slice(4)).toEqual(["model_replied", "call_settled", "review", "answer", "run_ended"]);
  });

  test("is told of unknown tools and unfit arguments and goes on", async () => {
    const world = new World([
      {
        calls: [
          ["lok", { name: "a" }],
          ["look", { nme: "a" }],
        ],
      },
      { text: "I see." },
    ]);
    world.say("go");
    await world.settle();
    const failures = world.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [entry.body.failure?.code] : [],
    );
    expect(failures).toEqual(["unknown_tool", "invalid_input"]);
    expect(outcome(world)).toEqual(["completed", null]);
  });

  test("forces the answer after three unusable replies", async () => {
    const world = new World((request) => (request.tools.length === 0 ? { text: "Sorry." } : {}));
    world.say("go");
    await world.settle();
    expect(world.requests.length).toBe(4);
    expect(outcome(world)).toEqual(["completed_partial", "invalid_output"]);
  });

  test("runs two equal calls of one reply once and gives both the result", async () => {
    const world = new World([
      {
        calls: [
          ["look", { name: "a" }],
          ["look", { name: "a" }],
        ],
      },
      { text: "Done." },
    ]);
    world.say("go");
    await world.settle();
    expect(world.effects.reads).toBe(1);
    const reused = world.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [entry.body.reusedFrom] : [],
    );
    expect(reused).toEqual([null, "r1s1c0"]);
  });
});

describe("a provider", () => {
  const failure = (errorClass: "rate_limit" | "auth", retryAfterMs: number | null = null) =>
    ({ fail: { class: errorClass, message: "no", retryAfterMs, usage: null } }) as const;

  test("that asks for two minutes gets them by alarm, under the same step", async () => {
    const world = new World([failure("rate_limit", 120_000), { text: "Hello." }]);
    world.say("hi");
    await world.settle(1_000);
    expect(world.disk.alarm).toBeGreaterThanOrEqual(world.now + 119_000);
    await world.settle(200_000);
    expect(world.kinds.filter((kind) => kind === "step_started")).toHaveLength(1);
    expect(world.requests.map((request) => [request.step, request.attempt])).toEqual([
      ["r1s1", 1],
      ["r1s1", 2],
    ]);
    expect(outcome(world)).toEqual(["completed", null]);
  });

  test("that refuses the key ends the run with words, or hands over to the fallback", async () => {
    const alone = new World([failure("auth")]);
    alone.say("hi");
    await alone.settle();
    expect(outcome(alone)).toEqual(["failed_auth", "provider:auth"]);
    expect(answer(alone)).toContain("model");
    const with2 = new World([failure("auth"), { text: "I am the second." }]);
    with2.say("hi", { fallbacks: ["rehearsal:"] });
    await with2.settle();
    expect(answer(with2)).toBe("I am the second.");
  });

  test("that is gone for good ends after six tries", async () => {
    const world = new World(() => failure("rate_limit"));
    world.say("hi");
    await world.settle(100_000);
    expect(world.requests.length).toBe(6);
    expect(outcome(world)).toEqual(["failed_provider", "provider:rate_limit"]);
  });
});

describe("a tool", () => {
  test("that fails in passing is tried again under the same key", async () => {
    const world = new World([{ calls: [["put", { name: "a" }]] }, { text: "Done." }]);
    world.effects.failures.set("put", [new ToolError("server", "unavailable", "try later")]);
    world.say("go");
    await world.settle();
    const keys = world.log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.key] : []));
    expect(keys).toEqual(["ses/r1s1c0", "ses/r1s1c0"]);
    expect(outcome(world)).toEqual(["completed", null]);
  });

  test("that fails for good is told to the model, and later changes of the reply do not run", async () => {
    const world = new World([
      {
        calls: [
          ["put", { name: "a" }],
          ["send", { name: "b" }],
        ],
      },
      { text: "It failed." },
    ]);
    world.effects.failures.set("put", [new ToolError("conflict", "slug_taken", "taken")]);
    world.say("go");
    await world.settle();
    const settled = world.log.flatMap((entry) =>
      entry.kind === "call_settled" ? [entry.body.failure?.code] : [],
    );
    expect(settled).toEqual(["slug_taken", "batch_stopped"]);
    expect(world.effects.once).toEqual([]);
  });
});

describe("a stop", () => {
  test("in a model call keeps the partial text and begins nothing", async () => {
    const world = new World([{ text: "I was going to", calls: [["send", { name: "a" }]] }]);
    world.onModel = () => void world.cancel("enough");
    world.say("go");
    await world.settle();
    expect(world.kinds.slice(4)).toEqual(["command_queued", "model_replied", "answer", "run_ended"]);
    expect(outcome(world)).toEqual(["cancelled", "enough"]);
    expect(world.effects.once).toEqual([]);
  });

  test("while an approval waits cancels it", async () => {
    const world = new World([{ calls: [["publish", { name: "a" }]] }]);
    world.say("go");
    await world.settle();
    expect(world.cancel()).toEqual(["r1"]);
    expect(world.cancel()).toEqual([]);
    await world.settle();
    expect(world.kinds.slice(5)).toEqual([
      "approval_requested",
      "command_queued",
      "approval_cancelled",
      "call_settled",
      "answer",
      "run_ended",
    ]);
    expect(outcome(world)).toEqual(["cancelled", "cancelled"]);
  });
});

describe("messages", () => {
  test("during a run queue and are answered in order, each by its own run", async () => {
    const world = new World([{ text: "One." }, { text: "Two." }]);
    world.onModel = () => {
      world.onModel = null;
      world.say("second");
    };
    world.say("first");
    await world.settle();
    const answers = world.log.flatMap((entry) =>
      entry.kind === "answer" ? [[entry.run, entry.body.text]] : [],
    );
    expect(answers).toEqual([
      ["r1", "One."],
      ["r2", "Two."],
    ]);
  });

  test("that join a run beside its answer are read before it may end", async () => {
    const world = new World([{ text: "One." }, { text: "Both." }]);
    world.onModel = () => {
      world.onModel = null;
      world.say("and this", { mode: "join" });
    };
    world.say("first");
    await world.settle();
    expect(answer(world)).toBe("Both.");
    expect(world.requests.length).toBe(2);
  });

  test("that replace a run cancel it first", async () => {
    const world = new World([{ text: "One." }, { text: "Two." }]);
    world.onModel = () => {
      world.onModel = null;
      world.say("instead", { mode: "replace" });
    };
    world.say("first");
    await world.settle();
    const ends = world.log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : []));
    expect(ends).toEqual(["superseded", "completed"]);
  });
});

describe("a deployment that cannot begin a run", () => {
  test("keeps it, ever more patiently, until one that can is deployed", async () => {
    const world = new World([{ text: "Hello." }]);
    const broken = vi.spyOn(console, "error").mockImplementation(() => {});
    world.broken = true;
    world.say("hi");
    await world.settle(60_000, 20);
    expect(world.kinds).toEqual(["user_said", "run_queued"]);
    expect(world.disk.alarm).not.toBeNull();
    expect(world.wakes).toBeLessThan(10);
    world.broken = false;
    await world.settle(3_600_000);
    expect(outcome(world)).toEqual(["completed", null]);
    broken.mockRestore();
  });
});

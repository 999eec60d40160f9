import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { receiveClear } from "../../../src/cairn/core/loop/receive.ts";
import { receiptLines, receiptText } from "../../../src/cairn/core/text/receipt-lines.ts";
import { Draft } from "../../../src/cairn/session/engine/draft.ts";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

// Some of these isolates die, or have faults that are reported to the operator.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const settled = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [[entry.body.call, entry.body.tool, entry.body.status]] : [],
  );
const ended = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );
const answers = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) => (entry.kind === "answer" ? [entry.body.text] : []));
const receipts = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "answer"
      ? [receiptText(receiptLines(entry.body.receipt, { outcome: "partial", reason: null }))]
      : [],
  );
const prompts = (platform: FakePlatform): string[] =>
  platform.requests.map((request) => JSON.stringify(request.messages));
const byStep = (lines: Readonly<Record<string, Line>>) =>
  new FakePlatform((request) => lines[request.step] ?? { text: "The end." });

describe("an effect whose answer is lost", () => {
  test.each([
    ["a broken connection", new TypeError("fetch failed")],
    ["a gateway's error", new ToolError("server", "bad_gateway", "502")],
  ])("of a once tool, by %s, is unknown: nobody is invited to repeat it", async (_how, error) => {
    const platform = byStep({ r1s1: { calls: [["send", { name: "a" }]] } });
    platform.effects.cross = (where) => {
      if (where === "send: after") throw error;
    };
    platform.say("go");
    await platform.settle();
    expect(platform.effects.once).toEqual(["r1s1c0"]);
    expect(settled(platform)).toEqual([["r1s1c0", "send", "unknown"]]);
  });

  test("of a keyed tool is unknown when its retries are spent", async () => {
    const platform = byStep({ r1s1: { calls: [["put", { name: "a" }]] } });
    platform.effects.cross = (where) => {
      if (where === "put: after") throw new ToolError("server", "unavailable", "no answer");
    };
    platform.say("go");
    await platform.settle(3_600_000);
    expect(settled(platform)).toEqual([["r1s1c0", "put", "unknown"]]);
    expect([...platform.effects.keyed]).toEqual([["ses/r1s1c0", 1]]);
  });

  test("is an error when the tool says that nothing was done", async () => {
    const platform = byStep({ r1s1: { calls: [["send", { name: "a" }]] } });
    platform.effects.failures.set("send", [
      new ToolError("server", "closed", "closed", { nothingDone: true }),
    ]);
    platform.say("go");
    await platform.settle();
    expect(settled(platform)).toEqual([["r1s1c0", "send", "error"]]);
  });
});

describe("equal calls of one reply", () => {
  test("with a change between them are two calls", async () => {
    const platform = byStep({
      r1s1: {
        calls: [
          ["put", { name: "on" }],
          ["put", { name: "off" }],
          ["put", { name: "on" }],
        ],
      },
    });
    platform.say("go");
    await platform.settle();
    expect([...platform.effects.keyed.keys()]).toEqual(["ses/r1s1c0", "ses/r1s1c1", "ses/r1s1c2"]);
  });

  test("that read around a change read twice", async () => {
    const platform = byStep({
      r1s1: {
        calls: [
          ["look", { name: "a" }],
          ["put", { name: "a" }],
          ["look", { name: "a" }],
        ],
      },
    });
    platform.say("go");
    await platform.settle();
    expect(platform.effects.reads).toBe(2);
  });
});

test("a run that gives up while it acts still says what became of its calls", async () => {
  const platform = new FakePlatform((request) =>
    Number(/s(\d+)$/.exec(request.step)?.[1]) < 5
      ? { calls: [["look", { name: request.step }]] }
      : { calls: [["send", { name: "a" }]] },
  );
  let deaths = 0;
  let dead = false;
  platform.cross = (where) => {
    const fatal =
      (where === "look: before" && deaths < 19) || where === "send: after" || where === "model: before";
    if (dead || (fatal && deaths < 20)) {
      if (!dead) deaths++;
      dead = true;
      throw new Crash();
    }
  };
  platform.say("go");
  for (let wakes = 0; wakes < 80 && platform.disk.alarm !== null; wakes++) {
    platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
    await platform.fire().catch(() => {});
    if (!dead) continue;
    dead = false;
    platform.restart();
  }
  const calls = platform.log.flatMap((entry) =>
    entry.kind === "model_replied" ? entry.body.calls.map((call) => call.call) : [],
  );
  expect(settled(platform).map((entry) => (entry as string[])[0])).toEqual(calls);
  expect(ended(platform)).toHaveLength(1);
  expect(platform.folded).toEqual(platform.state);
});

describe("joined words", () => {
  test("that came beside a forced answer get a run of their own", async () => {
    const platform = new FakePlatform((request) => {
      if (request.step.startsWith("r2")) return { text: "Read." };
      return request.tools.length === 0 ? { text: "Forced." } : { calls: [["look", { name: request.step }]] };
    });
    platform.onModel = (request) => {
      if (request.tools.length === 0 && request.step.startsWith("r1"))
        platform.say("ONE MORE THING", { mode: "join" });
    };
    platform.say("go");
    await platform.settle();
    expect(ended(platform).map((entry) => (entry as string[])[0])).toEqual(["r1", "r2"]);
    expect(prompts(platform).at(-1)).toContain("ONE MORE THING");
    expect(platform.folded).toEqual(platform.state);
  });

  test("that come after a stop are not taken into the run that dies", async () => {
    const platform = byStep({ r1s1: { text: "Never." }, r2s1: { text: "Read." } });
    platform.onModel = () => {
      platform.onModel = null;
      platform.cancel();
      platform.say("AFTER THE STOP", { mode: "join" });
    };
    platform.say("go");
    await platform.settle();
    expect(ended(platform).map((entry) => (entry as string[]).slice(0, 2))).toEqual([
      ["r1", "cancelled"],
      ["r2", "completed"],
    ]);
    expect(prompts(platform).at(-1)).toContain("AFTER THE STOP");
  });

  test("are part of the conversation of later runs", async () => {
    const platform = byStep({
      r1s1: { calls: [["look", { name: "a" }]] },
      r1s2: { text: "One." },
      r2s1: { text: "Two." },
    });
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("MY NAME IS ADA", { mode: "join" });
    };
    platform.say("go");
    await platform.settle();
    platform.say("what is my name?");
    await platform.settle();
    expect(prompts(platform).at(-1)).toContain("MY NAME IS ADA");
  });
});

describe("what is over", () => {
  test("of a run that never began is shown to no model", async () => {
    const platform = byStep({ r1s1: { text: "One." }, r3s1: { text: "Three." } });
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("DELETE THE SITE");
      platform.engine.record((tx) => {
        const queued = tx.state.queue[0];
        if (queued === undefined) throw new Error("nothing is queued");
        tx.append([
          {
            kind: "run_ended",
            run: queued.run,
            step: null,
            body: {
              outcome: "cancelled",
              class: "cancelled",
              reason: "cancelled",
              steps: 0,
              usage: {
                inputTokens: 0,
                cachedInputTokens: 0,
                outputTokens: 0,
                reasoningTokens: 0,
                estimated: false,
                cost: null,
              },
              activeMs: 0,
            },
          },
        ]);
      });
    };
    platform.say("first");
    await platform.settle();
    platform.say("hello");
    await platform.settle();
    expect(prompts(platform).at(-1)).not.toContain("DELETE THE SITE");
  });

  test("of a session that was cleared does not come back with the run that was live", async () => {
    const platform = byStep({
      r1s1: { calls: [["look", { name: "SECRET PLACE" }]] },
      r2s1: { text: "Hello." },
    });
    platform.effects.onTool = () => {
      platform.engine.record((tx) => tx.append(receiveClear(tx.state, { id: "c", actor: "ada" })));
    };
    platform.say("THE OLD STORY");
    await platform.settle();
    platform.effects.onTool = null;
    platform.say("hello");
    await platform.settle();
    expect(prompts(platform).at(-1)).not.toContain("THE OLD STORY");
    expect(prompts(platform).at(-1)).not.toContain("SECRET PLACE");
    expect(platform.folded).toEqual(platform.state);
  });
});

describe("the last words of a run", () => {
  test("that was stopped in the middle of an act tell of it", async () => {
    const platform = byStep({ r1s1: { calls: [["send", { name: "a" }]] } });
    let dead = false;
    platform.cross = (where) => {
      if (dead || where === "send: after") {
        dead = true;
        throw new Crash();
      }
    };
    platform.say("go");
    platform.now += 10;
    await platform.fire().catch(() => {});
    platform.cross = () => {};
    platform.restart();
    platform.cancel();
    await platform.settle();
    expect(settled(platform)).toEqual([["r1s1c0", "send", "unknown"]]);
    expect(receipts(platform).at(-1)).toContain(
      "Not known whether it happened: Send: “a”. Look before you ask for it again.",
    );
  });

  test("do not call undone what a later call has done", async () => {
    const platform = byStep({
      r1s1: { calls: [["put", { name: "a" }]] },
      // After a conflict the same is tried again only when something was looked at.
      r1s2: { calls: [["look", { name: "a" }]] },
      r1s3: { calls: [["put", { name: "a" }]] },
      r1s4: { fail: { class: "auth", message: "no", retryAfterMs: null, usage: null } },
    });
    platform.effects.failures.set("put", [new ToolError("conflict", "slug_taken", "taken")]);
    platform.say("go");
    await platform.settle();
    expect(receipts(platform).at(-1)).toContain("Changed: Put");
    expect(receipts(platform).at(-1)).not.toContain("Failed");
  });
});

test("a fault of those who watch stops neither the work nor the one who asks", async () => {
  const platform = byStep({ r1s1: { text: "Hello." } });
  platform.cross = (where) => {
    if (where === "publish") throw new Error("a socket broke");
  };
  expect(platform.say("hi").ok).toBe(true);
  await platform.settle();
  expect(ended(platform)).toEqual([["r1", "completed", null]]);
});

test("waiting for a provider spends the time of the run, and an answer is asked for before it is over", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0
      ? { text: "Out of time." }
      : { fail: { class: "rate_limit", message: "slow", retryAfterMs: 14 * 60_000, usage: null } },
  );
  platform.say("go");
  await platform.settle(3_600_000);
  expect(platform.state.run).toBeNull();
  const end = platform.log.find((entry) => entry.kind === "run_ended");
  expect(end?.kind === "run_ended" && end.body.activeMs).toBeLessThanOrEqual(30 * 60_000);
});

test("a minute of streaming writes a handful of drafts, and none of its text is left out of them", () => {
  let now = 0;
  const saved: string[] = [];
  const place = { run: "r1", step: "r1s1", attempt: 1, base: 4 };
  const draft = new Draft(
    place,
    () => {},
    (_index, pieces) => void saved.push(pieces.map((piece) => piece.text).join("")),
    () => now,
    createRedactor([]),
  );
  for (let piece = 0; piece < 600; piece++) {
    now += 100;
    draft.push({ type: "text", part: 0, text: `${piece} ` });
  }
  expect(saved.length).toBeGreaterThan(3);
  expect(saved.length).toBeLessThanOrEqual(6);
  expect(saved.join("")).toBe(
    Array.from({ length: saved.join("").trim().split(" ").length }, (_, piece) => `${piece} `).join(""),
  );
});

describe("a grant", () => {
  test("is kept: a tool that changed while a person was asked does not run", async () => {
    const platform = byStep({
      r1s1: { calls: [["publish", { name: "a" }]] },
      r1s2: { text: "It has changed." },
    });
    platform.say("go");
    await platform.settle();
    platform.versions = { publish: 2 };
    platform.restart();
    platform.decide("approve");
    await platform.settle();
    expect(platform.effects.keyed.size).toBe(0);
    expect(settled(platform)).toEqual([["r1s1c0", "publish", "refused"]]);
    expect(prompts(platform).at(-1)).toContain("tool_changed");
  });
});

test("a preview that fails in passing is tried again", async () => {
  const platform = byStep({ r1s1: { calls: [["publish", { name: "a" }]] } });
  platform.effects.failures.set("publish: preview", [new ToolError("server", "unavailable", "blip")]);
  platform.say("go");
  await platform.settle();
  expect(platform.state.run?.phase.at).toBe("waiting_approval");
});

test("a lost attempt is charged with what it reserved", async () => {
  const platform = byStep({ r1s1: { text: "Hello." } });
  let dead = false;
  platform.cross = (where) => {
    if (dead || (where === "model: before" && platform.log.every((entry) => entry.kind !== "attempt_lost"))) {
      dead = true;
      throw new Crash();
    }
  };
  platform.say("hi");
  platform.now += 10;
  await platform.fire().catch(() => {});
  dead = false;
  platform.restart();
  await platform.settle();
  const end = platform.log.find((entry) => entry.kind === "run_ended");
  expect(end?.kind === "run_ended" && end.body.usage.estimated).toBe(true);
  expect(end?.kind === "run_ended" && end.body.usage.inputTokens).toBeGreaterThan(4_000);
});

test("an edited call takes no duplicate with it", async () => {
  const platform = byStep({
    r1s1: {
      calls: [
        ["publish", { name: "about" }],
        ["publish", { name: "about" }],
      ],
    },
  });
  platform.say("go");
  await platform.settle();
  platform.engine.record((tx) => {
    const phase = tx.state.run?.phase;
    if (phase?.at !== "waiting_approval") throw new Error("nobody is asked");
    tx.append([
      {
        kind: "approval_decided",
        run: "r1",
        step: "r1s1",
        body: {
          approval: phase.approval.approval,
          call: phase.approval.call,
          decision: "deny",
          actor: "ada",
          via: "http",
          reason: null,
          digest: phase.approval.digest,
          args: null,
          shown: null,
        },
      },
    ]);
  });
  await platform.settle();
  // A plain no settles both; only an edit makes two of them.
  expect(settled(platform).map((entry) => (entry as string[])[2])).toEqual(["denied", "denied"]);
});

test("a run whose calls are all used is asked for its answer, once", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0 ? { text: "That is all." } : { calls: [["look", { name: request.step }]] },
  );
  platform.say("go", { limits: { steps: 15, activeMs: 1_800_000, outputTokens: 4_096, toolCalls: 2 } });
  await platform.settle();
  expect(ended(platform)).toEqual([["r1", "completed_partial", "budget:calls"]]);
  expect(platform.requests).toHaveLength(4);
});

describe("a forced answer", () => {
  const forced = (text: string): FakePlatform => {
    const platform = new FakePlatform((request) =>
      request.tools.length === 0 ? { text } : { calls: [["put", { name: `crew ${request.step}` }]] },
    );
    platform.effects.broken.set("put", new ToolError("conflict", "blocked", "The hero has no image."));
    platform.say("Publish Our crew", {
      limits: { steps: 15, activeMs: 1_800_000, outputTokens: 4_096, toolCalls: 1 },
    });
    return platform;
  };
  const answered = (platform: FakePlatform): unknown[] =>
    platform.log.flatMap((entry) =>
      entry.kind === "answer" ? [[entry.body.source, entry.body.receipt.changed]] : [],
    );

  test("that claims what every call failed to do stands below a receipt that says so", async () => {
    const platform = forced("Our crew is published and in the navigation.");
    await platform.settle();
    expect(answered(platform)).toEqual([["forced", []]]);
    expect(receipts(platform).at(-1)).toContain("Nothing was changed.\nFailed: Put: “crew r1s1”");
    expect(ended(platform)).toEqual([["r1", "completed_partial", "budget:calls"]]);
    expect(platform.folded).toEqual(platform.state);
  });

  test("that says what is so is the answer", async () => {
    const platform = forced("I could not publish Our crew: its hero has no image.");
    await platform.settle();
    expect(answered(platform)).toEqual([["forced", []]]);
    expect(answers(platform)).toEqual(["I could not publish Our crew: its hero has no image."]);
  });
});

describe("a reply that is larger than a reply may be", () => {
  test.each([
    ["text", { text: "word ".repeat(60_000) }],
    ["arguments", { calls: [["put", { name: "x".repeat(300_000) }]] }],
  ] as const)("is asked for once more, and is no reason to crash (%s)", async (_what, line) => {
    const platform = new FakePlatform((request) => (request.attempt === 1 ? line : { text: "Short." }));
    platform.say("go");
    await platform.settle();
    expect(platform.kinds).toEqual([
      "user_message",
      "run_queued",
      "run_started",
      "step_started",
      "model_failed",
      "model_replied",
      "review",
      "answer",
      "run_ended",
    ]);
    expect(platform.effects.keyed.size).toBe(0);
  });

  test("that comes every time ends the run honestly", async () => {
    const platform = new FakePlatform(() => ({ text: "word ".repeat(60_000) }));
    platform.say("go");
    await platform.settle();
    const end = platform.log.find((entry) => entry.kind === "run_ended");
    expect(end?.kind === "run_ended" && [end.body.outcome, end.body.reason]).toEqual([
      "failed_provider",
      "provider:internal",
    ]);
  });
});

test("the retry of a forced answer takes no step that the run does not have", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0
      ? { calls: [["look", { name: "a" }]] }
      : { calls: [["look", { name: request.step }]] },
  );
  platform.sayOnce("m1", { steps: 3 });
  await platform.settle();
  const steps = platform.log.filter((entry) => entry.kind === "step_started");
  expect(steps).toHaveLength(3);
  const end = platform.log.find((entry) => entry.kind === "run_ended");
  expect(end?.kind === "run_ended" && end.body).toMatchObject({ outcome: "completed_partial", steps: 3 });
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ToolError } from "../../../src/tools/define.ts";
import { receiveClear } from "../../../src/core/loop/receive.ts";
import { Draft } from "../../../src/session/engine/draft.ts";
import { createRedactor } from "../../../src/core/text/redact.ts";
import { Crash } from "../platform/disk.ts";
import { World, type Line } from "../platform/platform.ts";

// Some of these worlds die, or have faults that are reported to the operator.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const settled = (world: World): unknown[] =>
  world.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [[entry.body.call, entry.body.tool, entry.body.status]] : [],
  );
const ended = (world: World): unknown[] =>
  world.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );
const answers = (world: World): string[] =>
  world.log.flatMap((entry) => (entry.kind === "answer" ? [entry.body.text] : []));
const prompts = (world: World): string[] => world.requests.map((request) => JSON.stringify(request.messages));
const byStep = (lines: Readonly<Record<string, Line>>) =>
  new World((request) => lines[request.step] ?? { text: "The end." });

describe("an effect whose answer is lost", () => {
  test.each([
    ["a broken connection", new TypeError("fetch failed")],
    ["a gateway's error", new ToolError("server", "bad_gateway", "502")],
  ])("of a once tool, by %s, is unknown: nobody is invited to repeat it", async (_how, error) => {
    const world = byStep({ r1s1: { calls: [["send", { name: "a" }]] } });
    world.effects.cross = (where) => {
      if (where === "send: after") throw error;
    };
    world.say("go");
    await world.settle();
    expect(world.effects.once).toEqual(["r1s1c0"]);
    expect(settled(world)).toEqual([["r1s1c0", "send", "unknown"]]);
  });

  test("of a keyed tool is unknown when its retries are spent", async () => {
    const world = byStep({ r1s1: { calls: [["put", { name: "a" }]] } });
    world.effects.cross = (where) => {
      if (where === "put: after") throw new ToolError("server", "unavailable", "no answer");
    };
    world.say("go");
    await world.settle(3_600_000);
    expect(settled(world)).toEqual([["r1s1c0", "put", "unknown"]]);
    expect([...world.effects.keyed]).toEqual([["ses/r1s1c0", 1]]);
  });

  test("is an error when the tool says that nothing was done", async () => {
    const world = byStep({ r1s1: { calls: [["send", { name: "a" }]] } });
    world.effects.failures.set("send", [new ToolError("server", "closed", "closed", { nothingDone: true })]);
    world.say("go");
    await world.settle();
    expect(settled(world)).toEqual([["r1s1c0", "send", "error"]]);
  });
});

describe("equal calls of one reply", () => {
  test("with a change between them are two calls", async () => {
    const world = byStep({
      r1s1: {
        calls: [
          ["put", { name: "on" }],
          ["put", { name: "off" }],
          ["put", { name: "on" }],
        ],
      },
    });
    world.say("go");
    await world.settle();
    expect([...world.effects.keyed.keys()]).toEqual(["ses/r1s1c0", "ses/r1s1c1", "ses/r1s1c2"]);
  });

  test("that read around a change read twice", async () => {
    const world = byStep({
      r1s1: {
        calls: [
          ["look", { name: "a" }],
          ["put", { name: "a" }],
          ["look", { name: "a" }],
        ],
      },
    });
    world.say("go");
    await world.settle();
    expect(world.effects.reads).toBe(2);
  });
});

test("a run that gives up while it acts still says what became of its calls", async () => {
  const world = new World((request) =>
    Number(/s(\d+)$/.exec(request.step)?.[1]) < 5
      ? { calls: [["look", { name: request.step }]] }
      : { calls: [["send", { name: "a" }]] },
  );
  let deaths = 0;
  let dead = false;
  world.cross = (where) => {
    const fatal =
      (where === "look: before" && deaths < 19) || where === "send: after" || where === "model: before";
    if (dead || (fatal && deaths < 20)) {
      if (!dead) deaths++;
      dead = true;
      throw new Crash();
    }
  };
  world.say("go");
  for (let wakes = 0; wakes < 80 && world.disk.alarm !== null; wakes++) {
    world.now = Math.max(world.now, world.disk.alarm ?? 0);
    await world.fire().catch(() => {});
    if (!dead) continue;
    dead = false;
    world.restart();
  }
  const calls = world.log.flatMap((entry) =>
    entry.kind === "model_replied" ? entry.body.calls.map((call) => call.call) : [],
  );
  expect(settled(world).map((row) => (row as string[])[0])).toEqual(calls);
  expect(ended(world)).toHaveLength(1);
  expect(world.folded).toEqual(world.state);
});

describe("joined words", () => {
  test("that came beside a forced answer get a run of their own", async () => {
    const world = new World((request) => {
      if (request.step.startsWith("r2")) return { text: "Read." };
      return request.tools.length === 0 ? { text: "Forced." } : { calls: [["look", { name: request.step }]] };
    });
    world.onModel = (request) => {
      if (request.tools.length === 0 && request.step.startsWith("r1"))
        world.say("ONE MORE THING", { mode: "join" });
    };
    world.say("go");
    await world.settle();
    expect(ended(world).map((row) => (row as string[])[0])).toEqual(["r1", "r2"]);
    expect(prompts(world).at(-1)).toContain("ONE MORE THING");
    expect(world.folded).toEqual(world.state);
  });

  test("that come after a stop are not taken into the run that dies", async () => {
    const world = byStep({ r1s1: { text: "Never." }, r2s1: { text: "Read." } });
    world.onModel = () => {
      world.onModel = null;
      world.cancel();
      world.say("AFTER THE STOP", { mode: "join" });
    };
    world.say("go");
    await world.settle();
    expect(ended(world).map((row) => (row as string[]).slice(0, 2))).toEqual([
      ["r1", "cancelled"],
      ["r2", "completed"],
    ]);
    expect(prompts(world).at(-1)).toContain("AFTER THE STOP");
  });

  test("are part of the conversation of later runs", async () => {
    const world = byStep({
      r1s1: { calls: [["look", { name: "a" }]] },
      r1s2: { text: "One." },
      r2s1: { text: "Two." },
    });
    world.onModel = () => {
      world.onModel = null;
      world.say("MY NAME IS ADA", { mode: "join" });
    };
    world.say("go");
    await world.settle();
    world.say("what is my name?");
    await world.settle();
    expect(prompts(world).at(-1)).toContain("MY NAME IS ADA");
  });
});

describe("what is over", () => {
  test("of a run that never began is shown to no model", async () => {
    const world = byStep({ r1s1: { text: "One." }, r3s1: { text: "Three." } });
    world.onModel = () => {
      world.onModel = null;
      world.say("DELETE THE SITE");
      world.engine.record((tx) => {
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
              },
              activeMs: 0,
            },
          },
        ]);
      });
    };
    world.say("first");
    await world.settle();
    world.say("hello");
    await world.settle();
    expect(prompts(world).at(-1)).not.toContain("DELETE THE SITE");
  });

  test("of a session that was cleared does not come back with the run that was live", async () => {
    const world = byStep({ r1s1: { calls: [["look", { name: "SECRET PLACE" }]] }, r2s1: { text: "Hello." } });
    world.effects.onTool = () => {
      world.engine.record((tx) => tx.append(receiveClear(tx.state, { id: "c", actor: "ada" })));
    };
    world.say("THE OLD STORY");
    await world.settle();
    world.effects.onTool = null;
    world.say("hello");
    await world.settle();
    expect(prompts(world).at(-1)).not.toContain("THE OLD STORY");
    expect(prompts(world).at(-1)).not.toContain("SECRET PLACE");
    expect(world.folded).toEqual(world.state);
  });
});

describe("the last words of a run", () => {
  test("that was stopped in the middle of an act tell of it", async () => {
    const world = byStep({ r1s1: { calls: [["send", { name: "a" }]] } });
    let dead = false;
    world.cross = (where) => {
      if (dead || where === "send: after") {
        dead = true;
        throw new Crash();
      }
    };
    world.say("go");
    world.now += 10;
    await world.fire().catch(() => {});
    world.cross = () => {};
    world.restart();
    world.cancel();
    await world.settle();
    expect(settled(world)).toEqual([["r1s1c0", "send", "unknown"]]);
    expect(answers(world).at(-1)).toContain(
      "Not known whether it happened: Send: “a”. Look before you ask for it again.",
    );
  });

  test("do not call undone what a later call has done", async () => {
    const world = byStep({
      r1s1: { calls: [["put", { name: "a" }]] },
      // After a conflict the same is tried again only when something was looked at.
      r1s2: { calls: [["look", { name: "a" }]] },
      r1s3: { calls: [["put", { name: "a" }]] },
      r1s4: { fail: { class: "auth", message: "no", retryAfterMs: null, usage: null } },
    });
    world.effects.failures.set("put", [new ToolError("conflict", "slug_taken", "taken")]);
    world.say("go");
    await world.settle();
    expect(answers(world).at(-1)).toContain("Changed: Put");
    expect(answers(world).at(-1)).not.toContain("Failed");
  });
});

test("a fault of those who watch stops neither the work nor the one who asks", async () => {
  const world = byStep({ r1s1: { text: "Hello." } });
  world.cross = (where) => {
    if (where === "publish") throw new Error("a socket broke");
  };
  expect(world.say("hi").ok).toBe(true);
  await world.settle();
  expect(ended(world)).toEqual([["r1", "completed", null]]);
});

test("waiting for a provider spends the time of the run, and an answer is asked for before it is over", async () => {
  const world = new World((request) =>
    request.tools.length === 0
      ? { text: "Out of time." }
      : { fail: { class: "rate_limit", message: "slow", retryAfterMs: 14 * 60_000, usage: null } },
  );
  world.say("go");
  await world.settle(3_600_000);
  expect(world.state.run).toBeNull();
  const end = world.log.find((entry) => entry.kind === "run_ended");
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
    const world = byStep({
      r1s1: { calls: [["publish", { name: "a" }]] },
      r1s2: { text: "It has changed." },
    });
    world.say("go");
    await world.settle();
    world.versions = { publish: 2 };
    world.restart();
    world.decide("approve");
    await world.settle();
    expect(world.effects.keyed.size).toBe(0);
    expect(settled(world)).toEqual([["r1s1c0", "publish", "refused"]]);
    expect(prompts(world).at(-1)).toContain("tool_changed");
  });
});

test("a preview that fails in passing is tried again", async () => {
  const world = byStep({ r1s1: { calls: [["publish", { name: "a" }]] } });
  world.effects.failures.set("publish: preview", [new ToolError("server", "unavailable", "blip")]);
  world.say("go");
  await world.settle();
  expect(world.state.run?.phase.at).toBe("waiting_approval");
});

test("a lost attempt is charged with what it reserved", async () => {
  const world = byStep({ r1s1: { text: "Hello." } });
  let dead = false;
  world.cross = (where) => {
    if (dead || (where === "model: before" && world.log.every((entry) => entry.kind !== "attempt_lost"))) {
      dead = true;
      throw new Crash();
    }
  };
  world.say("hi");
  world.now += 10;
  await world.fire().catch(() => {});
  dead = false;
  world.restart();
  await world.settle();
  const end = world.log.find((entry) => entry.kind === "run_ended");
  expect(end?.kind === "run_ended" && end.body.usage.estimated).toBe(true);
  expect(end?.kind === "run_ended" && end.body.usage.inputTokens).toBeGreaterThan(4_000);
});

test("an edited call takes no duplicate with it", async () => {
  const world = byStep({
    r1s1: {
      calls: [
        ["publish", { name: "about" }],
        ["publish", { name: "about" }],
      ],
    },
  });
  world.say("go");
  await world.settle();
  world.engine.record((tx) => {
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
  await world.settle();
  // A plain no settles both; only an edit makes two of them.
  expect(settled(world).map((row) => (row as string[])[2])).toEqual(["denied", "denied"]);
});

test("a run whose calls are all used is asked for its answer, once", async () => {
  const world = new World((request) =>
    request.tools.length === 0 ? { text: "That is all." } : { calls: [["look", { name: request.step }]] },
  );
  world.say("go", { limits: { steps: 15, activeMs: 1_800_000, outputTokens: 4_096, toolCalls: 2 } });
  await world.settle();
  expect(ended(world)).toEqual([["r1", "completed_partial", "budget:calls"]]);
  expect(world.requests).toHaveLength(4);
});

describe("a forced answer", () => {
  const forced = (text: string): World => {
    const world = new World((request) =>
      request.tools.length === 0 ? { text } : { calls: [["put", { name: `crew ${request.step}` }]] },
    );
    world.effects.broken.set("put", new ToolError("conflict", "blocked", "The hero has no image."));
    world.say("Publish Our crew", {
      limits: { steps: 15, activeMs: 1_800_000, outputTokens: 4_096, toolCalls: 1 },
    });
    return world;
  };
  const answered = (world: World): unknown[] =>
    world.log.flatMap((row) => (row.kind === "answer" ? [[row.body.source, row.body.receipt.changed]] : []));

  test("that claims what every call failed to do is replaced by what the log says", async () => {
    const world = forced("Our crew is published and in the navigation.");
    await world.settle();
    expect(answered(world)).toEqual([["mechanical", []]]);
    expect(answers(world).at(-1)).toContain("Nothing was changed.\nFailed: Put: “crew r1s1”");
    expect(answers(world).at(-1)).not.toContain("is published");
    const verdicts = world.log.flatMap((row) => (row.kind === "review" ? [row.body.accept] : []));
    expect(verdicts).toEqual([false]);
    expect(ended(world)).toEqual([["r1", "completed_partial", "budget:calls"]]);
    expect(world.folded).toEqual(world.state);
  });

  test("that says what is so is the answer", async () => {
    const world = forced("I could not publish Our crew: its hero has no image.");
    await world.settle();
    expect(answered(world)).toEqual([["forced", []]]);
    expect(answers(world)).toEqual(["I could not publish Our crew: its hero has no image."]);
  });
});

describe("a reply that is larger than a reply may be", () => {
  test.each([
    ["text", { text: "word ".repeat(60_000) }],
    ["arguments", { calls: [["put", { name: "x".repeat(300_000) }]] }],
  ] as const)("is asked for once more, and is no reason to crash (%s)", async (_what, line) => {
    const world = new World((request) => (request.attempt === 1 ? line : { text: "Short." }));
    world.say("go");
    await world.settle();
    expect(world.kinds).toEqual([
      ...["user_said", "run_queued", "run_started", "step_started", "model_failed"],
      ...["model_replied", "review", "answer", "run_ended"],
    ]);
    expect(world.effects.keyed.size).toBe(0);
  });

  test("that comes every time ends the run honestly", async () => {
    const world = new World(() => ({ text: "word ".repeat(60_000) }));
    world.say("go");
    await world.settle();
    const end = world.log.find((entry) => entry.kind === "run_ended");
    expect(end?.kind === "run_ended" && [end.body.outcome, end.body.reason]).toEqual([
      "failed_provider",
      "provider:internal",
    ]);
  });
});

test("the retry of a forced answer takes no step that the run does not have", async () => {
  const world = new World((request) =>
    request.tools.length === 0
      ? { calls: [["look", { name: "a" }]] }
      : { calls: [["look", { name: request.step }]] },
  );
  world.sayOnce("m1", { steps: 3 });
  await world.settle();
  const steps = world.log.filter((entry) => entry.kind === "step_started");
  expect(steps).toHaveLength(3);
  const end = world.log.find((entry) => entry.kind === "run_ended");
  expect(end?.kind === "run_ended" && end.body).toMatchObject({ outcome: "completed_partial", steps: 3 });
});

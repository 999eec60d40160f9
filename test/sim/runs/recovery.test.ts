import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RECOVERY_MS } from "../../../src/cairn/core/limits.ts";
import type { DraftPiece, Model } from "../../../src/cairn/core/log/model.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

// A dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

/** Dies every time the place is crossed, and stands up again, until the session comes to rest. */
async function dieAt(platform: FakePlatform, place: string, wakesMax = 40): Promise<void> {
  let dead = false;
  platform.cross = (where) => {
    if (dead || where === place) {
      dead = true;
      throw new Crash();
    }
  };
  for (let wakes = 0; wakes < wakesMax && platform.disk.alarm !== null; wakes++) {
    platform.now = Math.max(platform.now, platform.disk.alarm ?? platform.now);
    try {
      await platform.fire();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    if (dead) {
      dead = false;
      platform.restart();
    }
  }
  platform.cross = () => {};
}

const ended = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.body.outcome, entry.body.reason]] : [],
  );
const lost = (platform: FakePlatform): number =>
  platform.log.filter((entry) => entry.kind === "attempt_lost").length;
const statuses = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [[entry.body.tool, entry.body.status]] : [],
  );

describe("the recovery alarm of a wake", () => {
  /** The alarm behind the tool, against the one behind the model call, which took so long. */
  async function alarms(modelMs: number): Promise<readonly [model: number, tool: number]> {
    const platform = new FakePlatform([{ calls: [["look", { name: "a" }]] }, { text: "done" }]);
    const seen: number[] = [];
    platform.cross = (where) => {
      if (where !== "model: before" && where !== "look: after") return;
      seen.push((platform.disk.alarm ?? 0) - platform.now);
      if (where === "model: before") platform.now += modelMs;
    };
    platform.say("go");
    platform.now += 10;
    await platform.fire();
    return [seen[0] ?? 0, seen[1] ?? 0];
  }

  test("is left standing while a third of its distance is left, and set anew after that", async () => {
    expect(await alarms(0)).toEqual([RECOVERY_MS, RECOVERY_MS]);
    expect(await alarms(900)).toEqual([RECOVERY_MS, RECOVERY_MS - 900]);
    expect(await alarms(1_100)).toEqual([RECOVERY_MS, RECOVERY_MS]);
    expect(await alarms(20_000)).toEqual([RECOVERY_MS, RECOVERY_MS]);
  });
});

describe("the recovery alarm of an effect", () => {
  /** How far it is away when the place is crossed, where each try before the last one dies. */
  async function distances(platform: FakePlatform, place: string, tries: number): Promise<readonly number[]> {
    const seen: number[] = [];
    let isDead = false;
    platform.cross = (where) => {
      if (isDead) throw new Crash();
      if (where !== place || seen.length === tries) return;
      seen.push((platform.disk.alarm ?? 0) - platform.now);
      if (seen.length === tries) return;
      isDead = true;
      throw new Crash();
    };
    for (let wakes = 0; wakes < 40 && platform.disk.alarm !== null; wakes++) {
      platform.now = Math.max(platform.now, platform.disk.alarm);
      await platform.fire().catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
      });
      if (!isDead) continue;
      isDead = false;
      platform.restart();
    }
    return seen;
  }

  test.each<[string, string, Line]>([
    ["a model call", "model: before", { text: "done" }],
    ["a tool", "look: after", { calls: [["look", { name: "a" }]] }],
    ["a preview", "publish: preview", { calls: [["publish", { name: "a" }]] }],
  ])("of %s is twice as far away at the second try as at the first", async (_, place, line) => {
    const platform = new FakePlatform([line, { text: "done" }]);
    platform.say("go");
    expect(await distances(platform, place, 2)).toEqual([RECOVERY_MS, 2 * RECOVERY_MS]);
  });

  test("of the call that names a class stands before the call is made", async () => {
    const platform = new FakePlatform(({ step }) => ({
      text: step.endsWith(".label") ? '{"label":"complex","confidence":0.9}' : "A hero.",
    }));
    platform.prepared = true;
    platform.restart();
    const seen: number[] = [];
    platform.onModel = ({ step }) => {
      if (step === "r1.label") seen.push((platform.disk.alarm ?? 0) - platform.now);
      return Promise.resolve();
    };
    const parts = [{ type: "text", text: "What is on the About page?" }] as const;
    const ask = { model: "openai-compatible:any" };
    const ada = { subject: "ada", scopes: ["read", "send"], via: "http" } as const;
    await platform.api.send(ada, { id: "m1", parts, mode: "queue", source: "api", request: null, ask });
    await platform.settle();
    expect(seen).toEqual([RECOVERY_MS]);
  });
});

test("who looks at a session whose wake died need not wait for its recovery alarm", async () => {
  const platform = new FakePlatform([{ text: "done" }]);
  platform.say("go");
  platform.now += 10;
  let dead = false;
  platform.cross = (where) => {
    if (where !== "model: before" || dead) return;
    dead = true;
    throw new Crash();
  };
  await expect(platform.fire()).rejects.toThrow(Crash);
  // While the wake was at work, a look at it changed nothing; in the next isolate it is known to be dead.
  platform.restart();
  expect(platform.disk.alarm).toBeGreaterThan(platform.now + 1_000);
  platform.now += 5;
  await platform.engine.restoreAlarm();
  expect(platform.disk.alarm).toBe(platform.now + 1);
  platform.now += 1;
  await platform.engine.restoreAlarm();
  expect(platform.disk.alarm).toBe(platform.now);
  await platform.fire();
  expect([lost(platform), ended(platform)]).toEqual([1, [["completed", null]]]);
});

describe("recovery is bounded", () => {
  test("a model call that always dies is claimed five times, and the run ends honestly", async () => {
    const platform = new FakePlatform([{ calls: [["look", { name: "a" }]] }, { text: "never said" }]);
    platform.say("go");
    platform.now += 10;
    await platform.fire();
    await dieAt(platform, "model: before");
    expect(lost(platform)).toBe(5);
    expect(ended(platform)).toEqual([["completed_partial", "recovery_exhausted"]]);
    const answer = platform.log.find((entry) => entry.kind === "answer");
    expect(answer?.kind === "answer" && answer.body.text).toContain("interrupted too often");
    expect(platform.disk.alarm).toBeNull();
    expect(platform.folded).toEqual(platform.state);
  });

  test("a read that always dies is an error after three, and the model goes on", async () => {
    const platform = new FakePlatform([{ calls: [["look", { name: "a" }]] }, { text: "I could not look." }]);
    platform.say("go");
    await dieAt(platform, "look: before");
    expect(statuses(platform)).toEqual([["look", "error"]]);
    expect(lost(platform)).toBe(3);
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("a keyed tool that dies after its effect is tried five times under one key, then its outcome is unknown", async () => {
    const platform = new FakePlatform([{ calls: [["put", { name: "a" }]] }, { text: "I do not know." }]);
    platform.say("go");
    await dieAt(platform, "put: after");
    expect(statuses(platform)).toEqual([["put", "unknown"]]);
    expect([...platform.effects.keyed]).toEqual([["ses/r1s1c0", 1]]);
    const keys = platform.log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.key] : []));
    expect(keys).toEqual(Array.from({ length: 5 }, () => "ses/r1s1c0"));
  });

  test("a once tool that dies is never run again", async () => {
    const platform = new FakePlatform([{ calls: [["send", { name: "a" }]] }, { text: "I do not know." }]);
    platform.say("go");
    await dieAt(platform, "send: after");
    expect(statuses(platform)).toEqual([["send", "unknown"]]);
    expect(platform.effects.once).toEqual(["r1s1c0"]);
    const told = platform.requests.at(-1)?.messages.find((message) => message.role === "tool");
    expect(JSON.stringify(told)).toContain("unknown_outcome");
  });

  test("the recovery alarm waits longer with each attempt, and never more than a minute", async () => {
    const platform = new FakePlatform([{ text: "never" }]);
    platform.say("go");
    const waits: number[] = [];
    platform.cross = (where) => {
      if (where === "model: before") waits.push((platform.disk.alarm ?? 0) - platform.now);
    };
    const inner = platform.cross;
    let dead = false;
    platform.cross = (where) => {
      inner(where);
      if (dead || where === "model: before") {
        dead = true;
        throw new Crash();
      }
    };
    for (let wakes = 0; wakes < 8 && platform.disk.alarm !== null; wakes++) {
      platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
      await platform.fire().catch(() => {});
      dead = false;
      platform.restart();
    }
    expect(waits).toEqual([1_500, 3_000, 6_000, 12_000, 24_000]);
  });
});

test("what an approval would show is computed three times, each with more time, and is then an error", async () => {
  const platform = new FakePlatform([
    { calls: [["publish", { name: "a" }]] },
    { text: "I could not prepare it." },
  ]);
  platform.say("go");
  const waits: number[] = [];
  let dead = false;
  platform.cross = (where) => {
    if (where === "publish: preview") waits.push((platform.disk.alarm ?? 0) - platform.now);
    if (!dead && where !== "publish: preview") return;
    dead = true;
    throw new Crash();
  };
  for (let wakes = 0; wakes < 8 && platform.disk.alarm !== null; wakes++) {
    platform.now = Math.max(platform.now, platform.disk.alarm ?? 0);
    await platform.fire().catch(() => {});
    if (!dead) continue;
    dead = false;
    platform.restart();
  }
  expect(waits).toEqual([1_500, 3_000, 6_000]);
  const lost = platform.log.flatMap((entry) => (entry.kind === "attempt_lost" ? [entry.body] : []));
  expect(lost).toEqual([1, 2, 3].map((attempt) => ({ effect: "r1s1c0", what: "preview", attempt })));
  const settled = platform.log.find((entry) => entry.kind === "call_settled");
  expect(settled?.body).toMatchObject({ status: "error", failure: { code: "preview_interrupted" } });
  expect(ended(platform)).toEqual([["completed", null]]);
});

describe("time", () => {
  test("that people take costs nothing, and active time ends in an answer before its limit", async () => {
    const platform = new FakePlatform((request) =>
      request.tools.length === 0
        ? { text: "Out of time." }
        : { calls: [["look", { name: `p${platform.requests.length}` }]] },
    );
    platform.onModel = () => void (platform.now += 9 * 60_000);
    platform.say("go");
    await platform.settle();
    expect(ended(platform)).toEqual([["completed_partial", "budget:wall"]]);
    expect(platform.requests.length).toBeLessThan(6);
  });

  test("of a wait for a person does not count as active", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "Published." }]);
    platform.say("go");
    await platform.settle();
    platform.now += 20 * 3_600_000;
    platform.decide("approve");
    await platform.settle();
    expect(ended(platform)).toEqual([["completed", null]]);
    const end = platform.log.find((entry) => entry.kind === "run_ended");
    expect(end?.kind === "run_ended" && end.body.activeMs).toBeLessThan(1_000);
  });
});

test("a thousand hops on a platform that loses alarms set for the running alarm's time do not stall", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0
      ? { text: "Enough." }
      : { calls: [["look", { name: `p${platform.requests.length}` }]] },
  );
  for (let message = 0; message < 70; message++) {
    platform.say(`go ${message}`);
    await platform.settle(60_000, 50);
    expect(platform.state.run).toBeNull();
  }
  expect(platform.wakes).toBeGreaterThan(1_000);
});

test("an alarm that the platform lost is armed again by the next touch", async () => {
  const platform = new FakePlatform([{ text: "Hello." }]);
  platform.say("hi");
  platform.disk.alarm = null;
  await platform.engine.restoreAlarm();
  expect(platform.disk.alarm).not.toBeNull();
  await platform.settle();
  expect(ended(platform)).toEqual([["completed", null]]);
});

describe("a model call that is stopped, and whose isolate then dies", () => {
  /** Says `pieces` with so many seconds between them, is stopped, and dies with its isolate. */
  async function died(pieces: readonly DraftPiece[]): Promise<FakePlatform> {
    const platform: FakePlatform = new FakePlatform({
      call: (_request, draft) => {
        for (const piece of pieces) {
          draft(piece);
          platform.now += 2_000;
        }
        platform.cancel("enough");
        throw new Crash();
      },
    } satisfies Model);
    platform.say("go");
    await platform.fire().catch(() => {});
    platform.now += 1_000;
    await platform.fire().catch(() => {});
    platform.restart();
    await platform.settle();
    return platform;
  }
  const kinds = [
    "user_message",
    "run_queued",
    "run_started",
    "step_started",
    "command_queued",
    "attempt_lost",
  ];

  test("is charged for, and what had been saved of it is kept as its last words", async () => {
    const platform = await died([
      { type: "reasoning", part: 0, text: "Let me " },
      { type: "reasoning", part: 0, text: "think. " },
      { type: "text", part: 1, text: "I was " },
      { type: "text", part: 1, text: "about " },
      { type: "text", part: 1, text: "to" },
      { type: "text", part: 1, text: " say" },
    ]);
    expect(platform.kinds).toEqual([...kinds, "model_replied", "answer", "run_ended"]);
    const [, , , started, , lost, replied, , end] = platform.log;
    if (started?.kind !== "step_started" || end?.kind !== "run_ended") throw new Error("another log");
    const { reservedTokens, reservedCost } = started.body;
    expect(lost?.body).toEqual({ effect: "r1s1", what: "model", attempt: 1, cost: reservedCost });
    expect(replied?.body).toMatchObject({
      attempt: 2,
      base: lost?.seq,
      readTo: 1,
      calls: [],
      finish: "aborted",
      usage: { inputTokens: 0, outputTokens: 0, estimated: true, cost: 0 },
    });
    // Saved at 2, 4 and 8 seconds: what came after the last of them is lost.
    expect(replied?.kind === "model_replied" && replied.body.parts).toEqual([
      { type: "reasoning", text: "Let me think. " },
      { type: "text", text: "I was about to" },
    ]);
    const { usage } = end.body;
    expect([usage.inputTokens + usage.outputTokens, usage.cost]).toEqual([reservedTokens, reservedCost]);
    expect(platform.disk.exec("SELECT * FROM chunks")).toEqual([]);
    expect(platform.folded).toEqual(platform.state);
  });

  test("of which nothing had been saved has said nothing", async () => {
    const platform = await died([{ type: "text", part: 0, text: "I" }]);
    expect(platform.kinds).toEqual([...kinds, "answer", "run_ended"]);
  });
});

test("a model call that died without a stop is asked again, and what was saved of it is nobody's answer", async () => {
  let deaths = 1;
  const platform: FakePlatform = new FakePlatform((_request, index) => ({
    text: index === 0 ? "Half of it" : "The whole.",
  }));
  platform.onPiece = () => void (platform.now += 5_000);
  platform.onModel = () => {
    if (deaths-- > 0) throw new Crash();
  };
  platform.say("go");
  platform.now += 10;
  await platform.fire().catch(() => {});
  expect(platform.disk.exec("SELECT * FROM chunks").length).toBeGreaterThan(0);
  platform.restart();
  // The alarm finds the claim: the drafts go with the attempt.
  platform.onModel = () => expect(platform.disk.exec("SELECT * FROM chunks")).toEqual([]);
  platform.onPiece = null;
  await platform.settle();
  expect(platform.kinds).toEqual([
    "user_message",
    "run_queued",
    "run_started",
    "step_started",
    "attempt_lost",
    "model_replied",
    "review",
    "answer",
    "run_ended",
  ]);
});

test("a lost attempt is charged by the price of the model that a hook had put in its place", async () => {
  const platform = new FakePlatform([{ text: "Hello." }]);
  const price = (input: number) => ({ input, cachedInput: input, output: input * 5 });
  platform.prices = { "rehearsal:": price(1), "openai-compatible:dear": price(50) };
  platform.hooks = { name: "test", version: 1, prepareStep: () => ({ model: "openai-compatible:dear" }) };
  platform.restart();
  platform.say("go");
  let deaths = 1;
  platform.onModel = () => {
    if (deaths-- > 0) throw new Crash();
  };
  platform.now += 10;
  await platform.fire().catch(() => {});
  platform.restart();
  await platform.settle();
  const started = platform.log.find((entry) => entry.kind === "step_started");
  const lost = platform.log.find((entry) => entry.kind === "attempt_lost");
  if (started?.kind !== "step_started" || lost?.kind !== "attempt_lost") throw new Error("another log");
  expect(started.body.model).toBe("openai-compatible:dear");
  expect(lost.body.cost).toBe(started.body.reservedCost);
  expect(platform.requests.map((request) => request.model)).toEqual(
    platform.requests.map(() => started.body.model),
  );
});

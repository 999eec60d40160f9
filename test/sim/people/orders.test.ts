import { expect, describe, test } from "vitest";
import type { CallOrder } from "../../../src/cairn/core/log/tool.ts";
import type { Call } from "../../../src/cairn/core/state/run/phase.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { byStep, REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Order that a running tool receives, and checks that can still stop it at the last moment. */

/** A platform that keeps each order that its tools were given. */
function watched(...lines: readonly Line[]): { platform: FakePlatform; orders: CallOrder[] } {
  const platform = new FakePlatform(byStep(...lines));
  const orders: CallOrder[] = [];
  const watch = platform.observer.watch.bind(platform.observer);
  platform.observer.watch = (tools) => {
    const inner = watch(tools);
    return {
      ...inner,
      // One that says how long it may take.
      cards: () => inner.cards().map((card) => (card.name === "send" ? { ...card, timeoutMs: 7_000 } : card)),
      run: (order, signal) => {
        orders.push(order);
        return inner.run(order, signal);
      },
    };
  };
  platform.restart();
  return { platform, orders };
}

const settled = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled"
      ? [[entry.body.call, entry.body.status, entry.body.failure?.code ?? null]]
      : [],
  );

/** Another hand changes what the snapshot says of the call that waits. */
function tamper(platform: FakePlatform, change: (call: Call) => Call): void {
  const cursor = platform.store.loadCursor();
  const run = cursor?.state.run ?? null;
  if (cursor === null || run?.phase.at !== "acting") throw new Error("nothing acts");
  const phase = { ...run.phase, calls: run.phase.calls.map(change) };
  platform.store.saveCursor({ ...cursor, state: { ...cursor.state, run: { ...run, phase } } });
}

describe("an order", () => {
  test("says who asked, which attempt it is, under which key, and what was approved", async () => {
    const { platform, orders } = watched(
      { calls: [["put", { name: "a" }]] },
      { calls: [["publish", { name: "b" }]] },
      { text: REPORT },
    );
    platform.effects.failures.set("put", [new ToolError("rate_limit", "slow_down", "later")]);
    platform.say("go");
    await platform.settle();
    platform.decide("approve");
    const decidedAt = platform.now;
    await platform.settle();
    const same = { run: "ses.r1", subject: "ada", timeMs: 30_000 };
    const put = {
      ...same,
      call: "r1s1c0",
      tool: "put",
      input: { name: "a" },
      key: "ses/r1s1c0",
      approved: null,
    };
    expect(orders.map(({ at: _at, ...order }) => order)).toEqual([
      { ...put, attempt: 1 },
      { ...put, attempt: 2 },
      {
        ...same,
        call: "r1s2c0",
        tool: "publish",
        input: { name: "b" },
        key: "ses/r1s2c0",
        attempt: 1,
        approved: { approval: "r1s2c0a1", basis: "basis:b" },
      },
    ]);
    expect(orders[2]?.at).toBeGreaterThanOrEqual(decidedAt);
    const intended = platform.log.flatMap((entry) =>
      entry.kind === "call_intended" ? [entry.body.attempt] : [],
    );
    expect(intended).toEqual([1, 2, 1]);
  });
});

test("the time of a tool is its own, thirty seconds where it says nothing, and never more than its run has left", async () => {
  const { platform, orders } = watched(
    { calls: [["look", { name: "a" }]] },
    { calls: [["send", { name: "b" }]] },
    { calls: [["look", { name: "c" }]] },
    { text: REPORT },
  );
  platform.onModel = ({ step }) => void (platform.now += step === "r1s3" ? 235_000 : 0);
  platform.say("go", { limits: { activeMs: 5 * 60_000 } });
  await platform.settle();
  expect(orders.map(({ timeMs }) => timeMs)).toEqual([30_000, 7_000, 4_998]);
});

test("the alarm behind a batch waits as long as its most tried call wants, and behind a model never more than a minute", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const { platform } = watched({ calls: names.map((name) => ["look", { name }]) }, { text: REPORT });
  platform.effects.failures.set("look", [new ToolError("rate_limit", "slow_down", "later")]);
  const waits: number[] = [];
  platform.effects.onTool = () => void waits.push((platform.disk.alarm ?? 0) - platform.now);
  platform.say("go");
  await platform.settle();
  expect(waits).toEqual([1_500, 1_500, 1_500, 1_500, 3_000, 3_000]);

  const fail = { class: "rate_limit", message: "no", retryAfterMs: null, usage: null } as const;
  const tried = new FakePlatform((_request, index) => {
    waits.push((tried.disk.alarm ?? 0) - tried.now);
    return index < 8 ? { fail } : { text: "Hello." };
  });
  waits.length = 0;
  tried.say("hi", {
    model: "openai-compatible:a",
    fallbacks: ["openai-compatible:b", "openai-compatible:c"],
  });
  await tried.settle();
  expect(waits).toEqual([1_500, 3_000, 6_000, 12_000, 24_000, 48_000, 60_000, 60_000, 60_000]);
});

describe("a call whose arguments are not those that were decided on", () => {
  const MISMATCH = [["r1s1c0", "error", "approval_mismatch"]];

  test.each([
    ["as the reply had them", (call: Call): Call => ({ ...call, argsDigest: "sha256:other" })],
    [
      "as they were shown",
      (call: Call): Call => {
        const { state } = call;
        if (state.at !== "decided") return call;
        return { ...call, state: { ...state, by: { ...state.by, digest: "sha256:other" } } };
      },
    ],
  ])("is not run: %s", async (_what, change) => {
    const { platform, orders } = watched(
      { calls: [["publish", { name: "a" }]] },
      { text: "It was not published." },
    );
    platform.say("go");
    await platform.settle();
    platform.decide("approve");
    tamper(platform, change);
    await platform.settle();
    expect([settled(platform), orders, platform.effects.keyed.size]).toEqual([MISMATCH, [], 0]);
    expect(platform.log.at(-1)?.body).toMatchObject({ outcome: "completed" });
  });

  test("is not tried again either", async () => {
    const { platform, orders } = watched({ calls: [["put", { name: "a" }]] }, { text: "It was not put." });
    platform.effects.failures.set("put", [new ToolError("rate_limit", "slow_down", "later")]);
    platform.say("go");
    await platform.settle(100);
    const cursor = platform.store.loadCursor();
    const run = cursor?.state.run ?? null;
    if (cursor === null || run?.phase.at !== "waiting_retry" || run.phase.back.at !== "acting")
      throw new Error("nothing waits");
    const calls = run.phase.back.calls.map((call) => ({ ...call, argsDigest: "sha256:other" }));
    const phase = { ...run.phase, back: { ...run.phase.back, calls } };
    platform.store.saveCursor({ ...cursor, state: { ...cursor.state, run: { ...run, phase } } });
    await platform.settle();
    expect([settled(platform), orders.length]).toEqual([MISMATCH, 1]);
  });
});

test("a model call is given what is left of the run's time, and the last one what is kept for the answer", async () => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0 ? { text: "So far." } : { calls: [["look", { name: request.step }]] },
  );
  platform.onModel = () => void (platform.now += 3 * 60_000);
  platform.say("go", { limits: { activeMs: 10 * 60_000 } });
  await platform.settle();
  const given = platform.requests.map(({ tools, timeoutMs }) => [tools.length > 0, timeoutMs]);
  expect(given).toEqual([
    [true, 300_000],
    [true, 300_000],
    [true, 179_999],
    [false, 60_000],
  ]);
});

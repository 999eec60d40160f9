import { describe, expect, test } from "vitest";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import type { ModelFailure } from "../../../src/cairn/core/log/model.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Circuit breakers: a target that fails repeatedly rests for a while, then one call tries it. */

const look = (name: string): [string, { name: string }] => ["look", { name }];
const busy = (): ToolError => new ToolError("server", "busy", "It is busy.", { nothingDone: true });
const DOWN: ModelFailure = { class: "overloaded", message: "Down.", retryAfterMs: null, usage: null };
const stepOf = (step: string): number => Number(/s(\d+)$/.exec(step)?.[1] ?? 1);
const codes = (platform: FakePlatform): string[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "verdict" && entry.body.act !== "retry" && entry.body.act !== "note"
      ? [entry.body.code]
      : [],
  );
const skips = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [entry.body.skip ?? entry.body.status] : [],
  );
const ended = (platform: FakePlatform): unknown[] =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );
const keys = (platform: FakePlatform): unknown[] =>
  (platform.state.breakers ?? []).map(({ key, fails }) => [key, fails]);
const models = (platform: FakePlatform): string[] => platform.requests.map((request) => request.model);

/** Runs out of time with every tool call; a model's answer for each step. */
const toolPlatform = (line: (step: number) => Line): FakePlatform =>
  new FakePlatform((request) => (request.tools.length === 0 ? { text: REPORT } : line(stepOf(request.step))));

describe("a tool", () => {
  test("that fails three times in a row is left alone for 30 s, and one call tries it then", async () => {
    const platform = toolPlatform((step) => (step <= 2 ? { calls: [look(`p${step}`)] } : { text: REPORT }));
    platform.effects.failures.set("look", [busy(), busy(), busy(), busy(), busy(), busy()]);
    platform.say("go");
    await platform.settle(3_600_000);
    expect(skips(platform)).toEqual(["error", "CIRCUIT_OPEN"]);
    expect(platform.folded).toEqual(platform.state);
    const open = platform.state.breakers?.[0];
    expect([open?.key, open?.spanMs]).toEqual(["tool:look", 30_000]);
    // The next run of the session knows it, and the first success closes it.
    platform.now = (open?.openUntil ?? 0) - 1_000;
    platform.onModel = () => void (platform.now += 600);
    platform.say("again");
    await platform.settle();
    expect(skips(platform).slice(2)).toEqual(["CIRCUIT_OPEN", "ok"]);
    expect(keys(platform)).toEqual([]);
  });

  test("that says that something is not there is there", async () => {
    const platform = toolPlatform((step) => (step <= 4 ? { calls: [look(`p${step}`)] } : { text: REPORT }));
    platform.effects.broken.set("look", new ToolError("not_found", "no_page", "There is no such page."));
    platform.say("go");
    await platform.settle(3_600_000);
    expect(keys(platform)).toEqual([]);
    expect(skips(platform)).not.toContain("CIRCUIT_OPEN");
  });

  test("is tried by one call, and nothing runs beside it", async () => {
    const platform = toolPlatform((step) =>
      step === 1 ? { calls: [look("a"), look("b"), look("c")] } : { text: REPORT },
    );
    platform.effects.failures.set("look", [busy(), busy(), busy(), busy()]);
    platform.say("go");
    await platform.settle(3_600_000);
    const begun = platform.begun.filter((effect) => effect.what === "tool").map((effect) => effect.effect);
    // All three at first; then the one that is tried again, alone.
    expect(begun.slice(0, 3)).toEqual(["r1s1c0", "r1s1c1", "r1s1c2"]);
    expect(platform.log.filter((entry) => entry.kind === "call_settled")).toHaveLength(3);
    expect(ended(platform)).toMatchObject([["r1", "completed", null]]);
  });
});

describe("a tool that says when to come back", () => {
  const limited = (retryAfterMs: number): ToolError =>
    new ToolError("rate_limit", "limited", "Too many requests.", { nothingDone: true, retryAfterMs });
  const verdicts = (platform: FakePlatform): unknown[] =>
    platform.log.flatMap((entry) =>
      entry.kind === "verdict" ? [[entry.body.code, (entry.body.until ?? entry.at) - entry.at]] : [],
    );

  test("is asked again then, not sooner, and by nothing else meanwhile", async () => {
    const platform = toolPlatform((step) =>
      step === 1 ? { calls: [look("a"), look("b")] } : { text: REPORT },
    );
    platform.effects.failures.set("look", [limited(120_000)]);
    platform.say("go");
    await platform.settle(3_600_000);
    expect(verdicts(platform)).toEqual([["RETRY_LATER", 120_000]]);
    expect(skips(platform)).toEqual(["ok", "ok"]);
    const intents = platform.log.flatMap((entry) =>
      entry.kind === "call_intended" ? [[entry.body.call, entry.at]] : [],
    );
    const first = Number(intents[0]?.[1]);
    expect(intents.filter(([, at]) => Number(at) > first).map(([call]) => call)).toEqual(["r1s1c0"]);
    expect(Number(intents.at(-1)?.[1])).toBeGreaterThanOrEqual(first + 120_000);
    expect(platform.folded).toEqual(platform.state);
  });

  test("in more than 15 minutes is not waited for: the model is told the time, and to propose a schedule", async () => {
    const platform = toolPlatform((step) => (step <= 2 ? { calls: [look(`p${step}`)] } : { text: REPORT }));
    platform.effects.failures.set("look", [limited(2 * 3_600_000)]);
    platform.say("go");
    await platform.settle(3_600_000);
    const hint = platform.log.find((entry) => entry.kind === "verdict" && entry.body.code === "RATE_HINT");
    expect(hint?.body).toMatchObject({ point: "after_result", call: "r1s1c0", act: "note" });
    expect(JSON.stringify(hint?.body)).toContain("in 120 min");
    expect(JSON.stringify(platform.requests[1]?.messages)).toContain("in 120 min");
    // Nobody asks it again in the meantime.
    expect(skips(platform)).toEqual(["error", "CIRCUIT_OPEN"]);
    expect(platform.folded).toEqual(platform.state);
  });

  test("and would outlast the run is told in the same way", async () => {
    const platform = toolPlatform((step) => (step === 1 ? { calls: [look("a")] } : { text: REPORT }));
    platform.effects.failures.set("look", [limited(10 * 60_000)]);
    platform.say("go", { limits: { activeMs: 5 * 60_000 } });
    await platform.settle(3_600_000);
    expect(verdicts(platform)[0]).toEqual(["RATE_HINT", 0]);
    expect(skips(platform)).toEqual(["error"]);
  });
});

describe("scenario 46: a model whose provider is down", () => {
  const platformOf = (down: (model: string, request: number) => boolean): FakePlatform => {
    const platform: FakePlatform = new FakePlatform((request) =>
      down(request.model, platform.requests.length) ? { fail: DOWN } : { text: `From ${request.model}.` },
    );
    return platform;
  };
  const more = { model: "a:", fallbacks: ["b:"] };

  test("is asked at most six times, and the fallback answers under its name", async () => {
    const platform = platformOf((model) => model === "a:");
    platform.say("go", more);
    await platform.settle(3_600_000);
    expect(models(platform)).toEqual(["a:", "a:", "a:", "b:"]);
    expect(ended(platform)).toEqual([["r1", "completed", null]]);
    expect(platform.folded).toEqual(platform.state);
  });

  test("is not asked by the next run, and after 30 s by one call, which closes it", async () => {
    const platform = platformOf((model, index) => model === "a:" && index < 4);
    platform.say("go", more);
    await platform.settle(3_600_000);
    platform.say("again", more);
    await platform.settle(3_600_000);
    expect(models(platform).slice(4)).toEqual(["b:"]);
    expect(codes(platform)).toEqual(["MODEL_DOWN"]);
    platform.now += 30_000;
    platform.say("once more", more);
    await platform.settle(3_600_000);
    expect(models(platform).slice(5)).toEqual(["a:"]);
    expect(keys(platform)).toEqual([]);
    expect(JSON.stringify(platform.requests.at(-1)?.messages)).not.toContain("left alone");
  });

  test("is waited for when there is no other, and asked when it may be", async () => {
    const platform = platformOf((_model, index) => index < 6);
    platform.say("go", { model: "a:" });
    await platform.settle(3_600_000);
    expect(ended(platform)).toMatchObject([["r1", "failed_provider", "provider:overloaded"]]);
    const until = platform.state.breakers?.[0]?.openUntil ?? 0;
    platform.now = until - 10_000;
    platform.say("again", { model: "a:" });
    await platform.settle(3_600_000);
    expect(codes(platform)).toEqual(["MODEL_DOWN"]);
    expect(platform.requests).toHaveLength(7);
    expect(platform.now).toBeGreaterThanOrEqual(until);
    expect(ended(platform)[1]).toEqual(["r2", "completed", null]);
  });

  test("is asked again by a run that has worked ten minutes without it", async () => {
    const platform: FakePlatform = new FakePlatform((request) => {
      if (request.model === "a:" && platform.requests.length < 3) return { fail: DOWN };
      const step = stepOf(request.step);
      return step <= 3 ? { calls: [look(`p${step}`)] } : { text: REPORT };
    });
    platform.effects.onTool = () => void (platform.now += 6 * 60_000);
    platform.say("go", more);
    await platform.settle(3_600_000);
    expect(models(platform)).toEqual(["a:", "a:", "a:", "b:", "b:", "a:", "a:"]);
    expect(codes(platform)).toEqual(["MODEL_PROBE"]);
    expect(platform.folded).toEqual(platform.state);
  });
});

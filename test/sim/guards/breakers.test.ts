import { describe, expect, test } from "vitest";
import { ToolError } from "../../../src/tools/define.ts";
import type { ModelFailure } from "../../../src/core/log/model.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import { World } from "../platform/platform.ts";

/** What fails again and again is left alone for a while, then tried by one call. */

const look = (name: string): [string, { name: string }] => ["look", { name }];
const busy = (): ToolError => new ToolError("server", "busy", "It is busy.", { nothingDone: true });
const DOWN: ModelFailure = { class: "overloaded", message: "Down.", retryAfterMs: null, usage: null };
const stepOf = (step: string): number => Number(/s(\d+)$/.exec(step)?.[1] ?? 1);
const codes = (world: World): string[] =>
  world.log.flatMap((row) =>
    row.kind === "verdict" && row.body.act !== "retry" && row.body.act !== "note" ? [row.body.code] : [],
  );
const skips = (world: World): unknown[] =>
  world.log.flatMap((row) => (row.kind === "call_settled" ? [row.body.skip ?? row.body.status] : []));
const ended = (world: World): unknown[] =>
  world.log.flatMap((row) =>
    row.kind === "run_ended" ? [[row.run, row.body.outcome, row.body.reason]] : [],
  );
const keys = (world: World): unknown[] => (world.state.breakers ?? []).map(({ key, fails }) => [key, fails]);
const models = (world: World): string[] => world.requests.map((request) => request.model);

/** Runs out of time with every tool call; a model's answer for each step. */
const toolWorld = (line: (step: number) => Line): World =>
  new World((request) => (request.tools.length === 0 ? { text: REPORT } : line(stepOf(request.step))));

describe("a tool", () => {
  test("that fails three times in a row is left alone for 30 s, and one call tries it then", async () => {
    const world = toolWorld((step) => (step <= 2 ? { calls: [look(`p${step}`)] } : { text: REPORT }));
    world.effects.failures.set("look", [busy(), busy(), busy(), busy(), busy(), busy()]);
    world.say("go");
    await world.settle(3_600_000);
    expect(skips(world)).toEqual(["error", "CIRCUIT_OPEN"]);
    expect(world.folded).toEqual(world.state);
    const open = world.state.breakers?.[0];
    expect([open?.key, open?.spanMs]).toEqual(["tool:look", 30_000]);
    // The next run of the session knows it, and the first success closes it.
    world.now = (open?.openUntil ?? 0) - 1_000;
    world.onModel = () => void (world.now += 600);
    world.say("again");
    await world.settle();
    expect(skips(world).slice(2)).toEqual(["CIRCUIT_OPEN", "ok"]);
    expect(keys(world)).toEqual([]);
  });

  test("that says that something is not there is there", async () => {
    const world = toolWorld((step) => (step <= 4 ? { calls: [look(`p${step}`)] } : { text: REPORT }));
    world.effects.broken.set("look", new ToolError("not_found", "no_page", "There is no such page."));
    world.say("go");
    await world.settle(3_600_000);
    expect(keys(world)).toEqual([]);
    expect(skips(world)).not.toContain("CIRCUIT_OPEN");
  });

  test("is tried by one call, and nothing runs beside it", async () => {
    const world = toolWorld((step) =>
      step === 1 ? { calls: [look("a"), look("b"), look("c")] } : { text: REPORT },
    );
    world.effects.failures.set("look", [busy(), busy(), busy(), busy()]);
    world.say("go");
    await world.settle(3_600_000);
    const begun = world.begun.filter((effect) => effect.what === "tool").map((effect) => effect.effect);
    // All three at first; then the one that is tried again, alone.
    expect(begun.slice(0, 3)).toEqual(["r1s1c0", "r1s1c1", "r1s1c2"]);
    expect(world.log.filter((row) => row.kind === "call_settled")).toHaveLength(3);
    expect(ended(world)).toMatchObject([["r1", "completed", null]]);
  });
});

describe("scenario 46: a model whose provider is down", () => {
  const worldOf = (down: (model: string, request: number) => boolean): World => {
    const world: World = new World((request) =>
      down(request.model, world.requests.length) ? { fail: DOWN } : { text: `From ${request.model}.` },
    );
    return world;
  };
  const more = { model: "a:", fallbacks: ["b:"] };

  test("is asked at most six times, and the fallback answers under its name", async () => {
    const world = worldOf((model) => model === "a:");
    world.say("go", more);
    await world.settle(3_600_000);
    expect(models(world)).toEqual(["a:", "a:", "a:", "b:"]);
    expect(ended(world)).toEqual([["r1", "completed", null]]);
    expect(world.folded).toEqual(world.state);
  });

  test("is not asked by the next run, and after 30 s by one call, which closes it", async () => {
    const world = worldOf((model, index) => model === "a:" && index < 4);
    world.say("go", more);
    await world.settle(3_600_000);
    world.say("again", more);
    await world.settle(3_600_000);
    expect(models(world).slice(4)).toEqual(["b:"]);
    expect(codes(world)).toEqual(["MODEL_DOWN"]);
    world.now += 30_000;
    world.say("once more", more);
    await world.settle(3_600_000);
    expect(models(world).slice(5)).toEqual(["a:"]);
    expect(keys(world)).toEqual([]);
    expect(JSON.stringify(world.requests.at(-1)?.messages)).not.toContain("left alone");
  });

  test("is waited for when there is no other, and asked when it may be", async () => {
    const world = worldOf((_model, index) => index < 6);
    world.say("go", { model: "a:" });
    await world.settle(3_600_000);
    expect(ended(world)).toMatchObject([["r1", "failed_provider", "provider:overloaded"]]);
    const until = world.state.breakers?.[0]?.openUntil ?? 0;
    world.now = until - 10_000;
    world.say("again", { model: "a:" });
    await world.settle(3_600_000);
    expect(codes(world)).toEqual(["MODEL_DOWN"]);
    expect(world.requests).toHaveLength(7);
    expect(world.now).toBeGreaterThanOrEqual(until);
    expect(ended(world)[1]).toEqual(["r2", "completed", null]);
  });

  test("is asked again by a run that has worked ten minutes without it", async () => {
    const world: World = new World((request) => {
      if (request.model === "a:" && world.requests.length < 3) return { fail: DOWN };
      const step = stepOf(request.step);
      return step <= 3 ? { calls: [look(`p${step}`)] } : { text: REPORT };
    });
    world.effects.onTool = () => void (world.now += 6 * 60_000);
    world.say("go", more);
    await world.settle(3_600_000);
    expect(models(world)).toEqual(["a:", "a:", "a:", "b:", "b:", "a:", "a:"]);
    expect(codes(world)).toEqual(["MODEL_PROBE"]);
    expect(world.folded).toEqual(world.state);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import {
  ANSWER,
  BEGIN,
  DOWN,
  ended,
  expectSound,
  failures,
  HONEST,
  LIMITED,
  of,
  REFUSED,
  refuse,
  settle,
  times,
  told,
  TOO_LONG,
  WAYS,
  WORK,
} from "../platform/faults.ts";
import {
  actingPlatform,
  askedPlatform,
  call,
  chunk,
  say,
  startBinding,
  startServer,
  stream,
  type Act,
  type Acts,
  type Provider,
} from "../platform/provider.ts";
import type { FakePlatform } from "../platform/platform.ts";

/** `MODEL_FALLBACKS` in order, waits that a provider asks for, and AI Gateway, through the real loop and adapters. */

// A dying isolate complains on its way out.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

/** The isolate dies with the reply in its hands, before the commit, while `dies` says so of the model. */
async function dieWhile(platform: FakePlatform, dies: (model: string) => boolean): Promise<void> {
  let dead = false;
  platform.cross = (where) => {
    if (!dead && !(where === "model: after" && dies(platform.state.run?.models.current ?? ""))) return;
    dead = true;
    throw new Crash();
  };
  for (let wakes = 0; wakes < 60 && platform.disk.alarm !== null; wakes++) {
    platform.now = Math.max(platform.now, platform.disk.alarm);
    try {
      await platform.fire();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    if (!dead) continue;
    dead = false;
    platform.restart();
  }
}

describe.each(WAYS)("fallbacks of %s", (way, start) => {
  let provider: Provider;
  beforeAll(async () => void (provider = await start()));
  beforeEach(() => void provider.asked.splice(0));
  afterAll(() => provider.close());

  const platformOf = (acts: Acts): FakePlatform => askedPlatform(provider, way, acts);

  test("hands over in order: the first is refused, the second is down for good, the third answers", async () => {
    const platform = platformOf({
      a: [REFUSED],
      b: [DOWN],
      c: [call(["send", "letter"]), say("Done.")],
      d: [],
    });
    await settle(platform);
    expect(platform.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...times(4, "model_failed"),
      ...WORK,
      "step_started",
      ...ANSWER,
    ]);
    expect(failures(platform)).toEqual([
      ["auth", "fallback"],
      ...Array.from({ length: 2 }, () => ["overloaded", "retry"]),
      ["overloaded", "fallback"],
    ]);
    // Three failures in a row open the breaker of b, and there is another model.
    const models = "abbbcc".split("");
    expect(platform.requests.map((request) => request.model)).toEqual(models.map((id) => `${way}:${id}`));
    expect(provider.asked.map((asked) => asked.model)).toEqual(models);
    const named = way === "workers-ai" ? "c" : "named-by-provider";
    expect(of(platform, "model_replied").map(({ body }) => body.model)).toEqual([named, named]);
    expect(ended(platform)).toEqual([["completed", null]]);
    expect(platform.effects.once).toEqual(["r1s1c0"]);
    expectSound(platform, provider);
  });

  test("begins every run with the first model again, once its breaker lets it be tried", async () => {
    const platform = platformOf({ a: [DOWN, DOWN, DOWN, say("Back.")], b: [say("Instead.")] });
    await settle(platform);
    expect(told(platform)).toBe("Instead.");
    platform.now += 30_000;
    platform.say("again", { model: `${way}:a`, fallbacks: [`${way}:b`] });
    await settle(platform);
    expect(told(platform)).toBe("Back.");
    expectSound(platform, provider);
  });

  test("of which none answers says of each why, and ends once", async () => {
    const platform = platformOf({ a: [DOWN], b: [TOO_LONG], c: [REFUSED] });
    await settle(platform);
    expect(platform.kinds).toEqual([...BEGIN, "step_started", ...times(5, "model_failed"), ...HONEST]);
    // One of them would have taken the key: the run did not fail for want of access.
    expect(ended(platform)).toEqual([["failed_provider", "provider:auth"]]);
    expect(told(platform)).toContain(`- ${way}:a: The model's provider failed or is overloaded.`);
    expect(told(platform)).toContain(`- ${way}:b: The conversation is too long for the model.`);
    expect(told(platform)).toContain(`- ${way}:c: The model's provider refused access`);
    expectSound(platform, provider);
  });

  test("that all refuse access ends as refused access", async () => {
    const platform = platformOf({ a: [REFUSED], b: [REFUSED] });
    await settle(platform);
    expect(ended(platform)).toEqual([["failed_auth", "provider:auth"]]);
    expectSound(platform, provider);
  });

  test("hands over a call that was interrupted five times; the next model has two claims", async () => {
    const platform = platformOf({ a: [call(["send", "letter"]), say("lost")], b: [say("Done.")] });
    await dieWhile(platform, (model) => model === `${way}:a` && platform.requests.length > 1);
    expect(platform.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...WORK,
      "step_started",
      ...times(5, "attempt_lost"),
      "model_failed",
      ...ANSWER,
    ]);
    expect(failures(platform)).toEqual([["internal", "fallback"]]);
    expect(platform.requests.map((request) => request.model).slice(-1)).toEqual([`${way}:b`]);
    expect(platform.effects.once).toEqual(["r1s1c0"]);
    expect(ended(platform)).toEqual([["completed", null]]);
    expectSound(platform, provider);
  });

  test("ends after five claims of the first model and two of each other one", async () => {
    const platform = platformOf({ a: [say("lost")], b: [say("lost")], c: [say("lost")] });
    await dieWhile(platform, () => true);
    expect(platform.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...times(5, "attempt_lost"),
      "model_failed",
      ...times(2, "attempt_lost"),
      "model_failed",
      ...times(2, "attempt_lost"),
      "verdict",
      ...HONEST,
    ]);
    expect(provider.asked.map((asked) => asked.model)).toEqual("aaaaabbcc".split(""));
    expect(ended(platform)).toEqual([["failed_internal", "recovery_exhausted"]]);
    expect(told(platform)).toContain("interrupted too often");
    expectSound(platform, provider);
  });

  test("hands over a forced answer that was interrupted three times", async () => {
    const platform = platformOf({ a: [stream(chunk({}, "stop"))], b: [say("Nothing came of it.")] });
    await dieWhile(platform, (model) => model === `${way}:a` && platform.requests.length > 3);
    expect(platform.kinds.slice(BEGIN.length)).toEqual([
      ...times(2, "step_started", "model_replied", "verdict"),
      // The loop rules have their word after the second.
      "verdict",
      "step_started",
      "model_replied",
      "verdict",
      "verdict",
      "step_started",
      ...times(3, "attempt_lost"),
      "model_failed",
      "model_replied",
      ...HONEST,
    ]);
    expect(told(platform)).toBe("Nothing came of it.");
    expect(ended(platform)).toEqual([["completed_partial", "invalid_output"]]);
    expectSound(platform, provider);
  });
});

// Only a server can do these: the AI binding has no headers and no status.
describe("a server", () => {
  const MINUTE_MS = 60_000;
  let provider: Provider;
  beforeAll(async () => void (provider = await startServer()));
  beforeEach(() => void provider.asked.splice(0));
  afterAll(() => provider.close());

  const after = (value: string): Act => refuse(429, "rate_limit_exceeded", "", { "retry-after": value });
  const platformOf = (acts: Acts): FakePlatform => askedPlatform(provider, "openai-compatible", acts);

  test("that says when to come back is left alone until then", async () => {
    const platform = platformOf({ a: [LIMITED, say("Done.")] });
    await settle(platform);
    const [failed] = of(platform, "model_failed");
    expect(failed?.body).toMatchObject({ retryAfterMs: 2 * MINUTE_MS, then: "retry" });
    expect(failed?.body.until).toBe((failed?.at ?? 0) + 2 * MINUTE_MS);
    expect(of(platform, "model_replied")[0]?.at).toBe(failed?.body.until);
    expect(platform.wakes).toBe(2);
  });

  test("may say it with a date", async () => {
    const platform = platformOf({ a: [after("Tue, 14 Nov 2023 22:15:00 GMT"), say("Done.")] });
    await settle(platform);
    expect(of(platform, "model_replied")[0]?.at).toBe(Date.UTC(2023, 10, 14, 22, 15));
    expectSound(platform, provider);
  });

  test("that wants more than 15 minutes is left for the next model at once", async () => {
    const platform = platformOf({ a: [after("901")], b: [say("Done.")] });
    const began = platform.now;
    await settle(platform);
    expect(failures(platform)).toEqual([["rate_limit", "fallback"]]);
    expect(platform.now - began).toBeLessThan(100);
    expect(told(platform)).toBe("Done.");
    expectSound(platform, provider);
  });

  test("that wants more than 15 minutes, without another model, ends the run at once", async () => {
    const platform = platformOf({ a: [after("901")] });
    const began = platform.now;
    await settle(platform);
    expect(platform.kinds).toEqual([...BEGIN, "step_started", "model_failed", ...HONEST]);
    expect(ended(platform)).toEqual([["failed_provider", "provider:rate_limit"]]);
    expect(platform.now - began).toBeLessThan(100);
    expectSound(platform, provider);
  });

  test("that sends a page where a stream should be has its answer taken as broken off", async () => {
    const platform = platformOf({ a: [refuse(200, "odd", ""), say("Done.")] });
    await settle(platform);
    expect(failures(platform)).toEqual([["cut_off", "retry"]]);
    expect(told(platform)).toBe("Done.");
    expectSound(platform, provider);
  });

  test("is waited for within the time of the run, and not beyond it", async () => {
    const platform = platformOf({ a: [after("900")] });
    await settle(platform);
    expect(failures(platform)).toEqual([
      ["rate_limit", "retry"],
      ["rate_limit", "end"],
    ]);
    const [run] = of(platform, "run_ended");
    expect(run?.body).toMatchObject({ outcome: "failed_provider", activeMs: 15 * MINUTE_MS });
    expectSound(platform, provider);
  });
});

describe("AI Gateway", () => {
  const model = "gateway:openai/some-model";

  test("is reached through the binding with its id, for every step of a run", async () => {
    const provider = startBinding("gw-1");
    const platform = actingPlatform(provider, {
      "openai/some-model": [call(["send", "letter"]), say("Done.")],
    });
    platform.say("go", { model });
    await settle(platform);
    expect(platform.kinds).toEqual([...BEGIN, "step_started", ...WORK, "step_started", ...ANSWER]);
    expect(provider.asked.map((asked) => [asked.model, asked.gateway])).toEqual([
      ["openai/some-model", { id: "gw-1" }],
      ["openai/some-model", { id: "gw-1" }],
    ]);
    expectSound(platform, provider);
  });

  test("is a fallback of Workers AI, which is asked without it", async () => {
    const provider = startBinding("gw-1");
    const platform = actingPlatform(provider, {
      "@cf/first": [REFUSED],
      "openai/some-model": [say("Done.")],
    });
    platform.say("go", { model: "workers-ai:@cf/first", fallbacks: [model] });
    await settle(platform);
    expect(provider.asked.map((asked) => [asked.model, asked.gateway])).toEqual([
      ["@cf/first", undefined],
      ["openai/some-model", { id: "gw-1" }],
    ]);
    expect(told(platform)).toBe("Done.");
    expectSound(platform, provider);
  });

  test("fails with the classes of the binding", async () => {
    const provider = startBinding("gw-1");
    const platform = actingPlatform(provider, { "openai/some-model": [DOWN] });
    platform.say("go", { model });
    await settle(platform);
    expect(platform.kinds).toEqual([...BEGIN, "step_started", ...times(6, "model_failed"), ...HONEST]);
    expect(ended(platform)).toEqual([["failed_provider", "provider:overloaded"]]);
    expectSound(platform, provider);
  });

  test("without an id is said to be missing, and nothing is asked", async () => {
    const provider = startBinding();
    const platform = actingPlatform(provider, { "openai/some-model": [say("never")] });
    platform.say("go", { model });
    await settle(platform);
    expect(platform.kinds).toEqual([...BEGIN, "step_started", "model_failed", ...HONEST]);
    expect(told(platform)).toContain("No id of an AI Gateway is set.");
    expectSound(platform, provider, 1);
  });
});

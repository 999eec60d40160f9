import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  ANSWER,
  BEGIN,
  cut,
  DOWN,
  ended,
  expectSound,
  FATAL,
  HALF,
  HONEST,
  of,
  RETRIED,
  SAID,
  settle,
  times,
  told,
  WAYS,
  WORK,
  type Fault,
} from "../platform/faults.ts";
import { askedWorld, call, chunk, say, stream, type Acts, type Provider } from "../platform/provider.ts";
import type { World } from "../platform/platform.ts";

/** Every fault of a provider through the real loop and the real adapters: nothing twice, nothing lost, the person told. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

describe.each(WAYS)("a model of %s", (way, start) => {
  let provider: Provider;
  beforeAll(async () => void (provider = await start()));
  beforeEach(() => void provider.asked.splice(0));
  afterAll(() => provider.close());

  const worldOf = (acts: Acts): World => askedWorld(provider, way, acts);
  const unreached = (fault: Fault, count: number): number => (fault.act.does === "unreachable" ? count : 0);

  test.each([...RETRIED, ...SAID])("survives $name before it has done anything", async (fault) => {
    const world = worldOf({ a: [fault.act, call(["send", "letter"]), say("Done.")] });
    await settle(world);
    expect(world.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...fault.rows,
      ...WORK,
      "step_started",
      ...ANSWER,
    ]);
    expect(ended(world)).toEqual([["completed", null]]);
    expect(told(world)).toBe("Done.");
    expect(world.effects.once).toHaveLength(1);
    expectSound(world, provider, unreached(fault, 1));
  });

  test.each([...RETRIED, ...SAID])("survives $name after an effect, which is not repeated", async (fault) => {
    const world = worldOf({ a: [call(["send", "letter"]), fault.act, say("Done.")] });
    await settle(world);
    expect(world.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...WORK,
      "step_started",
      ...fault.rows,
      ...ANSWER,
    ]);
    expect(ended(world)).toEqual([["completed", null]]);
    expect(world.effects.once).toEqual(["r1s1c0"]);
    expectSound(world, provider, unreached(fault, 1));
  });

  test.each([...RETRIED, ...SAID, ...FATAL])("that gives $name for good ends honestly", async (fault) => {
    const world = worldOf({ a: [fault.act] });
    await settle(world);
    // Calls of a forced answer are dropped with a note (guards-budgets.test.ts).
    const kept = world.log.filter((row) => row.kind !== "verdict" || row.body.code !== "CALLS_DROPPED");
    expect(kept.map((row) => row.kind)).toEqual([...BEGIN, "step_started", ...fault.forGood, ...HONEST]);
    expect(ended(world)).toEqual([fault.ends]);
    expect(told(world)).toMatch(fault.told);
    expect(world.effects.once).toEqual([]);
    expectSound(world, provider, unreached(fault, world.requests.length));
  });

  test.each([...RETRIED, ...FATAL])(
    "that gives $name for good after an effect says what is done",
    async (fault) => {
      const world = worldOf({ a: [call(["send", "letter"]), fault.act] });
      await settle(world);
      expect(world.kinds).toEqual([
        ...BEGIN,
        "step_started",
        ...WORK,
        "step_started",
        ...fault.forGood,
        ...HONEST,
      ]);
      expect(ended(world)).toEqual([["completed_partial", fault.ends[1]]]);
      expect(told(world)).toMatch(fault.told);
      expect(told(world)).toContain("Changed: Send: “letter”.");
      expect(world.effects.once).toEqual(["r1s1c0"]);
      expectSound(world, provider, unreached(fault, world.requests.length - 1));
    },
  );

  test.each(FATAL)("that gives $name hands over to the next one at once", async (fault) => {
    const world = worldOf({ a: [fault.act], b: [call(["send", "letter"]), say("Done.")] });
    const began = world.now;
    await settle(world);
    expect(world.kinds).toEqual([
      ...BEGIN,
      "step_started",
      "model_failed",
      ...WORK,
      "step_started",
      ...ANSWER,
    ]);
    expect(world.requests.map((request) => request.model)).toEqual([`${way}:a`, `${way}:b`, `${way}:b`]);
    expect(world.now - began).toBeLessThan(100);
    expect(ended(world)).toEqual([["completed", null]]);
    expectSound(world, provider);
  });

  test("whose stream breaks has its draft withdrawn and its retry on the next attempt", async () => {
    const world = worldOf({ a: [cut("break"), say("Whole.")] });
    await settle(world);
    expect(world.drafts.map(({ attempt, text }) => [attempt, text])).toEqual([
      [1, HALF],
      [2, "Whole."],
    ]);
    const [failed] = of(world, "model_failed");
    expect(failed?.body).toMatchObject({ attempt: 1, class: "cut_off", then: "retry" });
    expect(of(world, "model_replied")[0]?.body).toMatchObject({ attempt: 2, base: failed?.seq });
    expectSound(world, provider);
  });

  test("waits by alarm, longer each time, and nothing runs meanwhile", async () => {
    const world = worldOf({ a: [DOWN] });
    await settle(world);
    expect(world.wakes).toBe(6);
    const waits = of(world, "model_failed").map(({ body, at }) =>
      body.until === null ? null : body.until - at,
    );
    for (const [index, most] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(most / 2);
      expect(waits[index]).toBeLessThanOrEqual(most);
    }
    expect(waits.slice(5)).toEqual([null]);
    expect(new Set(world.requests.map((request) => request.step))).toEqual(new Set(["r1s1"]));
  });

  test("may give one id to several calls: each runs once, under a name of its own", async () => {
    const world = worldOf({
      a: [
        call(["send", "x", "used-twice"], ["send", "y", "used-twice"]),
        call(["send", "z", "used-twice"]),
        say("Done."),
      ],
    });
    await settle(world);
    expect(world.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...WORK,
      "call_intended",
      "call_settled",
      "step_started",
      ...WORK,
      "step_started",
      ...ANSWER,
    ]);
    expect(world.effects.once).toEqual(["r1s1c0", "r1s1c1", "r1s2c0"]);
    const sent = JSON.stringify(provider.asked.at(-1)?.body);
    for (const name of ["r1s1c0", "r1s1c1", "r1s2c0"]) expect(sent.split(`"id":"${name}"`)).toHaveLength(2);
    expect(JSON.stringify([world.log, provider.asked])).not.toContain("used-twice");
    expectSound(world, provider);
  });

  test("may make the same call twice under one id: it runs once, and both get its result", async () => {
    const world = worldOf({
      a: [call(["send", "x", "used-twice"], ["send", "x", "used-twice"]), say("Done.")],
    });
    await settle(world);
    expect(world.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...WORK,
      "call_settled",
      "step_started",
      ...ANSWER,
    ]);
    expect(world.effects.once).toEqual(["r1s1c0"]);
    expectSound(world, provider);
  });

  test("may call what exists beside what does not: that runs, and the other is refused with the nearest name", async () => {
    const world = worldOf({ a: [call(["sends", "never"], ["send", "letter"]), say("Done.")] });
    await settle(world);
    expect(world.kinds).toEqual([
      ...BEGIN,
      "step_started",
      "model_replied",
      "call_settled",
      "call_intended",
      "call_settled",
      "step_started",
      ...ANSWER,
    ]);
    expect(of(world, "call_settled").map(({ body }) => [body.status, body.failure?.code])).toEqual([
      ["refused", "unknown_tool"],
      ["ok", undefined],
    ]);
    expect(JSON.stringify(world.requests[1]?.messages)).toContain("Did you mean send");
    expect(world.effects.once).toEqual(["r1s1c1"]);
    expectSound(world, provider);
  });

  test("that withholds every reply is asked once more, then for an answer, then no more", async () => {
    const world = worldOf({ a: [stream(chunk({ content: "I" }), chunk({}, "content_filter"))] });
    await settle(world);
    expect(world.kinds).toEqual([
      ...BEGIN,
      ...times(2, "step_started", "model_replied", "verdict"),
      "verdict",
      "step_started",
      "model_replied",
      ...HONEST,
    ]);
    expect(ended(world)).toEqual([["completed_partial", "invalid_output"]]);
    expectSound(world, provider);
  });
});

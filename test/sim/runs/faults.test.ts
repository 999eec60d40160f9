import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { receiptLines } from "../../../src/cairn/core/text/receipt-lines.ts";
import { wireCallId } from "../../../src/cairn/models/call-id.ts";
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
import { askedPlatform, call, chunk, say, stream, type Acts, type Provider } from "../platform/provider.ts";
import type { FakePlatform } from "../platform/platform.ts";

const receiptTold = ({ log }: FakePlatform): string =>
  log
    .flatMap((entry) =>
      entry.kind === "answer" ? receiptLines(entry.body.receipt, { outcome: "partial", reason: null }) : [],
    )
    .map(({ text }) => text)
    .join("\n");

/** Every fault of a provider through the real loop and the real adapters: nothing twice, nothing lost, the person told. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

describe.each(WAYS)("a model of %s", (way, start) => {
  let provider: Provider;
  beforeAll(async () => void (provider = await start()));
  beforeEach(() => void provider.asked.splice(0));
  afterAll(() => provider.close());

  const platformOf = (acts: Acts): FakePlatform => askedPlatform(provider, way, acts);
  const unreached = (fault: Fault, count: number): number => (fault.act.does === "unreachable" ? count : 0);

  test.each([...RETRIED, ...SAID])("survives $name before it has done anything", async (fault) => {
    const platform = platformOf({ a: [fault.act, call(["send", "letter"]), say("Done.")] });
    await settle(platform);
    expect(platform.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...fault.entries,
      ...WORK,
      "step_started",
      ...ANSWER,
    ]);
    expect(ended(platform)).toEqual([["completed", null]]);
    expect(told(platform)).toBe("Done.");
    expect(platform.effects.once).toHaveLength(1);
    expectSound(platform, provider, unreached(fault, 1));
  });

  test.each([...RETRIED, ...SAID])("survives $name after an effect, which is not repeated", async (fault) => {
    const platform = platformOf({ a: [call(["send", "letter"]), fault.act, say("Done.")] });
    await settle(platform);
    expect(platform.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...WORK,
      "step_started",
      ...fault.entries,
      ...ANSWER,
    ]);
    expect(ended(platform)).toEqual([["completed", null]]);
    expect(platform.effects.once).toEqual(["r1s1c0"]);
    expectSound(platform, provider, unreached(fault, 1));
  });

  test.each([...RETRIED, ...SAID, ...FATAL])("that gives $name for good ends honestly", async (fault) => {
    const platform = platformOf({ a: [fault.act] });
    await settle(platform);
    // Calls of a forced answer are dropped with a note (sim/guards/budgets.test.ts).
    const kept = platform.log.filter(
      (entry) => entry.kind !== "verdict" || entry.body.code !== "CALLS_DROPPED",
    );
    expect(kept.map((entry) => entry.kind)).toEqual([...BEGIN, "step_started", ...fault.forGood, ...HONEST]);
    expect(ended(platform)).toEqual([fault.ends]);
    expect(told(platform)).toMatch(fault.told);
    expect(platform.effects.once).toEqual([]);
    expectSound(platform, provider, unreached(fault, platform.requests.length));
  });

  test.each([...RETRIED, ...FATAL])(
    "that gives $name for good after an effect says what is done",
    async (fault) => {
      const platform = platformOf({ a: [call(["send", "letter"]), fault.act] });
      await settle(platform);
      expect(platform.kinds).toEqual([
        ...BEGIN,
        "step_started",
        ...WORK,
        "step_started",
        ...(fault.forGoodAfterWork ?? fault.forGood),
        ...HONEST,
      ]);
      expect(ended(platform)).toEqual([["completed_partial", fault.ends[1]]]);
      expect(told(platform)).toMatch(fault.told);
      expect(receiptTold(platform)).toContain("Changed: Send: “letter”.");
      expect(platform.effects.once).toEqual(["r1s1c0"]);
      expectSound(platform, provider, unreached(fault, platform.requests.length - 1));
    },
  );

  test.each(FATAL)("that gives $name hands over to the next one at once", async (fault) => {
    const platform = platformOf({ a: [fault.act], b: [call(["send", "letter"]), say("Done.")] });
    const began = platform.now;
    await settle(platform);
    expect(platform.kinds).toEqual([
      ...BEGIN,
      "step_started",
      "model_failed",
      ...WORK,
      "step_started",
      ...ANSWER,
    ]);
    expect(platform.requests.map((request) => request.model)).toEqual([`${way}:a`, `${way}:b`, `${way}:b`]);
    expect(platform.now - began).toBeLessThan(100);
    expect(ended(platform)).toEqual([["completed", null]]);
    expectSound(platform, provider);
  });

  test("whose stream breaks has its draft withdrawn and its retry on the next attempt", async () => {
    const platform = platformOf({ a: [cut("break"), say("Whole.")] });
    await settle(platform);
    expect(platform.drafts.map(({ attempt, text }) => [attempt, text])).toEqual([
      [1, HALF],
      [2, "Whole."],
    ]);
    const [failed] = of(platform, "model_failed");
    expect(failed?.body).toMatchObject({ attempt: 1, class: "cut_off", then: "retry" });
    expect(of(platform, "model_replied")[0]?.body).toMatchObject({ attempt: 2, base: failed?.seq });
    expectSound(platform, provider);
  });

  test("waits by alarm, longer each time, and nothing runs meanwhile", async () => {
    const platform = platformOf({ a: [DOWN] });
    await settle(platform);
    expect(platform.wakes).toBe(6);
    const waits = of(platform, "model_failed").map(({ body, at }) =>
      body.until === null ? null : body.until - at,
    );
    for (const [index, most] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(most / 2);
      expect(waits[index]).toBeLessThanOrEqual(most);
    }
    expect(waits.slice(5)).toEqual([null]);
    expect(new Set(platform.requests.map((request) => request.step))).toEqual(new Set(["r1s1"]));
  });

  test("may give one id to several calls: each runs once, under a name of its own", async () => {
    const platform = platformOf({
      a: [
        call(["send", "x", "used-twice"], ["send", "y", "used-twice"]),
        call(["send", "z", "used-twice"]),
        say("Done."),
      ],
    });
    await settle(platform);
    expect(platform.kinds).toEqual([
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
    expect(platform.effects.once).toEqual(["r1s1c0", "r1s1c1", "r1s2c0"]);
    const sent = JSON.stringify(provider.asked.at(-1)?.body);
    for (const name of ["r1s1c0", "r1s1c1", "r1s2c0"])
      expect(sent.split(`"id":"${wireCallId(name)}"`)).toHaveLength(2);
    expect(JSON.stringify([platform.log, provider.asked])).not.toContain("used-twice");
    expectSound(platform, provider);
  });

  test("may make the same call twice under one id: it runs once, and both get its result", async () => {
    const platform = platformOf({
      a: [call(["send", "x", "used-twice"], ["send", "x", "used-twice"]), say("Done.")],
    });
    await settle(platform);
    expect(platform.kinds).toEqual([
      ...BEGIN,
      "step_started",
      ...WORK,
      "call_settled",
      "step_started",
      ...ANSWER,
    ]);
    expect(platform.effects.once).toEqual(["r1s1c0"]);
    expectSound(platform, provider);
  });

  test("may call what exists beside what does not: that runs, and the other is refused with the nearest name", async () => {
    const platform = platformOf({ a: [call(["sends", "never"], ["send", "letter"]), say("Done.")] });
    await settle(platform);
    expect(platform.kinds).toEqual([
      ...BEGIN,
      "step_started",
      "model_replied",
      "call_settled",
      "call_intended",
      "call_settled",
      "step_started",
      ...ANSWER,
    ]);
    expect(of(platform, "call_settled").map(({ body }) => [body.status, body.failure?.code])).toEqual([
      ["refused", "unknown_tool"],
      ["ok", undefined],
    ]);
    expect(JSON.stringify(platform.requests[1]?.messages)).toContain("Did you mean send");
    expect(platform.effects.once).toEqual(["r1s1c1"]);
    expectSound(platform, provider);
  });

  test("that withholds every reply is asked once more, then for an answer, then no more", async () => {
    const platform = platformOf({ a: [stream(chunk({ content: "I" }), chunk({}, "content_filter"))] });
    await settle(platform);
    expect(platform.kinds).toEqual([
      ...BEGIN,
      ...times(2, "step_started", "model_replied", "verdict"),
      "verdict",
      "step_started",
      "model_replied",
      ...HONEST,
    ]);
    expect(ended(platform)).toEqual([["completed_partial", "invalid_output"]]);
    expectSound(platform, provider);
  });
});

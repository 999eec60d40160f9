import { describe, expect, test } from "vitest";
import {
  addAmounts,
  AMOUNT_NAMES,
  NO_AMOUNTS,
  type Account,
} from "../../../../../src/cairn/core/guards/budget/amounts.ts";
import { costOf, FALLBACK_PRICE } from "../../../../../src/cairn/core/model-tables.ts";
import { PROFILES } from "../../../../../src/cairn/core/guards/budget/profiles.ts";
import {
  chargeCall,
  finalAmounts,
  reserveCall,
  reserveFinal,
  timeoutFor,
  type CallRequest,
} from "../../../../../src/cairn/core/guards/budget/reserve.ts";
import { openReservation, settleReservation } from "./settled.ts";
import { Chance } from "../../../../sim/platform/chance.ts";

const limit = PROFILES.standard;
const empty: Account = { used: NO_AMOUNTS, open: NO_AMOUNTS, limit };
const request: CallRequest = { estimate: 10_000, maxOut: 4_096, price: FALLBACK_PRICE, contextCap: 100_000 };
const spent = (used: Partial<Account["used"]>): Account => ({ ...empty, used: { ...NO_AMOUNTS, ...used } });

describe("a reservation", () => {
  test("is 1.15 of the estimate and the whole output; the answer is kept beside it", () => {
    expect(reserveCall(empty, request)).toEqual({
      ok: true,
      maxOut: 4_096,
      need: { ...NO_AMOUNTS, steps: 1, tokens: 11_500 + 4_096, cost: 11_500 * 3 + 4_096 * 15 },
      final: {
        steps: 1,
        messages: 1,
        tokens: 10_000 + 4_096 + 6_500 + 2_048,
        cost: 20_596 * 3 + 2_048 * 15,
        wall: 60_000,
        calls: 0,
      },
    });
  });

  test("what is kept for the answer is no more than a request may have, and a fifth of little time", () => {
    const small = { ...limit, outputTokens: 1_024, wall: 100_000 };
    const final = finalAmounts(small, { ...request, contextCap: 12_000 }, 4_096);
    expect([final.tokens, final.wall]).toEqual([12_000 + 1_024, 20_000]);
  });

  test("output shrinks to exactly what fits, and to no less than 512", () => {
    const fixed = 11_500 + 10_000 + 6_500 + 2_048; // with an output of 0, which counts twice
    const at = (room: number) => reserveCall(spent({ tokens: limit.tokens - room }), request);
    expect(at(fixed + 2 * 4_096)).toMatchObject({ ok: true, maxOut: 4_096 });
    expect(at(fixed + 2 * 4_096 - 1)).toMatchObject({ ok: true, maxOut: 4_095 });
    expect(at(fixed + 2 * 700)).toMatchObject({ ok: true, maxOut: 700 });
    expect(at(fixed + 2 * 512)).toMatchObject({ ok: true, maxOut: 512 });
    expect(at(fixed + 2 * 512 - 1)).toEqual({
      ok: false,
      what: "tokens",
      needed: fixed + 2 * 512,
      left: fixed + 2 * 512 - 1,
    });
  });

  test("the last step is kept, and ten seconds beyond what is kept for the answer", () => {
    expect(reserveCall(spent({ steps: 13 }), request).ok).toBe(true);
    expect(reserveCall(spent({ steps: 14 }), request)).toMatchObject({ ok: false, what: "steps" });
    expect(reserveCall(spent({ wall: limit.wall - 70_000 }), request).ok).toBe(true);
    expect(reserveCall(spent({ wall: limit.wall - 69_999 }), request)).toMatchObject({
      ok: false,
      what: "wall",
    });
  });

  test("what is open counts like what is used", () => {
    const open = openReservation(empty, { ...NO_AMOUNTS, cost: limit.cost - 100_000 });
    expect(reserveCall(open, request)).toMatchObject({ ok: false, what: "cost" });
  });

  test("a price of nothing is bounded by the other amounts alone", () => {
    const free = { ...request, price: { input: 0, cachedInput: 0, output: 0, estimated: false } };
    expect(reserveCall(spent({ cost: limit.cost }), free).ok).toBe(true);
  });
});

describe("a charge", () => {
  const need = { ...NO_AMOUNTS, steps: 1, tokens: 15_596, cost: 95_940 };
  const charging = { ...request, reserved: need };
  const usage = {
    inputTokens: 9_000,
    cachedInputTokens: 4_000,
    outputTokens: 100,
    reasoningTokens: 0,
    estimated: false,
  };

  test("is what the provider reported, cached input at its price", () => {
    const price = { input: 2, cachedInput: 0.5, output: 10, estimated: false };
    expect(chargeCall({ reserved: need, estimate: 10_000, price }, usage)).toEqual({
      ...usage,
      cost: 5_000 * 2 + 4_000 * 0.5 + 1_000,
    });
  });

  test("is the cost that a trusted provider reported, whatever the price is", () => {
    const { priceEstimated, ...paid } = chargeCall(charging, { ...usage, reportedCost: 7 });
    expect([paid, priceEstimated]).toEqual([{ ...usage, cost: 7 }, undefined]);
    const free = chargeCall(charging, { ...usage, estimated: true, reportedCost: 0 });
    expect(free).toMatchObject({ inputTokens: 10_000, cost: 0, estimated: true });
  });

  test("without a report the reservation stays, marked", () => {
    expect(chargeCall(charging, null)).toMatchObject({ inputTokens: 15_596, cost: 95_940, estimated: true });
  });

  test("a report that is partly an estimate counts the request as it was estimated", () => {
    const guessed = { ...usage, inputTokens: 10, estimated: true };
    expect(chargeCall(charging, guessed)).toMatchObject({
      inputTokens: 10_000,
      outputTokens: 100,
      estimated: true,
    });
    expect(chargeCall(charging, { ...guessed, inputTokens: 12_000 }).inputTokens).toBe(12_000);
  });

  test("a price that nobody stated makes the cost an estimate", () => {
    expect(chargeCall(charging, usage)).toMatchObject({ estimated: false, priceEstimated: true });
  });
});

test("an effect has the time before what is kept for the answer, and a second at least", () => {
  expect(timeoutFor(300_000, empty)).toBe(300_000);
  expect(timeoutFor(300_000, spent({ wall: limit.wall - 100_000 }))).toBe(40_000);
  expect(timeoutFor(300_000, spent({ wall: limit.wall }))).toBe(1_000);
});

test("over random runs: nothing under-counted, and overshoot is the error of one estimate", () => {
  let forced = 0;
  for (let seed = 1; seed <= 120; seed++) {
    const chance = new Chance(seed);
    const profile = chance.pick([PROFILES.trivial, PROFILES.standard, PROFILES.complex]);
    const price = {
      input: 1 + chance.below(5),
      cachedInput: 1,
      output: 5 + chance.below(20),
      estimated: false,
    };
    let account: Account = { used: NO_AMOUNTS, open: NO_AMOUNTS, limit: profile };
    const real = { tokens: 0, cost: 0 };
    let error = { tokens: 0, cost: 0 };
    for (let step = 1; ; step++) {
      const call: CallRequest = {
        estimate: 2_000 + chance.below(60_000),
        maxOut: profile.outputTokens,
        price,
        contextCap: 120_000,
      };
      const reserved = reserveCall(account, call);
      if (!reserved.ok) break;
      const { need, final } = reserved;
      // Before it leaves, all of it fits: used + open + need + final ≤ limit.
      const all = addAmounts(addAmounts(addAmounts(account.used, account.open), need), final);
      expect([seed, AMOUNT_NAMES.filter((name) => all[name] > profile[name])]).toEqual([seed, []]);
      account = openReservation(account, need);
      // The provider counts up to a fifth more than was estimated, which is more than is reserved for it.
      const input = Math.round(call.estimate * (0.6 + chance.next() * 0.6));
      const output = chance.below(reserved.maxOut + 1);
      const cost = costOf(price, { input, output });
      const lost = chance.once(6);
      real.tokens += input + output;
      real.cost += cost;
      const usage = {
        inputTokens: input,
        cachedInputTokens: 0,
        outputTokens: output,
        reasoningTokens: 0,
        estimated: false,
      };
      const counted = chargeCall({ ...call, reserved: need }, lost ? null : usage);
      const charge = { tokens: counted.inputTokens + counted.outputTokens, cost: counted.cost ?? 0 };
      const unseen = {
        tokens: Math.max(0, input + output - need.tokens),
        cost: Math.max(0, cost - need.cost),
      };
      if (lost) {
        // Nobody can know how much a lost attempt cost above its reservation.
        real.tokens -= unseen.tokens;
        real.cost -= unseen.cost;
      }
      account = settleReservation(account, need, { ...charge, steps: 1, wall: chance.below(30_000) });
      expect(account.open).toEqual(NO_AMOUNTS);
      error = lost ? { tokens: 0, cost: 0 } : unseen;
      expect(account.used.tokens).toBeGreaterThanOrEqual(real.tokens);
      expect(account.used.cost).toBeGreaterThanOrEqual(real.cost);
      expect(account.used.tokens + final.tokens).toBeLessThanOrEqual(profile.tokens + error.tokens);
      expect(account.used.cost + final.cost).toBeLessThanOrEqual(profile.cost + error.cost);
      if (step === profile.steps - 1) break;
    }
    forced++;
    const last = { estimate: 2_000, maxOut: profile.outputTokens, price, contextCap: 120_000 };
    const answer = reserveFinal(account, last);
    if (!answer.ok) throw new Error(`seed ${seed}: the answer cannot be paid`);
    const end = addAmounts(account.used, answer.need);
    for (const name of ["steps", "tokens", "cost"] as const)
      expect(end[name], `seed ${seed} ${name}`).toBeLessThanOrEqual(profile[name]);
  }
  expect(forced).toBe(120);
});

describe("the forced answer", () => {
  test("is paid from what was kept for it, with less output where that is all there is", () => {
    expect(reserveFinal(spent({ tokens: limit.tokens - 12_048, steps: 14 }), request)).toMatchObject({
      ok: true,
      maxOut: 2_048,
      need: { tokens: 12_048, steps: 1 },
    });
    expect(reserveFinal(spent({ tokens: limit.tokens - 10_600 }), request)).toMatchObject({
      ok: true,
      maxOut: 512,
    });
  });

  test("does not fit where even 512 tokens of output do not: compaction comes first", () => {
    expect(reserveFinal(spent({ tokens: limit.tokens - 10_511 }), request)).toEqual({
      ok: false,
      what: "tokens",
      needed: 10_512,
      left: 10_511,
    });
  });

  test("waits for no time: what is left is all its own", () => {
    expect(reserveFinal(spent({ wall: limit.wall }), request).ok).toBe(true);
  });
});

test("what is not known is charged as it was set aside, and says so where its price is a guess", () => {
  const price = { ...FALLBACK_PRICE, estimated: false };
  const charging = { reserved: { tokens: 15_000, cost: 90_000 }, estimate: 10_000, price };
  const unknown = { inputTokens: 15_000, outputTokens: 0, cost: 90_000, estimated: true };
  expect(chargeCall(charging, null)).toMatchObject(unknown);
  expect(chargeCall(charging, null)).not.toHaveProperty("priceEstimated");
  expect(chargeCall({ ...charging, price: FALLBACK_PRICE }, null)).toMatchObject({
    ...unknown,
    priceEstimated: true,
  });
  // Where the input is a guess, nobody knows what of it was cached.
  const usage = {
    inputTokens: 9_000,
    cachedInputTokens: 4_000,
    outputTokens: 10,
    reasoningTokens: 0,
    estimated: true,
  };
  expect(chargeCall(charging, usage)).toMatchObject({ inputTokens: 10_000, cachedInputTokens: 0 });
  expect(chargeCall(charging, { ...usage, estimated: false })).toMatchObject({
    inputTokens: 9_000,
    cachedInputTokens: 4_000,
  });
});

test("the forced answer is not asked for where money, tokens or steps do not pay it", () => {
  for (const name of ["cost", "tokens", "steps"] as const)
    expect(reserveFinal(spent({ [name]: limit[name] }), request)).toMatchObject({
      ok: false,
      what: name,
      left: 0,
    });
  expect(
    reserveFinal(spent({ wall: limit.wall, messages: limit.messages, calls: limit.calls }), request).ok,
  ).toBe(true);
});

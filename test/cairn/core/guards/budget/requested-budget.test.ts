import { describe, expect, test } from "vitest";
import type { Limits, RequestedLimits } from "../../../../../src/cairn/core/log/entry.ts";
import type { PromptPart } from "../../../../../src/cairn/core/log/model.ts";
import { FALLBACK_PRICE } from "../../../../../src/cairn/core/model-tables.ts";
import { PROFILES } from "../../../../../src/cairn/core/guards/budget/profiles.ts";
import {
  readBudgetRequest,
  requestedLimits,
  wantedFault,
  type BudgetRequest,
} from "../../../../../src/cairn/core/guards/budget/requested-budget.ts";

const words = (text: string): PromptPart => ({ type: "text", text });
const image: PromptPart = { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" };

describe("a class that the words name", () => {
  test("is taken off them, and what else was sent stays", () => {
    expect(readBudgetRequest([words("/lean What is there?"), image])).toEqual({
      parts: [words("What is there?"), image],
      profile: "lean",
    });
  });

  test("alone stays, so that something was said; words without one are left alone", () => {
    expect(readBudgetRequest([words("/lean")])).toEqual({ parts: [words("/lean")], profile: "lean" });
    expect(readBudgetRequest([words("What is there?")])).toEqual({
      parts: [words("What is there?")],
      profile: null,
    });
    expect(readBudgetRequest([image, words("/lean")])).toEqual({
      parts: [image, words("/lean")],
      profile: null,
    });
  });
});

describe("what is wanted of a run", () => {
  const house: RequestedLimits = { limits: { steps: 20, tokens: 400_000 } };
  const asked = (more: Partial<BudgetRequest> = {}): BudgetRequest => ({
    profile: null,
    limits: {},
    mayRaise: false,
    ...more,
  });

  test("is what the deployment set where nobody asks for anything", () => {
    expect(requestedLimits(house, asked())).toEqual({ limits: house.limits });
    const all: RequestedLimits = {
      limits: { steps: 20 },
      caps: { steps: 30 },
      profile: "research",
      onExhausted: "fail",
    };
    expect(requestedLimits(all, asked())).toEqual(all);
    expect(requestedLimits(all, asked({ mayRaise: true }))).toEqual(all);
  });

  test("is only lowered by who may not raise it, now and when the run grows", () => {
    const limits = { steps: 5, toolCalls: 900 };
    expect(requestedLimits({ ...house, caps: { steps: 9, toolCalls: 50 } }, asked({ limits }))).toEqual({
      limits: house.limits,
      caps: { steps: 5, toolCalls: 50 },
    });
  });

  test("is what they say who may raise it, and nothing caps it but the deployment", () => {
    const limits: Partial<Limits> = { steps: 500 };
    expect(requestedLimits(house, asked({ limits, mayRaise: true }))).toEqual({
      limits: { steps: 500, tokens: 400_000 },
    });
    expect(
      requestedLimits({ ...house, caps: { steps: 30 } }, asked({ limits, mayRaise: true })).caps,
    ).toEqual({
      steps: 30,
    });
  });

  test("of a class that is named is its row, under what the deployment set", () => {
    expect(requestedLimits({ ...house, profile: "standard" }, asked({ profile: "research" }))).toEqual({
      limits: {},
      caps: house.limits,
      profile: "research",
    });
    const limits = { steps: 30, tokens: 9 };
    expect(requestedLimits(house, asked({ profile: "research", limits })).caps).toEqual({
      steps: 20,
      tokens: 9,
    });
  });
});

describe("a wish that no call fits into", () => {
  const request = { estimate: 10_000, price: FALLBACK_PRICE, contextCap: 100_000 };
  const fault = (wanted: RequestedLimits, text = "Look at everything, then publish it.") =>
    wantedFault(wanted, [words(text)], request);

  test("is named, whether the limit or a cap is too small", () => {
    expect(fault({ limits: {} })).toBeNull();
    expect(fault({ limits: { tokens: 1_000 } })).toMatchObject({ code: "limits_too_small", what: "tokens" });
    expect(fault({ limits: {}, caps: { tokens: 1_000 } })).toMatchObject({
      code: "limits_too_small",
      what: "tokens",
      given: 1_000,
    });
    expect(fault({ limits: { steps: 0 } })).toMatchObject({ code: "limit_malformed", what: "steps" });
  });

  test("is measured by the class that is named, else by that of the words", () => {
    const large = { ...request, estimate: PROFILES.trivial.tokens / 2 };
    expect(wantedFault({ limits: {} }, [words("hi")], large)).toMatchObject({ what: "tokens" });
    expect(wantedFault({ limits: {}, profile: "complex" }, [words("hi")], large)).toBeNull();
  });
});

import { describe, expect, test } from "vitest";
import { DAY_CAPS } from "../../../src/cairn/core/guards/budget/admit.ts";
import { receiveBudgetAnswer } from "../../../src/cairn/core/loop/receive-extension.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import {
  budgetEndWords,
  budgetWords,
  findBudgetQuestion,
} from "../../../src/cairn/protocol/stream/budget-question.ts";
import { CHAT } from "../channels/messenger.ts";
import { REPORT } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** A run whose budget is nearly used asks whether it may have more, and works on. */

const ADA: Actor = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" };
const HEAVY = { inputTokens: 8_000, outputTokens: 10 };
/** Four of five calls are used when the fifth step begins. */
const FEW = { limits: { steps: 8, toolCalls: 5 } };

/** Looks at something new in each step, until its calls are used or the step has this number. */
function curious(last = 100, usage = { inputTokens: 100, outputTokens: 10 }): FakePlatform {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0 || request.step === `r1s${last}`
      ? { text: `This far I came: ${REPORT}`, usage }
      : { calls: [["look", { name: `thing of ${request.step}` }]], usage },
  );
  platform.service.admitOrCreate(ADA);
  return platform;
}

/** Does this while the model is asked for the step. */
function during(platform: FakePlatform, step: string, act: () => Promise<void>): void {
  platform.onModel = async (request) => {
    if (request.step === step) await act();
  };
}

const press = (platform: FakePlatform, decision: "extend" | "finish", actor = ADA) =>
  platform.api.answerBudget(actor, { id: `x-${decision}`, question: "r1b1", decision });
const kinds = ({ log }: FakePlatform): string[] =>
  log.flatMap(({ kind }) => (kind.startsWith("budget_") || kind === "command_queued" ? [kind] : []));
const view = ({ log }: FakePlatform) => findBudgetQuestion("ses", log, "r1b1");
const ends = ({ log }: FakePlatform): unknown =>
  log.flatMap((entry) => (entry.kind === "run_ended" ? [[entry.body.outcome, entry.body.reason]] : []));

async function settled(platform: FakePlatform): Promise<void> {
  await platform.settle(3_600_000);
  expect(platform.folded).toEqual(platform.state);
}

describe("a run that has used most of a budget", () => {
  test("asks once, works on, and ends without an answer as it would have", async () => {
    const platform = curious();
    platform.say("Look at everything.", FEW);
    await settled(platform);
    expect(kinds(platform)).toEqual(["budget_asked"]);
    expect(view(platform)).toEqual({
      id: "r1b1",
      sessionId: "ses",
      runId: "ses.r1",
      what: "toolCalls",
      used: 4,
      limit: 5,
      adds: { steps: 4, toolCalls: 3 },
      costUsd: { used: 0, limit: 2.5 },
      state: "ended",
      by: null,
      askedAt: expect.any(String),
    });
    expect(platform.effects.reads).toBe(5);
    expect(ends(platform)).toEqual([["completed_partial", "budget:calls"]]);
  });

  test("is given what was shown by a yes, once", async () => {
    const platform = curious(8);
    during(platform, "r1s5", async () => {
      expect(await press(platform, "extend")).toMatchObject({
        value: { question: { state: "extended", by: "ada" }, replayed: false },
      });
      expect(await press(platform, "extend")).toMatchObject({ value: { replayed: true } });
      const late = await press(platform, "finish");
      expect(late).toMatchObject({ error: { status: 409, code: "budget_closed" } });
      expect(late).toMatchObject({ error: { extra: { budgetQuestion: { state: "extended" } } } });
      const again = await platform.api.extend(ADA, { id: "x2", runId: "r1", amounts: { steps: 1 } });
      expect(again).toMatchObject({ error: { code: "already_extended" } });
    });
    platform.say("Look at everything.", FEW);
    await settled(platform);
    expect(kinds(platform)).toEqual(["budget_asked", "budget_answered", "command_queued"]);
    expect(platform.effects.reads).toBe(7);
    expect(ends(platform)).toEqual([["completed", null]]);
  });

  test("keeps what it has after a no", async () => {
    const platform = curious();
    during(platform, "r1s5", async () => {
      expect(await press(platform, "finish")).toMatchObject({ value: { question: { state: "finished" } } });
      expect(await press(platform, "extend")).toMatchObject({ error: { code: "budget_closed" } });
    });
    platform.say("Look at everything.", FEW);
    await settled(platform);
    expect(kinds(platform)).toEqual(["budget_asked", "budget_answered"]);
    expect(ends(platform)).toEqual([["completed_partial", "budget:calls"]]);
  });

  test("is given more by whoever may approve there, and by nobody else", async () => {
    const platform = curious();
    during(platform, "r1s5", async () => {
      const sender: Actor = { ...ADA, scopes: ["send"] };
      expect(await press(platform, "extend", sender)).toMatchObject({ error: { status: 403 } });
      const bob: Actor = { ...ADA, subject: "bob" };
      expect(await press(platform, "extend", bob)).toMatchObject({ error: { status: 404 } });
      const other = { id: "x", question: "r7b1", decision: "extend" } as const;
      expect(await platform.api.answerBudget(ADA, other)).toMatchObject({ error: { code: "not_found" } });
    });
    platform.say("Look at everything.", FEW);
    await settled(platform);
    expect(kinds(platform)).toEqual(["budget_asked"]);
  });

  test("has no open question once it was given more by another way, was stopped, or is over", async () => {
    const platform = curious(8);
    during(platform, "r1s5", async () => {
      await platform.api.extend(ADA, { id: "x1", runId: "r1", amounts: { toolCalls: 9 } as object });
      await platform.api.extend(ADA, { id: "x2", runId: "r1", amounts: { calls: 9 } });
      expect(await press(platform, "finish")).toMatchObject({ error: { code: "budget_closed" } });
    });
    platform.say("Look at everything.", FEW);
    await settled(platform);
    expect(view(platform)).toMatchObject({ state: "extended", by: "ada" });
    expect(await press(platform, "extend")).toMatchObject({ value: { replayed: true } });

    const stopped = curious();
    during(stopped, "r1s5", async () => {
      await stopped.api.cancel(ADA, { id: "stop", runId: null, all: true, reason: null });
      expect(await press(stopped, "extend")).toMatchObject({ error: { code: "budget_closed" } });
    });
    stopped.say("Look at everything.", FEW);
    await settled(stopped);
    expect(view(stopped)).toMatchObject({ state: "ended", by: null });
  });

  test("is never offered nor given more than the day has", async () => {
    const platform = curious(6, HEAVY);
    platform.day = { ...DAY_CAPS, tokens: 70_000 };
    during(platform, "r1s5", async () => {
      expect(platform.state.run?.used.question?.adds).toEqual({ steps: 4, toolCalls: 3, tokens: 10_000 });
      // The day has less left when the yes comes: it is an answer, and gives nothing.
      const yes = { id: "x1", question: "r1b1", decision: "extend", actor: "ada", via: "http" } as const;
      const day = { ...platform.day, tokens: 69_000 };
      const answered = receiveBudgetAnswer(platform.state, yes, platform.now, day);
      expect(answered).toMatchObject({ ok: true, value: "ended" });
      expect(answered.ok && answered.entries.map(({ kind }) => kind)).toEqual(["budget_answered"]);
      const paid = receiveBudgetAnswer(platform.state, yes, platform.now, platform.day);
      expect(paid.ok && paid.entries.map(({ kind }) => kind)).toEqual(["budget_answered", "command_queued"]);
    });
    platform.say("Look at everything.", { limits: { ...FEW.limits, tokens: 60_000, outputTokens: 512 } });
    await settled(platform);
    expect(platform.requests.some(({ step }) => step === "r1s5")).toBe(true);
  });

  test("is not asked about where the day has nothing more of it", async () => {
    const platform = curious(100, HEAVY);
    platform.day = { ...DAY_CAPS, tokens: 170_000 };
    platform.say("Look at everything.", { limits: { steps: 60, tokens: 150_000, toolCalls: 100 } });
    await settled(platform);
    expect(view(platform)?.adds["tokens"]).toBe(20_000);
    const none = curious(100, HEAVY);
    none.day = { ...DAY_CAPS, tokens: 150_000 };
    none.say("Look at everything.", { limits: { steps: 60, tokens: 150_000, toolCalls: 100 } });
    await settled(none);
    expect(kinds(none)).toEqual([]);
  });
});

describe("nobody is asked", () => {
  const asked = async (more: Parameters<FakePlatform["say"]>[1]): Promise<string[]> => {
    const platform = curious();
    platform.say("Look at everything.", { ...FEW, ...more });
    await settled(platform);
    return kinds(platform);
  };

  test("where a run works without a person, unless it came from a chat", async () => {
    expect(await asked({ source: "schedule" })).toEqual([]);
    expect(await asked({ source: "webhook" })).toEqual([]);
    expect(await asked({ source: "schedule", origin: CHAT })).toEqual(["budget_asked"]);
  });

  test("where its agent does not want it", async () => {
    const platform = curious();
    const sent = await platform.api.send(ADA, {
      id: "m1",
      parts: [{ type: "text", text: "Look at everything." }],
      mode: null,
      source: "api",
      request: null,
      ask: { profile: "standard", ...FEW, questions: { budget: false } },
    });
    expect(sent.ok).toBe(true);
    await settled(platform);
    expect(kinds(platform)).toEqual([]);
    expect(ends(platform)).toEqual([["completed_partial", "budget:calls"]]);
  });

  test("where somebody has given more already", async () => {
    const platform = curious();
    during(platform, "r1s1", async () => {
      await platform.api.extend(ADA, { id: "x1", runId: "r1", amounts: { messages: 1 } });
    });
    platform.say("Look at everything.", FEW);
    await settled(platform);
    expect(kinds(platform)).toEqual(["command_queued"]);
  });
});

test("the words of a card name what is used, what more is, and what it may cost", () => {
  const shown = { what: "steps", used: 12, limit: 15, adds: { steps: 8, tokens: 1, costUsd: 1.25 } } as const;
  expect(budgetWords({ ...shown, costUsd: { used: 2.1, limit: 2.5 } })).toEqual({
    title: "12 of 15 steps are used. May it have more?",
    adds: "A yes adds 8 steps, 1 token, $1.25.",
    cost: "It has cost $2.10 so far. With more it may cost up to $3.75.",
  });
  const minutes = {
    what: "activeMs",
    used: 1_440_000,
    limit: 1_800_000,
    adds: { activeMs: 900_000 },
  } as const;
  expect(budgetWords({ ...minutes, costUsd: { used: 0, limit: 2.5 } })).toEqual({
    title: "24 of 30 minutes are used. May it have more?",
    adds: "A yes adds 15 minutes.",
    cost: "It has cost nothing so far. With more it may cost up to $2.50.",
  });
  const tokens = {
    what: "tokens",
    used: 400_000,
    limit: 500_000,
    adds: {},
    costUsd: { used: 0.0123, limit: 1 },
  } as const;
  expect(budgetWords(tokens).title).toBe("400,000 of 500,000 tokens are used. May it have more?");
  expect(budgetWords(tokens).cost).toContain("$0.0123");
  expect(budgetEndWords({ state: "finished", by: "ada" })).toBe(
    "It finishes with what there is, decided by ada",
  );
});

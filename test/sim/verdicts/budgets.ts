import { DAY_CAPS } from "../../../src/cairn/core/guards/budget/admit.ts";
import { REPORT } from "../platform/fake-model.ts";
import type { FakePlatform, Line } from "../platform/platform.ts";
import { ADA, asClass, calls, look, run, saysBy, steps, tell, withMore, type Scenarios } from "./scenario.ts";

const PRICED = "openai-compatible:priced";
const PRICE = { input: 2, cachedInput: 2, output: 10 };
const END: Line = { text: `This far I came: ${REPORT}` };

/** Looks at something new in each step. */
const curious = (more: Partial<Extract<Line, { calls?: unknown }>> = {}): FakePlatform =>
  saysBy((step, { tools }) =>
    tools.length === 0 ? { ...END, ...more } : { ...calls(look(`thing ${step}`)), ...more },
  );

/** Scenarios of spent budgets, and of requests for more. */
export const BUDGETS: Scenarios = {
  BUDGET_STEPS: () => run(curious(), { limits: { steps: 3 } }),
  LAST_STEP: () => run(curious(), { limits: { steps: 3 } }),
  WRAP_UP: () => run(curious(), steps(10)),
  BUDGET_TOKENS: () => run(curious({ usage: { inputTokens: 20_000 } }), { limits: { tokens: 60_000 } }),
  BUDGET_COST: () => {
    const platform = curious({ usage: { inputTokens: 20_000, outputTokens: 1_000 } });
    platform.prices = { [PRICED]: PRICE };
    return run(platform, { limits: { cost: 200_000 }, model: PRICED });
  },
  BUDGET_WALL: () => {
    const platform = curious();
    platform.onModel = () => void (platform.now += 120_000);
    return run(platform, { limits: { activeMs: 600_000 } });
  },
  BUDGET_CALLS: () =>
    run(
      saysBy((step) => (step === 1 ? calls(look("a"), look("b")) : END)),
      { limits: { toolCalls: 1 } },
    ),
  BUDGET_CALLS_SPENT: () => run(curious(), { limits: { toolCalls: 2 } }),
  BUDGET_MESSAGES: () =>
    run(
      withMore(
        saysBy((step) => (step <= 2 ? calls(tell(`news ${step}`)) : END)),
        { tells: true },
      ),
      { limits: { messages: 2 } },
    ),
  BUDGET_DAY: () => {
    const platform = curious();
    platform.day = { ...DAY_CAPS, tokens: 1_000 };
    return run(platform);
  },
  BUDGET_DAY_FINAL: () => {
    const platform = curious();
    // Enough for the answer, and not for a step beside it.
    platform.day = { ...DAY_CAPS, tokens: 16_000 };
    return run(platform);
  },
  // The provider has counted far more than any estimate of the request.
  FINAL_UNPAID: () => run(curious({ usage: { inputTokens: 900_000 } }), { limits: { tokens: 60_000 } }),
  EXTENDED: () => run(curious(), asClass("standard")),
  EXTENDED_BY_PERSON: () => {
    const platform = curious();
    platform.service.admitOrCreate(ADA);
    platform.onModel = async () => {
      platform.onModel = null;
      await platform.api.extend(ADA, { id: "x1", runId: "r1", amounts: { steps: 2 } });
    };
    return run(platform, { limits: { steps: 3 } });
  },
  MORE_CALLS: () =>
    run(
      saysBy((step) =>
        step <= 11
          ? calls(...Array.from({ length: 8 }, (_, n) => look(`page ${step}.${n}`)))
          : { text: REPORT },
      ),
      asClass("standard"),
    ),
  PROMOTED: () => run(curious(), asClass("trivial")),
  CALLS_DROPPED: () =>
    run(
      saysBy((step) => calls(look(`thing ${step}`))),
      { limits: { steps: 3 } },
    ),
};

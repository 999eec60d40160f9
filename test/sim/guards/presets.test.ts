import { describe, expect, test } from "vitest";
import { budgetOf, presetOf, type BudgetDefinition } from "../../../src/cairn/agents/budget.ts";
import { asKind, type Entry, type EntryKind } from "../../../src/cairn/core/log/entry.ts";
import { DEFAULT_RUN_POLICY } from "../../../src/cairn/core/log/run.ts";
import { REPORT } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Budgets under each preset: an agent that names one, its own limits beside it, the real loop. */

const PRESETS = ["cms", "hyphen", "deepresearch", "orcbot"] as const;
type Name = (typeof PRESETS)[number];

const PRICED = "openai-compatible:priced";
const MINUTE = 60_000;
/** what a model call takes, so that the time of the preset is over before its steps are */
const CALL_MS: Readonly<Record<Name, number>> = {
  cms: 4 * MINUTE,
  hyphen: MINUTE,
  deepresearch: 4 * MINUTE,
  orcbot: 4 * MINUTE,
};

const of = <Kind extends EntryKind>(platform: FakePlatform, kind: Kind): Entry<Kind>[] =>
  platform.log.flatMap((entry) => asKind(entry, kind) ?? []);

/** Looks at something new in each step, and says where it got to when it has no tools. */
async function run(definition: BudgetDefinition, callMs = 0): Promise<FakePlatform> {
  const platform = new FakePlatform((request) => ({
    usage: { inputTokens: 12_000, outputTokens: 500 },
    ...(request.tools.length === 0
      ? { text: `This far I came: ${REPORT}` }
      : { calls: [["look", { name: `thing of ${request.step}` }]] }),
  }));
  const { wanted, temperature } = budgetOf(definition);
  const preset = presetOf(definition);
  platform.prices = { [PRICED]: { input: 2, cachedInput: 2, output: 10 } };
  platform.transcript = preset?.transcript ?? "compact";
  platform.policy = { onStuck: preset?.onStuck ?? DEFAULT_RUN_POLICY.onStuck };
  platform.restart();
  // No call lasts longer than it is given.
  platform.onModel = ({ timeoutMs }) => void (platform.now += Math.min(callMs, timeoutMs));
  platform.say("Look at everything.", { wanted, temperature, model: PRICED });
  await platform.settle(3_600_000);
  expect(platform.folded).toEqual(platform.state);
  return platform;
}

const SPENT = {
  steps: {},
  tokens: { tokens: 100_000 },
  cost: { costUsd: 0.25 },
  wall: {},
  calls: { toolCalls: 2 },
} as const;

describe.each(PRESETS)("scenario 9 under %s", (preset) => {
  test.each(["steps", "tokens", "cost", "wall", "calls"] as const)(
    "%s: one outcome, and one text is delivered",
    async (amount) => {
      const platform = await run({ preset, limits: SPENT[amount] }, amount === "wall" ? CALL_MS[preset] : 0);
      expect(of(platform, "run_ended").map(({ body }) => [body.outcome, body.reason])).toEqual([
        ["completed_partial", `budget:${amount}`],
      ]);
      const answers = of(platform, "answer").map(({ body }) => body.text);
      expect(answers).toHaveLength(1);
      expect(answers[0]).toContain("This far I came");
    },
  );
});

test("scenario 10: after the 150 minutes of deepresearch an answer comes, and its request still holds the newest result", async () => {
  const platform = await run({ preset: "deepresearch" }, CALL_MS.deepresearch);
  const ended = of(platform, "run_ended");
  expect(ended.map(({ body }) => body.reason)).toEqual(["budget:wall"]);
  // The last call with tools leaves the answer its minute.
  const ms = ended[0]?.body.activeMs ?? 0;
  expect(ms).toBeGreaterThan(140 * MINUTE);
  expect(ms).toBeLessThan(150 * MINUTE + 1_000);
  const last = platform.requests.at(-1);
  expect(last?.tools).toEqual([]);
  const results = last?.messages.flatMap((one) => (one.role === "tool" ? one.results : [])) ?? [];
  expect(results.at(-1)?.observation).toContain(`thing of ${platform.requests.at(-2)?.step}`);
});

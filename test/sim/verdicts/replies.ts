import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { toolCalled } from "../../../src/cairn/core/loop/hooks.ts";
import { wordedModel } from "../../cairn/core/dialects/worded-model.ts";
import { NO_HOOKS } from "../../../src/cairn/core/loop/hooks.ts";
import { REPORT } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";
import {
  ask,
  asClass,
  broken,
  calls,
  exactly,
  fails,
  look,
  put,
  run,
  says,
  saysBy,
  steps,
  withMore,
  type Called,
  type Scenarios,
} from "./scenario.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";

const OUTPUT = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };
const item = (id: string, more: Readonly<Record<string, Json>> = {}): Json => ({
  id,
  text: `do ${id}`,
  kind: "do",
  status: "open",
  ...more,
});
const plan = (...items: readonly Json[]): Called => [
  "update_plan",
  { goal: "An About page", items: [...items] },
];

/** Scenarios of replies, and of plans. */
export const REPLIES: Scenarios = {
  REPLY_CUT: () => run(exactly({ text: "Half of", finish: "length" }, { text: REPORT })),
  REPLY_CUT_AGAIN: () =>
    run(
      saysBy((step, { tools }) =>
        tools.length === 0 ? { text: REPORT } : { finish: "length", ...calls(look(`p${step}`)) },
      ),
    ),
  EMPTY: () => run(exactly({ text: "" }, { text: REPORT })),
  FILTERED: () => run(exactly({ text: "", finish: "content-filter" }, { text: REPORT })),
  UNUSABLE: () => {
    const { model } = wordedModel(
      "{ this is no JSON",
      `{"action": "complete", "action_input": {"answer": "${REPORT}"}}`,
    );
    const platform = new FakePlatform(model);
    platform.dialect = "json";
    return run(platform);
  },
  TEXT_CALL: () => run(exactly({ text: '{"name": "look", "arguments": {"name": "a"}}' }, { text: REPORT })),
  INVALID_OUTPUT: () => run(says(...[1, 2, 3].map((n) => calls(["nowhere", { n }])))),
  ANSWER_BEFORE_RESULTS: () =>
    run(exactly({ text: `FINAL_ANSWER: ${REPORT}`, ...calls(look("a")) }, { text: REPORT })),
  OUTPUT_INVALID: () =>
    run(exactly({ text: "It is warm." }, { text: '{"celsius": 21}' }), {
      spec: { ...PLAIN_SPEC, output: OUTPUT },
    }),
  CONTEXT_OVERFLOW: () => {
    const platform = saysBy((step, { tools }) => {
      if (step === 9) return fails("context_overflow");
      return step <= 8 && tools.length > 0 ? calls(["bulk", { name: `b${step}` }]) : { text: REPORT };
    });
    platform.effects.bulk = "a word and another ".repeat(300);
    return run(platform, steps(40));
  },
  INPUT_PENDING: () => {
    const platform = exactly({ text: "One." }, { text: "Both." });
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("And this.", { mode: "join" });
    };
    return run(platform);
  },
  PLAN_WANTED: () => run(says(), asClass("complex")),
  NO_PLAN: () =>
    run(withMore(says({ text: "1. Look at it. 2. Tell." }), { prepared: true }), asClass("complex")),
  PLAN_CLAIM: () =>
    run(
      exactly(
        calls(plan(item("p1", { status: "done" })), look("a")),
        calls(plan(item("p1", { status: "dropped", reason: "It is not needed." }))),
        { text: REPORT },
      ),
    ),
  PLAN_FAILED: () => {
    const platform = exactly(
      calls(plan(item("p1", { tool: "put", status: "doing" })), put("a")),
      calls(put("b")),
      calls(plan(item("p1", { tool: "put" })), look("a")),
      { text: "p1 failed: do p1 could not be done." },
    );
    platform.effects.broken.set("put", broken("conflict"));
    return run(platform);
  },
  REPLAN: () => {
    const platform = exactly(
      calls(plan(item("p1", { tool: "put", status: "doing" })), put("a")),
      calls(put("b")),
      { text: "p1 failed: do p1 could not be done." },
    );
    platform.effects.broken.set("put", broken("conflict"));
    return run(platform);
  },
  STOP_WHEN: () =>
    run(withMore(says(calls(put("a"))), { hooks: { ...NO_HOOKS, stopWhen: [toolCalled("put")] } })),
  HOOK_HINT: () =>
    run(
      withMore(says(calls(look("a"))), {
        hooks: { ...NO_HOOKS, onStepFinish: () => ({ hints: ["Look closer."] }) },
      }),
    ),
};

/** Why a call of a reply is refused as soon as the reply is read. */
export const REFUSALS: Scenarios = {
  truncated: () => run(exactly({ finish: "length", ...calls(look("a")) }, { text: REPORT })),
  too_many_calls: () =>
    run(exactly(calls(...Array.from({ length: 9 }, (_, n) => look(`p${n}`))), { text: REPORT })),
  ask_first: () => run(exactly(calls(put("a"), ask("Which page?")), { text: REPORT })),
  complete_alone: () => run(exactly(calls(look("a"), ["complete", { answer: "Done." }]), { text: REPORT })),
  unknown_tool: () => run(exactly(calls(["nowhere", {}]), { text: REPORT })),
  invalid_input: () => run(exactly(calls(["look", { name: 1 }]), { text: REPORT })),
};

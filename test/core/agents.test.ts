import { expect, test } from "vitest";
import { defineAgent, type AgentDefinition } from "../../src/agents/define.ts";

/** Types do not stop a deployment: what is misspelt is refused when the worker loads, by its name. */
test.each<[RegExp, object]>([
  [/preset of an agent .*is one of .*deepresearch.*, not "orkbot"/, { preset: "orkbot" }],
  [/profile of an agent is one of trivial, .*not "huge"/, { profile: "huge" }],
  [/onExhausted of an agent is "answer" or "fail", not "foo"/, { onExhausted: "foo" }],
  [/onStuck of an agent is \{ action \}/, { onStuck: "escalate" }],
  [/onStuck of an agent is \{ action \}/, { onStuck: { action: "give_up" } }],
])("is refused: %s", (said, part) => {
  expect(() => defineAgent({ description: "x", ...part } as AgentDefinition)).toThrow(said);
});

test("every preset, and each action of onStuck, is taken", () => {
  for (const preset of ["cms", "hyphen", "deepresearch", "orcbot"] as const)
    expect(defineAgent({ description: "x", preset }).budget.wanted.limits).not.toEqual({});
  for (const action of ["force_answer", "answer", "fail", "retry_with_hint", "escalate"] as const)
    expect(defineAgent({ description: "x", onStuck: { action } }).conduct?.onStuck.action).toBe(
      action === "answer" ? "force_answer" : action,
    );
});

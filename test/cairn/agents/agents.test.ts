import { expect, test } from "vitest";
import { defineAgent, type AgentDefinition } from "../../../src/cairn/agents/define.ts";

const approvals = (rules: object): object => ({ approvals: { page_delete: rules } });

/** Types do not stop a deployment: what is misspelt is refused when the worker loads, by its name. */
test.each<[RegExp, object]>([
  [/preset of an agent .*is one of .*deepresearch.*, not "orkbot"/, { preset: "orkbot" }],
  [/profile of an agent is one of trivial, .*not "huge"/, { profile: "huge" }],
  [/onExhausted of an agent is "answer" or "fail", not "foo"/, { onExhausted: "foo" }],
  [/onStuck of an agent is \{ action \}/, { onStuck: "escalate" }],
  [/onStuck of an agent is \{ action \}/, { onStuck: { action: "give_up" } }],
  [/unattended of an agent is a list of names of tools/, { unattended: "page_create" }],
  [/unattended of an agent is a list of names of tools/, { unattended: ["Page create"] }],
  [/admins of an agent is a list of subjects/, { admins: "ada" }],
  [/approvals\.page_delete of an agent can never hold: needed is a whole/, approvals({ needed: 0 })],
  [/approvals\.page_delete of an agent can never hold: approvers are named/, approvals({ approvers: [] })],
  [
    /approvals\.page_delete of an agent can never hold: needed is 3, and only bob, carol may decide: name more/,
    { ...approvals({ approvers: ["bob", "carol"], needed: 3 }), admins: [] },
  ],
  [/needed is 2, and only owner may decide/, { ...approvals({ needed: 2 }), admins: [] }],
])("is refused: %s", (said, part) => {
  expect(() => defineAgent({ description: "x", ...part } as AgentDefinition)).toThrow(said);
});

test("every preset, and each action of onStuck, is taken", () => {
  for (const preset of ["cms", "hyphen", "deepresearch", "orcbot"] as const)
    expect(defineAgent({ description: "x", preset }).budget.wanted.limits).not.toEqual({});
  for (const action of ["force_answer", "answer", "fail", "retry_with_hint", "escalate"] as const)
    expect(defineAgent({ description: "x", onStuck: { action } }).spec.policy.onStuck.action).toBe(
      action === "answer" ? "force_answer" : action,
    );
});

test.each([
  [approvals({ approvers: ["bob", "carol"], needed: 3 })],
  [{ ...approvals({ approvers: ["bob", "carol"], needed: 3 }), admins: ["dan"] }],
  [{ ...approvals({ approvers: ["*"], needed: 3 }), admins: [] }],
  [
    {
      ...approvals({ needed: 2, onExpiry: "escalate", escalateTo: ["carol"] }),
      admins: [],
    },
  ],
])("rules under which enough people have a vote are taken: %j", (part) => {
  expect(() => defineAgent({ description: "x", ...part })).not.toThrow();
});

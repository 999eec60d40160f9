import { describe, expect, test } from "vitest";
import type { BodyOf } from "../../../src/cairn/core/log/entry.ts";
import { PLAIN_SPEC, type RunSpec } from "../../../src/cairn/core/log/run-spec.ts";
import { limitLines } from "../../../src/page/agents/limit-words.ts";
import { requestFacts } from "../../../src/page/trace/run/request-facts.ts";

const queued = (spec: Partial<RunSpec>, more: Partial<BodyOf<"run_queued">> = {}): BodyOf<"run_queued"> => ({
  message: "m",
  inputSeq: 1,
  request: null,
  actor: "alice",
  source: "api",
  role: "member",
  model: "rehearsal:",
  fallbacks: [],
  temperature: null,
  limits: {},
  ...more,
  spec: { ...PLAIN_SPEC, ...spec },
});

describe("what a run was asked to be", () => {
  test("is short where nothing special was asked", () => {
    expect(requestFacts(queued({}))).toEqual({
      facts: [
        ["Agent", "default"],
        ["Model", "rehearsal model"],
        ["Tools", "all of this deployment"],
        ["Name of the result", "result"],
      ],
      warnings: [],
    });
  });

  test("names what was asked, in words", () => {
    const { facts, warnings } = requestFacts(
      queued(
        {
          agent: "editor",
          tools: ["page_list", "page_get"],
          approvals: { page_delete: { approvers: ["owner", "bob"], needed: 2, requesterMayApprove: false } },
          gates: { set_status: "ask", page_delete: "deny" },
          votes: { needed: 2, expiresMs: 90_000, denyOnExpiry: true },
          unattended: ["page_update"],
          policy: { ...PLAIN_SPEC.policy, onStuck: { action: "fail" } },
          dialect: "json",
          resultKey: "research",
          previous: {
            run: "ses_a.r1",
            objective: "o",
            answer: "a",
            outcome: "completed",
            memory: [],
            tainted: false,
          },
          targets: { site: { siteId: "main", environmentId: "staging" } },
          traceId: "req-1",
          warnings: [{ code: "clipped_to_cap", path: "max_iterations", message: "It is 15 here, not 150." }],
        },
        {
          fallbacks: ["workers-ai:@cf/a", "workers-ai:@cf/b"],
          profile: "time_capsule",
          limits: { steps: 20, activeMs: 300_000 },
          caps: { steps: 15, cost: 500_000 },
        },
      ),
    );
    expect(Object.fromEntries(facts)).toEqual({
      Agent: "editor",
      Model: "rehearsal model, then workers-ai:@cf/a and workers-ai:@cf/b",
      Tools: "page_list, page_get",
      "Kind of work": "time capsule",
      Limits: "Steps: 15, Working time: 5 min, Cost: $0.50",
      Approvals:
        "a person is asked before each set_status; page_delete is not allowed; page_delete: decided by the owner of the session and bob, 2 of them must agree, not by who had it asked; 2 people must agree each time; an approval waits 1 min 30 s at most; after that it is a no",
      "Writes alone with": "page_update",
      "On repetition": "it ends",
      "Form of its calls": "json",
      "Name of the result": "research",
      Continues: "ses_a.r1",
      Site: "main, staging",
      "Trace id": "req-1",
    });
    expect(warnings).toEqual(["max_iterations: It is 15 here, not 150."]);
  });

  test("with no tool of its own has the built-in ones", () => {
    expect(requestFacts(queued({ tools: [] })).facts).toContainEqual(["Tools", "none but the built-in ones"]);
  });
});

test("limits are told with their units, and others are left out", () => {
  expect(limitLines({ steps: 1_500, activeMs: 90_000, cost: 2_500_000, other: 3, tokens: null })).toEqual([
    ["Steps", "1,500"],
    ["Working time", "1 min 30 s"],
    ["Cost", "$2.50"],
  ]);
});

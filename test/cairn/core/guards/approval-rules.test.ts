import { PLAIN_SPEC } from "../../../../src/cairn/core/log/run-spec.ts";
import { describe, expect, test } from "vitest";
import {
  approvalTerms,
  isNamed,
  objectionToVoter,
  policyFor,
  rulesFault,
  votesFault,
} from "../../../../src/cairn/core/guards/approval-rules.ts";
import { APPROVAL_MS, APPROVAL_MS_MAX, APPROVERS_MAX } from "../../../../src/cairn/core/limits.ts";
import type { ApprovalRules, Policy, Voter } from "../../../../src/cairn/core/log/approval.ts";
import type { ToolTraits } from "../../../../src/cairn/core/log/tool.ts";
import { receiveDecision, type Decide } from "../../../../src/cairn/core/loop/receive-decision.ts";
import { markCall, NO_SHAPE } from "../../../../src/cairn/core/state/call-digest.ts";
import { TAINTED_AND_PRIVATE, NO_SAFETY } from "../../../../src/cairn/core/state/safety.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** Approval decisions in the pure core: who decides, what the state records, and every reason for a refusal. */

const NOW = 1_000_000;
const ADA: Voter = { subject: "ada", owner: true, admin: false };
const BOB: Voter = { subject: "bob", owner: false, admin: false };
const ROOT: Voter = { subject: "root", owner: false, admin: true };

describe("a remembered decision", () => {
  const asked: Parameters<typeof policyFor>[1] = {
    tool: "publish",
    approvers: ["owner"],
    requester: "ada",
    remember: ["args", "tool"],
  };
  const policy = (id: string, more: Partial<Policy> = {}): Policy => ({
    id,
    tool: "publish",
    match: "tool",
    argsDigest: null,
    decision: "approve",
    by: ADA,
    expiresAt: NOW + 1,
    ...more,
  });
  const no = (id: string, more: Partial<Policy> = {}) => policy(id, { decision: "deny", ...more });
  const found = (policies: readonly Policy[], more: Partial<typeof asked> = {}): string | null =>
    policyFor(policies, { ...asked, ...more }, "sha256:a", NOW)?.id ?? null;

  test("that says no beats every yes, older or newer, for the tool or for the very arguments", () => {
    expect(found([no("no"), policy("yes")])).toBe("no");
    expect(found([policy("yes"), no("no")])).toBe("no");
    expect(found([no("no"), policy("yes", { match: "args", argsDigest: "sha256:a" })])).toBe("no");
    expect(found([no("no", { match: "args", argsDigest: "sha256:a" }), policy("yes")])).toBe("no");
  });

  test("that does not fit beats nothing, and of two that say yes the newest is named", () => {
    expect(found([no("other", { tool: "put" }), policy("yes")])).toBe("yes");
    expect(found([no("other", { match: "args", argsDigest: "sha256:b" }), policy("yes")])).toBe("yes");
    expect(found([no("over", { expiresAt: NOW }), policy("yes")])).toBe("yes");
    expect(found([no("of a stranger", { by: BOB }), policy("yes")])).toBe("yes");
    expect(found([policy("old"), policy("new")])).toBe("new");
  });

  test.each<readonly [string, Partial<Policy>, Partial<typeof asked>]>([
    ["ends with its time", { expiresAt: NOW }, {}],
    ["is for its tool", { tool: "put" }, {}],
    ["is for its arguments", { match: "args", argsDigest: "sha256:b" }, {}],
    ["decides nothing where nothing may be remembered", {}, { remember: [] }],
    ["for every call decides nothing where only the very call may be", {}, { remember: ["args"] }],
    ["is a vote of its giver, who must have one", { by: BOB }, {}],
    ["is no vote of whoever asked, where they have none", {}, { requesterMayApprove: false }],
  ])("%s", (_name, given, of) => {
    expect(found([policy("p", given)], of)).toBeNull();
    expect(found([policy("p")])).toBe("p");
  });
});

describe("who has a vote", () => {
  test("is named, owns where the owner is named, or is anyone where anyone may", () => {
    expect(isNamed(["bob"], BOB)).toBe(true);
    expect(isNamed(["owner"], ADA)).toBe(true);
    expect(isNamed(["owner"], BOB)).toBe(false);
    expect(isNamed(["*"], BOB)).toBe(true);
  });

  test("is not whoever is called what the owner is called here", () => {
    expect(isNamed(["owner"], { subject: "owner", owner: false })).toBe(false);
    expect(isNamed(["owner"], { subject: "owner", owner: true })).toBe(true);
  });

  test("is an admin always, but for what an admin asked for where that is forbidden", () => {
    const asked = { approvers: ["bob"], requester: "root" };
    expect(objectionToVoter(asked, ROOT)).toBeNull();
    expect(objectionToVoter(asked, ADA)?.code).toBe("not_an_approver");
    expect(objectionToVoter({ ...asked, requesterMayApprove: false }, ROOT)?.code).toBe(
      "requester_cannot_approve",
    );
  });
});

describe("the terms of an approval", () => {
  const clean = { request: { approvers: undefined }, safety: NO_SAFETY };
  const terms = (
    rules: ApprovalRules,
    run: Partial<Parameters<typeof approvalTerms>[1]> = {},
    byOne = true,
    votes: Parameters<typeof approvalTerms>[2] = PLAIN_SPEC.votes,
  ) => approvalTerms(rules, { ...clean, ...run } as never, votes, byOne, NOW);

  test("are the owner, one, a day and both ways to remember it where nobody says otherwise", () => {
    expect(terms({})).toEqual({
      approvers: ["owner"],
      needed: 1,
      expiresAt: NOW + APPROVAL_MS,
      onExpiry: "deny",
      remember: ["args", "tool"],
    });
  });

  test("are all that its tool says", () => {
    const rules: ApprovalRules = {
      approvers: ["bob", "carol"],
      needed: 2,
      requesterMayApprove: false,
      expiresMs: 5_000,
      onExpiry: "escalate",
      escalateTo: ["eve"],
    };
    expect(terms(rules)).toEqual({
      approvers: ["bob", "carol"],
      needed: 2,
      expiresAt: NOW + 5_000,
      onExpiry: "escalate",
      requesterMayApprove: false,
      escalateTo: ["eve"],
    });
  });

  test("are the stricter of what the tool and the run ask for, in each of them", () => {
    const votes = { ...PLAIN_SPEC.votes, needed: 2, expiresMs: 4_000, denyOnExpiry: true };
    const escalates = { onExpiry: "escalate", escalateTo: ["eve"] } as const;
    expect(terms({ ...escalates, needed: 3, expiresMs: 5_000 }, {}, true, votes)).toMatchObject({
      needed: 3,
      expiresAt: NOW + 4_000,
      onExpiry: "deny",
    });
    expect(terms({ needed: 1, expiresMs: 3_000 }, {}, true, votes)).toMatchObject({
      needed: 2,
      expiresAt: NOW + 3_000,
      onExpiry: "deny",
    });
    expect(terms({}, {}, true, votes).expiresAt).toBe(NOW + 4_000);
    expect(terms({}, {}, true, { ...votes, expiresMs: 2 * APPROVAL_MS }).expiresAt).toBe(NOW + APPROVAL_MS);
    expect(terms(escalates, {}, true, votes)).not.toHaveProperty("escalateTo");
  });

  test.each<
    readonly [string, readonly string[] | undefined, readonly string[] | undefined, readonly string[]]
  >([
    ["neither", undefined, undefined, ["owner"]],
    ["the run alone", undefined, ["bob"], ["bob"]],
    ["the tool alone", ["bob"], undefined, ["bob"]],
    ["both, and the run lets anyone", ["bob"], ["*", "dan"], ["bob"]],
    ["both, and the tool lets anyone", ["*", "dan"], ["bob"], ["bob"]],
    ["both, each some of their own", ["bob", "carol"], ["carol", "dan"], ["carol"]],
    ["both, nobody in common", ["bob"], ["dan"], []],
  ])("name whoever %s names", (_name, approvers, ofRun, wanted) => {
    expect(
      terms(approvers === undefined ? {} : { approvers }, { request: { approvers: ofRun } as never })
        .approvers,
    ).toEqual(wanted);
  });

  test("remember nothing in a run that has read from outside, and say that it has", () => {
    const tainted = { safety: { ...NO_SAFETY, taint: TAINTED_AND_PRIVATE } };
    expect(terms({}, tainted)).toMatchObject({ tainted: true });
    expect(terms({}, tainted)).not.toHaveProperty("remember");
  });

  test.each<readonly [string, ApprovalRules, boolean]>([
    ["where a person is always asked", { alwaysAsk: true }, true],
    ["where several must agree", { needed: 2 }, true],
    ["where the tool says so", { remember: [] }, true],
    ["where a guard wants a person to look now", {}, false],
  ])("remember nothing %s", (_name, rules, byOne) => {
    expect(terms(rules, {}, byOne)).not.toHaveProperty("remember");
  });

  test("remember what the tool lists", () => {
    expect(terms({ remember: ["args"] }).remember).toEqual(["args"]);
  });
});

describe("rules as they are written down", () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);
  const escalate = { onExpiry: "escalate", escalateTo: ["eve"] } as const;

  test.each<readonly [string, ApprovalRules]>([
    ["nothing", {}],
    ["as many people as there may be", { approvers: many(APPROVERS_MAX), needed: APPROVERS_MAX }],
    ["the shortest time", { expiresMs: 1_000 }],
    ["the longest time", { expiresMs: APPROVAL_MS_MAX }],
    ["people who are asked later", escalate],
    ["several, of whom nothing is remembered", { needed: 2, remember: [] }],
    ["one who is always asked", { alwaysAsk: true, remember: [] }],
    ["what is remembered", { remember: ["args", "tool"] }],
  ])("hold: %s", (_name, rules) => expect(rulesFault(rules)).toBeNull());

  test.each<readonly [string, ApprovalRules, string]>([
    ["nobody", { approvers: [] }, "approvers are named"],
    ["a source of webhooks", { approvers: ["hook:github"] }, "subjects"],
    ["what is no subject", { approvers: ["a b"] }, "subjects"],
    ["too many", { approvers: many(APPROVERS_MAX + 1) }, "subjects"],
    ["too many with those asked later", { ...escalate, approvers: many(APPROVERS_MAX) }, "subjects"],
    ["a source of webhooks asked later", { onExpiry: "escalate", escalateTo: ["hook:x"] }, "subjects"],
    ["none needed", { needed: 0 }, "needed"],
    ["half of one needed", { needed: 1.5 }, "needed"],
    ["more needed than there may be", { needed: APPROVERS_MAX + 1 }, "needed"],
    ["less than a second", { expiresMs: 999 }, "expiresMs"],
    ["too long a time", { expiresMs: APPROVAL_MS_MAX + 1 }, "expiresMs"],
    ["an expiry that is none", { onExpiry: "approve" as "deny" }, "onExpiry"],
    ["nobody to ask later", { onExpiry: "escalate" }, "belong together"],
    ["people who are never asked", { escalateTo: ["eve"] }, "belong together"],
    ["a match that is none", { remember: ["args", "all" as "tool"] }, "remember lists"],
    ["one remembered yes for several", { needed: 2, remember: ["args"] }, "nothing is remembered"],
    [
      "a remembered yes where always is asked",
      { alwaysAsk: true, remember: ["tool"] },
      "nothing is remembered",
    ],
  ])("are refused: %s", (_name, rules, words) => expect(rulesFault(rules)).toContain(words));
});

describe("rules under which nobody could say yes", () => {
  test.each<readonly [string, ApprovalRules, readonly string[] | null, boolean]>([
    ["one owner, one vote", {}, [], true],
    ["one owner, two votes", { needed: 2 }, [], false],
    ["one owner and one admin, two votes", { needed: 2 }, ["root"], true],
    ["one owner and any number of admins", { needed: 5 }, null, true],
    ["anyone", { approvers: ["*"], needed: 5 }, [], true],
    [
      "anyone, once it escalates",
      { approvers: ["a"], needed: 5, onExpiry: "escalate", escalateTo: ["*"] },
      [],
      true,
    ],
    ["as many as must agree", { approvers: ["a", "b"], needed: 2 }, [], true],
    ["one fewer than must agree", { approvers: ["a", "b"], needed: 3 }, [], false],
    ["one named twice", { approvers: ["a", "a"], needed: 2 }, [], false],
    ["an approver who is the admin", { approvers: ["root"], needed: 2 }, ["root"], false],
    [
      "those who are asked later",
      { approvers: ["a"], needed: 2, onExpiry: "escalate", escalateTo: ["b"] },
      [],
      true,
    ],
  ])("%s", (_name, rules, admins, holds) => {
    expect(votesFault(rules, admins) === null).toBe(holds);
  });
});

describe("a decision", () => {
  const TWO: ApprovalRules = { approvers: ["bob", "carol"], needed: 2 };
  const SHOWN = { title: "Publish b", summary: "b becomes public.", impact: [], basis: "basis:b" };
  const TRAITS: ToolTraits = {
    tool: "publish",
    effect: "keyed",
    kind: "work",
    polling: null,
    maxCalls: null,
    repeatable: false,
    freshMs: 0,
  };
  const MARK = markCall(TRAITS, NO_SHAPE, { name: "b" });
  const EDITED = { args: { name: "b" }, digest: "sha256:b", shown: SHOWN, mark: MARK };

  async function asked(rules: ApprovalRules = {}): Promise<{
    readonly platform: FakePlatform;
    readonly open: { readonly digest: string; readonly expiresAt: number };
    readonly decide: (more?: Partial<Decide>, at?: number) => unknown;
  }> {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }, { text: "Done." }]);
    platform.approvals = { publish: rules };
    platform.restart();
    platform.say("Publish a.");
    await platform.settle();
    const phase = platform.state.run?.phase;
    if (phase?.at !== "waiting_approval") throw new Error("nobody is asked");
    const decide = (more: Partial<Decide> = {}, at = platform.now): unknown => {
      const answer = receiveDecision(
        platform.state,
        {
          approval: "r1s1c0a1",
          decision: "approve",
          voter: ADA,
          via: "http",
          reason: null,
          digest: null,
          edited: null,
          ...more,
        },
        at,
      );
      return answer.ok ? answer.entries.map(({ kind }) => kind) : answer.code;
    };
    return { platform, open: phase.approval, decide };
  }

  test("counts up to the last millisecond of its time, and not from its end on", async () => {
    const { decide, open } = await asked();
    expect(decide({}, open.expiresAt - 1)).toEqual(["approval_decided"]);
    for (const late of [0, 1, 30_000, 3_600_000])
      for (const decision of ["approve", "deny"] as const)
        expect(decide({ decision }, open.expiresAt + late)).toBe("approval_expired");
  });

  test("is for the approval that waits, by its name", async () => {
    const { decide, platform } = await asked();
    expect(decide({ approval: "r1s1c0a2" })).toBe("already_decided");
    platform.decide("approve");
    expect(decide()).toBe("already_decided");
  });

  test("comes too late once the run is being stopped", async () => {
    const { decide, platform } = await asked();
    platform.cancel();
    expect(decide()).toBe("approval_cancelled");
  });

  test("is theirs who have a vote", async () => {
    const { decide } = await asked();
    const others = await asked({ requesterMayApprove: false });
    expect(others.decide()).toBe("requester_cannot_approve");
    expect(decide({ voter: BOB })).toBe("not_an_approver");
    expect(decide({ voter: ROOT })).toEqual(["approval_decided"]);
  });

  test("is for what was shown: where several must agree each says what that was, and nobody names another", async () => {
    const one = await asked();
    expect(one.decide({ digest: one.open.digest })).toEqual(["approval_decided"]);
    expect(one.decide({ digest: "sha256:00" })).toBe("digest_mismatch");
    const two = await asked(TWO);
    expect(two.decide({ voter: BOB })).toBe("digest_required");
    expect(two.decide({ voter: BOB, digest: "sha256:00" })).toBe("digest_mismatch");
    expect(two.decide({ voter: BOB, digest: two.open.digest })).toEqual(["approval_voted"]);
    expect(two.decide({ voter: BOB, decision: "deny", digest: two.open.digest })).toEqual([
      "approval_decided",
    ]);
  });

  test("on what was shown before an edit is a mismatch, whatever it says", async () => {
    const { decide, platform, open } = await asked(TWO);
    platform.engine.record((tx) => {
      const edit = { approval: "r1s1c0a1", decision: "edit", voter: BOB, via: "http", reason: null } as const;
      const voted = receiveDecision(tx.state, { ...edit, digest: open.digest, edited: EDITED }, tx.at);
      if (voted.ok) tx.append(voted.entries);
    });
    const carol = { ...BOB, subject: "carol" };
    for (const decision of ["approve", "deny", "edit"] as const)
      expect(decide({ decision, voter: carol, digest: open.digest, edited: EDITED })).toBe("digest_mismatch");
    expect(decide({ voter: carol, digest: EDITED.digest })).toEqual(["approval_decided"]);
    expect(platform.state.run?.phase).toMatchObject({
      approval: { digest: "sha256:b", basis: "basis:b", votes: ["bob"] },
    });
  });

  test("is remembered as it is asked, where that is allowed, and an edit never", async () => {
    const hour = { match: "args", ms: 3_600_000 } as const;
    const both = await asked();
    expect(both.decide({ remember: hour })).toEqual(["approval_decided", "policy_remembered"]);
    expect(both.decide({ remember: hour, decision: "edit", edited: EDITED })).toBe("not_rememberable");
    const some = await asked({ remember: ["args"] });
    expect(some.decide({ remember: { match: "tool", ms: 1 } })).toBe("not_rememberable");
    expect(some.decide({ remember: hour })).toEqual(["approval_decided", "policy_remembered"]);
    const none = await asked({ remember: [] });
    expect(none.decide({ remember: hour })).toBe("not_rememberable");
  });

  test.each([
    ["args", "approve"],
    ["args", "deny"],
    ["tool", "approve"],
    ["tool", "deny"],
  ] as const)("for %s that says %s is kept with all that it holds for", async (match, decision) => {
    const { platform } = await asked();
    const call = {
      approval: "r1s1c0a1",
      voter: ADA,
      via: "http",
      reason: null,
      digest: null,
      edited: null,
    } as const;
    const remember = { match, ms: 3_600_000 };
    const answer = receiveDecision(platform.state, { ...call, decision, remember }, platform.now);
    const phase = platform.state.run?.phase;
    const proposed = phase?.at === "waiting_approval" ? phase.calls[0]?.argsDigest : undefined;
    expect(answer.ok && answer.value.policy).toEqual({
      id: "r1s1c0a1p",
      tool: "publish",
      match,
      decision,
      by: ADA,
      argsDigest: match === "args" ? proposed : null,
      expiresAt: platform.now + 3_600_000,
    });
    expect(proposed).toMatch(/^sha256:/);
    expect(answer.ok && answer.entries.at(-1)).toMatchObject({
      kind: "policy_remembered",
      body: { tool: "publish", match, decision, actor: "ada", expiresAt: platform.now + 3_600_000 },
    });
  });
});

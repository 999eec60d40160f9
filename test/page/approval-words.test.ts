import { describe, expect, test } from "vitest";
import {
  approversWords,
  hasAgreed,
  laterOf,
  objectionTo,
  outcomeWords,
  votesWords,
} from "../../src/page/approvals/approval-words.ts";
import { mergeCards } from "../../src/page/approvals/inbox-cards.ts";
import type { ApprovalView } from "../../src/cairn/protocol/approval.ts";

const APPROVAL: ApprovalView = {
  id: "r1s1c0a1",
  sessionId: "ses_demo",
  runId: "ses_demo.r1",
  stepId: "r1s1",
  callId: "r1s1c0",
  tool: "page_delete",
  title: "Delete the page “About”",
  summary: "It goes.",
  impact: [],
  changes: [],
  batch: null,
  warnings: [],
  draft: null,
  why: "It deletes.",
  args: { pages: ["about"] },
  askedArgs: null,
  argsSchema: null,
  decision: { text: "", complete: true },
  editable: true,
  effect: "keyed",
  tainted: false,
  digest: "sha256:1",
  state: "pending",
  requester: "alice",
  requesterMayApprove: true,
  approvers: ["owner"],
  needed: 1,
  votes: [],
  escalated: false,
  remember: [],
  createdAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-01-02T00:00:00.000Z",
  onExpiry: "deny",
  decidedAt: null,
  result: null,
};
const vote = (subject: string, decision: string, at = "2026-01-01T00:01:00.000Z", via = "http") => ({
  subject,
  decision,
  reason: null,
  via,
  at,
});
const alice = { subject: "alice", mayApprove: true, admin: false };

describe("whether one decides", () => {
  test.each<[string, Partial<ApprovalView>, typeof alice]>([
    ["the owner", {}, alice],
    ["whoever is named", { approvers: ["bob", "alice"] }, alice],
    ["anyone, where anyone may", { approvers: ["*"] }, alice],
    ["an admin, wherever", { approvers: ["bob"] }, { ...alice, admin: true }],
    ["nothing is objected once it is decided", { approvers: ["bob"], state: "denied" }, alice],
  ])("%s", (_, change, viewer) => {
    expect(objectionTo({ ...APPROVAL, ...change }, viewer)).toBeNull();
  });

  test.each<[string, Partial<ApprovalView>, typeof alice, string]>([
    ["without the scope", {}, { ...alice, mayApprove: false }, "lacks the scope “approve”"],
    ["where others are named", { approvers: ["bob", "carol"] }, alice, "Others decide this: bob or carol."],
    ["who asked, where they may not", { requesterMayApprove: false }, alice, "someone else must decide"],
    ["an admin who asked either", { requesterMayApprove: false }, { ...alice, admin: true }, "someone else"],
  ])("not %s", (_, change, viewer, words) => {
    expect(objectionTo({ ...APPROVAL, ...change }, viewer)).toContain(words);
  });

  test("who decides is said by name", () => {
    expect(approversWords([])).toBe("an admin");
    expect(approversWords(["owner", "bob", "carol"])).toBe("the owner of the session, bob, or carol");
    expect(approversWords(["bob", "*"])).toBe("anyone who may approve");
  });

  test("votes are counted where several must agree", () => {
    const both = { ...APPROVAL, needed: 2, votes: [vote("alice", "approve")] };
    expect([votesWords(APPROVAL), votesWords(both)]).toEqual([null, "1 of 2 have agreed"]);
    expect([hasAgreed(both, "alice"), hasAgreed(both, "bob")]).toEqual([true, false]);
    expect(hasAgreed({ ...both, state: "approved" }, "alice")).toBe(false);
  });
});

describe("what became of it", () => {
  const result = { decision: "approve", args: {}, digest: "sha256:1", by: "bob", reason: null };
  test.each<[Partial<ApprovalView>, string, string]>([
    [{ state: "approved", result }, "Approved", "Approved by bob."],
    [
      { state: "approved", result: { ...result, decision: "edit" } },
      "Approved with changes",
      "Changed and approved by bob.",
    ],
    [{ state: "denied", result }, "Denied", "Denied by bob. It was not done."],
    [
      { state: "approved", result, votes: [vote("bob", "approve", undefined, "policy")] },
      "Approved",
      "Approved by bob, as remembered from an earlier decision.",
    ],
    [
      { state: "approved", result, votes: [vote("bob", "approve", undefined, "link")] },
      "Approved",
      "Approved by bob by a link.",
    ],
    [{ state: "expired" }, "Expired", "Nobody decided in time, so nothing was done."],
    [{ state: "cancelled" }, "Cancelled", "The run was stopped. It was not done."],
  ])("%o", (change, tag, text) => {
    expect(outcomeWords({ ...APPROVAL, ...change })).toMatchObject({ tag, text });
  });
});

describe("of two views of one approval the later is shown", () => {
  const voted = { ...APPROVAL, votes: [vote("bob", "approve", "2026-01-01T00:05:00.000Z")] };
  const edited = {
    ...APPROVAL,
    digest: "sha256:2",
    votes: [vote("carol", "edit", "2026-01-01T00:06:00.000Z")],
  };
  const escalated = { ...APPROVAL, escalated: true, expiresAt: "2026-01-03T00:00:00.000Z" };
  const cancelled = { ...APPROVAL, state: "cancelled" as const, decidedAt: "2026-01-01T00:02:00.000Z" };
  test.each([
    ["a vote", APPROVAL, voted],
    ["an edit, which voids the votes before it", voted, edited],
    ["more time", APPROVAL, escalated],
    ["an end, by whatever clock", edited, cancelled],
  ])("%s", (_, before, after) => {
    expect(laterOf(before, after)).toBe(after);
    expect(laterOf(after, before)).toBe(after);
    expect(laterOf(after, { ...after })).toBe(after);
  });
});

test("a view in which a vote is dropped is later than one in which it counts, and earlier than the next vote", () => {
  const voted = { ...APPROVAL, needed: 3, votes: [vote("bob", "approve"), vote("cem", "approve")] };
  const dropped = {
    ...voted,
    votes: [vote("bob", "approve")],
    warnings: ["The vote of cem is dropped: they may not decide this any more."],
  };
  expect([laterOf(voted, dropped), laterOf(dropped, voted)]).toEqual([dropped, dropped]);
  // Fewer votes alone are an earlier view.
  const first = { ...voted, votes: [] };
  expect([laterOf(first, voted), laterOf(voted, first)]).toEqual([voted, voted]);
  const next = { ...vote("dan", "approve"), at: "2026-01-01T09:00:00.000Z" };
  const more = { ...dropped, votes: [...dropped.votes, next] };
  expect([laterOf(dropped, more), laterOf(more, dropped)]).toEqual([more, more]);
  const edited = { ...dropped, digest: "sha256:2", votes: [next], warnings: [] };
  expect([laterOf(dropped, edited), laterOf(edited, dropped)]).toEqual([edited, edited]);
});

describe("the inbox", () => {
  const other = { ...APPROVAL, sessionId: "ses_other" };
  test("keeps cards where they are when they wait no more, and puts new ones on top", () => {
    expect(mergeCards([APPROVAL], [other])).toEqual([other, APPROVAL]);
    const voted = { ...APPROVAL, votes: [vote("bob", "approve")] };
    expect(mergeCards([other, APPROVAL], [voted])).toEqual([other, voted]);
  });
  test("is the same list while nothing changes", () => {
    const cards = [other, APPROVAL];
    expect(mergeCards(cards, [{ ...APPROVAL }])).toBe(cards);
  });
});

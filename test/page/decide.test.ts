import { expect, test } from "vitest";
import { ApiError } from "../../src/page/api-error.ts";
import {
  approvalPath,
  decisionBody,
  isOutdated,
  lookAgainMs,
  without,
  type Decision,
} from "../../src/page/approvals/decision.ts";
import type { ApprovalView } from "../../src/cairn/protocol/approval.ts";

/** A decision on a card: what goes to the server, what is looked at again, and what leaves the list. */

const approval = (more: Partial<ApprovalView> = {}): ApprovalView =>
  ({ id: "a1", sessionId: "ses_a", digest: "sha256:shown", state: "pending", ...more }) as ApprovalView;

test.each<[Decision]>([
  [{ decision: "approve" }],
  [{ decision: "deny", reason: "No." }],
  [{ decision: "approve", remember: { match: "args", seconds: 60 } }],
  [{ decision: "edit", args: { a: 1 } }],
])("%j goes along with the digest of what was shown", (decision) => {
  expect(decisionBody(approval(), decision)).toEqual({ ...decision, digest: "sha256:shown" });
  expect(approvalPath(approval())).toBe("/api/sessions/ses_a/approvals/a1");
});

test("a card is looked at again where somebody was faster or it has changed, and else says why", () => {
  const of = (status: number) => isOutdated(new ApiError(status, {}));
  expect([404, 409, 410].map(of)).toEqual([true, true, true]);
  expect([0, 400, 401, 403, 422, 429, 500].map(of)).toEqual(Array(7).fill(false));
  expect(isOutdated(new Error("a bug"))).toBe(false);
});

test("a card that others have voted on is looked at again, because votes can lapse without an entry", () => {
  const vote: ApprovalView["votes"][number] = {
    subject: "bob",
    decision: "approve",
    reason: null,
    via: "http",
    at: "2026-01-01T00:00:00.000Z",
  };
  expect(lookAgainMs(approval({ votes: [vote] }), false)).toBe(20_000);
  expect(lookAgainMs(approval({ votes: [] }), false)).toBeNull();
  expect(lookAgainMs(approval({ votes: [vote] }), true)).toBe(2_000);
  expect(lookAgainMs(approval({ votes: [] }), true)).toBe(2_000);
  expect(lookAgainMs(approval({ votes: [vote], state: "approved" }), true)).toBeNull();
});

test("what was decided leaves the list, and nothing else does", () => {
  const others = [approval({ id: "a2" }), approval({ sessionId: "ses_b" })];
  const inbox = { approvals: [approval(), ...others], questions: [], budgetQuestions: [], failedRuns: [] };
  const list = inbox as unknown as Parameters<ReturnType<typeof without>>[0];
  expect(without(approval({ state: "approved" }))(list)?.approvals).toEqual(others);
  // Another vote is needed: it waits on.
  expect(without(approval({ state: "pending" }))(list)).toBe(list);
  expect(without(approval({ state: "denied" }))(undefined)).toBeUndefined();
});

import { describe, expect, test } from "vitest";
import { approvalPage } from "../../src/http/links/approval-page.ts";
import type { LinkedApproval } from "../../src/session/api/approval-link.ts";

/** The page behind a signed link, as a text. */

const digest = "sha256:e588288c9903afe4e22e21ebf2944c6b38aeae8f800d4e0ee416a955ba484d2b";
const link = { subject: "bob", digest };
const approval: LinkedApproval["approval"] = {
  id: "r1s1c0a1",
  sessionId: "ses_demo",
  runId: "ses_demo.r1",
  stepId: "r1s1",
  callId: "r1s1c0",
  tool: "page_delete",
  title: "Delete the page “About us”",
  summary: "The page “About us” is deleted.",
  impact: ["/about answers 404"],
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
  digest,
  state: "pending",
  requester: "alice",
  requesterMayApprove: true,
  approvers: ["bob"],
  needed: 1,
  votes: [],
  escalated: false,
  remember: [],
  createdAt: "2026-11-21T12:00:00.000Z",
  expiresAt: "2026-11-22T12:00:00.000Z",
  onExpiry: "deny",
  decidedAt: null,
  result: null,
};
const page = (more: Partial<typeof approval> = {}, around: Partial<LinkedApproval> = {}): string =>
  approvalPage(
    {
      approval: { ...approval, ...more },
      objective: "Tidy up.",
      words: null,
      sessionAt: null,
      objection: null,
      ...around,
    },
    link,
    null,
    Date.parse(approval.createdAt) + 30 * 60_000,
  );
const vote = { subject: "bob", decision: "approve", reason: null, via: "link", at: approval.createdAt };

describe("the two buttons", () => {
  test("are there for who may decide now, and no reason why not", () => {
    expect(page().match(/<button/g)).toHaveLength(2);
    expect(page()).not.toContain('class="state');
  });

  test.each([
    ["approved", { state: "approved" }, {}, "Approved by"],
    ["denied", { state: "denied" }, {}, "Denied by"],
    ["expired", { state: "expired" }, {}, "Nobody decided in time"],
    ["cancelled", { state: "cancelled" }, {}, "The run was stopped"],
    ["changed since", { digest: digest.replace(/.$/, "0") }, {}, "has changed since"],
    ["voted on", { needed: 2, votes: [vote] }, {}, "You said yes. One more person has to agree."],
    [
      "somebody else’s",
      {},
      { objection: { code: "not_an_approver", message: "This decision is other people's." } },
      "other people&#39;s",
    ],
  ] as const)("are not there for one that is %s", (_name, more, around, said) => {
    const shown = page(more as Partial<typeof approval>, around);
    expect(shown).not.toMatch(/<form|<button/);
    expect(shown).toContain(said);
  });
});

test("who decides it, why they are asked, and what was asked before somebody changed it", () => {
  const shown = page({ approvers: ["owner", "*", "carol"], needed: 2, askedArgs: { pages: ["contact"] } });
  for (const said of [
    "2 of the owner of the session, anyone who may approve, carol",
    "It deletes.",
    "before it was changed",
    "&quot;contact&quot;",
    "Cairn asks <b>bob</b>",
  ])
    expect(shown).toContain(said);
  expect(page()).not.toContain("before it was changed");
  expect(page({ state: "denied" })).toContain("A link for <b>bob</b>");
});

test("what nobody sees is written out, in arguments and in every other text", () => {
  const shown = page(
    { args: { pages: ["ab\u200bout\u202e"], note: "\u{e0041}" }, requester: "al\u200dice" },
    { objective: "Tidy\r\nup\u2066.", words: "Sure\u00ad." },
  );
  for (const said of [
    "ab\\u200bout\\u202e",
    "\\udb40\\udc41",
    "al\\u200dice",
    "Tidy\\r\nup\\u2066.",
    "Sure\\u00ad.",
  ])
    expect(shown).toContain(said);
  expect(shown).not.toMatch(/[\u00ad\u200b-\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]/u);
});

test("the page tells times and effects in words: no code, no digest, no clock of another zone", () => {
  const votes = [{ ...vote, subject: "carol" }];
  const html = page({ needed: 2, votes });
  const seen = html.slice(html.indexOf("<main>")).replaceAll(/<[^>]*>/g, "\n");
  expect(seen).toContain("carol: approve, 30 minutes ago");
  expect(seen).toContain("in 23 hours");
  expect(seen).toContain("If it is interrupted, it is still done only once.");
  expect(seen).not.toMatch(/keyed|UTC|\d{4}-\d{2}-\d{2}|e588288c/);
  expect(html).toContain('title="2026-11-22 12:00 UTC"');
});

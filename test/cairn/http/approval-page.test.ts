import { describe, expect, test } from "vitest";
import { approvalPage, type LinkNotice } from "../../../src/cairn/http/links/approval-page.ts";
import type { LinkedApproval } from "../../../src/cairn/session/api/session-api.ts";

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
const page = (
  more: Partial<typeof approval> = {},
  around: Partial<LinkedApproval> = {},
  notice: LinkNotice | null = null,
): string =>
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
    notice,
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
    ["voted on", { needed: 2, votes: [vote] }, {}, "You approved. One more person has to agree."],
    [
      "voted on by one of four",
      { needed: 4, votes: [vote] },
      {},
      "You approved. 3 more people have to agree.",
    ],
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
  expect(seen).toContain("Runs at most once, even after a crash.");
  expect(seen).not.toMatch(/keyed|UTC|\d{4}-\d{2}-\d{2}|e588288c/);
  expect(html).toContain('title="2026-11-22 12:00 UTC"');
});

test("no text on the page is HTML of its own, whoever has written it", () => {
  const of = (name: string): string => `<i>${name}</i>`;
  const votes = [{ ...vote, subject: of("voter"), reason: of("their reason") }];
  const result = {
    decision: "deny",
    by: of("decider"),
    via: "link",
    reason: of("why not"),
    args: null,
  } as const;
  const more = {
    title: of("title"),
    summary: of("summary"),
    impact: [of("impact")],
    warnings: [of("warning")],
    changes: [{ what: of("place"), before: of("before"), after: of("after") }],
    why: of("why"),
    tool: of("tool"),
    args: { [of("key")]: of("value") },
    askedArgs: of("asked before"),
    requester: of("requester"),
    approvers: [of("approver")],
    state: "denied",
    votes,
    result,
  } as unknown as Partial<typeof approval>;
  const shown = page(
    more,
    { objective: of("objective"), words: of("words") },
    { kind: "refused", text: of("notice") },
  );
  expect(shown).not.toContain("<i>");
  for (const name of [
    "title",
    "summary",
    "impact",
    "warning",
    "place",
    "before",
    "after",
    "why",
    "tool",
    "key",
    "value",
    "asked before",
    "requester",
    "approver",
    "voter",
    "their reason",
    "decider",
    "why not",
    "objective",
    "words",
    "notice",
  ])
    expect(shown).toContain(`&lt;i&gt;${name}&lt;/i&gt;`);
});

test("a vote and a decision stand there with their reasons", () => {
  const votes = [{ ...vote, subject: "carol", reason: "It is old." }];
  const voted = page({ needed: 3, votes });
  expect(voted).toContain("carol: approve, 30 minutes ago “It is old.”");
  // A vote of somebody else takes nobody's buttons.
  expect(voted.match(/<button/g)).toHaveLength(2);
  const result = { decision: "deny", by: "dan", via: "http", reason: "Not yet.", args: null };
  const over = { state: "denied", decidedAt: "2026-11-21T12:10:00.000Z", result } as unknown as Partial<
    typeof approval
  >;
  expect(page(over)).toContain("Denied by dan, 20 minutes ago. “Not yet.”");
});

test("a notice is shown, unless the decision that it confirms is shown itself", () => {
  const done = { kind: "done", text: "Your decision is recorded." } as const;
  const refused = { kind: "refused", text: "Too late." } as const;
  expect(page({ needed: 2 }, {}, done)).toContain(
    '<p class="notice done" role="status">Your decision is recorded.</p>',
  );
  expect(page({ state: "approved" }, {}, done)).not.toContain("is recorded");
  expect(page({ state: "approved" }, {}, refused)).toContain(
    '<p class="notice refused" role="status">Too late.</p>',
  );
});

test("the tool is named, and what it is for is left out where that is not known any more", () => {
  expect(page()).toContain("<dt>Tool</dt><dd>page_delete</dd>");
  expect(page()).toContain("<dt>Purpose</dt><dd>Tidy up.</dd>");
  expect(page({}, { objective: null })).not.toContain("Purpose");
});

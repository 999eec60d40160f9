import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { sessionClient } from "../../../src/cairn/http/kit/session-client.ts";
import { answers } from "../../../src/cairn/protocol/api.ts";
import { makeSite } from "../cms/fixture.ts";
import { gated, openApi, type Person } from "../sessions/session-fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";

/** The inbox of all sessions: written by each of them, read by whoever may decide or owns. */

beforeAll(makeSite);

const api = openApi();

interface Listed {
  readonly id: string;
  readonly sessionId: string;
  readonly state: string;
  readonly argsSchema: { type?: string } | null;
  readonly votes: { subject: string }[];
}
interface Page {
  readonly items: Listed[];
  readonly nextCursor: string | null;
}
const list = (who: Person, query = ""): Promise<Page> => api.json(200, `/api/approvals${query}`, { who });
const sessionsOf = async (who: Person, query = ""): Promise<string[]> =>
  (await list(who, query)).items.map(({ sessionId, state }) => `${sessionId} ${state}`);
const within = { timeout: 15_000, interval: 50 };

/** A run of Alice's that waits for a person; others who may decide are named by the door of webhooks alone. */
async function waiting(session: string, approvers?: readonly string[]): Promise<string> {
  const actor = { subject: "alice", scopes: ["send"], via: "http" } as const;
  const said = await sessionClient(env, session).send(actor, {
    id: "m1",
    parts: [{ type: "text", text: gated() }],
    mode: null,
    source: "api",
    request: null,
    ask: approvers === undefined ? {} : { approvers },
  });
  expect(said).toMatchObject({ ok: true });
  await expect
    .poll(() => sessionsOf("alice", `?sessionId=${session}`), within)
    .toEqual([`${session} pending`]);
  const [asked] = (await list("alice", `?sessionId=${session}`)).items;
  return asked?.id ?? "";
}
const decide = (session: string, approval: string, decision: string, who: Person = "alice") =>
  api.json(200, `/api/sessions/${session}/approvals/${approval}`, { ...post({ decision }), who });

test("what waits is shown to its owner and to admins, as the session shows it, and to no one else", async () => {
  const approval = await waiting("ses_inbox");
  const [listed] = (await list("alice", "?sessionId=ses_inbox")).items;
  expect(listed).toEqual(await api.json(200, `/api/sessions/ses_inbox/approvals/${approval}`));
  expect(listed?.argsSchema).toMatchObject({ type: "object" });
  expect(await sessionsOf("root", "?sessionId=ses_inbox")).toEqual(["ses_inbox pending"]);
  expect(await sessionsOf("bob", "?state=all")).toEqual([]);
  await decide("ses_inbox", approval, "deny");
  await expect.poll(() => sessionsOf("alice", "?sessionId=ses_inbox"), within).toEqual([]);
  for (const state of ["denied", "all"])
    expect(await sessionsOf("alice", `?sessionId=ses_inbox&state=${state}`)).toEqual(["ses_inbox denied"]);
  for (const state of ["approved", "expired", "cancelled"])
    expect(await sessionsOf("alice", `?sessionId=ses_inbox&state=${state}`)).toEqual([]);
});

test("whoever is named sees it, and nothing else of that session; `*` is everyone who may approve", async () => {
  const named = await waiting("ses_named", ["bob"]);
  expect(await sessionsOf("bob", "?sessionId=ses_named")).toEqual(["ses_named pending"]);
  expect(await verdictOf(await api.call("/api/sessions/ses_named", { who: "bob" }))).toEqual([
    404,
    "not_found",
  ]);
  await decide("ses_named", named, "deny", "bob");
  await waiting("ses_open", ["*"]);
  expect(await sessionsOf("bob", "?sessionId=ses_open")).toEqual(["ses_open pending"]);
  await api.json(202, "/api/sessions/ses_open/cancel", post({}));
  await expect
    .poll(() => sessionsOf("bob", "?sessionId=ses_open&state=all"), within)
    .toEqual(["ses_open cancelled"]);
});

test("a deleted session leaves nothing in it", async () => {
  await waiting("ses_deleted", ["bob"]);
  expect((await api.call("/api/sessions/ses_deleted", { method: "DELETE" })).status).toBe(204);
  for (const who of ["alice", "bob", "root"] as const)
    expect(await sessionsOf(who, "?sessionId=ses_deleted&state=all")).toEqual([]);
  const left = "SELECT id FROM approval_readers WHERE session_id = 'ses_deleted'";
  expect((await env.DB.prepare(left).all()).results).toEqual([]);
});

test("comes in pages, the last asked first, and each approval once", async () => {
  for (const session of ["ses_page1", "ses_page2", "ses_page3"]) await waiting(session);
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await list("alice", `?limit=2${query}`);
    expect(page.items.length).toBeLessThanOrEqual(2);
    seen.push(...page.items.map(({ sessionId }) => sessionId));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(["ses_page3", "ses_page2", "ses_page1"]);
});

test("an approval that an older version has written is listed without what it did not know", async () => {
  await waiting("ses_older");
  await env.DB.prepare(
    "UPDATE approvals SET view = json_remove(view, '$.changes', '$.warnings', '$.draft') WHERE session_id = 'ses_older'",
  ).run();
  const listed = await list("alice", "?sessionId=ses_older");
  expect(answers().Approvals.safeParse(listed).error ?? null).toBeNull();
  expect(listed.items).toMatchObject([{ changes: [], warnings: [], draft: null }]);
});

test("queries that are none are refused", async () => {
  for (const query of ["state=open", "limit=0", "limit=101", "cursor=x", "cursor="])
    expect(await verdictOf(await api.call(`/api/approvals?${query}`))).toEqual([400, "invalid_request"]);
  expect(await verdictOf(await api.call("/api/approvals?sessionId=a%20b"))).toEqual([400, "invalid_id"]);
});

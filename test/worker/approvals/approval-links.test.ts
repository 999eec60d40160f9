import { beforeAll, describe, expect, test } from "vitest";
import { signLink } from "../../../src/cairn/protocol/signed/approval-link.ts";
import { makeSite } from "../cms/fixture.ts";
import { gated, openApi, type Api } from "../sessions/session-fixture.ts";
import { post, verdictOf } from "../http/routes-fixture.ts";

/** Links to approvals over real sessions . */

beforeAll(makeSite);

const SECRET = "0123456789abcdef0123456789abcdef";
let now = Date.now();
const api = openApi({ APPROVAL_LINK_SECRET: SECRET }, { now: () => now });
const json = { accept: "application/json" };

interface Approval {
  readonly id: string;
  readonly state: string;
  readonly digest: string;
  readonly votes: { subject: string; via: string; reason: string | null }[];
}
interface Asked {
  readonly session: string;
  readonly approval: string;
  /** path of the link */
  readonly path: string;
  readonly expiresAt: string;
}

/** A run of Alice that waits, and a link to its approval for her. */
async function asked(session: string, body: object = {}): Promise<Asked> {
  await api.say(session, gated());
  const { activeRun } = await api.json<{ activeRun: { waitingFor: { id: string } } }>(
    200,
    `/api/sessions/${session}`,
  );
  const approval = activeRun.waitingFor.id;
  const made = await api.json<{ url: string; expiresAt: string }>(
    201,
    `/api/sessions/${session}/approvals/${approval}/link`,
    { ...post({ subject: "alice", ...body }), who: "root" },
  );
  expect(made.url).toMatch(/^https:\/\/cairn\.example\/a\/[\w-]+\.[\w-]{43}$/);
  return { session, approval, path: new URL(made.url).pathname, expiresAt: made.expiresAt };
}
/** The same with a link for somebody who may not decide, as one that was made before its approvers were others. */
async function signedFor(subject: string, session: string): Promise<Asked> {
  const one = await asked(session);
  const { digest } = await stateOf(one);
  const ends = Math.ceil(Date.parse(one.expiresAt) / 1_000);
  const link = { approval: one.approval, digest, ends, session, asked: null, subject };
  return { ...one, path: `/a/${signLink([SECRET], link)}` };
}
const stateOf = async ({ session, approval }: Asked): Promise<Approval> =>
  api.json(200, `/api/sessions/${session}/approvals/${approval}`);
const by = (path: string, init: RequestInit = {}) => api.call(path, { ...init, who: null });
const decide = (path: string, body: unknown) => by(path, post(body));

describe("making a link", () => {
  test("is for admins, for approvals that are open, and until they end unless it is said", async () => {
    const one = await asked("ses_make");
    const { expiresAt } = await api.json<{ expiresAt: string }>(
      200,
      `/api/sessions/ses_make/approvals/${one.approval}`,
    );
    expect(Date.parse(one.expiresAt)).toBe(Math.ceil(Date.parse(expiresAt) / 1_000) * 1_000);
    const at = `/api/sessions/ses_make/approvals/${one.approval}/link`;
    expect(await verdictOf(await api.call(at, post({ subject: "alice" })))).toEqual([403, "missing_scope"]);
    const make = async (body: object, path = at) =>
      verdictOf(await api.call(path, { ...post(body), who: "root" }));
    for (const body of [{}, { subject: "a b" }, { subject: "hook:github" }, { subject: "x", ttlSeconds: 0 }])
      expect(await make(body)).toEqual([400, "invalid_request"]);
    expect(await make({ subject: "x", scopes: [] })).toEqual([400, "unknown_field"]);
    expect(await make({ subject: "x" }, at.replace("a1/link", "a9/link"))).toEqual([404, "not_found"]);
    expect(await make({ subject: "x" }, at.replace("ses_make", "ses_none"))).toEqual([404, "not_found"]);
    await decide(one.path, { decision: "deny" });
    expect(await make({ subject: "x" })).toEqual([409, "already_decided"]);
  });

  test("lasts up to thirty days", async () => {
    const month = 30 * 86_400;
    const one = await asked("ses_month", { ttlSeconds: month });
    expect(Date.parse(one.expiresAt)).toBe((Math.floor(now / 1_000) + month) * 1_000);
    const at = `/api/sessions/ses_month/approvals/${one.approval}/link`;
    const longer = await api.call(at, { ...post({ subject: "alice", ttlSeconds: month + 1 }), who: "root" });
    expect(await verdictOf(longer)).toEqual([400, "invalid_request"]);
  });

  test("is refused for a person who may not decide it, with the names of those who may", async () => {
    const one = await asked("ses_for_whom");
    const at = `/api/sessions/ses_for_whom/approvals/${one.approval}/link`;
    const make = (by: Api, subject: string) => by.call(at, { ...post({ subject }), who: "root" });
    for (const subject of ["bob", "guest", "owner"]) {
      const refused = await make(api, subject);
      expect([refused.status, await refused.json()]).toMatchObject([
        422,
        {
          error: {
            code: "subject_cannot_approve",
            message: `${subject} is not an approver of this approval.`,
            hint: "Make the link for an approver (the owner of the session) or an admin.",
          },
        },
      ]);
    }
    const narrow = openApi({
      APPROVAL_LINK_SECRET: SECRET,
      AUTH_TOKENS: {
        "root-real-token-0001": { subject: "root", scopes: ["admin"] },
        "alice-real-token-0001": { subject: "alice", scopes: ["read", "send"] },
      },
    });
    const without = await make(narrow, "alice");
    expect([without.status, await without.text()]).toEqual([
      422,
      expect.stringContaining("alice has no access with the scope approve."),
    ]);
    expect((await make(api, "alice")).status).toBe(201);
    await decide(one.path, { decision: "deny" });
  });

  test("is refused for the person who asked, where others have to decide", async () => {
    const agent = {
      description: "Deletes nothing on the word of one person.",
      approvals: { page_delete: { approvers: ["owner", "bob"], requesterMayApprove: false } },
    };
    await api.json(201, "/api/agents/four-eyes", { ...post(agent), method: "PUT", who: "root" });
    await api.say("ses_four_eyes", gated(), { agent: "four-eyes" });
    const { activeRun } = await api.json<{ activeRun: { waitingFor: { id: string } } }>(
      200,
      "/api/sessions/ses_four_eyes",
    );
    const at = `/api/sessions/ses_four_eyes/approvals/${activeRun.waitingFor.id}/link`;
    const make = (subject: string) => api.call(at, { ...post({ subject }), who: "root" });
    const refused = await make("alice");
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      {
        error: { code: "subject_cannot_approve", message: "alice requested this and may not approve it." },
      },
    ]);
    const made = await make("bob");
    expect(made.status).toBe(201);
    const { url } = await made.json<{ url: string }>();
    expect((await decide(new URL(url).pathname, { decision: "deny" })).status).toBe(200);
  });

  test("is off without a secret, and so is every link", async () => {
    const off = openApi();
    const one = await asked("ses_off");
    const at = `/api/sessions/ses_off/approvals/${one.approval}/link`;
    const made = await off.call(at, { ...post({ subject: "alice" }), who: "root" });
    expect(await verdictOf(made)).toEqual([404, "not_found"]);
    expect(await verdictOf(await off.call(one.path, { who: null }))).toEqual([404, "not_found"]);
    await decide(one.path, { decision: "deny" });
  });
});

describe("a link", () => {
  test("shows the approval twenty times and decides nothing; then one POST decides as the named subject", async () => {
    const one = await asked("ses_link");
    for (let n = 0; n < 20; n++)
      expect((await by(one.path, n % 2 === 0 ? {} : { headers: json })).status).toBe(200);
    expect(await stateOf(one)).toMatchObject({ state: "pending", votes: [] });
    const shown = await by(one.path, { headers: json });
    expect(await shown.json()).toMatchObject({ id: one.approval, sessionId: "ses_link", state: "pending" });
    const decided = await decide(one.path, { decision: "approve", reason: "Old news." });
    expect([decided.status, decided.headers.get("idempotent-replayed")]).toEqual([200, null]);
    expect(await decided.json()).toMatchObject({
      state: "approved",
      result: { decision: "approve", by: "alice", reason: "Old news." },
    });
    expect((await stateOf(one)).votes).toMatchObject([
      { subject: "alice", via: "link", reason: "Old news." },
    ]);
  });

  test("that was used is answered as any decision made twice: the same again, another not", async () => {
    const one = await asked("ses_twice");
    const both = await Promise.all([1, 2].map(() => decide(one.path, { decision: "deny" })));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both.map(({ headers }) => headers.get("idempotent-replayed")).toSorted()).toEqual([null, "true"]);
    const other = await decide(one.path, { decision: "approve" });
    expect([other.status, await other.json()]).toMatchObject([
      409,
      { error: { code: "already_decided" }, approval: { state: "denied" } },
    ]);
    const events = await api.json<{ items: { kind: string }[] }>(200, "/api/sessions/ses_twice/events");
    expect(events.items.filter(({ kind }) => kind === "approval_decided").length).toBe(1);
  });

  test("with a changed character is 404, and one past its end 410", async () => {
    const one = await asked("ses_end", { ttlSeconds: 60 });
    expect(Date.parse(one.expiresAt)).toBe(Math.floor(now / 1_000) * 1_000 + 60_000);
    const token = one.path.slice(3);
    for (const at of [0, 40, token.indexOf("."), token.length - 1]) {
      const changed = `/a/${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      expect(await verdictOf(await by(changed))).toEqual([404, "not_found"]);
      expect(await verdictOf(await decide(changed, { decision: "deny" }))).toEqual([404, "not_found"]);
    }
    const before = now;
    now = Date.parse(one.expiresAt);
    expect((await by(one.path)).status).toBe(200);
    now += 1;
    expect(await verdictOf(await by(one.path))).toEqual([410, "gone"]);
    expect(await verdictOf(await decide(one.path, { decision: "deny" }))).toEqual([410, "gone"]);
    now = before;
    expect((await stateOf(one)).state).toBe("pending");
    await decide(one.path, { decision: "deny" });
  });

  test("is asked so often in a minute, by all links of its subject, and then decides nothing", async () => {
    const [one, other] = [await asked("ses_often"), await asked("ses_often_too")];
    const few = openApi(
      { APPROVAL_LINK_SECRET: SECRET, LIMITS: { requestsPerMinute: 3 } },
      { now: () => now },
    );
    const look = async (path: string) => (await few.call(path, { who: null, headers: json })).status;
    expect([await look(one.path), await look(other.path), await look(one.path)]).toEqual([200, 200, 200]);
    expect([await look(one.path), await look(other.path)]).toEqual([429, 429]);
    const late = await few.call(one.path, { ...post({ decision: "approve" }), who: null });
    expect(await verdictOf(late)).toEqual([429, "rate_limited"]);
    expect((await stateOf(one)).state).toBe("pending");
  });

  test("opens nothing else", async () => {
    const one = await asked("ses_else");
    const token = one.path.slice(3);
    for (const path of [
      "/api/me",
      "/api/sessions/ses_else",
      `/api/sessions/ses_else/approvals/${one.approval}`,
    ])
      for (const [name, value] of [
        ["authorization", `Bearer ${token}`],
        ["cookie", `cairn_auth=${token}`],
      ] as const)
        expect(await verdictOf(await by(path, { headers: { [name]: value } }))).toEqual([
          401,
          "unauthenticated",
        ]);
    expect(await verdictOf(await by(`/agents/session/ses_else/get-messages?ticket=${token}`))).toEqual([
      401,
      "unauthenticated",
    ]);
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      const response = await by(one.path, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST, HEAD"]);
    }
    expect(await verdictOf(await by(`${one.path}/x`))).toEqual([404, "not_found"]);
    await decide(one.path, { decision: "deny" });
  });

  test("changes no arguments, and takes no body that it does not know", async () => {
    const one = await asked("ses_edit");
    const verdict = async (body: unknown) => verdictOf(await decide(one.path, body));
    expect(await verdict({ decision: "edit", args: { pages: [] } })).toEqual([403, "edit_needs_login"]);
    expect(await verdict({ decision: "edit" })).toEqual([403, "edit_needs_login"]);
    expect(await verdict({ decision: "approve", args: { pages: [] } })).toEqual([400, "unknown_field"]);
    expect(await verdict({ decision: "maybe" })).toEqual([400, "invalid_request"]);
    expect(await verdict({})).toEqual([400, "invalid_request"]);
    expect(await verdict("{")).toEqual([400, "invalid_json"]);
    expect((await stateOf(one)).state).toBe("pending");
    await decide(one.path, { decision: "deny" });
  });

  test("of somebody who is not asked shows it and decides nothing; an admin's decides", async () => {
    const bobs = await signedFor("bob", "ses_bob");
    expect((await by(bobs.path)).status).toBe(200);
    expect(await verdictOf(await decide(bobs.path, { decision: "approve" }))).toEqual([
      403,
      "not_an_approver",
    ]);
    const at = `/api/sessions/ses_bob/approvals/${bobs.approval}/link`;
    const made = await api.json<{ url: string }>(201, at, { ...post({ subject: "root" }), who: "root" });
    const decided = await decide(new URL(made.url).pathname, { decision: "deny" });
    expect([decided.status, await decided.json()]).toMatchObject([200, { result: { by: "root" } }]);
  });

  test("to what has changed since decides nothing", async () => {
    const one = await asked("ses_changed");
    const { digest } = await stateOf(one);
    const stale = {
      approval: one.approval,
      digest: digest.replace(/.$/, "z"),
      ends: 9_999_999_999,
      session: one.session,
      asked: null,
      subject: "alice",
    };
    const path = `/a/${signLink([SECRET], stale)}`;
    expect(await (await by(path)).text()).toContain("has changed since this link was made");
    expect(await verdictOf(await decide(path, { decision: "approve" }))).toEqual([409, "digest_mismatch"]);
    await decide(one.path, { decision: "deny" });
  });

  test("of a stopped run says so, and 409", async () => {
    const one = await asked("ses_stopped");
    await api.json(202, "/api/sessions/ses_stopped/cancel", post({}));
    expect(await (await by(one.path)).text()).toContain("The run was stopped.");
    expect(await verdictOf(await decide(one.path, { decision: "approve" }))).toEqual([
      409,
      "approval_cancelled",
    ]);
  });
});

describe("the page", () => {
  const html = { accept: "text/html,application/xhtml+xml" };
  const form = (fields: Record<string, string>, headers: Record<string, string> = {}): RequestInit => ({
    method: "POST",
    body: new URLSearchParams(fields).toString(),
    headers: { ...html, "content-type": "application/x-www-form-urlencoded", ...headers },
  });

  test("has what a person needs to decide, two buttons, no script, and the headers of a secret address", async () => {
    const one = await asked("ses_page");
    const { digest } = await stateOf(one);
    const response = await by(one.path, { headers: html });
    const page = await response.text();
    for (const said of [
      "alice",
      "Delete",
      "Request details",
      "&quot;pages&quot;",
      "Time to decide",
      "Tool",
      'value="approve"',
      'value="deny"',
      'name="reason"',
    ])
      expect(page).toContain(said);
    // The link itself holds the digest; a person has no use of it.
    expect(page).not.toContain(digest.slice(7, 15));
    expect(page).not.toMatch(/<script|javascript:|\son\w+=/i);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-robots-tag": "noindex",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      ),
    });
    const head = await by(one.path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const done = await by(
      one.path,
      form({ decision: "deny", reason: "" }, { origin: "https://cairn.example" }),
    );
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining("Denied by alice")]);
    expect((await stateOf(one)).votes).toMatchObject([{ via: "link", reason: null }]);
    const after = await (await by(one.path, { headers: html })).text();
    expect(after).toContain("Denied by alice");
    expect(after).not.toContain("<form");
    const late = await by(one.path, form({ decision: "approve" }));
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("was decided before")]);
  });

  test("takes a form of its own origin only, and no field twice", async () => {
    const one = await asked("ses_form");
    const foreign = await by(one.path, form({ decision: "approve" }, { origin: "https://evil.example" }));
    expect(await verdictOf(foreign)).toEqual([403, "origin_not_allowed"]);
    const twice = { ...form({}), body: "decision=approve&decision=deny" };
    expect((await by(one.path, twice)).status).toBe(400);
    expect((await by(one.path, { ...form({}), body: "decision=edit" })).status).toBe(403);
    const file = { method: "POST", body: "x", headers: { ...html, "content-type": "multipart/form-data" } };
    expect((await by(one.path, file)).status).toBe(415);
    expect((await stateOf(one)).state).toBe("pending");
    await decide(one.path, { decision: "deny" });
  });

  test("shows words of the model and of strangers as text, under their names", async () => {
    await api.say(
      "ses_text",
      `/call page_create {"name":"<img src=x onerror=alert(1)>"}\n/then\n/call page_delete {"pages":["img-src-x-onerror-alert-1"]}`,
    );
    const { activeRun } = await api.json<{ activeRun: { waitingFor: { id: string } } | null }>(
      200,
      "/api/sessions/ses_text",
    );
    if (activeRun === null) throw new Error("nothing waits");
    const at = `/api/sessions/ses_text/approvals/${activeRun.waitingFor.id}/link`;
    const made = await api.json<{ url: string }>(201, at, { ...post({ subject: "alice" }), who: "root" });
    const page = await (await by(new URL(made.url).pathname, { headers: html })).text();
    expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(page).not.toContain("<img");
    await decide(new URL(made.url).pathname, { decision: "deny" });
  });

  test("has no buttons for who may not decide, and says why", async () => {
    const bobs = await signedFor("bob", "ses_other");
    const page = await (await by(bobs.path, { headers: html })).text();
    expect(page).toContain("This decision is other people");
    expect(page).not.toMatch(/<form|<button/);
    const refused = await by(bobs.path, form({ decision: "approve" }));
    expect([refused.status, await refused.text()]).toEqual([403, expect.not.stringContaining("<form")]);
    const voted = await asked("ses_voted");
    await decide(voted.path, { decision: "deny" });
    expect(await (await by(voted.path, { headers: html })).text()).not.toMatch(/<form|<button/);
    const at = `/api/sessions/ses_other/approvals/${bobs.approval}/link`;
    const made = await api.json<{ url: string }>(201, at, { ...post({ subject: "root" }), who: "root" });
    const admins = new URL(made.url).pathname;
    expect(await (await by(admins, { headers: html })).text()).toContain("<form");
    await decide(admins, { decision: "deny" });
  });

  test("takes a reason of a form with its line ends, as many characters as its field lets in", async () => {
    const one = await asked("ses_reason");
    const reason = `${"a".repeat(499)}\n${"b".repeat(500)}`;
    const long = await by(one.path, form({ decision: "deny", reason: `${reason}c` }));
    expect(long.status).toBe(400);
    const done = await by(one.path, form({ decision: "deny", reason: reason.replace("\n", "\r\n") }));
    expect(done.status).toBe(200);
    expect((await stateOf(one)).votes).toMatchObject([{ reason }]);
  });

  test("takes a reason without the blanks around it, and one of blanks as none", async () => {
    const [some, none] = [await asked("ses_reason_some"), await asked("ses_reason_none")];
    expect((await by(some.path, form({ decision: "deny", reason: "  Not now.\n" }))).status).toBe(200);
    expect((await by(none.path, form({ decision: "deny", reason: " \n " }))).status).toBe(200);
    expect((await stateOf(some)).votes).toMatchObject([{ reason: "Not now." }]);
    expect((await stateOf(none)).votes).toMatchObject([{ reason: null }]);
  });

  test("for a link that leads nowhere says so to a person, with its status", async () => {
    const nowhere = await by("/a/x.y", { headers: html });
    expect([nowhere.status, await nowhere.text()]).toEqual([404, expect.stringContaining("leads nowhere")]);
    expect(nowhere.headers.get("referrer-policy")).toBe("same-origin");
  });
});

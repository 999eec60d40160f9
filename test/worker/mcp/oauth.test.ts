import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createOAuthStore } from "../../../src/plugins/mcp-server/oauth/store.ts";
import { makeSite } from "../cms/fixture.ts";
import { openApi } from "../sessions/session-fixture.ts";
import {
  allow,
  CALLBACK,
  deployment,
  exchange,
  form,
  leadsTo,
  open,
  queryOf,
  TOKEN,
  toolsOf,
  VERIFIER,
  WHOLE,
  type Tokens,
} from "./oauth-client.ts";

/** How assistants are let in: what a consent is worth while its person's token changes, who can consent, and where it is kept. */

beforeAll(makeSite);
beforeEach(() => env.DB.exec("DELETE FROM oauth_records"));

/** Grants of a client. */
const grantsOf = async (client: string): Promise<number> => {
  const found = await env.DB.prepare(
    "SELECT count(*) AS n FROM oauth_records WHERE key LIKE 'grant:%' AND json_extract(value, '$.clientId') = ?1",
  )
    .bind(client)
    .first<{ n: number }>();
  return found?.n ?? 0;
};

describe("a consent", () => {
  test("gives what was ticked, at /mcp and nowhere else", async () => {
    const api = deployment(WHOLE);
    const { access_token: token, scope } = await allow(api, ["read"]);
    expect(scope).toBe("read");
    expect(await toolsOf(api, token)).toEqual([200, "agent_get", "agent_update"]);
    const elsewhere = await api.call("/api/me", { who: null, headers: { authorization: `Bearer ${token}` } });
    expect(elsewhere.status).toBe(401);
  });

  test("is asked for on a page that no other site shows inside its own", async () => {
    const { page } = await open(deployment(WHOLE));
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  test("is worth what the token of its person is worth now, and ends with it", async () => {
    const api = deployment(WHOLE);
    const { access_token: token } = await allow(api, ["read", "send"]);
    expect(await toolsOf(api, token)).toEqual([
      200,
      "agent_start",
      "agent_get",
      "agent_update",
      "agent_cancel",
    ]);
    expect(await toolsOf(deployment({ ...WHOLE, expires: "2020-01-01" }), token)).toEqual([401]);
    expect(await toolsOf(deployment(null), token)).toEqual([401]);
    expect(await toolsOf(api, token)).toHaveLength(5);
  });

  test("cannot give what its person has not, whatever the form says", async () => {
    const api = deployment(WHOLE);
    const { html, post } = await open(api, { scope: "read admin" });
    expect(html).not.toContain('value="admin"');
    const refused = await post(["admin"]);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("Nothing is allowed"),
    ]);
    const admin = await open(deployment({ subject: "root", scopes: ["admin"] }), { scope: "read admin" });
    expect(admin.html).toContain('value="admin">');
    expect(admin.html).toContain('value="read" checked>');
  });

  test("that names no scope is offered to read and send; a yes in one's place is ticked by hand", async () => {
    const { html } = await open(deployment(WHOLE), { scope: "" });
    const ticked = Array.from(html.matchAll(/name="scope" value="(\w+)"( checked)?>/g), ([, scope, on]) => [
      scope,
      on !== undefined,
    ]);
    expect(ticked).toEqual([
      ["read", true],
      ["send", true],
      ["approve", false],
    ]);
    const wanted = await open(deployment(WHOLE), { scope: "read approve" });
    expect(wanted.html).toContain('value="approve" checked>');
  });

  test("is seen and taken back however many there are", async () => {
    const api = deployment(WHOLE);
    const user = Array.from(new TextEncoder().encode(WHOLE.subject), (byte) => byte.toString(16)).join("");
    const numbers = JSON.stringify(Array.from({ length: 101 }, (_, at) => 1_000 + at));
    const insert = env.DB.prepare(
      `INSERT INTO oauth_records(key, value) SELECT 'grant:' || ?1 || ':g' || value, json_object('id', 'g' || value,
        'clientId', 'c' || value, 'userId', ?1, 'scope', json_array('read'), 'createdAt', 1) FROM json_each(?2)`,
    );
    await insert.bind(user, numbers).run();
    const call = (path: string, method = "GET") =>
      api.call(path, { method, who: null, headers: { authorization: `Bearer ${TOKEN}` } });
    const ids = async () =>
      (await (await call("/api/assistants")).json<{ items: { id: string }[] }>()).items.map(({ id }) => id);
    expect([(await ids()).length, (await ids()).includes("g1100")]).toEqual([101, true]);
    expect((await call("/api/assistants/g1100", "DELETE")).status).toBe(204);
    expect([(await ids()).length, (await ids()).includes("g1100")]).toEqual([100, false]);
  });

  test("is renewed, never by a token that was used or given back", async () => {
    const api = deployment(WHOLE);
    const { client, refresh_token: first, access_token: token } = await allow(api, ["read"]);
    const renewed = await exchange(api, client, { grant_type: "refresh_token", refresh_token: first });
    const { refresh_token: second } = await renewed.json<Tokens>();
    expect([renewed.status, second === first]).toEqual([200, false]);
    expect((await exchange(api, client, { token: second })).status).toBe(200);
    expect((await exchange(api, client, { grant_type: "refresh_token", refresh_token: second })).status).toBe(
      400,
    );
    expect(await toolsOf(api, token)).toEqual([401]);
  });

  test("is seen and taken back by its person, and by nobody else", async () => {
    const api = deployment(WHOLE);
    const { access_token: token } = await allow(api, ["read"]);
    const as = (bearer: string, path = "/api/assistants", method = "GET") =>
      api.call(path, { method, who: null, headers: { authorization: `Bearer ${bearer}` } });
    const { items } = await (await as(TOKEN)).json<{ items: { id: string }[] }>();
    expect(items).toMatchObject([{ name: "<b>Assistant</b>", host: "assistant.example", scopes: ["read"] }]);
    const path = `/api/assistants/${items[0]?.id ?? ""}`;
    expect((await as(token, path, "DELETE")).status).toBe(401);
    const other = openApi();
    expect((await other.call(path, { method: "DELETE" })).status).toBe(404);
    expect(await (await other.call("/api/assistants")).json()).toEqual({ items: [] });
    expect(await toolsOf(api, token)).toHaveLength(3);
    expect((await as(TOKEN, path, "DELETE")).status).toBe(204);
    expect(await toolsOf(api, token)).toEqual([401]);
    expect((await as(TOKEN, path, "DELETE")).status).toBe(404);
  });

  test("needs the verifier of who asked, and a form of this browser", async () => {
    const api = deployment(WHOLE);
    const { client, post, page } = await open(api);
    const stolen = await api.call("/oauth/authorize", form({ handle: "x", decision: "allow" }, ["read"]));
    expect(stolen.status).toBe(401);
    const back = await leadsTo(await post(["read"]));
    expect([back.origin, back.searchParams.get("state")]).toEqual(["https://assistant.example", "s-1"]);
    const fields = {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      redirect_uri: CALLBACK,
    };
    const guessed = await exchange(api, client, { ...fields, code_verifier: `${VERIFIER}-no` });
    expect(guessed.status).toBe(400);
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-.+'; form-action 'self'; frame-ancestors 'none'/,
    );
  });

  test("that is submitted again, at once or later, continues as the first time and gives one grant", async () => {
    const api = deployment(WHOLE);
    const { client, post } = await open(api);
    const both = await Promise.all([post(["read"]), post(["read"])]);
    const again = await post(["read"]);
    const [one, other, third] = await Promise.all([...both, again].map(leadsTo));
    expect([other?.href, third?.href]).toEqual([one?.href, one?.href]);
    expect(await grantsOf(client)).toBe(1);
    const fields = { grant_type: "authorization_code", redirect_uri: CALLBACK, code_verifier: VERIFIER };
    const code = one?.searchParams.get("code") ?? "";
    const got = await exchange(api, client, { ...fields, code });
    const { access_token: token } = await got.json<Tokens>();
    expect(await toolsOf(api, token)).toHaveLength(3);
    // The code is used: a second use would revoke the grant.
    const late = await post(["read"]);
    expect([late.status, await late.text()]).toEqual([
      409,
      expect.stringContaining("You have already answered this"),
    ]);
    expect(await toolsOf(api, token)).toHaveLength(3);
    expect(await grantsOf(client)).toBe(1);
  });

  test("that is submitted again with another answer says what was answered, and changes nothing", async () => {
    const api = deployment(WHOLE);
    const allowed = await open(api);
    await leadsTo(await allowed.post(["read"]));
    for (const other of [allowed.post([], { decision: "deny" }), allowed.post(["read", "send"])]) {
      const answer = await other;
      expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining("You allowed it")]);
    }
    expect(await grantsOf(allowed.client)).toBe(1);
    const denied = await open(api);
    await leadsTo(await denied.post([], { decision: "deny" }));
    const changed = await denied.post(["read"]);
    expect([changed.status, await changed.text()]).toEqual([
      409,
      expect.stringContaining("You did not allow it."),
    ]);
    expect(await grantsOf(denied.client)).toBe(0);
  });

  test("that was answered by somebody else is not continued for others", async () => {
    const { client, post } = await open(deployment(WHOLE));
    const first = await leadsTo(await post(["read"]));
    expect((await post(["read"], {}, deployment({ subject: "bob", scopes: ["read"] }))).status).toBe(400);
    expect(await leadsTo(await post(["read"]))).toEqual(first);
    expect(await grantsOf(client)).toBe(1);
  });

  test.each([
    ["http://[::1]:4711/cb", "http://[::1]:50123/cb", "[::1]:50123"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:50123/cb", "127.0.0.1:50123"],
    ["http://localhost:1/cb", "http://localhost:2/cb", "localhost:2"],
    ["com.example.app:/cb", "com.example.app:/cb", "com.example.app:"],
    ["cursor://anysphere.cursor-mcp/cb", "cursor://anysphere.cursor-mcp/cb", "cursor:"],
  ])("of a program that registered %s is sent to %s", async (registered, asked, place) => {
    const api = deployment(WHOLE);
    const { client, html, post } = await open(
      api,
      { redirect_uri: asked },
      { redirect_uris: [registered, "https://assistant.example/other"] },
    );
    expect(html).toContain(`Access goes to <b>${place}</b>.`);
    expect(html).toContain("Continue only if you started this.");
    const back = await leadsTo(await post(["read"]));
    expect(back.href.startsWith(`${asked}?`)).toBe(true);
    const got = await exchange(api, client, {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      redirect_uri: asked,
      code_verifier: VERIFIER,
    });
    expect(got.status).toBe(200);
    const items = await api.call("/api/assistants", {
      who: null,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(await items.json()).toMatchObject({ items: [{ host: place }] });
  });

  test("that is refused leads there too, with the error", async () => {
    const { post } = await open(deployment(WHOLE));
    const back = await leadsTo(await post([], { decision: "deny" }));
    expect([back.origin, back.searchParams.get("error")]).toEqual([
      "https://assistant.example",
      "access_denied",
    ]);
  });

  test.each([null, "", "Allow", "yes", "deny"])(
    "is given by its button alone: a form with the decision %j is a no",
    async (decision) => {
      const api = deployment(WHOLE);
      const { post } = await open(api);
      const back = await leadsTo(await post(["read"], { decision }));
      expect([back.searchParams.get("error"), back.searchParams.get("code")]).toEqual([
        "access_denied",
        null,
      ]);
    },
  );

  test.each([
    ["narrowed", { ...WHOLE, scopes: ["read"] }, 200, "read"],
    ["narrowed to what was not ticked", { ...WHOLE, scopes: ["approve"] }, 400, null],
    ["removed", null, 401, null],
    ["ended", { ...WHOLE, expires: "2020-01-01" }, 401, null],
  ])(
    "by a person whose token was %s since they saw the page gives no more than that",
    async (_, grant, status, scope) => {
      const api = deployment(WHOLE);
      const { client, post } = await open(api);
      const later = deployment(grant);
      const answer = await post(["read", "send"], {}, later);
      expect(answer.status).toBe(status);
      const back = status === 200 ? await leadsTo(answer) : null;
      const got = await exchange(later, client, {
        grant_type: "authorization_code",
        code: back?.searchParams.get("code") ?? "x:y:z",
        code_verifier: VERIFIER,
        redirect_uri: CALLBACK,
      });
      expect((await got.json<Partial<Tokens>>()).scope ?? null).toBe(scope);
    },
  );

  test("says that it has ended, and where to be let in again", async () => {
    const { access_token: token } = await allow(deployment(WHOLE), ["read"]);
    const ask = (bearer: string) =>
      deployment(null).call("/mcp", {
        method: "POST",
        who: null,
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
    const ended = await ask(token);
    expect([ended.status, await ended.text()]).toEqual([
      401,
      expect.stringContaining("Your access has ended."),
    ]);
    expect(ended.headers.get("www-authenticate")).toMatch(
      /error="invalid_token", resource_metadata="https:\/\/cairn\.example\/\.well-known\/oauth-protected-resource\/mcp"/,
    );
    expect(await (await ask("a-token-of-nobody")).text()).not.toContain("has ended");
  });

  test("shows names of assistants as text, and leads nowhere that was not registered", async () => {
    const api = deployment(WHOLE);
    const { html, client } = await open(api);
    expect(html).toContain("&lt;b&gt;Assistant&lt;/b&gt;");
    expect(html).toContain("<b>assistant.example</b>");
    const signedIn = { who: null, headers: { authorization: `Bearer ${TOKEN}` } };
    const at = (query: string) => api.call(`/oauth/authorize?${query}`, signedIn);
    const elsewhere = await at(queryOf(client, { redirect_uri: "https://evil.example/" }));
    expect([elsewhere.status, elsewhere.headers.get("location")]).toEqual([400, null]);
    expect(await elsewhere.text()).not.toContain("evil.example");
    const unknown = await at(queryOf("nobody"));
    expect([unknown.status, unknown.headers.get("location")]).toEqual([400, null]);
  });
});

test("a cookie lets nobody in at /mcp, where another site could have a browser send it", async () => {
  const api = deployment(WHOLE);
  const signedIn = await api.call(`/oauth/sign-in?${queryOf("c")}`, form({ token: TOKEN }));
  const [cookie = ""] = signedIn.headers.getSetCookie().map((each) => each.split(";", 1)[0] ?? "");
  const headers = { cookie, origin: "https://cairn.example" };
  expect((await api.call("/api/me", { who: null, headers })).status).toBe(200);
  const asked = await api.call("/mcp", {
    method: "POST",
    who: null,
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  expect(asked.status).toBe(401);
});

test("what says how it works is read by whoever asks, of the origin that was asked", async () => {
  const api = deployment(WHOLE);
  const read = async (path: string) => (await api.call(path, { who: null })).json<Record<string, unknown>>();
  expect(await read("/.well-known/oauth-protected-resource/mcp")).toEqual({
    resource: "https://cairn.example/mcp",
    authorization_servers: ["https://cairn.example"],
    scopes_supported: ["read", "send"],
    bearer_methods_supported: ["header"],
    resource_name: "Cairn",
  });
  expect(await read("/.well-known/oauth-authorization-server")).toMatchObject({
    issuer: "https://cairn.example",
    authorization_endpoint: "https://cairn.example/oauth/authorize",
    token_endpoint: "https://cairn.example/oauth/token",
    registration_endpoint: "https://cairn.example/oauth/register",
    scopes_supported: ["read", "send", "approve", "admin"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
});

test("the records end at their time, are listed in pages, and go away when others are written", async () => {
  let now = 1_000_000;
  const store = createOAuthStore(env.DB, () => now);
  await store.put("grant:a:1", '{"n":1}');
  await store.put("grant:a:2", '{"n":2}', { expirationTtl: 60 });
  await store.put("grant:b:1", '{"n":3}', { expiration: 2_000 });
  expect([await store.get("grant:a:1"), await store.get("grant:a:2", { type: "json" })]).toEqual([
    '{"n":1}',
    { n: 2 },
  ]);
  const first = await store.list({ prefix: "grant:a:", limit: 1 });
  expect(first).toEqual({ keys: [{ name: "grant:a:1" }], list_complete: false, cursor: "grant:a:1" });
  const second = await store.list({ prefix: "grant:a:", limit: 1, cursor: "grant:a:1" });
  expect(second).toEqual({ keys: [{ name: "grant:a:2" }], list_complete: true });
  now += 60_000;
  expect([await store.get("grant:a:2"), (await store.list({ prefix: "grant:a:" })).keys]).toEqual([
    null,
    [{ name: "grant:a:1" }],
  ]);
  await store.delete("grant:a:1");
  await store.put("grant:c:1", "{}");
  const { results } = await env.DB.prepare("SELECT key FROM oauth_records ORDER BY key").all();
  expect(results).toEqual([{ key: "grant:b:1" }, { key: "grant:c:1" }]);
});

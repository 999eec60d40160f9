import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createOAuthStore } from "../../../src/http/oauth/store.ts";
import { makeSite } from "../cms/fixture.ts";
import { openApi } from "../sessions/session-fixture.ts";

/** How assistants are let in: what a consent is worth while its person's token changes, who can consent, and where it is kept. */

beforeAll(makeSite);
beforeEach(() => env.DB.exec("DELETE FROM oauth_records"));

const TOKEN = "ada-own-token-00001";
const WHOLE = { subject: "ada:of:london", scopes: ["read", "send", "approve"] };
const deployment = (grant: object | null) =>
  openApi({ AUTH_TOKENS: grant === null ? {} : { [TOKEN]: grant } });
type Api = ReturnType<typeof openApi>;

const CALLBACK = "https://assistant.example/callback";
const VERIFIER = "a-verifier-of-at-least-forty-three-characters-00";
const challenge = createHash("sha256").update(VERIFIER).digest("base64url");

const form = (fields: Record<string, string>, scopes: readonly string[] = []) => ({
  method: "POST",
  who: null,
  headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://cairn.example" },
  body: new URLSearchParams([...Object.entries(fields), ...scopes.map((each) => ["scope", each])]).toString(),
});

async function register(api: Api, more: object = {}): Promise<Response> {
  const client = {
    client_name: "<b>Assistant</b>",
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: "none",
    ...more,
  };
  return api.call("/oauth/register", {
    method: "POST",
    who: null,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(client),
  });
}

const queryOf = (client: string, more: Record<string, string> = {}): string =>
  new URLSearchParams({
    ...{ client_id: client, redirect_uri: CALLBACK, response_type: "code", state: "s-1", scope: "read send" },
    ...{
      code_challenge: challenge,
      code_challenge_method: "S256",
      resource: "https://cairn.example/mcp",
      ...more,
    },
  }).toString();

const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((each) => each.split(";", 1)[0])
    .join("; ");

/** The consent page of who is signed in with the token, and what posts its form. */
async function open(api: Api, more: Record<string, string> = {}) {
  const { client_id: client } = await (await register(api)).json<{ client_id: string }>();
  const signedIn = await api.call(`/oauth/sign-in?${queryOf(client, more)}`, form({ token: TOKEN }));
  const cookie = cookieOf(signedIn);
  const page = await api.call(signedIn.headers.get("location") ?? "/none", {
    who: null,
    headers: { cookie },
  });
  const html = await page.text();
  const handle = /name="handle" value="([^"]+)"/.exec(html)?.[1] ?? "";
  const post = (scopes: readonly string[], fields: Record<string, string> = {}) => {
    const filled = form({ handle, decision: "allow", ...fields }, scopes);
    return api.call("/oauth/authorize", {
      ...filled,
      headers: { ...filled.headers, cookie: `${cookie}; ${cookieOf(page)}` },
    });
  };
  return { client, page, html, post };
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

async function exchange(api: Api, client: string, fields: Record<string, string>): Promise<Response> {
  return api.call("/oauth/token", form({ client_id: client, ...fields }));
}

async function allow(api: Api, scopes: readonly string[]): Promise<Tokens & { readonly client: string }> {
  const { client, post } = await open(api);
  const back = new URL((await post(scopes)).headers.get("location") ?? "https://none.example");
  const code = back.searchParams.get("code") ?? "";
  const got = await exchange(api, client, {
    grant_type: "authorization_code",
    code,
    code_verifier: VERIFIER,
    redirect_uri: CALLBACK,
    resource: "https://cairn.example/mcp",
  });
  expect(got.status).toBe(200);
  return { client, ...(await got.json<Tokens>()) };
}

/** The status at /mcp, and the tools of the agent there. */
async function toolsOf(api: Api, token: string): Promise<readonly (string | number)[]> {
  const response = await api.call("/mcp", {
    method: "POST",
    who: null,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  const text = await response.text();
  return [response.status, ...Array.from(text.matchAll(/"name":"(agent_\w+)"/g), ([, name = ""]) => name)];
}

describe("a consent", () => {
  test("gives what was ticked, at /mcp and nowhere else", async () => {
    const api = deployment(WHOLE);
    const { access_token: token, scope } = await allow(api, ["read"]);
    expect(scope).toBe("read");
    expect(await toolsOf(api, token)).toEqual([200, "agent_get", "agent_update"]);
    const elsewhere = await api.call("/api/me", { who: null, headers: { authorization: `Bearer ${token}` } });
    expect(elsewhere.status).toBe(401);
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
    const back = new URL((await post(["read"])).headers.get("location") ?? "https://none.example");
    expect([back.origin, back.searchParams.get("state")]).toEqual(["https://assistant.example", "s-1"]);
    const fields = {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      redirect_uri: CALLBACK,
    };
    const guessed = await exchange(api, client, { ...fields, code_verifier: `${VERIFIER}-no` });
    expect(guessed.status).toBe(400);
    expect((await post(["read"])).status).toBe(400);
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-.+'; form-action 'self' https:\/\/assistant\.example; frame-ancestors 'none'/,
    );
  });

  test("shows names of assistants as text, and leads nowhere that was not registered", async () => {
    const api = deployment(WHOLE);
    const { html, client } = await open(api);
    expect(html).toContain("&lt;b&gt;Assistant&lt;/b&gt;");
    expect(html).toContain("<b>assistant.example</b>");
    const elsewhere = await api.call(
      `/oauth/authorize?${queryOf(client, { redirect_uri: "https://evil.example/" })}`,
      { who: null },
    );
    expect([elsewhere.status, elsewhere.headers.get("location")]).toEqual([400, null]);
    const unknown = await api.call(`/oauth/authorize?${queryOf("nobody")}`, { who: null });
    expect([unknown.status, unknown.headers.get("location")]).toEqual([400, null]);
    const plain = await api.call(`/oauth/authorize?${queryOf(client, { code_challenge_method: "plain" })}`, {
      who: null,
    });
    expect(plain.headers.get("location") ?? "").toMatch(
      /^https:\/\/assistant\.example\/callback\?.*error=invalid_request/,
    );
  });
});

describe("registration", () => {
  test("takes no address that a script or a stranger's page could be", async () => {
    const api = deployment(WHOLE);
    expect((await register(api, { redirect_uris: ["javascript:alert(1)"] })).status).toBe(400);
    expect((await register(api, { redirect_uris: ["http://evil.example/"] })).status).toBe(400);
    const large = await register(api, { client_name: "x".repeat(70_000) });
    expect(large.status).toBe(413);
  });

  test("has an end, and what has expired makes room", async () => {
    const api = deployment(WHOLE);
    const insert = env.DB.prepare(
      "INSERT INTO oauth_records(key, value, expires_at) SELECT 'client:' || value, '{}', ? FROM json_each(?)",
    );
    const names = JSON.stringify(Array.from({ length: 1_000 }, (_, at) => `c${at}`));
    await insert.bind(4_000_000_000, names).run();
    expect((await register(api)).status).toBe(429);
    await env.DB.exec("UPDATE oauth_records SET expires_at = 1");
    expect((await register(api)).status).toBe(201);
  });
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

import { createHash } from "node:crypto";
import { expect } from "vitest";
import { openApi } from "../sessions/session-fixture.ts";

/** An assistant and the browser of its person, as the authorization server of a deployment sees them. */

export const TOKEN = "ada-own-token-00001";
export const WHOLE = { subject: "ada:of:london", scopes: ["read", "send", "approve"] };
export const deployment = (grant: object | null) =>
  openApi({ AUTH_TOKENS: grant === null ? {} : { [TOKEN]: grant } });
type Api = ReturnType<typeof openApi>;

export const CALLBACK = "https://assistant.example/callback";
export const VERIFIER = "a-verifier-of-at-least-forty-three-characters-00";
const challenge = createHash("sha256").update(VERIFIER).digest("base64url");

export const form = (fields: Record<string, string>, scopes: readonly string[] = []) => ({
  method: "POST",
  who: null,
  headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://cairn.example" },
  body: new URLSearchParams([...Object.entries(fields), ...scopes.map((each) => ["scope", each])]).toString(),
});

export async function register(api: Api, more: object = {}): Promise<Response> {
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

export const queryOf = (client: string, more: Record<string, string> = {}): string =>
  new URLSearchParams({
    client_id: client,
    redirect_uri: CALLBACK,
    response_type: "code",
    state: "s-1",
    scope: "read send",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: "https://cairn.example/mcp",
    ...more,
  }).toString();

const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((each) => each.split(";", 1)[0])
    .join("; ");

/** The consent page of who is signed in with the token, and what posts its form. */
export async function open(api: Api, more: Record<string, string> = {}, registered: object = {}) {
  const { client_id: client } = await (await register(api, registered)).json<{ client_id: string }>();
  const signedIn = await api.call(`/oauth/sign-in?${queryOf(client, more)}`, form({ token: TOKEN }));
  const cookie = cookieOf(signedIn);
  const page = await api.call(signedIn.headers.get("location") ?? "/none", {
    who: null,
    headers: { cookie },
  });
  const html = await page.text();
  const handle = /name="handle" value="([^"]+)"/.exec(html)?.[1] ?? "";
  /** `fields`: null leaves one out; `at`: the deployment as it is by then */
  const post = (scopes: readonly string[], fields: Record<string, string | null> = {}, at: Api = api) => {
    const all = Object.entries({ handle, decision: "allow", ...fields });
    const sent = all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
    const filled = form(Object.fromEntries(sent), scopes);
    return at.call("/oauth/authorize", {
      ...filled,
      headers: { ...filled.headers, cookie: `${cookie}; ${cookieOf(page)}` },
    });
  };
  return { client, page, html, post };
}

/** The address to which a page leads its person, by a link and by itself; it is the same. */
export async function leadsTo(response: Response): Promise<URL> {
  const html = await response.text();
  const [, link = ""] = /<a href="([^"]*)" rel="noreferrer">/.exec(html) ?? [];
  expect(html).toContain(`<meta http-equiv="refresh" content="0;url=${link}">`);
  expect([response.status, response.headers.get("location")]).toEqual([200, null]);
  return new URL(link.replaceAll("&amp;", "&"));
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

export async function exchange(api: Api, client: string, fields: Record<string, string>): Promise<Response> {
  return api.call("/oauth/token", form({ client_id: client, ...fields }));
}

export async function allow(
  api: Api,
  scopes: readonly string[],
): Promise<Tokens & { readonly client: string }> {
  const { client, post } = await open(api);
  const back = await leadsTo(await post(scopes));
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
export async function toolsOf(api: Api, token: string): Promise<readonly (string | number)[]> {
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

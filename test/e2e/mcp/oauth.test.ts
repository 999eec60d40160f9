import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { useServer } from "../clients/server.ts";

/** The way of an assistant that is given nothing but the address of /mcp: the official client finds out all else by itself. */

const TOKEN = "ada-token-of-the-tests";
const AUTH = JSON.stringify({ [TOKEN]: { subject: "ada", scopes: ["read", "send", "approve"] } });
const server = useServer(() => [`AUTH_TOKENS:${AUTH}`, "ALLOW_ANONYMOUS:false"]);

/** An assistant's credentials, and the address to which it would send its person. */
class Kept implements OAuthClientProvider {
  readonly redirectUrl = "http://127.0.0.1:1/callback";
  readonly clientMetadata = {
    client_name: "An <assistant>",
    redirect_uris: ["http://127.0.0.1:1/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  asked: URL | null = null;
  kept: OAuthTokens | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;
  clientInformation = () => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.#client = client;
  };
  tokens = () => this.kept;
  saveTokens = (tokens: OAuthTokens) => {
    this.kept = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.asked = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.#discovered = state;
  };
  discoveryState = () => this.#discovered;
}

/** A browser: it keeps cookies, and follows nothing by itself. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async open(url: string | URL, form?: Record<string, string | readonly string[]>): Promise<Response> {
    const cookie = Array.from(this.#cookies, (pair) => pair.join("=")).join("; ");
    const body = new URLSearchParams(
      Object.entries(form ?? {}).flatMap(([name, value]) => [value].flat().map((each) => [name, each])),
    );
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie, ...(form === undefined ? {} : { origin: server.url }) },
      ...(form === undefined ? {} : { method: "POST", body }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}

const handleOf = (html: string): string => /name="handle" value="([^"]+)"/.exec(html)?.[1] ?? "";
const addressOf = (html: string, attribute: string): string =>
  (new RegExp(`${attribute}="([^"]*)"`).exec(html)?.[1] ?? "").replaceAll("&amp;", "&");

/** The address to which the page after a consent leads. */
const leadsTo = (html: string): URL => new URL(addressOf(html, "href") || "http://nowhere");

/** Connects as far as the client comes, and brings its person to the consent page, signed in. */
async function arrive() {
  const provider = new Kept();
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { authProvider: provider });
  const first = transport();
  await expect(new Client({ name: "t", version: "1" }).connect(first)).rejects.toThrow(UnauthorizedError);
  const browser = new Browser();
  const asked = provider.asked?.toString() ?? "";
  const once = await (await browser.open(asked)).text();
  const again = new URL(addressOf(once, "href"), server.url);
  const signIn = await (await browser.open(again)).text();
  const action = new URL(addressOf(signIn, "action"), server.url);
  return { provider, transport, first, browser, action, asked };
}

async function consent(arrived: Awaited<ReturnType<typeof arrive>>, scopes: readonly string[]) {
  const { browser, action, first } = arrived;
  const signedIn = await browser.open(action, { token: TOKEN });
  expect(signedIn.status).toBe(303);
  const shown = await browser.open(new URL(signedIn.headers.get("location") ?? "", server.url));
  const html = await shown.text();
  const form = { handle: handleOf(html), decision: "allow", scope: scopes };
  const allowed = await browser.open(`${server.url}/oauth/authorize`, form);
  const back = leadsTo(await allowed.text());
  return { html, shown, allowed, back, finish: () => first.finishAuth(back.searchParams) };
}

describe("an assistant that knows only the address", () => {
  test("registers, is allowed by a person who signs in, and has what they allowed", async () => {
    const arrived = await arrive();
    const { html, shown, allowed, back, finish } = await consent(arrived, ["read", "admin"]);
    expect(html).toContain("Allow <q>An &lt;assistant&gt;</q> to act on your behalf?");
    expect(html).toContain("<b>ada</b>");
    expect(html).not.toContain('value="admin"');
    expect(shown.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect([allowed.status, allowed.headers.get("location")]).toEqual([200, null]);
    expect(back.searchParams.get("iss")).toBe(server.url);
    await finish();
    const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(arrived.transport());
    const names = (await client.listTools()).tools.map(({ name }) => name);
    // Nobody ticked send, and ada is no admin.
    expect(names).toEqual(expect.arrayContaining(["agent_get", "agent_update"]));
    expect(names).not.toContain("agent_start");
    expect(
      await client.callTool({ name: "agent_start", arguments: { objective: "/say Hi." } }),
    ).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("missing_scope") }],
    });
    await client.close();
  });

  test("renews its token, and has nothing after it gave it back", async () => {
    const arrived = await arrive();
    await (await consent(arrived, ["read", "send"])).finish();
    const { kept } = arrived.provider;
    const client_id = arrived.provider.clientInformation()?.client_id ?? "";
    const post = (form: Record<string, string>) =>
      fetch(`${server.url}/oauth/token`, {
        method: "POST",
        body: new URLSearchParams({ client_id, ...form }),
      });
    const renewed = await post({ grant_type: "refresh_token", refresh_token: kept?.refresh_token ?? "" });
    expect(renewed.status).toBe(200);
    const tokens = (await renewed.json()) as OAuthTokens;
    expect(tokens.scope?.split(" ").toSorted()).toEqual(["read", "send"]);
    expect(await statusOf(tokens.access_token)).toBe(200);
    const metadata = (await (await fetch(`${server.url}/.well-known/oauth-authorization-server`)).json()) as {
      readonly revocation_endpoint: string;
    };
    const revoked = await fetch(metadata.revocation_endpoint, {
      method: "POST",
      body: new URLSearchParams({ client_id, token: tokens.refresh_token ?? "" }),
    });
    expect(revoked.status).toBe(200);
    expect(await statusOf(tokens.access_token)).toBe(401);
  });

  test("whose person says no gets nothing, and no code works twice", async () => {
    const refused = await arrive();
    const { browser, action } = refused;
    const wrong = await browser.open(action, { token: "no-such-token-of-the-tests" });
    expect({ status: wrong.status, said: (await wrong.text()).includes("That token isn't valid.") }).toEqual({
      status: 401,
      said: true,
    });
    const signedIn = await browser.open(action, { token: TOKEN });
    const page = await browser.open(new URL(signedIn.headers.get("location") ?? "", server.url));
    const form = { handle: handleOf(await page.text()), decision: "deny" };
    const denied = await browser.open(`${server.url}/oauth/authorize`, form);
    expect(leadsTo(await denied.text()).searchParams.get("error")).toBe("access_denied");
    expect(
      (await browser.open(`${server.url}/oauth/authorize`, { ...form, decision: "allow", scope: "read" }))
        .status,
    ).toBe(409);
    const allowed = await arrive();
    const { finish } = await consent(allowed, ["read"]);
    await finish();
    // The client tries twice: the first is refused, and what the code had given is taken back.
    await expect(finish()).rejects.toThrow(/already used|Grant not found/);
  });
});

async function statusOf(token: string): Promise<number> {
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  return response.status;
}

import { env } from "cloudflare:workers";
import type { RoutePlugin } from "../../../src/cairn/http/deps.ts";
import { mountMcpCallback, mountMcpServers } from "../../../src/plugins/mcp-client/http/routes.ts";
import { createServerList } from "../../../src/plugins/mcp-client/http/server-list.ts";
import type { McpServer } from "../../../src/plugins/mcp-client/server.ts";
import { McpServers } from "../../../src/plugins/mcp-client/servers.ts";
import { mcpSettings, type McpBindings } from "../../../src/plugins/mcp-client/settings.ts";
import { handlerOf, OBJECT, type FakeMcp } from "../../fixtures/mcp-handler.ts";

/**
 * A server of the protocol and its authorization server, behind the port through which requests leave. They are as the
 * specification wants them: metadata of the resource, registration, PKCE, tokens that end and are renewed once.
 */

export const HOST = "https://mcp.example.com";
export const LOGIN = "https://login.example.com";
export const SEALED = "a-secret-of-the-deployment-0123456789";

export class World {
  readonly fake: FakeMcp = { tools: [{ name: "whoami", inputSchema: OBJECT }], called: [] };
  /** requests that left, as `METHOD url` */
  readonly left: string[] = [];
  /** with what the server of the protocol was asked */
  readonly carried: (string | null)[] = [];
  /** access tokens that hold now, by whose they are */
  readonly tokens = new Map<string, string>();
  wantsToken = true;
  /** it does not answer */
  isGone = false;
  /** happens while tokens are being made */
  meanwhile: () => Promise<void> = () => Promise.resolve();
  now = Date.UTC(2026, 10, 26, 9);
  readonly reported: unknown[] = [];
  readonly #refresh = new Map<string, string>();
  readonly #codes = new Map<string, { readonly challenge: string; readonly who: string }>();
  #n = 0;

  readonly fetch = async (target: string, init: RequestInit): Promise<Response> => {
    const request = new Request(target, init as RequestInit<RequestInitCfProperties>);
    const url = new URL(target);
    if (url.hostname === "cloudflare-dns.com")
      return Response.json({ Status: 0, Answer: [{ type: 1, data: "93.184.215.14" }] });
    this.left.push(`${request.method} ${url.origin}${url.pathname}`);
    if (url.origin === LOGIN) return this.#login(request, url);
    if (url.pathname === "/.well-known/oauth-protected-resource/mcp" && this.wantsToken)
      return Response.json({ resource: `${HOST}/mcp`, authorization_servers: [LOGIN] });
    if (url.pathname !== "/mcp") return new Response("no", { status: 404 });
    if (this.isGone) throw new Error("no route");
    const shown = request.headers.get("authorization");
    this.carried.push(shown);
    const who = this.tokens.get(shown?.replace("Bearer ", "") ?? "");
    if (this.wantsToken && who === undefined) {
      const where = `Bearer resource_metadata="${HOST}/.well-known/oauth-protected-resource/mcp"`;
      return new Response("no", { status: 401, headers: { "www-authenticate": where } });
    }
    this.fake.call = () =>
      Promise.resolve({
        content: [{ type: "text", text: `You are ${who ?? "nobody"}; ${shown ?? "no token"}.` }],
      });
    return handlerOf(this.fake, "2026-07-28")(request);
  };

  /** Signs a person in at the login page, which redirects with a code. */
  signIn(address: URL, who: string): { readonly state: string; readonly code: string; readonly iss: string } {
    const code = `code-${(this.#n += 1)}`;
    this.#codes.set(code, { challenge: address.searchParams.get("code_challenge") ?? "", who });
    return { state: address.searchParams.get("state") ?? "", code, iss: LOGIN };
  }

  async #login(request: Request, url: URL): Promise<Response> {
    if (url.pathname === "/.well-known/oauth-authorization-server")
      return Response.json({
        issuer: LOGIN,
        authorization_endpoint: `${LOGIN}/authorize`,
        token_endpoint: `${LOGIN}/token`,
        registration_endpoint: `${LOGIN}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
      });
    if (url.pathname === "/register") {
      const asked = await request.json<Record<string, unknown>>();
      return Response.json({ ...asked, client_id: `client-${(this.#n += 1)}` }, { status: 201 });
    }
    if (url.pathname !== "/token") return new Response("no", { status: 404 });
    await this.meanwhile();
    const form = new URLSearchParams(await request.text());
    const who = await this.#whoOf(form, request.headers.get("authorization"));
    if (who === null) return Response.json({ error: "invalid_grant" }, { status: 400 });
    const n = (this.#n += 1);
    const access = `access-token-${n}`;
    const refresh = `refresh-token-${n}`;
    this.tokens.set(access, who);
    this.#refresh.set(refresh, who);
    return Response.json({
      access_token: access,
      refresh_token: refresh,
      token_type: "Bearer",
      expires_in: 60,
    });
  }

  async #whoOf(form: URLSearchParams, shown: string | null): Promise<string | null> {
    const grant = form.get("grant_type");
    if (grant === "client_credentials")
      return shown === `Basic ${btoa("cairn:s-0123456789")}` ? "cairn" : null;
    if (grant === "refresh_token") {
      const token = form.get("refresh_token") ?? "";
      const who = this.#refresh.get(token) ?? null;
      // One that is used twice was stolen: it holds once.
      this.#refresh.delete(token);
      return who;
    }
    const code = this.#codes.get(form.get("code") ?? "");
    const digest = await crypto.subtle.digest(
      "SHA-256",
      new TextEncoder().encode(form.get("code_verifier") ?? ""),
    );
    const challenge = btoa(String.fromCharCode(...new Uint8Array(digest)))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replace(/=+$/, "");
    return code?.challenge === challenge ? code.who : null;
  }

  /** The servers of a deployment with these variables, whose code names these. */
  open(
    files: readonly McpServer[] = [],
    more: McpBindings = {},
  ): { readonly servers: McpServers; readonly plugin: RoutePlugin } {
    let ids = 0;
    const bound = {
      MCP_TOKEN_SECRET: SEALED,
      PUBLIC_URL: "https://cairn.example",
      ...more,
      fetcher: this.fetch,
    };
    const servers = new McpServers({
      db: env.DB,
      settings: mcpSettings(bound),
      files,
      version: "1.0.0",
      now: () => this.now,
      newId: () => `id-${(ids += 1)}`,
      report: (error) => this.reported.push(error),
    });
    const list = createServerList({ db: env.DB, files, servers });
    const plugin: RoutePlugin = {
      name: "mcp-client",
      routes: ({ api }, deps) => {
        mountMcpServers(api, deps, list);
        mountMcpCallback(api);
      },
    };
    return { servers, plugin };
  }
}

/** Forgets whatever the test before has stored. */
export const emptied = (): Promise<unknown> =>
  env.DB.batch(
    ["mcp_servers", "mcp_listings", "mcp_accounts"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );

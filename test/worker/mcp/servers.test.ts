import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { mcpServer, type McpServer } from "../../../src/plugins/mcp-client/server.ts";
import {
  callbackOf,
  LISTING_FRESH_MS,
  PROBLEM_CACHE_MS,
  type McpServers,
} from "../../../src/plugins/mcp-client/servers.ts";
import { OBJECT } from "../../fixtures/mcp-handler.ts";
import { emptied, HOST, LOGIN, World } from "./world.ts";

/** MCP servers: tools offered to a run, their rows in D1, and sign-in per deployment and per person. */

beforeEach(emptied);
const URL_OF = `${HOST}/mcp`;
const CALLBACK = callbackOf("https://cairn.example");
const OWN = mcpServer({ name: "sky", url: URL_OF, auth: { type: "oauth", for: "person" } });
const SHARED = mcpServer({ name: "sky", url: URL_OF, auth: { type: "oauth", for: "deployment" } });
const OPEN = mcpServer({ name: "sky", url: URL_OF });

async function signIn(world: World, servers: McpServers, server: McpServer, who: string): Promise<void> {
  const begun = await servers.beginSignIn(server, who, CALLBACK);
  if (!begun.ok) throw new Error(begun.error.message);
  const ended = await servers.endSignIn(server, who, {
    ...world.signIn(begun.value, who),
    callback: CALLBACK,
  });
  expect(ended).toEqual({ ok: true, value: null });
}

async function call(servers: McpServers, server: McpServer, subject: string): Promise<unknown> {
  const { listed } = await servers.prepare(subject);
  const [one] = listed;
  const tool = one?.listing.tools[0];
  if (one === undefined || tool === undefined) throw new Error("it is not listed");
  return servers.call(
    { server, listing: one.listing, tool },
    {},
    { subject, signal: new AbortController().signal },
  );
}
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) =>
      error instanceof ToolError ? { ...error.failure, nothingDone: error.nothingDone } : error,
  );

describe("the tools of servers", () => {
  test("are listed once in ten minutes for all sessions, and are none without a server", async () => {
    const world = new World();
    world.wantsToken = false;
    expect(await world.open().servers.prepare("alice")).toEqual({ listed: [], left: [] });
    expect(world.left).toEqual([]);
    const names = async () =>
      (await world.open([OPEN]).servers.prepare("alice")).listed[0]?.listing.tools.map(({ as }) => as);
    expect(await names()).toEqual(["mcp_sky_whoami"]);
    const asked = world.left.length;
    expect(asked).toBeGreaterThan(0);
    world.fake.tools = [{ name: "other", inputSchema: OBJECT }];
    expect(await names()).toEqual(["mcp_sky_whoami"]);
    expect(world.left).toHaveLength(asked);
    world.now += LISTING_FRESH_MS;
    expect(await names()).toEqual(["mcp_sky_other"]);
    // Other settings are another server.
    world.fake.tools = [{ name: "third", inputSchema: OBJECT }];
    const { listed } = await world.open([{ ...OPEN, timeoutMs: 5_000 }]).servers.prepare("alice");
    expect(listed[0]?.listing.tools.map(({ as }) => as)).toEqual(["mcp_sky_third"]);
  });

  test("leave out a server that does not answer, with the reason, and it is not asked again at once", async () => {
    const world = new World();
    world.wantsToken = false;
    world.isGone = true;
    const why = "mcp.example.com cannot be reached.";
    const prepare = () => world.open([OPEN]).servers.prepare("alice");
    expect(await prepare()).toEqual({ listed: [], left: [{ tool: "mcp_sky_*", why }] });
    const asked = world.left.length;
    expect(await prepare()).toEqual({ listed: [], left: [{ tool: "mcp_sky_*", why }] });
    expect(world.left).toHaveLength(asked);
    world.isGone = false;
    world.now += PROBLEM_CACHE_MS;
    expect((await prepare()).listed).toHaveLength(1);
  });

  test("come with the reason why a server cannot be asked", async () => {
    const world = new World();
    const { servers } = world.open([{ ...OPEN, auth: "secret:DOCS" }]);
    expect(await servers.prepare("alice")).toEqual({
      listed: [],
      left: [{ tool: "mcp_sky_*", why: "sky: MCP_SECRETS has no DOCS." }],
    });
    expect(world.left).toEqual([]);
  });

  test("are called with the token of the deployment, which appears nowhere", async () => {
    const world = new World();
    world.tokens.set("d-0123456789", "cairn");
    const server: McpServer = { ...OPEN, auth: "secret:DOCS" };
    const { servers } = world.open([server], { MCP_SECRETS: '{"DOCS":"d-0123456789"}' });
    expect(await call(servers, server, "alice")).toEqual({ text: "You are cairn; Bearer [secret:MCP]." });
    expect(new Set(world.carried)).toEqual(new Set(["Bearer d-0123456789"]));
  });

  test("are refused once the server was reconfigured or changed the tool", async () => {
    const world = new World();
    world.wantsToken = false;
    const before = await world.open([OPEN]).servers.prepare("alice");
    const one = before.listed[0];
    const tool = one?.listing.tools[0];
    if (one === undefined || tool === undefined) throw new Error("it is not listed");
    const by = { subject: "alice", signal: new AbortController().signal };
    const called = (files: readonly McpServer[]) =>
      failureOf(world.open(files).servers.call({ server: OPEN, listing: one.listing, tool }, {}, by));
    const refused = { code: "tool_changed", nothingDone: true };
    expect(await called([])).toMatchObject(refused);
    expect(await called([{ ...OPEN, url: `${HOST}/other` }])).toMatchObject(refused);
    world.fake.tools = [{ name: "whoami", description: "Now otherwise.", inputSchema: OBJECT }];
    expect(await called([OPEN])).toMatchObject(refused);
    expect(world.fake.called).toEqual([]);
    // The next run takes it as it is.
    const after = await world.open([OPEN]).servers.prepare("alice");
    expect(after.listed[0]?.listing.tools[0]?.description).toBe("Now otherwise.");
  });
});

describe("an account of the deployment", () => {
  test("is one for all: somebody signs in, and everybody's runs have it", async () => {
    const world = new World();
    const { servers } = world.open([SHARED]);
    const { listed } = await servers.prepare("alice");
    expect(listed[0]?.needsSignIn).toBe(true);
    expect(await failureOf(servers.check(SHARED, "alice"))).toMatchObject({
      class: "auth",
      code: "needs_sign_in",
      nothingDone: true,
      message:
        "mcp.example.com wants somebody to sign in. An admin signs in for the deployment at https://cairn.example/api/mcp/sky/sign-in",
    });
    await signIn(world, servers, SHARED, "root");
    expect(await call(servers, SHARED, "alice")).toEqual({ text: "You are root; Bearer [secret:MCP]." });
    expect(await call(servers, SHARED, "bob")).toEqual({ text: "You are root; Bearer [secret:MCP]." });
  });

  test("by client credentials needs nobody", async () => {
    const world = new World();
    const server = mcpServer({
      name: "sky",
      url: URL_OF,
      auth: {
        type: "oauth",
        for: "deployment",
        grant: "client_credentials",
        clientId: "cairn",
        clientSecret: "secret:CLIENT",
      },
    });
    const { servers } = world.open([server], { MCP_SECRETS: '{"CLIENT":"s-0123456789"}' });
    expect(await servers.isReady(server, "alice")).toBe(true);
    expect(await call(servers, server, "alice")).toEqual({ text: "You are cairn; Bearer [secret:MCP]." });
    expect(world.left).not.toContain(`POST ${LOGIN}/register`);
  });
});

describe("an account of each person", () => {
  test("is theirs alone: others are told to sign in, and not what it lists", async () => {
    const world = new World();
    const { servers } = world.open([OWN]);
    await signIn(world, servers, OWN, "alice");
    expect(await call(servers, OWN, "alice")).toEqual({ text: "You are alice; Bearer [secret:MCP]." });
    const { listed } = await servers.prepare("bob");
    expect(listed).toMatchObject([{ needsSignIn: true, listing: { tools: [] } }]);
    const called = world.fake.called.length;
    const known = (await servers.prepare("alice")).listed[0]?.listing;
    const tool = known?.tools[0];
    if (known === undefined || tool === undefined) throw new Error("it is not listed");
    const by = { subject: "bob", signal: new AbortController().signal };
    expect(await failureOf(servers.call({ server: OWN, listing: known, tool }, {}, by))).toMatchObject({
      class: "auth",
      code: "needs_sign_in",
      details: { address: "https://cairn.example/api/mcp/sky/sign-in" },
    });
    expect(world.fake.called).toHaveLength(called);
    await signIn(world, servers, OWN, "bob");
    expect(await call(servers, OWN, "bob")).toEqual({ text: "You are bob; Bearer [secret:MCP]." });
    expect(await call(servers, OWN, "alice")).toEqual({ text: "You are alice; Bearer [secret:MCP]." });
  });

  test("is renewed by itself, and lost with its last renewal", async () => {
    const world = new World();
    const { servers } = world.open([OWN]);
    await signIn(world, servers, OWN, "alice");
    world.tokens.clear();
    expect(await call(servers, OWN, "alice")).toEqual({ text: "You are alice; Bearer [secret:MCP]." });
    expect(world.left.filter((one) => one === `POST ${LOGIN}/token`)).toHaveLength(2);
    // Renewal was revoked: the account's tool listing stays, and the call says where to sign in.
    await env.DB.prepare("DELETE FROM mcp_accounts").run();
    world.now += LISTING_FRESH_MS;
    expect(await failureOf(call(servers, OWN, "alice"))).toMatchObject({ code: "needs_sign_in" });
    await servers.signOut(OWN, "alice");
    expect((await servers.prepare("alice")).listed[0]?.needsSignIn).toBe(true);
    expect(await failureOf(servers.check(OWN, "alice"))).toMatchObject({ code: "needs_sign_in" });
  });

  test("is renewed by two sessions at once, and stays for both", async () => {
    const world = new World();
    const { servers } = world.open([OWN]);
    await signIn(world, servers, OWN, "alice");
    await servers.prepare("alice");
    world.tokens.clear();
    // The second finds its refresh token used up: the first has renewed it.
    const both = [0, 1].map(() => call(world.open([OWN]).servers, OWN, "alice"));
    expect(await Promise.all(both)).toEqual([
      { text: "You are alice; Bearer [secret:MCP]." },
      { text: "You are alice; Bearer [secret:MCP]." },
    ]);
    expect(await call(servers, OWN, "alice")).toEqual({ text: "You are alice; Bearer [secret:MCP]." });
  });

  test("stays signed out, though a call renewed its tokens meanwhile", async () => {
    const world = new World();
    const { servers } = world.open([OWN]);
    await signIn(world, servers, OWN, "alice");
    await servers.prepare("alice");
    world.tokens.clear();
    let times = 0;
    world.meanwhile = () => ((times += 1), world.open([OWN]).servers.signOut(OWN, "alice"));
    await failureOf(call(servers, OWN, "alice"));
    expect(times).toBe(1);
    expect(await servers.isReady(OWN, "alice")).toBe(false);
    const rows = await env.DB.prepare("SELECT * FROM mcp_accounts").all();
    expect(rows.results).toEqual([]);
  });

  test("is kept sealed, for its server's address and its owner", async () => {
    const world = new World();
    await signIn(world, world.open([OWN]).servers, OWN, "alice");
    const rows = await env.DB.prepare("SELECT * FROM mcp_accounts").all();
    expect(rows.results).toHaveLength(1);
    expect(JSON.stringify(rows.results)).not.toMatch(/access-token|refresh-token|code-/);
    expect(await world.open([OWN]).servers.isReady(OWN, "alice")).toBe(true);
    const moved: McpServer = { ...OWN, url: "https://evil.example.com/mcp" };
    expect(await world.open([moved]).servers.isReady(moved, "alice")).toBe(false);
    const other = { MCP_TOKEN_SECRET: "another-secret-of-the-deployment-0123" };
    expect(await world.open([OWN], other).servers.isReady(OWN, "alice")).toBe(false);
    await env.DB.prepare("UPDATE mcp_accounts SET account = 'bob'").run();
    expect(await world.open([OWN]).servers.isReady(OWN, "bob")).toBe(false);
  });

  test("comes of the sign-in that its owner began, once, and for ten minutes", async () => {
    const world = new World();
    const { servers } = world.open([OWN]);
    const begin = async (who: string): Promise<URL> => {
      const begun = await servers.beginSignIn(OWN, who, CALLBACK);
      if (!begun.ok) throw new Error(begun.error.message);
      return begun.value;
    };
    const end = async (who: string, back: { state: string; code: string; iss: string }) => {
      const ended = await servers.endSignIn(OWN, who, { ...back, callback: CALLBACK });
      return ended.ok ? "ok" : ended.error.code;
    };
    const address = await begin("alice");
    expect(address.origin + address.pathname).toBe(`${LOGIN}/authorize`);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: CALLBACK,
      resource: URL_OF,
    });
    const back = world.signIn(address, "alice");
    // Somebody else's link is nobody's: not by its state, not by their own.
    expect(await end("bob", back)).toBe("sign_in_ended");
    await begin("bob");
    expect(await end("bob", back)).toBe("sign_in_ended");
    expect(await end("alice", { ...back, state: "sky.other" })).toBe("sign_in_ended");
    expect(await end("alice", { ...back, iss: "https://evil.example.com" })).toBe("sign_in_failed");
    expect(await end("alice", back)).toBe("ok");
    expect(await end("alice", back)).toBe("sign_in_ended");
    const late = world.signIn(await begin("alice"), "alice");
    world.now += 10 * 60_000 + 1;
    expect(await end("alice", late)).toBe("sign_in_ended");
    // The earlier sign-in stays valid.
    expect(await servers.isReady(OWN, "alice")).toBe(true);
  });
});

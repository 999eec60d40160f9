import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createTools } from "../../fixtures/deployment/plugins.ts";
import { makeSite } from "../cms/fixture.ts";
import { openApi } from "../sessions/session-fixture.ts";
import { api, MODERN, TASKS, message, ask, refusalOf, rpc, tool, type Rpc } from "./mcp-client.ts";

/** Whom `/mcp` lets in, and what is no request. */

beforeAll(makeSite);

describe("a caller without access", () => {
  test.each([
    ["no token", { who: null }, 401, ""],
    ["a wrong one", { token: "a-token-that-is-not-known" }, 401, 'error="invalid_token", '],
    [
      "one that looks issued",
      { token: "616c696365:abcdefghijklmnop:qrstuvwxyz" },
      401,
      'error="invalid_token", ',
    ],
  ] as const)("with %s gets the address of the metadata", async (_, asked, status, why) => {
    const response = await ask("tools/list", {}, asked);
    const where = `${why}resource_metadata="https://cairn.example/.well-known/oauth-protected-resource/mcp"`;
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      status,
      expect.stringContaining(where),
    ]);
  });

  test("is refused from another origin, with only a cookie, and with an unknown method", async () => {
    const foreign = await ask("tools/list", {}, { headers: { origin: "https://evil.example" } });
    expect(foreign.status).toBe(403);
    const cookie = `cairn_auth=${btoa("alice-real-token-0001").replaceAll("=", "")}`;
    const baked = await ask(
      "tools/list",
      {},
      { who: null, headers: { cookie, origin: "https://cairn.example" } },
    );
    expect(baked.status).toBe(401);
    const got = await api.call("/mcp");
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("an invalid request", () => {
  const send = (body: string, headers: Record<string, string> = {}) =>
    api.call("/mcp", {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    });

  test.each([
    ["broken JSON", '{"jsonrpc":', {}, 400, -32_700],
    ["another type", "a=b", { "content-type": "application/x-www-form-urlencoded" }, 415, -32_600],
    ["too large", JSON.stringify({ text: "x".repeat(1_100_000) }), {}, 413, -32_600],
    ["nested too deep", `${"[".repeat(200)}${"]".repeat(200)}`, {}, 400, -32_600],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', {}, 400, -32_600],
    [
      "another protocol version",
      message("tools/list", {}, {}).replace(MODERN, "2031-01-01"),
      { "mcp-protocol-version": "2031-01-01", "mcp-method": "tools/list" },
      400,
      -32_022,
    ],
    [
      "an unknown method",
      message("tools/burn", {}, {}),
      { "mcp-protocol-version": MODERN, "mcp-method": "tools/burn" },
      404,
      -32_601,
    ],
    [
      "a stream to listen on",
      message("subscriptions/listen", { notifications: {} }, {}),
      { "mcp-protocol-version": MODERN, "mcp-method": "subscriptions/listen" },
      404,
      -32_601,
    ],
    [
      "a task without the capability",
      message("tasks/get", { taskId: "x.r1" }, {}),
      { "mcp-protocol-version": MODERN, "mcp-method": "tasks/get", "mcp-name": "x.r1" },
      400,
      -32_021,
    ],
    [
      "a header that names another task",
      message("tasks/get", { taskId: "x.r1" }, { extensions: TASKS }),
      { "mcp-protocol-version": MODERN, "mcp-method": "tasks/get", "mcp-name": "y.r1" },
      400,
      -32_020,
    ],
  ] as const)("with %s is refused as the protocol says", async (_, body, headers, status, code) => {
    const response = await send(body, headers);
    const { error } = await response.json<Rpc<never>>();
    expect([response.status, error.code]).toEqual([status, code]);
  });

  test("with wrong arguments or an unknown tool is refused", async () => {
    const wrong = await tool("agent_start", { objective: "", more: 1 });
    expect([wrong.isError, wrong.content[0]?.text]).toEqual([true, expect.stringContaining("unknown_field")]);
    expect(await refusalOf(ask("tools/call", { name: "page_create", arguments: { name: "X" } }))).toEqual([
      -32_602,
      "There is no tool page_create for you here.",
    ]);
  });
});

test("tools that search, run code or read from outside are offered to runs only", async () => {
  const outside = { EXA_API_KEY: "k", SCHOLAR_CONTACT: "ops@cairn.example" };
  const code = { SANDBOX_URL: "https://sandbox.example", SANDBOX_NETWORK: "off" };
  const tools = createTools({ ...env, ...outside, ...code, WEB: "on" }, "", Date.now, {
    observations: { read: () => null },
  });
  const set = tools.cards().map(({ name }) => name);
  expect(set).toEqual(expect.arrayContaining(["web_search", "scholar_search", "run_code"]));
  const doors = openApi({}, { readingTools: () => tools });
  const listed = await rpc<{ tools: { name: string }[] }>(ask("tools/list", {}, { doors }));
  const offered = listed.result.tools.map(({ name }) => name);
  expect(offered).toContain("page_list");
  const strange = tools.cards().filter(({ reads }) => reads === "outside");
  expect(strange.filter(({ name }) => offered.includes(name))).toEqual([]);
  const called = { name: "web_search", arguments: { query: "mountains" } };
  expect(await refusalOf(ask("tools/call", called, { doors }))).toEqual([
    -32_602,
    "There is no tool web_search for you here.",
  ]);
});

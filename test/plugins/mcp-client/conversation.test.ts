import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { Account, type StoredAccount } from "../../../src/plugins/mcp-client/account.ts";
import { callTool, LIST_MS, listTools, type Parts } from "../../../src/plugins/mcp-client/connection.ts";
import { mcpServer, type McpServerDefinition } from "../../../src/plugins/mcp-client/server.ts";
import { mcpSettings } from "../../../src/plugins/mcp-client/settings.ts";
import { handlerOf, OBJECT, type FakeMcp } from "../../fixtures/mcp-handler.ts";

/** The requests of one conversation and its timers, with a server in this process. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const ORIGIN = "http://127.0.0.1:3001";
const at = () => 1_000;

interface Asked {
  readonly method: string;
  readonly headers: Headers;
}

/** A server that this answers, and what it was asked. */
function open(answer: (request: Request) => Promise<Response>, more: Partial<McpServerDefinition> = {}) {
  const asked: Asked[] = [];
  const paths = new Set<string>();
  const { access } = mcpSettings({ MCP_LOCAL: ORIGIN });
  const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(url, init);
    paths.add(`${request.method} ${new URL(url).pathname}`);
    const text = await request.clone().text();
    const { method = request.method } = (text === "" ? {} : JSON.parse(text)) as { readonly method?: string };
    asked.push({ method, headers: request.headers });
    return answer(request);
  };
  const parts: Parts = {
    server: mcpServer({ name: "fake", url: `${ORIGIN}/mcp`, ...more }),
    access: { ...access, fetch },
    shown: { by: "nothing" },
    version: "1.0.0",
    signal: new AbortController().signal,
  };
  return { parts, asked, paths, methods: () => asked.splice(0).map(({ method }) => method) };
}

const fakeOf = (more: Partial<FakeMcp> = {}): FakeMcp => ({
  tools: [{ name: "greet", inputSchema: OBJECT }],
  called: [],
  ...more,
});
async function greet(parts: Parts, input = {}) {
  const listing = await listTools(parts, at);
  const [tool] = listing.tools;
  if (tool === undefined) throw new Error("no tool is listed");
  return { listing, call: (own: Parts = parts) => callTool(own, listing, tool, input) };
}
const failureOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ToolError)) throw new Error(`no failure of a tool: ${String(error)}`);
  return { code: error.failure.code, nothingDone: error.nothingDone };
};

test.each([
  ["2026-07-28", ["server/discover", "tools/list"], ["tools/list", "tools/call"]],
  [
    "2025-11-25",
    ["server/discover", "initialize", "notifications/initialized", "tools/list"],
    ["initialize", "notifications/initialized", "tools/list", "tools/call"],
  ],
] as const)("a call asks a server of %s nothing that its list has found out", async (lane, first, then) => {
  const { parts, methods } = open(handlerOf(fakeOf(), lane));
  const { call } = await greet(parts);
  expect(methods()).toEqual(first);
  expect(await call()).toEqual({ text: "Hello." });
  expect(methods()).toEqual(then);
});

test("an argument that the tool wants in a header is there too", async () => {
  const inputSchema = {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
  };
  const fake = fakeOf({ tools: [{ name: "greet", inputSchema }] });
  const { parts, asked } = open(handlerOf(fake, "2026-07-28"));
  const { call } = await greet(parts, { region: "north" });
  await call();
  expect(asked.at(-1)?.method).toBe("tools/call");
  expect(asked.at(-1)?.headers.get("mcp-param-region")).toBe("north");
});

test("what a tool answers is taken whatever form the server says that it has", async () => {
  const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const fake = fakeOf({
    tools: [{ name: "greet", inputSchema: OBJECT, outputSchema }],
    call: () => Promise.resolve({ content: [], structuredContent: { n: "not a number" } }),
  });
  const { parts } = open(handlerOf(fake, "2026-07-28"));
  const { call } = await greet(parts);
  expect(await call()).toMatchObject({ structured: { n: "not a number" } });
});

describe("a server that wants a wider right for a call", () => {
  const insufficient = () =>
    new Response("no", {
      status: 403,
      headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="files:write"' },
    });

  test("has said no: nobody is asked to sign in anew, and the tokens stay", async () => {
    const handle = handlerOf(fakeOf(), "2026-07-28");
    const { parts, paths } = open(
      async (request) =>
        (await request.clone().text()).includes('"tools/call"') ? insufficient() : handle(request),
      { auth: { type: "oauth", for: "deployment", clientId: "c" } },
    );
    const tokens = { access_token: "access", refresh_token: "refresh", token_type: "Bearer" };
    let kept: StoredAccount = { tokens };
    const account = new Account(
      {
        server: parts.server,
        stored: kept,
        update: (change) => {
          kept = change(kept);
          return Promise.resolve(kept);
        },
        callback: "https://cairn.example/mcp-servers/callback",
        clientSecret: null,
        now: at,
        newId: () => "id",
      },
      false,
    );
    const { call } = await greet({ ...parts, shown: { by: "account", account } });
    expect(await failureOf(call())).toEqual({ code: "not_authorized", nothingDone: false });
    expect([...paths]).toEqual(["POST /mcp"]);
    expect(account.tokens()).toEqual(tokens);
  });

  test("has refused the secret of the deployment, as by any other 403", async () => {
    const { parts } = open(() => Promise.resolve(insufficient()));
    const shown = { by: "bearer", token: "t-0123456789" } as const;
    const failure = { code: "not_authorized", nothingDone: true };
    expect(await failureOf(listTools({ ...parts, shown }, at))).toEqual(failure);
  });
});

describe("a server that takes no conversation", () => {
  const never = ({ signal }: Request): Promise<Response> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    });

  test.each([
    ["the time of its calls", 1_000, 1_000],
    ["the time of a list", 60_000, LIST_MS],
  ])("is given up after %s, whichever is shorter", async (_, timeoutMs, after) => {
    const handle = handlerOf(fakeOf(), "2025-11-25");
    let isSilent = false;
    const { parts } = open((request) => (isSilent ? never(request) : handle(request)), { timeoutMs });
    const { call } = await greet(parts);
    isSilent = true;
    let outcome: unknown = null;
    const failed = failureOf(call()).then((failure) => (outcome = failure));
    await vi.advanceTimersByTimeAsync(after - 1);
    expect(outcome).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    await failed;
    expect(outcome).toEqual({ code: "timed_out", nothingDone: true });
  });
});

test("no timer is left of a conversation, however its answers came", async () => {
  const handle = handlerOf(fakeOf(), "2025-11-25");
  const { parts } = open(async (request) => {
    const answered = await handle(request);
    const isJson = (answered.headers.get("content-type") ?? "").startsWith("application/json");
    if (!isJson) return answered;
    const data = `event: message\ndata: ${await answered.text()}\n\n`;
    return new Response(data, { headers: { "content-type": "text/event-stream" } });
  });
  const { call } = await greet(parts);
  expect(vi.getTimerCount()).toBe(0);
  expect(await call()).toEqual({ text: "Hello." });
  expect(vi.getTimerCount()).toBe(0);
});

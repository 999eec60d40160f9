import { describe, expect, test } from "vitest";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { runNetworkedCode } from "../../../src/plugins/code/run-code.ts";
import { httpPack } from "../../../src/plugins/http-request/pack.ts";
import { send } from "../../../src/cairn/tools/requests/request.ts";
import { McpServers } from "../../../src/plugins/mcp-client/servers.ts";

/** A failure before anything has left is never an unknown outcome. */

async function faultOf(work: () => Promise<unknown>): Promise<ToolError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error("it has worked");
}

const broken = (): Promise<never> => Promise.reject(new Error("D1_ERROR: Network connection lost."));

describe("a request to an API", () => {
  const services = (fetcher: (url: string) => Promise<Response>) => {
    const found = httpPack.services({
      HTTP: "on",
      WEB_DNS_URL: "https://dns.example.net/dns-query",
      fetcher,
    });
    if ("unavailable" in found) throw new Error(found.unavailable);
    return found;
  };
  const asked = { method: "POST", url: "https://api.example.com/a", body: "x" };
  const isDns = (url: string): boolean => url.startsWith("https://dns.example.net/");

  test("whose host cannot be looked up has done nothing", async () => {
    const urls: string[] = [];
    const fault = await faultOf(() =>
      send(
        asked,
        services(async (url) => {
          urls.push(url);
          return broken();
        }),
        new AbortController().signal,
      ),
    );
    expect(urls.every(isDns)).toBe(true);
    expect([fault.failure.code, fault.nothingDone]).toEqual(["dns_unavailable", true]);
  });
});

test("code with network whose files cannot be read has not run", async () => {
  const bucket = { get: broken, head: broken, list: broken } as unknown as R2Bucket;
  const sandbox = new Proxy({}, { get: () => () => expect.unreachable("the sandbox was asked") });
  const context = {
    services: { sandbox, bucket },
    facts: { session: "ses", run: "r1", subject: "ada" },
    signal: new AbortController().signal,
  };
  const run = runNetworkedCode.definition.run as (input: object, context: object) => Promise<unknown>;
  const fault = await faultOf(() => run({ code: "print(1)", files: [`f_${"a".repeat(24)}`] }, context));
  expect([fault.failure.class, fault.nothingDone]).toEqual(["server", true]);
});

test("a call of an MCP server whose settings cannot be read has not left", async () => {
  const db = { prepare: () => ({ bind: () => ({ all: broken, first: broken }), all: broken }) };
  const servers = McpServers.of({ DB: db as unknown as D1Database }, [], "1.0.0", () => {});
  const server = { name: "sky", url: "https://sky.example/mcp", auth: "none" } as never;
  const listing = { server: "sky", settings: "x", tools: [] } as never;
  const around = { subject: "ada", signal: new AbortController().signal } as never;
  const fault = await faultOf(() => servers.call({ server, listing, tool: "warn" } as never, {}, around));
  expect([fault.failure.code, fault.nothingDone]).toEqual(["settings_unavailable", true]);
});

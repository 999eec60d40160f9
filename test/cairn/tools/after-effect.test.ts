import { describe, expect, test } from "vitest";
import { ToolError, definePack, defineTool, tryTool } from "../../../src/cairn/tools/define.ts";
import { readAnswer } from "../../../src/plugins/mcp-client/content.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { httpGet } from "../../../src/plugins/http-request/http-get.ts";
import { httpRequest } from "../../../src/plugins/http-request/http-request.ts";
import { httpPack } from "../../../src/plugins/http-request/pack.ts";
import type { CallOrder } from "../../../src/cairn/core/log/tool.ts";
import * as z from "zod";

/** A failure that is found after an effect is never a failure that has changed nothing. */

describe("a request to an API that is answered with too much", () => {
  const services = (status: number) => {
    const found = httpPack.services({
      HTTP: "on",
      WEB_DNS_URL: "https://dns.example.net/dns-query",
      fetcher: async (url: string) =>
        url.startsWith("https://dns.example.net/")
          ? Response.json({
              Status: 0,
              Answer: url.includes("type=AAAA")
                ? []
                : [{ name: "api.example.com", type: 1, TTL: 60, data: "93.184.216.34" }],
            })
          : new Response("x".repeat(1_000_001), {
              status,
              headers: { "content-type": "text/plain", location: "/orders/7", "x-other": "no" },
            }),
    });
    if ("unavailable" in found) throw new Error(found.unavailable);
    return found;
  };
  const url = "https://api.example.com/orders";

  test.each([201, 404, 500])("is the status %i, without the body", async (status) => {
    const input = { url, method: "POST", body: "{}" } as const;
    const { result } = await tryTool(httpRequest, { input, services: services(status) });
    expect(result).toEqual({
      ok: true,
      value: {
        url,
        status,
        headers: { "content-type": "text/plain", location: "/orders/7" },
        body: null,
        note: "api.example.com answered more than 1,000,000 bytes. They were not read.",
      },
    });
  });

  test("is a failure of a read", async () => {
    const { result } = await tryTool(httpGet, { input: { url }, services: services(200) });
    expect(result).toMatchObject({ ok: false, error: { code: "too_large" } });
  });
});

describe("an outcome in the registry", () => {
  const outcomeOf = async (fault: () => Error) => {
    const tool = defineTool({
      name: "order",
      description: "Orders.",
      effect: "once",
      tier: "write",
      input: z.strictObject({}),
      run: () => Promise.reject(fault()),
    });
    const pack = definePack<object, null>({ name: "shop", tools: [tool], prompts: [], services: () => null });
    const order: CallOrder = {
      tool: "order",
      input: {},
      key: "ses/r1s1c0",
      call: "r1s1c0",
      attempt: 1,
      at: 0,
      approved: null,
      run: "r1",
      subject: "ada",
    };
    const registry = new Registry("ses", () => 0).add(pack, {});
    const outcome = await registry.run(order, new AbortController().signal);
    return outcome.kind === "failed" ? outcome.lost : "ok";
  };

  test.each([
    ["a conflict", "conflict", {}, false],
    ["a conflict that is found in the answer", "conflict", { mayBeDone: true }, true],
    ["an answer that is too large", "too_large", { mayBeDone: true }, true],
    ["a failure of the server", "server", {}, true],
    ["a failure of the server before anything was sent", "server", { nothingDone: true }, false],
    ["a failure that is sure of it", "conflict", { mayBeDone: true, nothingDone: true }, false],
  ] as const)("of %s", async (_, errorClass, more, lost) => {
    expect(await outcomeOf(() => new ToolError(errorClass, "x", "It failed.", more))).toBe(lost);
  });

  test("of an answer of an MCP server that cannot be read is open, and of one that says it failed is known", async () => {
    const faultOf = (answer: unknown) => () => {
      try {
        readAnswer(answer, "the shop's order");
      } catch (error) {
        if (error instanceof ToolError) return error;
      }
      throw new Error("it was read");
    };
    expect(await outcomeOf(faultOf({ content: "not an array" }))).toBe(true);
    expect(await outcomeOf(faultOf({ content: [], isError: true }))).toBe(false);
  });
});

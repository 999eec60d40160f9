import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bundleMcpClient, MCP_CLIENT_FILE } from "../build/mcp-client.ts";
import * as sdk from "../../build/stubs/ai.ts";
import * as capnweb from "../../build/stubs/capnweb.ts";
import * as gateway from "../../build/stubs/gateway.ts";

const modules = path.join(import.meta.dirname, "../../node_modules");

/** What a built package imports by name from another. */
function imported(file: string, from: string): string[] {
  const text = readFileSync(path.join(modules, file), "utf8");
  const lists = [...text.matchAll(new RegExp(`import \\{([^}]*)\\} from "${from}"`, "g"))];
  const names = lists.flatMap((match) =>
    (match[1] ?? "").split(",").map((name) => name.trim().split(" as ")[0] ?? ""),
  );
  return [...new Set(names)].filter((name) => name !== "").sort();
}

test("the stand-in of the AI SDK has what the packages of the worker import from it, the very same", async () => {
  const used = [
    ...imported("workers-ai-provider/dist/index.mjs", "ai"),
    ...imported("@ai-sdk/openai-compatible/dist/index.js", "ai"),
  ];
  expect(used).toEqual(Object.keys(sdk));
  // What the SDK exports under this name is the function of its utilities.
  expect(imported("ai/dist/index.js", "@ai-sdk/provider-utils")).toContain("generateId");
  expect(sdk.generateId()).toMatch(/^[A-Za-z0-9]{16}$/);
});

test("the stand-in of the gateway package has what the AI SDK imports from it, and refuses", () => {
  expect(imported("ai/dist/index.js", "@ai-sdk/gateway")).toEqual(Object.keys(gateway).sort());
  expect(() => gateway.gateway()).toThrow("bare string");
  expect(gateway.GatewayAuthenticationError.isInstance(new Error("x"))).toBe(false);
});

test("the stand-in of capnweb has what the sockets of the agents package import from it, and refuses", () => {
  const dist = path.join(modules, "agents/dist");
  const sockets = readFileSync(path.join(dist, "websockets/index.js"), "utf8");
  const chunk = /from "\.\.\/(websockets-[^"]+\.js)"/.exec(sockets)?.[1] ?? "";
  for (const name of imported(`agents/dist/${chunk}`, "capnweb"))
    expect(Object.keys(capnweb)).toContain(name);
  expect(imported(`agents/dist/${chunk}`, "capnweb").length).toBeGreaterThan(0);
  expect(() => capnweb.newWebSocketRpcSession()).toThrow("refused");
});

test("the client of MCP that lies beside the worker is what its package makes, and makes no code from text", async () => {
  const kept = readFileSync(MCP_CLIENT_FILE, "utf8");
  expect(kept === (await bundleMcpClient())).toBe(true);
  expect(kept).not.toMatch(/\bnew Function\b|\beval\(/);
  expect(kept).not.toMatch(/^import\b/m);
}, 30_000);

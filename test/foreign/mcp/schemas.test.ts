import { expect, test } from "vitest";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { mcpPack } from "../../../src/plugins/mcp-client/pack.ts";
import { callTool, listTools } from "../../../src/plugins/mcp-client/connection.ts";
import type { Json, JsonObject } from "../../../src/cairn/core/log/json.ts";
import { schemas } from "./schemas.ts";
import { strictFaults } from "./strict.ts";
import { openRaw } from "./raw-server.ts";

/** Schemas of other people's tools: what every provider is sent, and what reaches the server. */

test.each(schemas)("$name", async ({ input, value }) => {
  const tools: readonly Json[] = [
    { name: "t", inputSchema: input },
    { name: "plain", inputSchema: { type: "object" } },
  ];
  const raw = openRaw("2025-11-25", (method): JsonObject => ({
    result: method === "tools/list" ? { tools } : { content: [] },
  }));
  const listing = await listTools(raw.parts, () => 1);
  const { server } = raw.parts;
  const registry = new Registry("s", () => 0).add(mcpPack({ server, listing }), {
    check: () => Promise.resolve(),
    call: ({ tool }, args) => callTool(raw.parts, listing, tool, args),
  });
  expect(registry.cards().flatMap((card) => strictFaults(card.inputSchema))).toEqual([]);
  expect(listing.left).toEqual(value.why === undefined ? [] : [{ tool: "t", why: value.why }]);
  const card = registry.cards().find(({ name }) => name === "mcp_raw_t");
  expect(card?.inputSchema ?? null).toEqual(value.offered);
  const names = Object.keys((card?.argsSchema ?? card?.inputSchema ?? {})["properties"] ?? {});
  for (const [given, received] of value.sent ?? []) {
    const checked = registry.check("mcp_raw_t", given);
    if (!checked.ok) throw new Error(JSON.stringify(checked.failure));
    // The card, its digest and the call have one value, and checking it again changes nothing.
    expect(checked.input).toEqual(received);
    expect(registry.check("mcp_raw_t", checked.input)).toMatchObject({ ok: true, input: received });
    const order = {
      call: "r1s1c0",
      tool: "mcp_raw_t",
      input: checked.input,
      key: "s/r1s1c0",
      run: "s.r1",
      subject: "me",
      attempt: 1,
      at: 0,
      approved: null,
    };
    expect(await registry.run(order, new AbortController().signal)).toMatchObject({ kind: "ok" });
    expect(raw.called.at(-1)).toEqual(received);
    // A person who edits the arguments sees the names that they have.
    expect(names).toEqual(expect.arrayContaining(Object.keys(received).filter((name) => name !== "b")));
  }
});

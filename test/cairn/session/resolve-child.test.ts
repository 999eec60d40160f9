import { describe, expect, test } from "vitest";
import { PLAIN_SPEC, type RunSpec } from "../../../src/cairn/core/log/run-spec.ts";
import type { ChildAsk } from "../../../src/cairn/core/family/ask.ts";
import { childAsk, resolveChild } from "../../../src/cairn/session/runs/resolve-child.ts";
import type { ChildOrder } from "../../../src/cairn/session/engine/ports.ts";
import { NO_TARGETS, NO_TOOLS, PLAIN_AGENTS, PLAIN_FILES } from "../../fixtures/agents.ts";

/** A child may do what its parent was granted, including tools outside the deployment's lists. */

const AMOUNT = { steps: 9, activeMs: 60_000, tokens: 90_000, cost: 100_000, toolCalls: 20, messages: 3 };
const defaults = {
  session: "root~r1s1c0",
  model: "rehearsal:",
  fallbacks: [],
  admins: null,
  messagesPerMinute: 60,
  agents: PLAIN_AGENTS,
  targets: NO_TARGETS,
  tools: NO_TOOLS,
  files: PLAIN_FILES,
};

function resolve(ask: Partial<ChildAsk>, above: Partial<RunSpec> = {}) {
  const order: ChildOrder = {
    child: "root~r1s1c0",
    key: "root/r1s1c0",
    share: { ...AMOUNT, sessions: 3 },
    parent: {
      session: "root",
      createdAt: null,
      run: "r1",
      call: "r1s1c0",
      depth: 1,
      root: "root",
      sessions: 3,
    },
    ask: { objective: "Look.", ...ask },
    from: {
      request: { actor: "ada", source: "api", role: "member", temperature: null },
      model: "rehearsal:",
      fallbacks: [],
      spec: { ...PLAIN_SPEC, ...above },
      grant: ["complete", "mcp_sky_get_weather", "mcp_sky_warn", "mcp_sea_tides"],
    },
  };
  return resolveChild(defaults, { loadMeta: () => null }, order, childAsk(order));
}
const toolsOf = (found: ReturnType<typeof resolve>): unknown =>
  found.ok ? found.value.spec.tools : found.error.issues?.map(({ path, code }) => [path, code]);

describe("of the tools of MCP servers a child has", () => {
  test.each([
    [
      "all of its parent, where nothing is named",
      {},
      {},
      ["mcp_sky_get_weather", "mcp_sky_warn", "mcp_sea_tides"],
    ],
    ["those that it is asked for", { tools: ["mcp_sky_warn"] }, {}, ["mcp_sky_warn"]],
    ["those of a server", { tools: ["pack:mcp_sky"] }, {}, ["mcp_sky_get_weather", "mcp_sky_warn"]],
    ["those that its parent's list names", {}, { tools: ["pack:mcp_sea"] }, ["mcp_sea_tides"]],
    ["none that its parent has not", { tools: ["mcp_sky_rain"] }, {}, [["tools", "tool_not_available"]]],
    [
      "none of a server that its parent has none of",
      { tools: ["pack:mcp_air"] },
      {},
      [["tools", "tool_not_available"]],
    ],
  ])("%s", (_, ask, above, tools) => {
    expect(toolsOf(resolve(ask, above))).toEqual(tools);
  });
});

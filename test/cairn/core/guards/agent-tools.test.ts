import { expect, test } from "vitest";
import { defineAgent } from "../../../../src/cairn/agents/define.ts";
import { agentNamedTwice, agentTool } from "../../../../src/cairn/core/family/ask.ts";

const LONG = `research_${"x".repeat(40)}`;

test("agents whose names differ behind the 48th character have tools of different names, which a tool may have", () => {
  const names = ["a", "b", "c"].map((end) => agentTool(`${LONG}${end}`));
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^agent_research_x+_[0-9a-f]{8}$/);
  for (const name of names) expect(name).toHaveLength(48);
  expect(agentTool("seo-writer")).toBe("agent_seo_writer");
});

test("two agents that would be one tool are refused when the agent that lists them is loaded", () => {
  const tools = ["agent:seo-writer", "agent:editor", "agent:seo_writer"];
  expect(agentNamedTwice(tools)).toEqual({ first: "seo-writer", second: "seo_writer" });
  expect(() => defineAgent({ description: "Leads.", tools })).toThrow(/seo-writer and seo_writer/);
  expect(agentNamedTwice([`agent:${LONG}a`, `agent:${LONG}b`, `agent:${LONG}a`])).toBeNull();
});

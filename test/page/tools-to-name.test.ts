import { expect, test } from "vitest";
import { toolsToName } from "../../src/page/welcome/tools-to-name.ts";

const tool = (name: string, pack: string | null, available = true) => ({
  name,
  title: name,
  description: name,
  effect: "read" as const,
  inputSchema: {},
  approval: null,
  pack,
  available,
  why: null,
});
const namesOf = (...tools: Parameters<typeof toolsToName>[0]) =>
  toolsToName(tools).shown.map(({ name }) => name);

test("the project's own tools come first, and those of every deployment are left out", () => {
  expect(
    namesOf(
      tool("ask_user", "builtin"),
      tool("web_search", "web"),
      tool("delegate", "agents"),
      tool("wait_for", "messaging"),
      tool("create_ticket", "own"),
      tool("crawl", null, false),
    ),
  ).toEqual(["create_ticket", "web_search"]);
});

test("a long list is cut, and its rest counted", () => {
  const tools = Array.from({ length: 40 }, (_, at) => tool(`tool_${at}`, "web"));
  const { shown, more } = toolsToName(tools);
  expect(shown.length + more).toBe(40);
  expect(shown.length).toBeLessThan(20);
});

import { describe, expect, test } from "vitest";
import { defineAgent } from "../../src/agents/define.ts";
import { checkProject } from "../../src/cairn/project.ts";

const pictures = {
  forms: "",
  isPicture: () => false,
  keep: () => Promise.reject(new Error("nothing is kept here")),
};
const agents = { default: defineAgent({ description: "Keeps our shop." }) };

describe("a project is refused", () => {
  test.each([
    [
      "without a default agent",
      { agents: { other: agents.default } },
      "createCairn: agents has no default. Every session without an agent uses it.",
    ],
    [
      "with two plugins of one name",
      { agents, plugins: [{ name: "web" }, { name: "code" }, { name: "web" }] },
      "createCairn: two plugins are named web. Name each plugin once.",
    ],
    [
      "with two plugins that keep the pictures of people",
      {
        agents,
        plugins: [
          { name: "cms", pictures },
          { name: "shop", pictures },
        ],
      },
      "two plugins keep the pictures that people send. Leave one out.",
    ],
    [
      "with a plugin whose name is no name",
      { agents, plugins: [{ name: "My Web" }] },
      "the name of a plugin is",
    ],
    [
      "that lets runs write alone to a place that is no address",
      { agents, alone: ["team"] },
      "alone names team, which is no address",
    ],
    [
      "whose second agent has admins",
      { agents: { ...agents, other: defineAgent({ description: "x", admins: ["ada"] }) } },
      "admins of the agent other: they hold for the whole deployment",
    ],
  ])("%s", (_, options, message) => {
    expect(() => checkProject(options)).toThrow(message);
  });
});

test("options that are left out are empty", () => {
  const { tools, plugins, mcpServers, addresses, alone, notify, agents: files } = checkProject({ agents });
  expect({ tools, plugins, mcpServers, addresses, alone, notify }).toEqual({
    tools: [],
    plugins: [],
    mcpServers: [],
    addresses: new Map(),
    alone: [],
    notify: { zone: null, quiet: null, ask: "auto" },
  });
  expect([files.names, files.deployment, files.find("toString")]).toEqual([
    ["default"],
    agents.default,
    null,
  ]);
});

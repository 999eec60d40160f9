import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineAgent } from "../../src/cairn/agents/define.ts";
import { offered, type Plugin, type OfferContext } from "../../src/cairn/plugin.ts";
import { checkProject, type CairnOptions } from "../../src/cairn/project.ts";
import { createTools } from "../../src/cairn/project-tools.ts";
import { definePack, defineTool } from "../../src/cairn/tools/define.ts";

const pictures = {
  forms: "",
  isPicture: () => false,
  keep: () => Promise.reject(new Error("nothing is kept here")),
};
const agents = { default: defineAgent({ description: "Keeps our shop." }) };

const countItems = defineTool<object, z.ZodType, number>({
  name: "count_items",
  description: "Counts the items of the shop.",
  input: z.strictObject({}),
  effect: "read",
  tier: "open",
  run: async () => 3,
});
const itemsPack = definePack<object, object>({
  name: "items",
  tools: [countItems],
  prompts: [],
  services: () => ({}),
});
const shop = (name: string): Plugin => ({ name, tools: ({ env }) => [offered(itemsPack, env)] });

describe("a project is refused", () => {
  test.each([
    [
      "without a default agent",
      { agents: { other: agents.default } },
      "createCairn: agents has no default. Every session without an agent uses it.",
    ],
    [
      "without agents",
      {} as CairnOptions,
      "createCairn: agents has no default. Every session without an agent uses it.",
    ],
    [
      "with two tools of one name in its plugins",
      { agents, plugins: [shop("shop"), shop("store")] },
      "createCairn: two tools are named count_items: one of the plugin shop, one of the plugin store. Rename one of them.",
    ],
    [
      "with a tool of its own that a plugin has too",
      { agents, plugins: [shop("shop")], tools: [countItems] },
      "createCairn: two tools are named count_items: one of the plugin shop, one of `tools`.",
    ],
    [
      "with rules of a plugin whose name could be another model's",
      { agents, plugins: [{ name: "rules", models: { "openrouter:": () => Promise.reject(new Error()) } }] },
      'createCairn: a plugin cannot bring a model named "openrouter:". Use at most 32 lower-case letters, digits and -, and a colon.',
    ],
    [
      "with the same rules twice",
      {
        agents,
        plugins: ["one", "two"].map((name) => ({
          name,
          models: { "rules:": () => Promise.reject(new Error()) },
        })),
      },
      "createCairn: two plugins bring the model rules:.",
    ],
    [
      "with an agent whose rules no plugin brings",
      { agents: { default: defineAgent({ description: "Keeps our shop.", model: "rehearsal:" }) } },
      "createCairn: the agent default names the model rehearsal:, which no plugin brings.",
    ],
    [
      "with a tool named like one that every session has",
      { agents, tools: [{ definition: { ...countItems.definition, name: "complete" } }] },
      "createCairn: two tools are named complete: one of Cairn itself, one of `tools`.",
    ],
    [
      "with a tool whose name is reserved",
      { agents, tools: [{ definition: { ...countItems.definition, name: "__count" } }] },
      "createCairn: the name of the tool __count of `tools` is one of Cairn's own.",
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
      "with two plugins that take mails",
      { agents, plugins: ["post", "mail"].map((name) => ({ name, email: () => Promise.resolve() })) },
      "createCairn: two plugins take the mails that arrive. Leave one out.",
    ],
    [
      "with two plugins that have words",
      { agents, plugins: ["plain", "own"].map((name) => ({ name, words: () => Promise.resolve({}) })) },
      "createCairn: two plugins have words for the review of answers. Leave one out.",
    ],
    ...["", "mcp", "m_p_", "Mcp_"].map((prefix): [string, unknown, string] => [
      `with a plugin that lists tools under the prefix ${JSON.stringify(prefix)}`,
      { agents, plugins: [{ name: "servers", lists: { prefix, from: "servers" } }] },
      `createCairn: the prefix of listed tools ${JSON.stringify(prefix)} is not a word and an underscore`,
    ]),
    [
      "with two plugins that list tools under one prefix",
      { agents, plugins: ["a", "b"].map((name) => ({ name, lists: { prefix: "mcp_", from: name } })) },
      "createCairn: two plugins list tools under the prefix mcp_.",
    ],
    [
      "with a tool that has the name of a listed one",
      {
        agents,
        tools: [{ definition: { ...countItems.definition, name: "mcp_count" } }],
        plugins: [{ name: "servers", lists: { prefix: "mcp_", from: "MCP servers" } }],
      },
      "createCairn: the tool mcp_count of `tools` has the name of a tool of MCP servers: mcp_… is theirs. Rename it.",
    ],
    [
      "whose second agent has admins",
      { agents: { ...agents, other: defineAgent({ description: "x", admins: ["ada"] }) } },
      "admins of the agent other: they hold for the whole deployment",
    ],
    [
      "whose model is no function",
      { agents, models: { claude: "anthropic/claude" } },
      "createCairn: the model claude must be a function that returns it",
    ],
    [
      "whose model has a name of a provider",
      { agents, models: { "openai:gpt": () => null } },
      'createCairn: a model cannot be named "openai:gpt"',
    ],
    [
      "whose model is named default",
      { agents, models: { default: () => null } },
      'createCairn: a model cannot be named "default"',
    ],
    [
      "whose agent names a model that is not there",
      {
        agents: { ...agents, writer: defineAgent({ description: "x", fallbacks: ["gtp"] }) },
        models: { claude: () => null, gpt: () => null },
      },
      "createCairn: the agent writer names the model gtp, which is not in models. There are claude, gpt.",
    ],
    [
      "whose agent names a model where there are none",
      { agents: { default: defineAgent({ description: "x", model: "gpt" }) } },
      "the agent default names the model gpt, which is not in models. There are none.",
    ],
  ])("%s", (_, options, message) => {
    expect(() => checkProject(options as unknown as CairnOptions)).toThrow(message);
  });
});

test("options that are left out are empty", () => {
  const { tools, plugins, models, rules, agents: files } = checkProject({ agents });
  expect({ tools, plugins, models, rules }).toEqual({
    tools: [],
    plugins: [],
    models: {},
    rules: {},
  });
  expect([files.names, files.deployment, files.find("toString")]).toEqual([
    ["default"],
    agents.default,
    null,
  ]);
});

test("a plugin whose tools throw is reported without its secrets, and the others work", () => {
  const broken: Plugin = {
    name: "broken",
    tools: () => {
      throw new Error("no printer at key-1234");
    },
  };
  const { plugins, tools } = checkProject({ agents, plugins: [broken, shop("shop")] });
  const place: OfferContext = {
    env: {},
    session: "s",
    clock: () => 0,
    targets: {},
    redact: (value) => JSON.parse(JSON.stringify(value).replaceAll("key-1234", "[secret:KEY]")),
    services: { observations: { read: () => null } },
  };
  const registry = createTools({ plugins, tools }, place);
  expect(registry.cards().map(({ name }) => name)).toContain("count_items");
  expect(registry.problems()).toContainEqual({
    about: "plugin broken",
    message: "It does not start: no printer at [secret:KEY]",
  });
});

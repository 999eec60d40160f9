import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { codeProblems } from "../../../src/cairn/http/routes/deployment.ts";
import { defineWebhooks } from "../../../src/cairn/webhooks/rules.ts";
import { agentsPack } from "../../../src/cairn/tools/agents/pack.ts";
import { builtinPack } from "../../../src/cairn/tools/builtin/pack.ts";
import { definePack, defineTool } from "../../../src/cairn/tools/define.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import type { ToolRules } from "../../../src/cairn/tools/rules.ts";

/** Agent rules about tools that can never hold: each is a named problem, and everything else works. */

const tool = (name: string, more: object = {}) =>
  defineTool({
    name,
    version: 1,
    title: "It",
    description: "Does it.",
    input: z.object({}),
    effect: "keyed",
    tier: "write",
    ...more,
    run: () => Promise.resolve({}),
  } as Parameters<typeof defineTool>[0]);

const own = definePack<null, null>({
  name: "own",
  tools: [
    tool("page_make"),
    tool("page_read", { effect: "read", tier: "open" }),
    tool("page_send", { tier: "publish" }),
    tool("page_never", { approval: "deny" }),
    tool("page_always", { approvals: { alwaysAsk: true } }),
  ],
  prompts: [],
  services: () => null,
});
const keyed = definePack<{ readonly KEY?: string }, string>({
  name: "keyed",
  tools: [tool("web_look")],
  prompts: [],
  services: ({ KEY }) => KEY ?? { unavailable: "Set SEARCH_KEY." },
});
const broken = definePack<null, null>({
  name: "broken",
  tools: [tool("web_break")],
  prompts: [],
  services: () => {
    throw new Error("SEARCH_KEY is not set");
  },
});

function shelf(rules: Partial<ToolRules> = {}): GovernedTools {
  const registry = new Registry("", () => 0)
    .add(builtinPack, { observations: { read: () => null } })
    .add(own, null)
    .add(keyed, {})
    .add(broken, null);
  return new GovernedTools(registry, { approvals: {}, ...rules });
}
const reader = [{ name: "reader", description: "Reads." }];
const withAgents = (rules: Partial<ToolRules>): GovernedTools =>
  new GovernedTools(new Registry("", () => 0).add(agentsPack, null), {
    approvals: {},
    agents: reader,
    tools: ["agent:reader"],
    ...rules,
  });

describe("an agent that is offered as a tool", () => {
  test("stands under the rules of run_agent, also where that is not listed", () => {
    const asks = (rules: Partial<ToolRules>): unknown[] =>
      withAgents(rules)
        .cards()
        .map(({ name, approvals }) => [name, approvals?.alwaysAsk === true]);
    expect(asks({})).toEqual([["agent_reader", false]]);
    expect(asks({ gates: { run_agent: "ask" } })).toEqual([["agent_reader", true]]);
    expect(asks({ approvals: { run_agent: { alwaysAsk: true } } })).toEqual([["agent_reader", true]]);
  });

  test("is withheld where run_agent is", () => {
    const tools = withAgents({ gates: { run_agent: "deny" } });
    expect(tools.cards()).toEqual([]);
    expect(tools.notOffered().map(({ tool: name }) => name)).toEqual(["run_agent", "agent_reader"]);
  });
});

const PACKS = [
  { about: "pack keyed", message: "Set SEARCH_KEY." },
  { about: "pack broken", message: "It does not start: SEARCH_KEY is not set" },
];
const names = (tools: GovernedTools): string[] => tools.cards().map((card) => card.name);

describe("a pack that cannot be offered", () => {
  test("is a problem, also where it throws, and the others are offered", () => {
    const tools = shelf();
    expect(tools.problems()).toEqual(PACKS);
    expect(names(tools)).toContain("page_make");
    expect(tools.notOffered()).toEqual([
      { tool: "web_look", why: "Set SEARCH_KEY." },
      { tool: "web_break", why: "It does not start: SEARCH_KEY is not set" },
    ]);
  });
});

describe("a rule that can never hold is a problem that says what to do", () => {
  test.each<[string, Partial<ToolRules>, string, string]>([
    [
      "for a tool that there is not",
      { approvals: { page_mak: { needed: 2 } } },
      "src/agents: approvals.page_mak",
      "There is no tool of this name, so the rule holds for nothing. Is it page_make? Correct the name, or remove the rule.",
    ],
    [
      "for a tool whose pack is not offered",
      { approvals: { web_look: { needed: 2 } } },
      "approvals.web_look",
      "The tool is not offered here. Set SEARCH_KEY.",
    ],
    [
      "for a tool that asks nobody",
      { approvals: { store_memory: { approvers: ["bob"] } } },
      "src/agents: approvals.store_memory",
      "The session does this by itself and asks nobody, so the rule holds for nothing. Remove it.",
    ],
    [
      "for a tool that never runs",
      { approvals: { page_never: { approvers: ["bob"] } } },
      "src/agents: approvals.page_never",
      "The tool is never run, so the rule holds for nothing. Remove it.",
    ],
    [
      "to write unwatched with a tool that there is not",
      { unattended: ["page_mak"] },
      "src/agents: unattended, page_mak",
      "There is no tool of this name, so the rule holds for nothing. Is it page_make? Correct the name, or remove the rule.",
    ],
    [
      "to write unwatched with a tool that reads",
      { unattended: ["page_read"] },
      "src/agents: unattended, page_read",
      "It only reads, which runs without a person may anyway: naming it changes nothing. Remove it.",
    ],
    [
      "to write unwatched with a tool that needs a person",
      { unattended: ["page_send"] },
      "src/agents: unattended, page_send",
      "Its tier is publish: no run has it without a person, so naming it changes nothing. Remove it.",
    ],
  ])("%s", (_name, rules, about, message) => {
    const tools = shelf(rules);
    expect(tools.problems()).toEqual([...PACKS, { about, message }]);
    expect(names(tools)).toEqual(names(shelf()));
  });

  test("and a tool that its own rules and the agent's leave undecidable is not offered", () => {
    const tools = shelf({ approvals: { page_always: { remember: ["tool"] }, page_make: { needed: 2 } } });
    const [problem] = tools.problems().slice(PACKS.length);
    expect(problem?.about).toBe("src/agents: approvals.page_always");
    expect(problem?.message).toMatch(
      /^With what the tool says itself it can never hold: nothing is remembered .* not offered\.$/,
    );
    expect(names(tools)).not.toContain("page_always");
    expect(tools.notOffered()).toContainEqual({ tool: "page_always", why: problem?.message });
    expect(tools.check("page_always", {}).ok).toBe(false);
    expect(tools.cards().find((card) => card.name === "page_make")).toMatchObject({
      gate: "ask",
      approvals: { needed: 2 },
    });
  });

  test("and one that can hold is none", () => {
    const rules = { approvals: { page_read: { approvers: ["bob"] } }, unattended: ["page_make"] };
    expect(shelf(rules).problems()).toEqual(PACKS);
  });
});

test("they are problems of the deployment, beside the mappings of webhooks that have faults", () => {
  const otherwise = { session: "s", prompt: "{{body.text}}" };
  const webhooks = defineWebhooks({ own: { scheme: "bearer", owner: "hook:own", otherwise } });
  expect(codeProblems(shelf(), webhooks)).toEqual([
    { variable: "pack keyed", class: "F", message: "Set SEARCH_KEY." },
    { variable: "pack broken", class: "F", message: "It does not start: SEARCH_KEY is not set" },
    {
      variable: "src/webhooks.ts: own",
      class: "F",
      message:
        "/hooks/own takes no webhook until its mapping is fixed: otherwise: {{body.text}} stands in prompt without untrusted.",
    },
  ]);
});

import { describe, expect, test } from "vitest";
import { GovernedTools } from "../../../src/cairn/tools/governed.ts";
import {
  leftOutOf,
  leftOutWords,
  OFFERED_DATA_CHARS_MAX,
  OFFERED_TOOLS_MAX,
} from "../../../src/cairn/tools/offer-bounds.ts";
import { definePack, defineTool } from "../../../src/cairn/tools/define.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { definitionSchema } from "../../../src/cairn/tools/stored/definition.ts";
import { storedPack, type StoredTool } from "../../../src/cairn/tools/stored/pack.ts";
import * as z from "zod";

/** A deployment may store 200 tools, and servers list more: one run is offered no more than a provider takes. */

const own = definePack<null, null>({
  name: "own",
  tools: ["first", "second", "third"].map((name) =>
    defineTool({
      name,
      version: 1,
      title: name,
      description: "Does it.",
      input: z.object({}),
      effect: "read",
      tier: "open",
      run: () => Promise.resolve({}),
    }),
  ),
  prompts: [],
  services: () => null,
});

const stored = (count: number, words = "Looks it up."): readonly StoredTool[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `item_${String(index).padStart(3, "0")}`,
    definition: definitionSchema.parse({
      method: "GET",
      url: "https://api.example.com/items",
      description: words,
    }),
  }));

const governed = (tools: readonly StoredTool[], named: readonly string[] | null = null): GovernedTools =>
  new GovernedTools(
    new Registry("test", () => 0).add(own, null).add(storedPack(tools), {}),
    { approvals: {}, tools: named },
    true,
  );
const namesOf = (tools: GovernedTools): readonly string[] => tools.offers().map(({ name }) => name);

describe("a run is offered", () => {
  test("all stored tools where there is room for them", () => {
    const tools = governed(stored(OFFERED_TOOLS_MAX - 3));
    expect(namesOf(tools)).toHaveLength(OFFERED_TOOLS_MAX);
    expect(tools.notOffered()).toEqual([]);
  });

  test("as many as a provider takes, the same each time, and the reason for the others", () => {
    const tools = governed(stored(200));
    expect(namesOf(tools)).toHaveLength(OFFERED_TOOLS_MAX);
    expect(namesOf(tools).slice(0, 4)).toEqual(["first", "second", "third", "item_000"]);
    expect(namesOf(governed(stored(200)))).toEqual(namesOf(tools));
    const left = tools.notOffered();
    expect(left).toHaveLength(203 - OFFERED_TOOLS_MAX);
    expect(left[0]).toEqual({ tool: "item_125", why: leftOutWords([]) });
    // A run that was granted it before others were added may go on calling it; the loop refuses every other run.
    expect(tools.check("item_125", {}).ok).toBe(true);
  });

  test("no more than fits by size, and a small tool behind a large one", () => {
    const tall = stored(80, "x".repeat(1_000));
    const [, ...rest] = stored(2, "Looks it up.").map((tool) => ({ ...tool, name: `z_${tool.name}` }));
    const offers = governed([...tall, ...rest]).offers();
    const chars = offers.reduce((sum, { description }) => sum + description.length, 0);
    expect(chars).toBeLessThanOrEqual(OFFERED_DATA_CHARS_MAX);
    expect(offers.length).toBeGreaterThan(50);
    expect(offers.at(-1)?.name).toBe("z_item_001");
  });

  test("each tool that is named, whatever its place", () => {
    const names = [...stored(150).map(({ name }) => name), "first"].toReversed();
    expect(namesOf(governed(stored(200), names))).toHaveLength(151);
    const tools = governed(stored(200), ["first", "pack:stored", "item_199"]);
    expect(namesOf(tools)).toHaveLength(OFFERED_TOOLS_MAX);
    expect(namesOf(tools)).toContain("item_199");
  });
});

test("the list of all tools has those that are left out, so that they can be named", () => {
  const registry = new Registry("test", () => 0).add(own, null).add(storedPack(stored(200)), {});
  const tools = new GovernedTools(registry, { approvals: {} });
  expect(tools.cards()).toHaveLength(203);
  expect([...tools.leftOut()]).toHaveLength(203 - OFFERED_TOOLS_MAX);
});

test("the reason for a tool that is left out says which tools are counted", () => {
  expect(leftOutWords([])).toMatch(/ characters of stored tools\. List it /);
  const listed = [
    { prefix: "sky_", from: "weather stations" },
    { prefix: "mcp_", from: "MCP servers" },
  ];
  expect(leftOutWords(listed)).toMatch(
    / of stored tools, tools of weather stations and tools of MCP servers\. /,
  );
});

test("listed tools count as data, whichever plugin lists them", () => {
  const cards = new Registry("test", () => 0).add(storedPack(stored(200)), {}).cards();
  const foreign = cards.map((card) => ({ ...card, pack: "sky_air", name: `sky_air_${card.name}` }));
  expect(leftOutOf(foreign, null, []).size).toBe(0);
  const listed = [{ prefix: "sky_", from: "weather stations" }];
  expect(leftOutOf(foreign, null, listed).size).toBe(200 - OFFERED_TOOLS_MAX);
});

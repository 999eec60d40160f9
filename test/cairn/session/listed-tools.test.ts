import { describe, expect, test } from "vitest";
import { listedPackOf, isListedName } from "../../../src/cairn/core/guards/named-tools.ts";
import type { State } from "../../../src/cairn/core/state/state.ts";
import { ListedTools, type Listers } from "../../../src/cairn/session/runs/listed-tools.ts";
import { definePack, defineTool } from "../../../src/cairn/tools/define.ts";
import type { ToolLists } from "../../../src/cairn/tools/lister.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import * as z from "zod";
import { FakePlatform } from "../../sim/platform/platform.ts";

/** Tools that plugins list before a run, in the session that offers them. */

const toolNamed = (name: string) =>
  defineTool<null, z.ZodType, null>({
    name,
    description: "Reads.",
    input: z.strictObject({}),
    effect: "read",
    tier: "open",
    run: async () => null,
  });
const packNamed = (name: string) =>
  definePack<null, null>({ name, tools: [toolNamed(`${name}_get`)], prompts: [], services: () => null });

/** Lists packs by their names. */
const listerOf = (lists: () => ToolLists) => ({
  prepare: () => Promise.resolve(lists()),
  addTo: (registry: Registry, list: unknown) => {
    registry.add(packNamed(String(list)), null);
  },
});
const listsOf = (...names: readonly string[]): ToolLists => ({
  lists: names.map((name) => ({ name, list: name })),
  left: [],
});
const base = new Registry("s", () => 0);
const begins = { run: null, queue: [{ request: { actor: "ada" } }] } as unknown as State;
const open = (disk: FakePlatform["disk"], listers: Listers) => new ListedTools(disk, listers, () => begins);
const namesIn = (tools: ListedTools) =>
  tools
    .onto(base)
    .cards()
    .map(({ name }) => name);

describe("listed tools", () => {
  test("of several plugins are offered in one order, and again after a sleep", async () => {
    const { disk } = new FakePlatform([]);
    const listers: Listers = new Map([
      ["sea", listerOf(() => listsOf("mcp_tide", "mcp_boat"))],
      [
        "air",
        listerOf(() => ({ ...listsOf("mcp_wind"), left: [{ tool: "mcp_fog_*", why: "It is gone." }] })),
      ],
    ]);
    const tools = open(disk, listers);
    await tools.loadDue();
    const inOrder = ["mcp_wind_get", "mcp_boat_get", "mcp_tide_get"];
    const asleep = open(disk, listers);
    expect([namesIn(tools), namesIn(asleep)]).toEqual([inOrder, inOrder]);
    expect(asleep.onto(base).notOffered()).toEqual([{ tool: "mcp_fog_*", why: "It is gone." }]);
  });

  test("of a plugin that is gone are not offered to the run that had them, and are forgotten before the next", async () => {
    const { disk } = new FakePlatform([]);
    await open(disk, new Map([["sea", listerOf(() => listsOf("mcp_tide"))]])).loadDue();
    const tools = open(disk, new Map());
    expect([namesIn(tools), tools.onto(base).notOffered()]).toEqual([
      [],
      [{ tool: "mcp_tide_*", why: "Its plugin is not here any more." }],
    ]);
    await tools.loadDue();
    expect([tools.isThere, tools.onto(base) === base]).toEqual([false, true]);
  });
});

test("the pack of a listed tool is in its name", () => {
  const listed = [
    { prefix: "mcp_", from: "MCP servers" },
    { prefix: "feed.", from: "feeds" },
  ];
  const tools = [
    "mcp_sky_get_weather",
    "mcp_s3_get",
    "feed.a_b",
    "mcp_sky",
    "page_get",
    "mcp_Sky_x",
    "feedxa_b",
  ];
  expect(tools.map((name) => listedPackOf(name, listed))).toEqual([
    "mcp_sky",
    "mcp_s3",
    "feed.a",
    null,
    null,
    null,
    null,
  ]);
  const names = ["mcp_sky_get", "pack:mcp_sky", "feed.a_b", "pack:sky", "my_mcp_tool"];
  expect(names.map((name) => isListedName(name, listed))).toEqual([true, true, true, false, false]);
  expect(names.filter((name) => isListedName(name, []))).toEqual([]);
});

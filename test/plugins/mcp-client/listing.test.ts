import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { digestOfTool, offeredOf, readTool, TOOLS_MAX } from "../../../src/plugins/mcp-client/listing.ts";
import { mcpServer, type McpServerDefinition } from "../../../src/plugins/mcp-client/server.ts";
import { OBJECT } from "../../fixtures/mcp-handler.ts";

/** A server's own list of its tools: which are offered, under which words, and why the others are not. */

const sky = (more: Partial<McpServerDefinition> = {}) =>
  mcpServer({ name: "sky", url: "https://mcp.example.com/mcp", ...more });
const listed = (
  items: readonly unknown[],
  more: Partial<McpServerDefinition> = {},
  rest: string | null = null,
) => {
  const { tools, left } = offeredOf(sky(more), items, rest);
  return {
    names: tools.map(({ name }) => name),
    left: left.map(({ tool, why }) => `${tool}: ${why}`),
    tools,
  };
};
const named = (...names: string[]) => names.map((name) => ({ name, inputSchema: OBJECT }));

/** An object of so many objects in one another. */
const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });

describe("a list", () => {
  test("offers a tool once, and only those that the deployment allows", () => {
    expect(listed(named("a", "b", "a"))).toMatchObject({
      names: ["a", "b"],
      left: ["a: The server lists it twice."],
    });
    expect(listed(named("a", "b"), { allow: ["b"] })).toMatchObject({ names: ["b"], left: [] });
  });

  test("offers no tool that has the name of one of Cairn's own, or a name that is too long", () => {
    expect(listed(named("ask_human", "x".repeat(129), "x".repeat(128)))).toMatchObject({
      names: ["x".repeat(128)],
      left: [
        "ask_human: Its name is that of a tool which Cairn has itself.",
        `${"x".repeat(79)}…: Its name is longer than 128 characters.`,
      ],
    });
  });

  test.each<[string, unknown, string]>([
    ["none", undefined, "Its input schema does not describe an object."],
    ["one of a text", { type: "string" }, "Its input schema does not describe an object."],
    ["a list", [OBJECT], "Its input schema does not describe an object."],
    [
      "one that is too long",
      { ...OBJECT, $comment: "x".repeat(16_000) },
      "The schema of what it takes is longer than 16000 characters.",
    ],
  ])("offers no tool whose schema is %s", (_, inputSchema, why) => {
    expect(listed([{ name: "t", inputSchema }, ...named("u")])).toMatchObject({
      names: ["u"],
      left: [`t: ${why}`],
    });
  });

  test("holds what is no tool, and what is nested too deep to be read", () => {
    const items = [7, null, { name: "" }, { name: "t", inputSchema: { type: "object", ...deep(2_000) } }];
    expect(items.map(readTool)).toEqual([null, null, null, null]);
    expect(new Set(listed(items).left)).toEqual(
      new Set(["(unnamed): The server lists something that is no tool."]),
    );
  });

  test("is offered up to a number of tools, and says what was left out and what was not read", () => {
    const many = named(...Array.from({ length: TOOLS_MAX + 1 }, (_, n) => `t${n}`));
    const { names, left } = listed(many, {}, "There is more.");
    expect(names).toHaveLength(TOOLS_MAX);
    expect(left).toEqual([
      "*: There is more.",
      `*: The server lists ${TOOLS_MAX + 1} tools, and ${TOOLS_MAX} are offered: name those that are wanted in \`allow\`.`,
    ]);
  });

  test("says which tools the deployment names and the server does not list, and no more than a hundred things", () => {
    const settings = { effects: { a: "read", gone: "read" }, tiers: { lost: "open" } } as const;
    expect(listed(named("a"), settings).left).toEqual([
      "gone: `effects` names it, and the server does not list it.",
      "lost: `tiers` names it, and the server does not list it.",
    ]);
    expect(listed(Array.from({ length: 150 }, () => 7)).left).toHaveLength(100);
  });
});

describe("the words of a tool", () => {
  test("are cut, on one line where they are a title, and without signs that nobody sees", () => {
    const [tool] = listed([
      {
        name: "t",
        title: `Find\n\u200b  it ${"x".repeat(99)}`,
        description: `Finds.\u202e${"y".repeat(2_000)}`,
        inputSchema: OBJECT,
      },
    ]).tools;
    expect(tool?.title).toMatch(/^Find it x+…$/);
    expect(tool?.title).toHaveLength(80);
    expect(tool?.description).toMatch(/^Finds\.y+…$/);
    expect(tool?.description).toHaveLength(1_024);
  });

  test("are cleaned in a schema, where fields and values keep their names", () => {
    const inputSchema = {
      type: "object",
      title: "<b>\u200b",
      properties: {
        description: { type: "string", description: "<a>" },
        title: { enum: ["<x>"], default: "<x>" },
        kind: { const: { description: "<k>" } },
        default: { type: "string", description: "<d>" },
      },
      required: ["description"],
    };
    expect(listed([{ name: "t", inputSchema }]).tools[0]?.inputSchema).toEqual({
      ...inputSchema,
      title: "‹b>",
      properties: {
        ...inputSchema.properties,
        description: { type: "string", description: "‹a>" },
        default: { type: "string", description: "‹d>" },
      },
    });
  });
});

test("a tool is another one once anything that its server lists of it is", () => {
  const whole = {
    name: "t",
    title: "T",
    description: "D",
    inputSchema: OBJECT,
    outputSchema: OBJECT,
  } as const;
  const digest = (more: { readonly [key: string]: Json }): string => {
    const tool = readTool({ ...whole, ...more });
    if (tool === null) throw new Error("it is a tool");
    return digestOfTool(tool);
  };
  const other = { type: "object", properties: { a: { type: "string" } } } as const;
  const changes: readonly { readonly [key: string]: Json }[] = [
    {},
    { name: "u" },
    { title: "U" },
    { description: "E" },
    { inputSchema: other },
    { outputSchema: other },
  ];
  const digests = changes.map(digest);
  expect(new Set(digests).size).toBe(digests.length);
  expect(digest({ annotations: { readOnlyHint: true } })).toBe(digests[0]);
});

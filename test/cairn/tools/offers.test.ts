import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { agentsPack } from "../../../src/cairn/tools/agents/pack.ts";
import { builtinPack } from "../../../src/cairn/tools/builtin/pack.ts";
import { cardOf, offerOf } from "../../../src/cairn/tools/card.ts";
import { cmsPack, imagesPack } from "../../../src/plugins/cms/pack.ts";
import { codePack, networkedCodePack } from "../../../src/plugins/code/pack.ts";
import { definePack, defineTool, type AnyTool } from "../../../src/cairn/tools/define.ts";
import { filesPack } from "../../../src/plugins/files/pack.ts";
import { messagesPack } from "../../../src/plugins/channels/tools/pack.ts";
import { messagingPack } from "../../../src/cairn/tools/messaging/pack.ts";
import { Registry } from "../../../src/cairn/tools/registry.ts";
import { skillsPack } from "../../../src/plugins/skills/pack.ts";
import { httpPack } from "../../../src/plugins/http-request/pack.ts";
import { webPack } from "../../../src/plugins/web/pack.ts";
import { scholarPack } from "../../../src/plugins/scholar/pack.ts";
import { searchPack } from "../../../src/plugins/web/search/pack.ts";
import { valuesPack } from "../../../src/plugins/web/values/pack.ts";
import { strictFaults } from "../../foreign/mcp/strict.ts";

/** Cairn's own tools are offered in the form that every provider accepts, and checked with their own schemas. */

const PACKS = [
  builtinPack,
  agentsPack,
  messagingPack,
  cmsPack,
  imagesPack,
  filesPack,
  webPack,
  valuesPack,
  searchPack,
  scholarPack,
  httpPack,
  codePack,
  networkedCodePack,
  messagesPack,
  skillsPack,
];
const CARDS = PACKS.flatMap(({ name, tools }) => tools.map((tool) => cardOf(tool as AnyTool<unknown>, name)));
const sizeOf = (schemas: readonly Json[]): number =>
  schemas.reduce<number>((sum, schema) => sum + JSON.stringify(schema).length, 0);

describe("a tool that ships", () => {
  test.each(CARDS.map((card) => [card.name, card] as const))("%s is offered to every provider", (_, card) => {
    const { inputSchema } = offerOf(card);
    expect(strictFaults(inputSchema)).toEqual([]);
    // The same bytes for every copy of the card, so that prefix caches hold; and a second reading changes nothing.
    expect(offerOf({ ...card }).inputSchema).toBe(inputSchema);
    expect(offerOf({ ...card, inputSchema }).inputSchema).toEqual(inputSchema);
  });

  test("adds nothing to the prompt", () => {
    const given = sizeOf(CARDS.map((card) => card.inputSchema));
    expect(sizeOf(CARDS.map((card) => offerOf(card).inputSchema))).toBeLessThan(given);
  });
});

const toolOf = (name: string, input: z.ZodType) =>
  defineTool({
    name,
    description: "Takes something.",
    input,
    effect: "read",
    tier: "open",
    run: () => Promise.resolve(null),
  });

describe("a tool of a deployment", () => {
  test.each([
    ["a record of lists", z.strictObject({ by: z.record(z.string(), z.array(z.number())) })],
    ["a tuple", z.strictObject({ at: z.tuple([z.number(), z.number()]) })],
    ["anything", z.strictObject({ value: z.any(), more: z.unknown() })],
    ["JSON", z.strictObject({ value: z.json() })],
    [
      "a union that a literal tells apart",
      z.strictObject({
        op: z.discriminatedUnion("kind", [
          z.strictObject({ kind: z.literal("a"), n: z.int() }),
          z.strictObject({ kind: z.literal("b") }),
        ]),
      }),
    ],
    [
      "literals of several types",
      z.strictObject({ level: z.union([z.literal(1), z.literal("all"), z.null()]) }),
    ],
    [
      "an intersection",
      z.strictObject({ both: z.intersection(z.object({ a: z.int() }), z.object({ b: z.int() })) }),
    ],
    ["a union at the root", z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })])],
    ["a tree", z.strictObject({ tree: z.lazy(() => TREE) })],
  ] as const)("with %s", (_, input) => {
    const { inputSchema } = offerOf(cardOf(toolOf("takes", input) as AnyTool<unknown>, "own"));
    expect(strictFaults(inputSchema)).toEqual([]);
  });

  test("is checked with its own schema, and says what may be null", () => {
    const tool = toolOf(
      "takes",
      z.strictObject({ day: z.string().nullable(), by: z.record(z.string(), z.number()).optional() }),
    );
    const pack = definePack({ name: "own", tools: [tool], prompts: [], services: () => ({}) });
    const registry = new Registry("s", () => 0).add(pack, {});
    const [card] = registry.cards();
    if (card === undefined) throw new Error("no tool");
    expect(offerOf(card).inputSchema).toEqual({
      type: "object",
      properties: {
        day: { type: "string", description: "May be null." },
        by: {
          type: "object",
          properties: {},
          description: "Fields of any name, each of the type number.",
        },
      },
      required: ["day"],
    });
    const isAccepted = (input: Json): boolean => registry.check("takes", input).ok;
    expect(isAccepted({ day: null, by: { x: 1 } })).toBe(true);
    expect(isAccepted({ day: null, by: { x: "1" } })).toBe(false);
    expect(isAccepted({ day: "today", other: 1 })).toBe(false);
  });
});

interface Tree {
  readonly name: string;
  readonly below: readonly Tree[];
}
const TREE: z.ZodType<Tree> = z.lazy(() => z.strictObject({ name: z.string(), below: z.array(TREE) }));

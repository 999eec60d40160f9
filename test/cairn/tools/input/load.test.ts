import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineTool } from "../../../../src/cairn/tools/define.ts";
import { registryOf } from "../registry-fixture.ts";

const declare = (input: z.ZodType) => (): unknown =>
  defineTool({
    name: "book_room",
    description: "Books a room.",
    input,
    effect: "once",
    tier: "external",
    run: () => Promise.resolve({ ok: true }),
  });

let counted = 0;

describe("a schema that cannot make one value that is stored as JSON is refused at load", () => {
  test.each<[string, z.ZodType, RegExp]>([
    ["a Date", z.object({ at: z.date() }), /^tool book_room: its input at is a Date, .*z\.iso\.datetime\(\)/],
    ["a coerced Date", z.object({ at: z.coerce.date() }), /input at is a Date/],
    [
      "a Set in a list",
      z.object({ tags: z.array(z.set(z.string())) }),
      /input tags\.\[\] is a Set, .*z\.array\(\)/,
    ],
    ["a Map", z.object({ by: z.map(z.string(), z.number()) }), /input by is a Map/],
    ["a bigint", z.object({ n: z.coerce.bigint() }), /input n is a bigint/],
    [
      "a Date by a codec",
      z.object({
        at: z.codec(z.iso.datetime(), z.date(), {
          decode: (text) => new Date(text),
          encode: (date) => date.toISOString(),
        }),
      }),
      /input at/,
    ],
    [
      "a Date made of a day",
      z.object({ day: z.iso.date().transform((day) => new Date(day)) }),
      /input day is converted by code that makes a Date/,
    ],
    [
      "a Date of what no sample fits",
      z.object({
        day: z
          .string()
          .regex(/^\d{2}\.\d{2}\.\d{4}$/)
          .transform((day) => new Date(day)),
      }),
      /makes a Date/,
    ],
    ["a URL", z.object({ page: z.url().transform((text) => new URL(text)) }), /makes a URL/],
    [
      "a Set deep in an object",
      z.object({ list: z.string().transform((text) => ({ words: new Set(text.split(" ")) })) }),
      /makes a Set in words/,
    ],
    [
      "a default of the clock",
      z.object({ at: z.number().default(() => Date.now()) }),
      /input at has a default that gives another value each time .*context\.at/,
    ],
    [
      "a default of today",
      z.object({ day: z.string().default(() => new Date().toISOString().slice(0, 10)) }),
      /gives another value each time/,
    ],
    [
      "a default at random",
      z.object({ id: z.uuid().default(() => crypto.randomUUID()) }),
      /gives another value each time/,
    ],
    [
      "a coin",
      z.object({ heads: z.boolean().default(() => Math.random() < 0.5) }),
      /gives another value each time/,
    ],
    ["a counter", z.object({ n: z.number().default(() => (counted += 1)) }), /gives another value each time/],
    [
      "a fallback of the clock",
      z.object({ at: z.number().catch(() => Date.now()) }),
      /for what does not fit/,
    ],
    [
      "a transform of the clock",
      z.object({ days: z.number().transform((days) => Date.now() + days * 86_400_000) }),
      /input days is converted by code that gives another/,
    ],
    [
      "a preprocess of the clock",
      z.object({ at: z.preprocess((value) => value ?? Date.now(), z.number()) }),
      /gives another value each time/,
    ],
    [
      "an asynchronous transform",
      z.object({ id: z.string().transform((id) => Promise.resolve(id)) }),
      /is asynchronous/,
    ],
    [
      "an asynchronous refinement",
      z.object({ id: z.string().refine((id) => Promise.resolve(id !== "")) }),
      /input id is checked by code that is asynchronous/,
    ],
    [
      "an asynchronous check of the whole",
      z.object({ id: z.string() }).check(async () => Promise.resolve()),
      /its input is checked by code that is asynchronous/,
    ],
    [
      "an asynchronous type of its own",
      z.object({ id: z.custom((id) => Promise.resolve(id === "a")) }),
      /input id is checked by code that is asynchronous/,
    ],
    [
      "a Map in a union, below an optional",
      z.object({ of: z.union([z.string(), z.record(z.string(), z.map(z.string(), z.string()))]).optional() }),
      /input of\.\* is a Map/,
    ],
  ])("%s", (_name, input, words) => {
    expect(declare(input)).toThrow(words);
  });
});

test("schemas that convert JSON to JSON are declared, and clock and chance are as they were", () => {
  const tree: z.ZodType = z.object({
    name: z.string().trim(),
    get below() {
      return z.array(tree);
    },
  });
  for (const input of [
    z.object({ cents: z.number().transform((euros) => Math.round(euros * 100)) }),
    z.object({ count: z.coerce.number().int().default(3), on: z.stringbool().prefault("yes") }),
    z.object({ at: z.iso.datetime().transform((text) => new Date(text).toISOString()) }),
    z.preprocess((value) => value, z.strictObject({ name: z.string().toLowerCase() })),
    z.object({ whole: z.json(), any: z.unknown() }),
    tree,
  ])
    expect(declare(input)).not.toThrow();
  expect(Math.abs(new Date().getUTCFullYear() - 2026)).toBeLessThan(50);
  expect(Math.random()).not.toBe(Math.random());
  expect(Date.name).toBe("Date");
});

test.each<[string, z.ZodType]>([
  [
    "throws",
    z.object({
      id: z.string().refine((id) => {
        if (id === "odd-one") throw new Error("not thought of");
        return true;
      }),
    }),
  ],
  [
    "is asynchronous for this value alone",
    z.object({ id: z.string().refine((id) => (id === "odd-one" ? Promise.resolve(true) : true)) }),
  ],
])("a call whose check %s is refused, and nothing is thrown", (_name, input) => {
  const tool = defineTool<null, z.ZodType, object>({
    name: "book_room",
    description: "Books a room.",
    input,
    effect: "once",
    tier: "external",
    run: () => Promise.resolve({ ok: true }),
  });
  const tools = registryOf(tool);
  expect(tools.check("book_room", { id: "a" })).toMatchObject({ ok: true });
  expect(tools.check("book_room", { id: "odd-one" })).toMatchObject({
    ok: false,
    failure: { class: "internal", code: "schema_threw" },
  });
});

import { expect, test } from "vitest";
import * as z from "zod";
import { schemaOf } from "../../../src/cairn/tools/card.ts";

/** The schema of a tool is sent with every call, so it holds nothing that says nothing. */

test("any JSON value is an empty schema, and a name is any name", () => {
  const schema = schemaOf(z.strictObject({ content: z.record(z.string(), z.json()), one: z.json() }));
  expect(schema).toEqual({
    type: "object",
    properties: { content: { type: "object", additionalProperties: {} }, one: {} },
    required: ["content", "one"],
    additionalProperties: false,
  });
});

test("bounds that every number has, and the pattern of a format, are left out; others stay", () => {
  const { properties } = schemaOf(
    z.strictObject({
      at: z.iso.datetime(),
      n: z.int().min(1),
      slug: z.string().regex(/^[a-z]+$/),
      most: z.int().max(5),
    }),
  );
  expect(properties).toEqual({
    at: { type: "string", format: "date-time" },
    n: { type: "integer", minimum: 1 },
    slug: { type: "string", pattern: "^[a-z]+$" },
    most: { type: "integer", maximum: 5 },
  });
});

test("fields may be called as keywords are, and a default is kept as it is", () => {
  const { properties } = schemaOf(
    z.strictObject({
      format: z.string(),
      pattern: z.string(),
      maximum: z.literal(Number.MAX_SAFE_INTEGER).default(Number.MAX_SAFE_INTEGER),
      shape: z.record(z.string(), z.string()).default({ format: "a", pattern: "b" }),
    }),
  );
  expect(Object.keys(properties as object)).toEqual(["format", "pattern", "maximum", "shape"]);
  expect(properties).toMatchObject({ shape: { default: { format: "a", pattern: "b" } } });
});

test("a type that refers to itself, and is not any JSON value, keeps its definition", () => {
  type Tree = { readonly children: readonly Tree[] };
  const tree: z.ZodType<Tree> = z.lazy(() => z.strictObject({ children: z.array(tree) }));
  expect(JSON.stringify(schemaOf(z.strictObject({ tree })))).toContain("$ref");
});

import { expect, test } from "vitest";
import { unrollSchema } from "../../../../src/cairn/core/log/checkable-schema.ts";
import { frontMatterFault } from "../../../../src/cairn/core/text/front-matter-bounds.ts";

const NAME = { type: "string" } as const;

test("a reference is replaced by the schema that it names, with its default", () => {
  const root = {
    type: "object",
    properties: { a: { $ref: "#/$defs/name" }, b: { $ref: "#/definitions/name", default: "x" } },
    $defs: { name: NAME },
    definitions: { name: NAME },
  };
  expect(unrollSchema(root)).toEqual({
    type: "object",
    properties: { a: NAME, b: { ...NAME, default: "x" } },
  });
});

test("a schema that names itself allows any value there, and one of its alternatives becomes any of them", () => {
  const node = { oneOf: [NAME, { type: "array", items: { $ref: "#/$defs/node" } }] };
  expect(unrollSchema({ $ref: "#/$defs/node", $defs: { node } })).toEqual({
    anyOf: [NAME, { type: "array", items: {} }],
  });
});

test("a reference to nothing stays, so that the schema is refused", () => {
  const root = { type: "object", properties: { a: { $ref: "https://elsewhere.example/x" } } };
  expect(unrollSchema(root)).toEqual(root);
});

test.each([
  [
    "---\nname: a\ndescription: Why? [Because] {of} this.\ntags: [a, b]\n---\nbody ".padEnd(20_000, "{"),
    null,
  ],
  [`---\n${"a: b\n".repeat(2_000)}---\n`, "Its front matter is longer than 8192 characters."],
  [`---\na: ${"{".repeat(17)}\n---\n`, "Its front matter has brackets more than 16 levels deep."],
  ["---\n? a\n? b\n? c\n? d\n? e\n---\n", "Its front matter has more than 4 explicit keys (“? ”)."],
  [`---\n${"- ".repeat(9)}a\n---\n`, "A line of its front matter opens more than 8 levels."],
])("front matter is bounded before it is parsed: case %#", (text, fault) => {
  expect(frontMatterFault(text)).toBe(fault);
});

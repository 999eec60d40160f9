import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/log/json.ts";
import { readOutputSchema } from "../../src/wire/run-spec/output-schema.ts";

const why = (schema: JsonObject): string | null => {
  const read = readOutputSchema(schema);
  return read.ok ? null : read.why;
};

describe("the schema of an answer", () => {
  it("checks values", () => {
    const read = readOutputSchema({
      type: "object",
      properties: {
        title: { type: "string", pattern: "^[A-Z]\\w+(?: \\w+)$" },
        parts: { $ref: "#/$defs/parts" },
      },
      required: ["title"],
      additionalProperties: false,
      $defs: { parts: { type: "array", items: { enum: ["a", "b"] }, maxItems: 2 } },
    });
    if (!read.ok) throw new Error(read.why);
    expect(read.schema.safeParse({ title: "The owl", parts: ["a"] }).success).toBe(true);
    expect(read.schema.safeParse({ title: "The owl", parts: ["c"] }).success).toBe(false);
    expect(read.schema.safeParse({ title: "The owl", more: 1 }).success).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ["another address", { $ref: "https://example.com/schema.json" }],
    ["nothing that is there", { $ref: "#/$defs/none" }],
    ["a name of every object", { $ref: "#/$defs/toString", $defs: {} }],
    ["no text", { $ref: 3 }],
    ["a path that is not understood", { $ref: "#/properties/a", properties: { a: {} } }],
  ])("refuses a $ref to %s", (_, schema) => {
    expect(why(schema)).toBe("A $ref must name one of its own $defs or definitions, as #/$defs/name.");
  });

  it("refuses one that holds itself, at once or through others", () => {
    const deep =
      "Its schemas must stand at most 8 levels deep, through every $ref; none may refer to itself.";
    expect(why({ $ref: "#" })).toBe(deep);
    expect(why({ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } })).toBe(deep);
    expect(
      why({
        $ref: "#/$defs/a",
        $defs: { a: { items: { $ref: "#/$defs/b" } }, b: { not: { $ref: "#/$defs/a" } } },
      }),
    ).toBe(deep);
  });

  it("refuses one whose references multiply", () => {
    const names = ["a", "b", "c", "d", "e"];
    const $defs = Object.fromEntries(
      names.map((name, at) => [
        name,
        at + 1 === names.length
          ? {}
          : { anyOf: Array.from({ length: 20 }, () => ({ $ref: `#/$defs/${names[at + 1]}` })) },
      ]),
    ) as JsonObject;
    expect(why({ $ref: "#/$defs/a", $defs })).toBe("It must have at most 2000 schemas, each $ref counted.");
  });

  it("refuses patterns that may never end, and takes ordinary ones", () => {
    const no = "A pattern must have at most 200 characters, and repeat no group that repeats or chooses.";
    for (const pattern of [
      "(a+)+$",
      "^(\\w*)*$",
      "(a|aa)+$",
      "([a-z]{1,9}){2,}",
      "(.*)\\1",
      "x".repeat(201),
    ]) {
      expect(why({ type: "string", pattern }), pattern).toBe(no);
      expect(why({ type: "object", patternProperties: { [pattern]: {} } }), pattern).toBe(no);
    }
    for (const pattern of ["^[a-z0-9-]{1,40}$", "^(draft|final)$", "^\\d{4}-\\d{2}(-\\d{2})?$"])
      expect(why({ type: "string", pattern }), pattern).toBeNull();
    expect(why({ type: "string", pattern: "(" })).toMatch(/regular expression/i);
  });

  it("refuses what values could not be checked by, in the words of the library", () => {
    expect(why({ if: {}, then: {} })).toBe("Conditional schemas (if/then/else) are not supported");
    expect(why({ type: "text" })).toMatch(/type/i);
    expect(why({ properties: 3 })).toBeNull();
    expect(why({ description: "é".repeat(16_384) })).toBe("It must have at most 32768 bytes.");
  });

  it("takes no longer than its size, and leaves nothing behind", () => {
    const schema = { id: "one", type: "object", properties: { a: { id: "two", type: "string" } } };
    expect(why(schema)).toBeNull();
    expect(why(schema)).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { readOutputSchema } from "../../../src/cairn/protocol/run-spec/output-schema.ts";

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

  it("checks no pattern, whatever its shape: none can keep a check busy", () => {
    const lure = `${"a".repeat(28)}!`;
    for (const pattern of [
      "(a+)+$",
      "^(\\w+\\s?)*$",
      "^([a-z]+-?)+$",
      "^(?:a{1,9}b?){1,99}$",
      "(.*)\\1",
      "(",
    ]) {
      const text = readOutputSchema({ type: "string", pattern });
      const fields = { patternProperties: { [pattern]: { type: "number" } }, additionalProperties: false };
      const object = readOutputSchema({ type: "object", ...fields, propertyNames: { pattern } });
      if (!text.ok || !object.ok) throw new Error(pattern);
      const from = performance.now();
      expect([text.schema.safeParse(lure).success, text.schema.safeParse(3).success]).toEqual([true, false]);
      expect(object.schema.safeParse({ [lure]: "x" }).success).toBe(true);
      expect(performance.now() - from).toBeLessThan(5_000);
    }
    const named = readOutputSchema({ type: "object", properties: { pattern: { type: "number" } } });
    expect(named.ok && named.schema.safeParse({ pattern: "a" }).success).toBe(false);
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

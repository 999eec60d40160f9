import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Json } from "../../src/cairn/core/log/json.ts";
import {
  emptyOf,
  fieldOf,
  labelOf,
  pathsOf,
  pathText,
  placeIssues,
  type Field,
} from "../../src/page/approvals/edit/schema-form.ts";

const schemaOf = (schema: z.ZodType): Json => z.toJSONSchema(schema, { io: "input" }) as Json;
const kinds = (field: Field): unknown =>
  field.kind === "group"
    ? Object.fromEntries(field.fields.map((each) => [each.name, kinds(each.field)]))
    : field.kind === "list"
      ? [kinds(fieldOf(field.of, undefined))]
      : field.kind;

describe("a form of a schema", () => {
  const page = z.strictObject({
    name: z.string().min(1).max(80).describe("what visitors read"),
    body: z.string().max(5_000).optional(),
    position: z.int().min(1).optional(),
    weight: z.number().optional(),
    indexing: z.boolean().optional(),
    location: z.enum(["header", "footer"]).optional(),
    tags: z.array(z.string()).max(3).optional(),
    meta: z
      .strictObject({ title: z.string(), image: z.union([z.string(), z.number()]).optional() })
      .optional(),
    content: z.record(z.string(), z.string()).optional(),
  });

  test("has a control for each kind of value, and JSON for what has none", () => {
    expect(kinds(fieldOf(schemaOf(page), { name: "About" }))).toEqual({
      name: "text",
      body: "text",
      position: "number",
      weight: "number",
      indexing: "switch",
      location: "choice",
      tags: ["text"],
      meta: { title: "text", image: "text" },
      content: "json",
    });
  });

  test("knows what must be there, what the tool says of it, and its bounds", () => {
    const field = fieldOf(schemaOf(page), { name: "About" });
    if (field.kind !== "group") throw new Error("no group");
    const [name, body, position] = field.fields;
    expect(name).toEqual({
      name: "name",
      label: "Name",
      hint: "what visitors read",
      required: true,
      field: { kind: "text", long: false, max: 80 },
    });
    expect(
      fieldOf(schemaOf(z.strictObject({ page: z.string().describe("Page to keep: id or slug") })), {}),
    ).toMatchObject({ fields: [{ name: "page", label: "Page to keep", hint: "id or slug" }] });
    expect(body).toMatchObject({ required: false, hint: null, field: { long: true, max: 5_000 } });
    expect(position?.field).toEqual({ kind: "number", whole: true, min: 1, max: null });
  });

  test.each([
    ["short", false],
    ["two\nlines", true],
    ["x".repeat(81), true],
  ])("a text of %j gets several lines: %s", (text, long) => {
    expect(fieldOf(schemaOf(z.string()), text)).toEqual({ kind: "text", long, max: null });
  });

  test.each<[string, Json, Json]>([
    ["another type than the schema's", { type: "string" }, 5],
    [
      "a key that the schema does not name",
      { type: "object", properties: { a: { type: "string" } } },
      { b: 1 },
    ],
    ["a list of what has no form", { type: "array", items: { $ref: "#" } }, ["a"]],
    ["a value of none of several schemas", { anyOf: [{ type: "string" }, { type: "number" }] }, true],
    ["a null", { type: "object", properties: {} }, null],
    ["no schema", null, { a: 1 }],
  ])("%s is a box of JSON", (_, schema, value) => {
    expect(fieldOf(schema, value)).toEqual({ kind: "json" });
  });

  test("of several schemas takes the one that the value is of, and the first for a new one", () => {
    const op = z.discriminatedUnion("op", [
      z.strictObject({ op: z.literal("add"), label: z.string() }),
      z.strictObject({
        op: z.literal("move"),
        item: z.string(),
        position: z.union([z.int(), z.string()]).optional(),
      }),
    ]);
    const schema = schemaOf(op);
    expect(kinds(fieldOf(schema, { op: "move", item: "a", position: 2 }))).toEqual({
      op: "choice",
      item: "text",
      position: "number",
    });
    expect(kinds(fieldOf(schema, undefined))).toEqual({ op: "choice", label: "text" });
    expect(emptyOf(fieldOf(schema, undefined))).toEqual({ op: "add", label: "" });
    const list = schemaOf(z.array(op));
    const ops: Json = [
      { op: "add", label: "x" },
      { op: "move", item: "a" },
    ];
    expect(fieldOf(list, ops).kind).toBe("list");
    expect(pathsOf(fieldOf(list, ops), ops)).toEqual([
      "[0]",
      "[0].op",
      "[0].label",
      "[1]",
      "[1].op",
      "[1].item",
      "[1].position",
    ]);
  });

  test("ends where a schema nests without end", () => {
    const deep = Array.from({ length: 20 }).reduce<Json>(
      (inner) => ({ type: "object", properties: { in: inner } }),
      { type: "string" },
    );
    expect(JSON.stringify(kinds(fieldOf(deep, undefined)))).toBe(
      `${'{"in":'.repeat(7)}"json"${"}".repeat(7)}`,
    );
  });

  test("begins a value that was not there with what the schema needs of it", () => {
    const field = fieldOf(
      schemaOf(
        z.strictObject({
          title: z.string(),
          at: z.int().min(3),
          tags: z.array(z.string()).min(2),
          more: z.string().optional(),
        }),
      ),
      undefined,
    );
    expect(emptyOf(field)).toEqual({ title: "", at: 3, tags: ["", ""] });
  });

  test.each([
    ["copyFrom", "Copy from"],
    ["copy_from", "Copy from"],
    ["ogImage2", "Og image2"],
    ["_", "_"],
  ])("%s is called %s", (name, label) => {
    expect(labelOf(name)).toBe(label);
  });
});

describe("what the server finds wrong", () => {
  const schema = schemaOf(
    z.strictObject({ pages: z.array(z.string()), meta: z.strictObject({ title: z.string() }).optional() }),
  );
  const value = { pages: ["a", "b"], meta: { title: "T" } };
  const shown = new Set(pathsOf(fieldOf(schema, value), value));

  test("has a place at every control of the form", () => {
    expect([...shown]).toEqual(["pages", "pages[0]", "pages[1]", "meta", "meta.title"]);
    expect(pathText(["pages", 1, "in", "x"])).toBe("pages[1].in.x");
  });

  test("stands at its control, at the nearest one above, or at the form", () => {
    const told = placeIssues(
      [
        { path: "args.pages[1]", message: "no such page" },
        { path: "args.pages[1]", message: "and too short" },
        { path: "args.meta.title.length", message: "above" },
        { path: "args.meta.gone[3].x", message: "far above" },
        { path: "args.other", message: "unknown" },
        { path: "args", message: "all of it" },
        { path: "reason", message: "elsewhere" },
      ],
      shown,
    );
    expect(Object.fromEntries(told)).toEqual({
      "pages[1]": ["no such page", "and too short"],
      "meta.title": ["above"],
      meta: ["far above"],
      "": ["unknown", "all of it", "elsewhere"],
    });
  });

  test("stands at the form where there are no controls", () => {
    expect(placeIssues([{ path: "args[0].a", message: "x" }], new Set())).toEqual(new Map([["", ["x"]]]));
  });
});

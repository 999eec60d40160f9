import { isObject, type Json, type JsonObject } from "../../src/cairn/core/log/json.ts";
import { readDocument } from "../../src/cairn/tools/stored/document-text.ts";
import { importOpenApi } from "../../src/cairn/tools/stored/openapi.ts";
import type { Input } from "./parsers.ts";

/** OpenAPI documents as `POST /api/tools/import` reads them, at the largest size that it accepts. */

const VALUES_MAX = 790_000;
const head = { openapi: "3.1.0", info: { title: "a" }, servers: [{ url: "https://a.example" }] };

/** Makes a text of a document and imports it: the text is parsed, and each operation becomes a tool. */
const imported = (document: JsonObject): Input => {
  const text = JSON.stringify(document);
  return async () => {
    const read = await readDocument(text);
    if (!read.ok || !isObject(read.value)) throw new Error(read.ok ? "no object" : read.why);
    const made = importOpenApi(read.value, {}, () => false);
    if (made === null) throw new Error("no import");
    return made;
  };
};

const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const named = (count: number, make: (at: number) => Json, name = "n"): JsonObject =>
  Object.fromEntries(times(count, (at) => [`${name}${at}`, make(at)]));
const paths = (count: number, make: (at: number) => JsonObject): JsonObject =>
  Object.fromEntries(times(count, (at) => [`/p${at}`, { get: make(at) }]));
const answering = (schema: Json): JsonObject => ({
  requestBody: { content: { "application/json": { schema } } },
});
const posts = (count: number, schema: Json): JsonObject =>
  Object.fromEntries(times(count, (at) => [`/p${at}`, { post: answering(schema) }]));
const schemaRef = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

function deep(depth: number, inside: (schema: JsonObject) => JsonObject): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let at = 0; at < depth; at += 1) schema = inside(schema);
  return schema;
}

export const OPENAPI: readonly (readonly [name: string, make: () => Input])[] = [
  [
    "an OpenAPI document of 200,000 operations",
    () => imported({ ...head, paths: paths(200_000, () => ({ summary: "a" })) }),
  ],
  [
    "an OpenAPI document whose operations all have one name",
    () => imported({ ...head, paths: paths(100_000, () => ({ operationId: "same" })) }),
  ],
  [
    "an OpenAPI document whose operations have the largest schema that is read",
    () => {
      const wide = { type: "object", properties: named(2_000, () => ({ type: "string" })) };
      return imported({ ...head, paths: posts(5_000, schemaRef("a")), components: { schemas: { a: wide } } });
    },
  ],
  [
    "an OpenAPI document with references in a circle of 100,000",
    () => {
      const schemas = named(100_000, (at) => schemaRef(`n${(at + 1) % 100_000}`));
      return imported({ ...head, paths: posts(2_000, schemaRef("n0")), components: { schemas } });
    },
  ],
  [
    "an OpenAPI document whose path items refer to each other",
    () => {
      const items = named(100_000, (at) => ({ $ref: `#/paths/~1p${(at + 1) % 100_000}` }), "/p");
      return imported({ ...head, paths: items });
    },
  ],
  [
    "an OpenAPI document with references of 100,000 characters",
    () => {
      const far = { $ref: `#/${"a/".repeat(50_000)}` };
      return imported({ ...head, paths: posts(140, far) });
    },
  ],
  [
    "an OpenAPI document whose schemas double with each reference",
    () => {
      const schemas = named(2_000, (at) => ({
        anyOf: [schemaRef(`n${at + 1}`), schemaRef(`n${at + 1}`)],
        properties: { a: schemaRef(`n${at + 1}`), b: schemaRef(`n${at + 1}`) },
      }));
      return imported({ ...head, paths: posts(5_000, schemaRef("n0")), components: { schemas } });
    },
  ],
  [
    "an OpenAPI document whose schemas name themselves in every part",
    () => {
      const self = schemaRef("a");
      const schemas = {
        a: { allOf: times(30, () => self), oneOf: times(30, () => self), items: self, not: self },
      };
      return imported({ ...head, paths: posts(5_000, self), components: { schemas } });
    },
  ],
  [
    "an OpenAPI document of schemas about as deep as JSON may be",
    () =>
      imported({
        ...head,
        paths: posts(
          60,
          deep(45, (items) => ({ type: "array", items })),
        ),
      }),
  ],
  [
    "an OpenAPI document with one enumeration of 700,000 values",
    () => imported({ ...head, paths: posts(1, { enum: times(VALUES_MAX - 100, (at) => at) }) }),
  ],
  [
    "an OpenAPI document whose operations share one enumeration of 100,000 values",
    () => {
      const a = { enum: times(100_000, (at) => `v${at}`) };
      return imported({ ...head, paths: posts(5_000, schemaRef("a")), components: { schemas: { a } } });
    },
  ],
  [
    "an OpenAPI document whose operations share 100,000 required fields",
    () => {
      const a = { type: "object", required: times(100_000, (at) => `v${at}`), properties: { v1: {} } };
      return imported({ ...head, paths: posts(5_000, schemaRef("a")), components: { schemas: { a } } });
    },
  ],
  [
    "an OpenAPI document whose operations have 100 parameters each",
    () => {
      const parameters = times(100, (at) => ({ $ref: `#/components/parameters/n${at}` }));
      const shared = named(100, (at) => ({ name: "a".repeat(90) + at, in: "query", schema: {} }));
      return imported({
        ...head,
        paths: paths(3_000, () => ({ parameters })),
        components: { parameters: shared },
      });
    },
  ],
  [
    "an OpenAPI document with 700,000 parameters in one path item",
    () => {
      const parameters = times(190_000, (at) => ({ name: `a${at}`, in: "query" }));
      return imported({ ...head, paths: { "/a": { parameters, get: {}, post: {}, put: {} } } });
    },
  ],
  [
    "an OpenAPI document with a path of 15 MB of places",
    () => imported({ ...head, paths: { [`/${"{a}".repeat(5_000_000)}`]: { get: {} } } }),
  ],
  [
    "an OpenAPI document with a path of a million places of different names",
    () => {
      const path = times(1_000_000, (at) => `{a${at}}`).join("");
      return imported({ ...head, paths: { [`/${path}`]: { get: {} } } });
    },
  ],
  [
    "an OpenAPI document with a description of 15 MB",
    () => imported({ ...head, paths: { "/a": { get: { summary: "a\u0301".repeat(5_000_000) } } } }),
  ],
];

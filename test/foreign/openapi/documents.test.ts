import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { definitionSchema } from "../../../src/cairn/tools/stored/definition.ts";
import { fillRequest } from "../../../src/cairn/tools/stored/fill.ts";
import { readDocument } from "../../../src/cairn/tools/stored/document-text.ts";
import { importOpenApi } from "../../../src/cairn/tools/stored/openapi.ts";

/**
 * Documents of the package @readme/oas-examples 8.2.2 (MIT license), as it ships them, each with a request that a person wrote
 * down from its text.
 */
interface Row {
  readonly name: string;
  readonly source: string;
  readonly tools: number;
  readonly left: readonly { readonly operation: string; readonly why: string }[];
  readonly tool: string;
  readonly input: JsonObject;
  readonly request: unknown;
}

const SOURCE = "https://github.com/readmeio/oas/tree/main/packages/oas-examples";

const ROWS: readonly Row[] = [
  {
    name: "petstore-2.0.json",
    source: `${SOURCE}/2.0/json/petstore.json`,
    tools: 19,
    left: [{ operation: "POST /pet/{petId}/uploadImage", why: "It takes a file." }],
    tool: "find_pets_by_status",
    input: { status: ["available", "sold"] },
    request: {
      method: "GET",
      url: "http://petstore.swagger.io/v2/pet/findByStatus?status=available&status=sold",
    },
  },
  {
    name: "petstore-2.0.json",
    source: `${SOURCE}/2.0/json/petstore.json`,
    tools: 19,
    left: [{ operation: "POST /pet/{petId}/uploadImage", why: "It takes a file." }],
    tool: "update_pet_with_form",
    input: { petId: 7, body: { name: "Rex & Co", status: "sold" } },
    request: {
      method: "POST",
      url: "http://petstore.swagger.io/v2/pet/7",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "name=Rex%20%26%20Co&status=sold",
    },
  },
  {
    name: "uspto-3.0.json",
    source: `${SOURCE}/3.0/json/uspto.json`,
    tools: 3,
    left: [],
    tool: "list_searchable_fields",
    input: { dataset: "oa_citations", version: "v1" },
    request: { method: "GET", url: "https://developer.uspto.gov/ds-api/oa_citations/v1/fields" },
  },
  {
    name: "parameters-style-3.1.json",
    source: `${SOURCE}/3.1/json/parameters-style.json`,
    tools: 11,
    left: [
      { operation: "GET /cookies#formNonExploded", why: "Its path is no plain path." },
      { operation: "GET /cookies#formExploded", why: "Its path is no plain path." },
      ...["GET", "POST"].map((verb) => ({
        operation: `${verb} /anything/path/matrix/{primitive}/{array}/{object}`,
        why: "The style matrix of its parameter primitive is not supported.",
      })),
      ...["GET", "POST"].map((verb) => ({
        operation: `${verb} /anything/path/label/{primitive}/{array}/{object}`,
        why: "The style label of its parameter primitive is not supported.",
      })),
      ...["space", "pipe"].map((sign) => ({
        operation: `GET /anything/query/${sign}Delimited`,
        why: `The style ${sign}Delimited of its parameter array is not supported.`,
      })),
      ...[
        "POST /anything/form-data",
        "POST /anything/form-data/form",
        "PUT /anything/form-data/form",
        "GET /anything/form-data/spaceDelimited",
        "POST /anything/form-data/pipeDelimited",
        "POST /anything/form-data/deepObject",
      ].map((operation) => ({
        operation,
        why: "It takes multipart/form-data, which is not supported.",
      })),
    ],
    tool: "query_form_non_exploded",
    input: { primitive: "a b", array: ["x", "y"], object: { k: "v" } },
    request: {
      method: "GET",
      url: "https://httpbin.org/anything/query/form?primitive=a%20b&array=x%2Cy&object=k%2Cv",
    },
  },
  {
    name: "petstore-2.0.yaml",
    source: `${SOURCE}/2.0/yaml/petstore.yaml`,
    tools: 19,
    left: [{ operation: "POST /pet/{petId}/uploadImage", why: "It takes a file." }],
    tool: "get_order_by_id",
    input: { orderId: 9 },
    request: { method: "GET", url: "http://petstore.swagger.io/v2/store/order/9" },
  },
  {
    name: "train-travel-3.1.yaml",
    source: `${SOURCE}/3.1/yaml/train-travel.yaml`,
    tools: 7,
    left: [{ operation: "webhook newBooking", why: "The API calls it, not the other way round." }],
    tool: "get_trips",
    input: {
      origin: "efdbb9d1-02c2-4bc3-afb7-6788d8782b1e",
      destination: "b2e783e1-c824-4d63-b37a-d8d698862f1d",
      date: "2024-02-01T09:00:00Z",
    },
    request: {
      method: "GET",
      url: "https://api.example.com/trips?origin=efdbb9d1-02c2-4bc3-afb7-6788d8782b1e&destination=b2e783e1-c824-4d63-b37a-d8d698862f1d&date=2024-02-01T09%3A00%3A00Z",
    },
  },
];

test.each(ROWS)("$name: $tool", async ({ name, tools, left, tool, input, request }) => {
  const text = readFileSync(`test/foreign/openapi/${name}`, "utf8");
  const read = await readDocument(text);
  const imported = read.ok ? importOpenApi(read.value as JsonObject, {}, () => false) : null;
  expect(imported?.tools.length).toBe(tools);
  expect(imported?.left).toEqual(left);
  const found = imported?.tools.find((one) => one.name === tool);
  expect(fillRequest(definitionSchema.parse(found?.definition), input)).toEqual(request);
  for (const { definition } of imported?.tools ?? []) {
    const { method, effect, tier } = definitionSchema.parse(definition);
    expect([effect, tier]).toEqual(method === "GET" ? ["read", "open"] : ["once", "external"]);
  }
});

/** Ways of writing the same document, each as the YAML 1.2 specification, or its type repository for `<<`, has it. */
const PATHS = `paths:
  /a:
    get: {operationId: getA, servers: [{url: https://x.example.com}], responses: {200: {description: ok}}}`;
const ALIKE: readonly (readonly [name: string, text: string])[] = [
  ["a version without quotes, which is a number", `openapi: 3.1\n${PATHS}`],
  [
    "a byte order mark and lines that end as on Windows",
    `\uFEFFopenapi: 3.0.3\n${PATHS}`.replaceAll("\n", "\r\n"),
  ],
  [
    "the marks of a document, and a comment before it",
    `# of us\n%YAML 1.2\n---\nopenapi: "3.0.0"\n${PATHS}\n...\n`,
  ],
  [
    "a flow of braces over lines, with a comment",
    `{openapi: 3.0.0, # x\n paths: {/a: {get: {operationId: getA,\n servers: [{url: "https://x.example.com"}]}}}}`,
  ],
  [
    "an anchor, and a merge of it",
    `openapi: 3.0.0\nx-base: &base\n  servers: [{url: https://x.example.com}]\n  operationId: other\npaths:\n  /a:\n    get:\n      <<: *base\n      operationId: getA\n`,
  ],
  [
    "a merge of a list of anchors, the first of which wins",
    `openapi: 3.0.0\nx: [&one {operationId: getA}, &two {operationId: no, servers: [{url: https://x.example.com}]}]\npaths: {/a: {get: {<<: [*one, *two]}}}\n`,
  ],
];

test.each(ALIKE)("YAML with %s", async (_name, text) => {
  const read = await readDocument(text);
  const imported = read.ok ? importOpenApi(read.value as JsonObject, {}, () => false) : null;
  expect(imported?.tools.map(({ name, definition }) => [name, definition["url"]])).toEqual([
    ["get_a", "https://x.example.com/a"],
  ]);
});

test("dates, yes and no, and large numbers of YAML stay what JSON has for them, and no key sets a prototype", async () => {
  const read = await readDocument("a: 2024-02-01\nb: yes\nc: .inf\nd: 0x10\n__proto__: {polluted: true}\n");
  expect(read).toMatchObject({ ok: true, value: { a: "2024-02-01", b: "yes", c: null, d: 16 } });
  expect(JSON.stringify(read)).toContain('"__proto__":{"polluted":true}');
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each([
  ["a tab as indentation", "a:\n\tb: 1\n", "It is not YAML:"],
  ["two documents", "a: 1\n---\nb: 2\n", "It is not YAML:"],
  ["a tag of a program", "a: !!js/function 'x'\n", "It is not YAML:"],
  ["an alias of what it stands in", "a: &a [*a]\n", "It is nested more than"],
  [
    "aliases of aliases",
    `a0: &a0 [x, x]\n${Array.from({ length: 40 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`).join("\n")}`,
    "It has more than",
  ],
  [
    "a long text that is repeated",
    `a: &a "${"x".repeat(100_000)}"\nb: [${"*a,".repeat(1_000)}]`,
    "It has more than",
  ],
  [
    "merges of merges",
    `b: &b {${Array.from({ length: 2_000 }, (_, at) => `k${at}: 1`).join(", ")}}\nl:\n${"  - <<: *b\n".repeat(2_000)}`,
    "It has more than",
  ],
  ["more lines than a document has", "a: 1\n".repeat(400_000), "It has more than"],
  ["more characters than YAML may have", `a: "${"x".repeat(4_100_000)}"`, "In YAML a document has at most"],
  ["broken JSON", '{"openapi": "3.0.0", "paths": {', "It is not JSON."],
])("a text with %s is refused with the reason", async (_name, text, why) => {
  const read = await readDocument(text);
  expect(read.ok ? "" : read.why).toContain(why);
});

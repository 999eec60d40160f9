import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/log/json.ts";
import { definitionSchema } from "../../../src/tools/stored/definition.ts";
import { fillRequest } from "../../../src/tools/stored/fill.ts";
import { importOpenApi } from "../../../src/tools/stored/openapi.ts";

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
];

test.each(ROWS)("$name: $tool", ({ name, tools, left, tool, input, request }) => {
  const text = readFileSync(`test/foreign/openapi/${name}`, "utf8");
  const imported = importOpenApi(JSON.parse(text) as JsonObject, {}, () => false);
  expect(imported?.tools.length).toBe(tools);
  expect(imported?.left).toEqual(left);
  const found = imported?.tools.find((one) => one.name === tool);
  expect(fillRequest(definitionSchema.parse(found?.definition), input)).toEqual(request);
  for (const { definition } of imported?.tools ?? []) {
    const { method, effect, tier } = definitionSchema.parse(definition);
    expect([effect, tier]).toEqual(method === "GET" ? ["read", "open"] : ["once", "external"]);
  }
});

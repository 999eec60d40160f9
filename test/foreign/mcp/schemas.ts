import type { Json, JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { ForeignRow } from "../row.ts";

/** Input schemas of other people's tools, and what a model is offered instead. */

export interface SchemaValue {
  /** null where the tool is left out */
  readonly offered: JsonObject | null;
  readonly why?: string;
  /** inputs of a model, and what the server receives */
  readonly sent?: readonly (readonly [JsonObject, JsonObject])[];
}

const text: JsonObject = { type: "string" };
const whole = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const ANY: JsonObject = {
  anyOf: [
    text,
    { type: "number" },
    { type: "boolean" },
    { type: "object", properties: {} },
    { type: "array", items: { anyOf: [text, { type: "number" }, { type: "boolean" }] } },
  ],
};
const NO_OBJECT = "Its input schema does not describe an object.";
const SPECIFICATION = "https://json-schema.org/draft/2020-12/json-schema-core";
const OPENAPI = "https://spec.openapis.org/oas/v3.0.3#schema-object";

export const schemas: readonly ForeignRow<Json, SchemaValue>[] = [
  {
    name: "three ways to attach a file, as a root anyOf without fields",
    source: "https://github.com/makenotion/notion-mcp-server/issues/340",
    input: {
      type: "object",
      anyOf: [
        { type: "object", properties: { content: text, name: text }, required: ["content", "name"] },
        { type: "object", properties: { source_url: text, name: text }, required: ["source_url", "name"] },
        {
          type: "object",
          properties: { source_file_id: text },
          required: ["source_file_id"],
          additionalProperties: false,
        },
      ],
    },
    value: {
      offered: whole(
        { content: text, name: text, source_url: text, source_file_id: text },
        { description: "Give one of these: content + name; or source_url + name; or source_file_id." },
      ),
      sent: [[{ source_file_id: "f1" }, { source_file_id: "f1" }]],
    },
  },
  {
    name: "a root anyOf of what is required",
    source: "https://github.com/DeusData/codebase-memory-mcp/issues/1524",
    input: whole(
      { project: text, paths: { type: "array", items: text }, scopes: { type: "array", items: text } },
      { required: ["project"], anyOf: [{ required: ["paths"] }, { required: ["scopes"] }] },
    ),
    value: {
      offered: whole(
        { project: text, paths: { type: "array", items: text }, scopes: { type: "array", items: text } },
        { required: ["project"], description: "Give one of these: paths; or scopes." },
      ),
    },
  },
  {
    name: "a root oneOf, told apart by a constant",
    source: "https://github.com/opentokenz/mcpx/issues/28",
    input: {
      oneOf: [
        whole({ action: { const: "move" }, to: text }, { required: ["action", "to"] }),
        whole({ action: { const: "drop" } }, { required: ["action"] }),
      ],
    },
    value: {
      offered: whole(
        { action: { type: "string", enum: ["move", "drop"] }, to: text },
        { required: ["action"], description: "Give one of these: action + to; or action." },
      ),
      sent: [[{ action: "drop" }, { action: "drop" }]],
    },
  },
  {
    name: "a condition in a root allOf",
    source: "https://github.com/anthropics/claude-code/issues/95504",
    input: whole(
      { mode: { type: "string", enum: ["small", "large"] }, size: { type: "integer" } },
      {
        allOf: [
          {
            if: { properties: { mode: { const: "small" } } },
            then: { properties: { size: { maximum: 10 } } },
          },
        ],
      },
    ),
    value: {
      offered: whole({ mode: { type: "string", enum: ["small", "large"] }, size: { type: "integer" } }),
    },
  },
  {
    name: "a root allOf of references",
    source: SPECIFICATION,
    input: {
      type: "object",
      allOf: [{ $ref: "#/$defs/place" }, { properties: { days: { type: "integer" } }, required: ["days"] }],
      $defs: { place: whole({ town: text }, { required: ["town"] }) },
    },
    value: {
      offered: whole({ town: text, days: { type: "integer" } }, { required: ["town", "days"] }),
      sent: [
        [
          { town: "Farn", days: 2 },
          { town: "Farn", days: 2 },
        ],
      ],
    },
  },
  {
    name: "a reference at the root, as a generator of schemas writes a named type",
    source: "https://github.com/StefanTerdell/zod-to-json-schema",
    input: { $ref: "#/definitions/Input", definitions: { Input: whole({ q: text }, { required: ["q"] }) } },
    value: { offered: whole({ q: text }, { required: ["q"] }) },
  },
  {
    name: "a root not",
    source: "https://github.com/kenn-io/kata/pull/365",
    input: whole({ a: text, b: text }, { not: { required: ["a", "b"] } }),
    value: { offered: whole({ a: text, b: text }, { description: "The server checks more conditions." }) },
  },
  {
    name: "a root enum of whole inputs",
    source: SPECIFICATION,
    input: whole({ size: text }, { enum: [{ size: "s" }, { size: "l" }] }),
    value: { offered: whole({ size: text }, { description: 'One of [{"size":"s"},{"size":"l"}].' }) },
  },
  {
    name: "null for what is required and described",
    source: "https://github.com/enechange/collmbo/pull/384",
    input: {
      type: "object",
      properties: { a: { type: "string", description: null, enum: null } },
      required: null,
    },
    value: { offered: whole({ a: text }), sent: [[{ a: "x" }, { a: "x" }]] },
  },
  {
    name: "null for the fields of a tool that takes nothing",
    source: "https://github.com/enechange/collmbo/pull/384",
    input: { type: "object", properties: null, required: [] },
    value: { offered: whole({}), sent: [[{}, {}]] },
  },
  {
    name: "an empty schema of a tool that takes nothing",
    source: "https://github.com/enechange/collmbo/pull/384",
    input: {},
    value: { offered: whole({}) },
  },
  {
    name: "no type next to the fields",
    source: SPECIFICATION,
    input: { properties: { a: { minLength: 2 }, b: { items: text } } },
    value: { offered: whole({ a: { type: "string", minLength: 2 }, b: { type: "array", items: text } }) },
  },
  {
    name: "a list of types",
    source: "https://github.com/zereight/gitlab-mcp/issues/166",
    input: {
      type: ["object", "null"],
      properties: {
        id: { type: ["string", "number"], description: "Of a project" },
        page: { type: ["integer", "null"], minimum: 1 },
      },
    },
    value: {
      offered: whole({
        id: { anyOf: [{ type: "string", description: "Of a project" }, { type: "number" }] },
        page: { type: "integer", minimum: 1, description: "May be null." },
      }),
      sent: [
        [
          { id: 7, page: 2 },
          { id: 7, page: 2 },
        ],
      ],
    },
  },
  {
    name: "an optional value of pydantic",
    source: "https://docs.pydantic.dev/latest/concepts/json_schema/",
    input: whole({ n: { anyOf: [{ type: "integer" }, { type: "null" }], default: null, title: "N" } }),
    value: { offered: whole({ n: { type: "integer", title: "N" } }) },
  },
  {
    name: "types in capitals",
    source: "https://ai.google.dev/api/caching#Schema",
    input: { type: "OBJECT", properties: { a: { type: "STRING", nullable: true } } },
    value: {
      offered: whole({ a: { type: "string", description: "May be null." } }),
      sent: [[{ a: "x" }, { a: "x" }]],
    },
  },
  {
    name: "required fields that may be null, by the means of each draft",
    source: OPENAPI,
    input: whole(
      {
        end: { type: ["string", "null"], description: "When it ends" },
        who: { oneOf: [{ type: "null" }, { type: "string" }] },
        why: { type: "string", description: "null keeps what is there", nullable: true },
      },
      { required: ["end", "who"] },
    ),
    value: {
      offered: whole(
        {
          end: { type: "string", description: "When it ends. May be null." },
          who: { type: "string", description: "May be null." },
          why: { type: "string", description: "null keeps what is there" },
        },
        { required: ["end", "who"] },
      ),
      sent: [
        [
          { end: null, who: null },
          { end: null, who: null },
        ],
      ],
    },
  },
  {
    name: "fields of OData",
    source: "https://github.com/anthropics/claude-code/issues/34771",
    input: whole(
      { $filter: text, $top: { type: "integer", description: "How many" }, top: text },
      { required: ["$filter"] },
    ),
    value: {
      offered: whole(
        {
          filter: { type: "string", description: 'Sent as "$filter".' },
          top_52608b8b: { type: "integer", description: 'How many. Sent as "$top".' },
          top: text,
        },
        { required: ["filter"] },
      ),
      sent: [
        [
          { filter: "a eq 1", top: "x" },
          { $filter: "a eq 1", top: "x" },
        ],
        // An edited input has the server's names already.
        [
          { $filter: "a eq 1", $top: 3 },
          { $filter: "a eq 1", $top: 3 },
        ],
      ],
    },
  },
  {
    name: "fields of a form, within lists and unions",
    source: "https://github.com/erikmaday/unusual-whales-mcp/pull/57",
    input: whole({
      "rule_name[]": { type: "array", items: whole({ "user[name]": text }, { required: ["user[name]"] }) },
      of: { oneOf: [whole({ "@id": text }), text] },
    }),
    value: {
      offered: whole({
        rule_name: {
          type: "array",
          items: whole(
            { user_name: { type: "string", description: 'Sent as "user[name]".' } },
            { required: ["user_name"] },
          ),
          description: 'Sent as "rule_name[]".',
        },
        of: { anyOf: [whole({ id: { type: "string", description: 'Sent as "@id".' } }), text] },
      }),
      sent: [
        [
          { rule_name: [{ user_name: "Ann" }, { user_name: "Bo" }], of: { id: "7" } },
          { "rule_name[]": [{ "user[name]": "Ann" }, { "user[name]": "Bo" }], of: { "@id": "7" } },
        ],
        [{ of: "x" }, { of: "x" }],
      ],
    },
  },
  {
    name: "a name of 70 characters, and one in another script",
    source: "https://github.com/ComposioHQ/composio/issues/2330",
    input: whole({
      settings__approved__or__denied__countries__or__regions__approved__list: text,
      都市: text,
    }),
    value: {
      offered: whole({
        settings__approved__or__denied__countries__or__regions__approved: {
          type: "string",
          description: 'Sent as "settings__approved__or__denied__countries__or__regions__approved__list".',
        },
        field_d49e2968: { type: "string", description: 'Sent as "都市".' },
      }),
      sent: [[{ field_d49e2968: "Farn" }, { 都市: "Farn" }]],
    },
  },
  {
    name: "lists without the type of their items",
    source: "https://github.com/digitalocean-labs/mcp-digitalocean/issues/265",
    input: whole({ Tags: { type: "array", description: "Tags" }, IDs: { type: "array", items: {} } }),
    value: {
      offered: whole({
        Tags: { type: "array", items: ANY, description: "Tags" },
        IDs: { type: "array", items: ANY },
      }),
      sent: [
        [
          { Tags: ["a"], IDs: [1] },
          { Tags: ["a"], IDs: [1] },
        ],
      ],
    },
  },
  {
    name: "tuples of two drafts",
    source: "https://json-schema.org/understanding-json-schema/reference/array#tupleValidation",
    input: whole({
      range: { type: "array", items: [{ type: "integer" }, { type: "integer" }], additionalItems: false },
      point: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false },
    }),
    value: {
      offered: whole({ range: { type: "array", items: ANY }, point: { type: "array", items: ANY } }),
      sent: [[{ range: [1, 2] }, { range: [1, 2] }]],
    },
  },
  {
    name: "true and false as schemas",
    source: "https://json-schema.org/understanding-json-schema/basics",
    input: whole({ extra: true, gone: false, list: { type: "array", items: true } }),
    value: { offered: whole({ extra: ANY, list: { type: "array", items: ANY } }) },
  },
  {
    name: "values that are no texts, and empty ones",
    source: "https://github.com/zed-industries/zed/pull/29400",
    input: whole({
      size: { type: "integer", enum: [1, 2] },
      sort: { type: "string", enum: ["", "asc"] },
      kind: { enum: ["a", null] },
    }),
    value: {
      offered: whole({
        size: { type: "integer", description: "One of [1,2]." },
        sort: { type: "string", description: 'One of ["","asc"].' },
        kind: { type: "string", enum: ["a"] },
      }),
    },
  },
  {
    name: "bounds of two drafts, and a pattern that no engine compiles",
    source: "https://github.com/pizza-bot-app/pizza-bot/issues/62",
    input: whole({
      n: { type: "integer", exclusiveMinimum: 0, multipleOf: 2 },
      m: { type: "number", minimum: 0, exclusiveMinimum: true },
      s: { type: "string", pattern: "(?i)^[a-z", format: "uri" },
    }),
    value: {
      offered: whole({
        n: { type: "integer", description: "Greater than 0." },
        m: { type: "number", minimum: 0 },
        s: { type: "string", description: "Format: uri." },
      }),
    },
  },
  {
    name: "`required` on the field itself, as draft 3 has it",
    source: "https://datatracker.ietf.org/doc/html/draft-zyp-json-schema-03",
    input: whole({ a: { type: "string", required: true } }),
    value: { offered: whole({ a: text }), sent: [[{ a: "x" }, { a: "x" }]] },
  },
  {
    name: "required fields that are not there",
    source: OPENAPI,
    input: whole({ a: text }, { required: ["a", "a", "b", 7] }),
    value: {
      offered: whole({ a: text }, { required: ["a"] }),
      sent: [
        [
          { a: "x", b: 1 },
          { a: "x", b: 1 },
        ],
      ],
    },
  },
  {
    name: "a tree that refers to itself",
    source: SPECIFICATION,
    input: whole(
      { node: { $ref: "#/$defs/node" } },
      {
        $defs: { node: whole({ name: text, children: { type: "array", items: { $ref: "#/$defs/node" } } }) },
      },
    ),
    value: {
      offered: whole({ node: whole({ name: text, children: { type: "array", items: ANY } }) }),
      sent: [
        [
          { node: { name: "a", children: [{ name: "b" }] } },
          { node: { name: "a", children: [{ name: "b" }] } },
        ],
      ],
    },
  },
  {
    name: "a table of any names",
    source: OPENAPI,
    input: whole({
      headers: { type: "object", additionalProperties: text, propertyNames: { pattern: "^x-" } },
    }),
    value: {
      offered: whole({
        headers: {
          type: "object",
          properties: {},
          description: "Fields of any name, each of the type string.",
        },
      }),
      sent: [[{ headers: { "x-a": "1" } }, { headers: { "x-a": "1" } }]],
    },
  },
  {
    name: "tables next to fields, of lists, and of anything",
    source: SPECIFICATION,
    input: whole({
      named: { type: "object", properties: { a: text }, additionalProperties: { type: "integer" } },
      lists: { type: "object", additionalProperties: { type: "array", items: text } },
      any: { type: "object", additionalProperties: true },
      closed: { type: "object", properties: { a: text }, additionalProperties: false },
    }),
    value: {
      offered: whole({
        named: {
          type: "object",
          properties: { a: text },
          description: "Other fields of any name, each of the type integer.",
        },
        lists: {
          type: "object",
          properties: {},
          description: 'Fields of any name, each of the type {"type":"array","items":{"type":"string"}}.',
        },
        any: { type: "object", properties: {}, description: "Fields of any name." },
        closed: { type: "object", properties: { a: text } },
      }),
      sent: [[{ lists: { x: ["1"] } }, { lists: { x: ["1"] } }]],
    },
  },
  {
    name: "a union at the root in which nothing is an object",
    source: SPECIFICATION,
    input: { anyOf: [text, { type: "array", items: text }] },
    value: { offered: null, why: NO_OBJECT },
  },
  {
    name: "a list at the root",
    source: SPECIFICATION,
    input: { type: "array", items: text },
    value: { offered: null, why: NO_OBJECT },
  },
  {
    name: "a reference to a file",
    source: SPECIFICATION,
    input: whole({ a: { $ref: "common.json#/a" } }),
    value: { offered: null, why: "The schema of what it takes cannot be read." },
  },
];

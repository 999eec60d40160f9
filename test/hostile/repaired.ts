import type { Json, JsonObject } from "../../src/cairn/core/log/json.ts";
import { createLineReader } from "../../src/cairn/models/event-line.ts";
import { fieldNamesOf, renameFields, withRealNames } from "../../src/cairn/tools/input/field-names.ts";
import { loosenedRoot, offeredSchema } from "../../src/cairn/tools/input/offer.ts";
import { repairedResponse } from "../../src/plugins/mcp-client/repair.ts";
import { Oddities } from "../../src/plugins/mcp-client/oddities.ts";
import { StreamEventError } from "../../src/cairn/models/evidence.ts";
import type { Input } from "./parsers.ts";

/** Input that is repaired before it is read: events of models, and the schemas and answers of MCP servers. */

type Row = readonly [name: string, make: () => Input];

const MIB = 1_048_576;
/** values that one event may have, and characters that a schema of a server may have */
const VALUES = 49_000;
const SCHEMA_CHARS = 16_000;
const ANSWER_BYTES = 4_000_000;
/** values that the answers of one conversation may have */
const ANSWER_VALUES = 199_000;
/** levels of JSON that are read */
const LEVELS = 100;

const deep = (levels: number, [open, core, close]: readonly [string, string, string]): string =>
  open.repeat(levels) + core + close.repeat(levels);
const list = (item: string, count: number): string =>
  `[${Array.from({ length: count }, () => item).join(",")}]`;

/** One event. What it is refused with is an answer too; no overflow of the stack is. */
const event = (name: string, make: () => string): Row => [
  `an event of a model with ${name}`,
  () => {
    const line = `data: ${make()}`;
    return () => {
      try {
        return createLineReader()(line);
      } catch (error) {
        if (error instanceof StreamEventError) return error;
        throw error;
      }
    };
  },
];
const delta = (fields: string): string => `{"choices":[{"delta":{${fields}}}]}`;
const call = (args: string): string => `{"function":{"name":"look","arguments":${args}}}`;

const EVENTS: readonly Row[] = [
  event("lists in lists", () => deep(MIB / 2, ["[", "", "]"])),
  event("errors in lists in lists", () => deep(MIB / 8, ["[", '{"error":{"code":1}}', "]"])),
  event("an error of lists in lists", () => `{"error":${deep(MIB / 2, ["[", "", "]"])}}`),
  event("objects in objects", () => deep(MIB / 8, ['{"a":', "1", "}"])),
  event("choices of objects in objects", () => `{"choices":[${deep(MIB / 8, ['{"delta":', "1", "}"])}]}`),
  event("many choices", () => `{"choices":${list("{}", VALUES)}}`),
  event("many failures", () => list('{"error":0}', VALUES / 2)),
  event("many calls", () => delta(`"tool_calls":${list(call("{}"), VALUES / 5)}`)),
  event("one call with arguments of many fields", () =>
    delta(
      `"tool_calls":[${call(`{${Array.from({ length: VALUES / 2 }, (_, at) => `"${at}":{}`).join(",")}}`)}]`,
    ),
  ),
  event("one call with deep arguments", () =>
    delta(`"tool_calls":[${call(deep(LEVELS - 10, ["[", "", "]"]))}]`),
  ),
  event("a content of many parts", () =>
    delta(`"content":${list('{"type":"text","text":"a"}', VALUES / 3)}`),
  ),
  event("thoughts of many parts", () =>
    delta(`"content":[{"type":"thinking","thinking":${list('{"text":"a"}', VALUES / 2)}}]`),
  ),
  event("counts of many names", () => {
    const counts = Array.from({ length: VALUES }, (_, at) => `"c${at}":null`).join(",");
    return `{"usage":{"prompt_tokens_details":{${counts}}}}`;
  }),
];

/** A schema of a server goes through all that is made of it. */
const schema = (name: string, make: () => JsonObject): Row => [
  `a schema of a server with ${name}`,
  () => {
    const given = make();
    const { length } = JSON.stringify(given);
    if (length > SCHEMA_CHARS) throw new Error(`${name}: ${length} characters`);
    return () => {
      loosenedRoot(given);
      const offered = offeredSchema(given);
      if (offered === null) return null;
      const names = fieldNamesOf(offered);
      return [renameFields(offered, names), withRealNames({ a: [{ b: 1 }] }, names)];
    };
  },
];

/** Each schema names the next one so often: without a bound `count` to the power of `levels` are looked at. */
function combined(kind: string, count: number, levels: number): JsonObject {
  const leaf: Json = { type: "object", properties: { a: { type: "string" } } };
  const below = Array.from({ length: levels }, (_, at): [string, Json] => [
    `d${at}`,
    { [kind]: Array.from({ length: count }, () => ({ $ref: `#/$defs/d${at + 1}` })) },
  ]);
  return { $ref: "#/$defs/d0", $defs: { ...Object.fromEntries(below), [`d${levels}`]: leaf } };
}
const inField = ({ $defs = {}, ...given }: JsonObject): JsonObject => ({
  type: "object",
  properties: { a: given, b: { type: "array", items: given } },
  $defs,
});
const deepSchema = (key: string, levels: number): JsonObject =>
  JSON.parse(deep(levels, [`{"${key}":`, '{"type":"string"}', "}"])) as JsonObject;
const numbered = <Value>(count: number, value: (at: number) => Value): readonly Value[] =>
  Array.from({ length: count }, (_, at) => value(at));

const SCHEMAS: readonly Row[] = [
  ...["allOf", "anyOf", "oneOf"].flatMap((kind) => [
    schema(`${kind} in every combination at its root`, () => combined(kind, 75, 8)),
    schema(`${kind} in every combination in its fields`, () => inField(combined(kind, 35, 16))),
    schema(`${kind} within ${kind}`, () => ({
      type: "object",
      ...(JSON.parse(deep(LEVELS / 2 - 3, [`{"${kind}":[`, '{"type":"string"}', "]}"])) as JsonObject),
    })),
  ]),
  schema("fields in fields", () => {
    const fields = deep(LEVELS / 2 - 3, ['{"type":"object","properties":{"a":', '{"type":"string"}', "}}"]);
    return JSON.parse(fields) as JsonObject;
  }),
  schema("lists in lists", () => ({ type: "object", properties: { a: deepSchema("items", LEVELS - 5) } })),
  schema("tables in tables", () => deepSchema("additionalProperties", LEVELS - 5)),
  schema("references in a circle", () => ({
    type: "object",
    properties: { a: { $ref: "#/$defs/d0" } },
    $defs: Object.fromEntries(
      numbered(400, (at): [string, Json] => [`d${at}`, { $ref: `#/$defs/d${(at + 1) % 400}` }]),
    ),
  })),
  schema("many odd names", () => ({
    type: "object",
    properties: Object.fromEntries(numbered(900, (at): [string, Json] => [`$[${at}]`, {}])),
  })),
  schema("many names of no allowed character", () => ({
    type: "object",
    properties: Object.fromEntries(
      numbered(120, (at): [string, Json] => [`${"[".repeat(at)}]`, { type: "null" }]),
    ),
  })),
  schema("many values", () => ({
    type: "object",
    properties: {
      a: { enum: numbered(1_200, (at) => `v${at}`) },
      b: { anyOf: numbered(150, (at) => ({ const: at })) },
    },
  })),
  schema("many types", () => ({
    type: "object",
    properties: { a: { type: numbered(800, () => "string") }, b: { required: numbered(1_000, () => "a") } },
  })),
];

/** An answer of a server, repaired and read to its end. */
const answer = (name: string, type: string, make: () => string): Row => [
  `an answer of a server with ${name}`,
  () => {
    const body = make();
    if (body.length > ANSWER_BYTES) throw new Error(`${name}: ${body.length} characters`);
    return () => {
      const response = new Response(body, { headers: { "content-type": type } });
      return repairedResponse(response, '{"method":"tools/list"}', new Oddities()).text();
    };
  },
];
const JSON_TYPE = "application/json";
const EVENTS_TYPE = "text/event-stream";
const result = (fields: string): string => `{"jsonrpc":"2.0","id":1,"result":{${fields}}}`;

const ANSWERS: readonly Row[] = [
  answer("many nulls", JSON_TYPE, () => result(numbered(ANSWER_VALUES, (at) => `"${at}":null`).join(","))),
  answer("lists in lists", JSON_TYPE, () => result(`"tools":${deep(ANSWER_VALUES, ["[", "", "]"])}`)),
  answer("many tools", JSON_TYPE, () => result(`"tools":${list("{}", ANSWER_VALUES / 2)}`)),
  answer("many messages", JSON_TYPE, () => list(result('"tools":null'), ANSWER_VALUES / 5)),
  answer("many lines", EVENTS_TYPE, () => "data:\n".repeat(660_000)),
  answer("one line", EVENTS_TYPE, () => `data: ${"a".repeat(ANSWER_BYTES - 10)}`),
  answer("many events", EVENTS_TYPE, () => "data: {}\n\n".repeat(ANSWER_VALUES)),
];

export const REPAIRED: readonly Row[] = [...EVENTS, ...SCHEMAS, ...ANSWERS];

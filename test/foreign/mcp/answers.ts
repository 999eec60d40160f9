import type { Json, JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { ForeignRow } from "../row.ts";

/** Results of calls as servers send them, and what a run receives. */

const RESULT = "https://modelcontextprotocol.io/specification/2025-11-25/schema#calltoolresult";
const BLOCK = "https://modelcontextprotocol.io/specification/2025-11-25/schema#contentblock";
const text = (words: string, more: JsonObject = {}): Json => ({ type: "text", text: words, ...more });

export const answers: readonly ForeignRow<JsonObject, Json>[] = [
  {
    name: "null for every optional field",
    source: RESULT,
    input: { content: [text("Done.")], structuredContent: null, isError: null, _meta: null },
    value: { text: "Done." },
  },
  {
    name: "null fields in a text",
    source: BLOCK,
    input: { content: [text("Done.", { annotations: null, _meta: null })] },
    value: { text: "Done." },
  },
  {
    name: "null fields in a link",
    source: BLOCK,
    input: {
      content: [
        {
          type: "resource_link",
          uri: "file:///a",
          name: "a",
          title: null,
          mimeType: null,
          description: null,
          size: null,
        },
      ],
    },
    value: { others: [{ link: "file:///a", name: "a" }] },
  },
  {
    name: "a null type of an embedded file",
    source: BLOCK,
    input: {
      content: [
        {
          type: "resource",
          resource: { uri: "file:///a", mimeType: null, text: "A.", blob: null },
          annotations: null,
        },
      ],
    },
    value: { text: "file:///a:\nA." },
  },
  {
    name: "null content next to structured content, whose nulls stay",
    source: RESULT,
    input: { content: null, structuredContent: { price: null } },
    value: { structured: { price: null } },
  },
  {
    name: "null content alone",
    source: RESULT,
    input: { content: null },
    value: {},
  },
  {
    name: "the text `true` for an error",
    source: RESULT,
    input: { content: [text("No such town.")], isError: "true" },
    value: "ToolError: raw's t says that it failed.",
  },
];

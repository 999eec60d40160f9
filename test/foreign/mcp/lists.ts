import type { Json, JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { ForeignRow } from "../row.ts";

/** Lists of tools as servers send them: by the cursor that is asked for, `` for the first page. */
export type Pages = (cursor: string | undefined) => JsonObject;

export interface ListValue {
  readonly tools: readonly string[];
  /** requests for the list */
  readonly requests: number;
  readonly odd: readonly string[];
  readonly left?: readonly string[];
}

const takes = { type: "object", properties: {} };
const tool = (name: string, more: Record<string, Json> = {}): Json => ({ name, inputSchema: takes, ...more });
const page = (...tools: readonly Json[]): JsonObject => ({ tools });
const one = page(tool("search"));
const result = (fields: JsonObject): JsonObject => ({ result: fields });

export const lists: readonly ForeignRow<Pages, ListValue>[] = [
  {
    name: "a null cursor at the end",
    source: "https://github.com/Hmbown/Codewhale/issues/5335",
    input: () => result({ ...one, nextCursor: null }),
    value: { tools: ["search"], requests: 1, odd: ["A list has `nextCursor: null`."] },
  },
  {
    name: "an empty cursor at the end, for which the list begins again",
    source: "https://github.com/modelcontextprotocol/java-sdk/issues/628",
    input: () => result({ ...one, nextCursor: "" }),
    value: {
      tools: ["search"],
      requests: 2,
      odd: [
        "A list has an empty `nextCursor` (2 times).",
        "The server lists the same tools again for another cursor.",
      ],
    },
  },
  {
    name: "an empty cursor behind which there is a page",
    source: "https://github.com/MCPJam/inspector/pull/4462",
    input: (cursor) => result(cursor === "" ? page(tool("fetch")) : { ...one, nextCursor: "" }),
    value: { tools: ["search", "fetch"], requests: 2, odd: ["A list has an empty `nextCursor`."] },
  },
  {
    name: "the same cursor and the same tools for ever",
    source: "https://github.com/DeusData/codebase-memory-mcp/issues/1247",
    input: () => result({ ...one, nextCursor: "8" }),
    value: {
      tools: ["search"],
      requests: 2,
      odd: ["The server lists the same tools again for another cursor."],
    },
  },
  {
    name: "cursors in a circle",
    source: "https://github.com/openai/openai-agents-python/pull/4086",
    input: (cursor) =>
      result(
        cursor === undefined
          ? { ...page(tool("one")), nextCursor: "a" }
          : cursor === "a"
            ? { ...page(tool("two")), nextCursor: "b" }
            : { ...page(tool("three")), nextCursor: "a" },
      ),
    value: {
      tools: ["one", "two", "three"],
      requests: 3,
      odd: ["The server sends a `nextCursor` again that it has sent before."],
    },
  },
  {
    name: "another cursor each time, and no more tools",
    source: "https://github.com/modelcontextprotocol/csharp-sdk/issues/1072",
    input: (cursor) =>
      result({ tools: cursor === undefined ? [tool("search")] : [], nextCursor: `${cursor ?? ""}x` }),
    value: {
      tools: ["search"],
      requests: 3,
      odd: ["The server sends empty pages and a `nextCursor` after them."],
    },
  },
  {
    name: "a cursor that the server does not accept itself",
    source: "https://github.com/MongLong0214/logic-pro-mcp/issues/218",
    input: (cursor) =>
      cursor === undefined
        ? result({ ...one, nextCursor: "null" })
        : { error: { code: -32_602, message: "Invalid cursor" } },
    value: { tools: ["search"], requests: 2, odd: ["The server refuses a cursor that it has sent."] },
  },
  {
    name: "a page number as the cursor",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination",
    input: (cursor) => result(cursor === "2" ? page(tool("fetch")) : { ...one, nextCursor: 2 }),
    value: {
      tools: ["search", "fetch"],
      requests: 2,
      odd: ["A list has a `nextCursor` that is no text."],
    },
  },
  {
    name: "zero as the cursor of the second page",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination",
    input: (cursor) => result(cursor === "0" ? page(tool("fetch")) : { ...one, nextCursor: 0 }),
    value: {
      tools: ["search", "fetch"],
      requests: 2,
      odd: ["A list has a `nextCursor` that is no text."],
    },
  },
  {
    name: "an object as the cursor",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination",
    input: () => result({ ...one, nextCursor: { page: 2 } }),
    value: { tools: ["search"], requests: 1, odd: ["A list has a `nextCursor` that is no text."] },
  },
  {
    name: "two pages in turn, for ever",
    source: "https://github.com/openai/openai-agents-python/pull/4086",
    input: (cursor) =>
      result({ ...page(tool(cursor === "a" ? "fetch" : "search")), nextCursor: cursor === "a" ? "b" : "a" }),
    value: {
      tools: ["search", "fetch"],
      requests: 3,
      odd: ["The server lists the same tools again for another cursor."],
    },
  },
  {
    name: "two tools of one name, on two pages",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool",
    input: (cursor) =>
      result(cursor === undefined ? { ...one, nextCursor: "2" } : page(tool("search"), tool("fetch"))),
    value: {
      tools: ["search", "fetch"],
      requests: 2,
      odd: [],
      left: ["search: The server lists it twice."],
    },
  },
  {
    name: "`false` as the cursor",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination",
    input: () => result({ ...one, nextCursor: false }),
    value: { tools: ["search"], requests: 1, odd: ["A list has a `nextCursor` that is no text."] },
  },
  {
    name: "null annotations, as Rust serializes them",
    source: "https://github.com/Roblox/studio-rust-mcp-server/issues/6",
    input: () => result(page(tool("run_code", { annotations: null }), tool("insert_model"))),
    value: { tools: ["run_code", "insert_model"], requests: 1, odd: ["A tool has `annotations: null`."] },
  },
  {
    name: "null hints in the annotations",
    source: "https://github.com/r33drichards/mcp-js/pull/117",
    input: () => result(page(tool("run_js", { annotations: { readOnlyHint: null, title: null } }))),
    value: { tools: ["run_js"], requests: 1, odd: ["A tool has nulls in its `annotations`."] },
  },
  {
    name: "every optional field of a tool as null",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool",
    input: () =>
      result(
        page(
          tool("a", {
            title: null,
            description: null,
            outputSchema: null,
            annotations: null,
            icons: null,
            execution: null,
            _meta: null,
          }),
          tool("b", { title: null }),
        ),
      ),
    value: {
      tools: ["a", "b"],
      requests: 1,
      odd: [
        "A tool has `title: null` (2 times).",
        "A tool has `description: null`.",
        "A tool has `outputSchema: null`.",
        "A tool has `annotations: null`.",
        "A tool has `icons: null`.",
        "A tool has `execution: null`.",
        "A tool has `_meta: null`.",
      ],
    },
  },
  {
    name: "a title and a description that are no texts",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool",
    input: () => result(page(tool("a", { title: 7, description: ["Finds", "things"] }))),
    value: {
      tools: ["a"],
      requests: 1,
      odd: ["A tool has a `title` that is no text.", "A tool has a `description` that is no text."],
    },
  },
  {
    name: "an output schema without a type",
    source: "https://github.com/opentokenz/mcpx/issues/28",
    input: () => result(page(tool("mcp_tool", { outputSchema: { $id: "x.v1" } }), tool("plan"))),
    value: { tools: ["mcp_tool", "plan"], requests: 1, odd: [] },
  },
  {
    name: "null `_meta` in the answer",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#listtoolsresult",
    input: () => result({ ...one, _meta: null }),
    value: { tools: ["search"], requests: 1, odd: ["A list has `_meta: null`."] },
  },
  {
    name: "null `error` next to the result, as JSON-RPC 1.0 has it",
    source: "https://www.jsonrpc.org/specification_v1",
    input: () => ({ result: one, error: null }),
    value: {
      tools: ["search"],
      requests: 1,
      odd: ["An answer has `error: null` next to its `result`."],
    },
  },
  {
    name: "null freshness, which the newer revision wants",
    source: "https://modelcontextprotocol.io/specification/draft/schema#listtoolsresult",
    input: () => result({ ...one, ttlMs: null, cacheScope: null, resultType: null }),
    value: {
      tools: ["search"],
      requests: 1,
      odd: ["A list has `ttlMs: null`.", "A list has `cacheScope: null`.", "A list has `resultType: null`."],
    },
  },
  {
    name: "null in place of an empty list",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#listtoolsresult",
    input: () => result({ tools: null }),
    value: { tools: [], requests: 1, odd: ["A list has `tools: null`."] },
  },
  {
    name: "one tool without a schema among others",
    source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool",
    input: () => result(page({ name: "ping" }, tool("search"))),
    value: {
      tools: ["search"],
      requests: 1,
      odd: [],
      left: ["ping: Its input schema does not describe an object."],
    },
  },
];

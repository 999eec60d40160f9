import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/core/log/json.ts";
import type { ToolOffer } from "../../../src/core/log/model.ts";
import { runCode, runNetworkedCode } from "../../../src/tools/code/run-code.ts";
import { readFile } from "../../../src/tools/files/read-file.ts";
import { scholarSearch } from "../../../src/tools/web/scholar/scholar-search.ts";
import { webSearch } from "../../../src/tools/web/search/web-search.ts";
import { visit } from "../../../src/tools/web/visit.ts";
import { hear } from "../../core/dialects/read-reply.ts";
import { RESEARCH_CALLS } from "./research-calls.ts";

/** Words of a model that knows DeepResearch's tools become calls of Cairn's tools, with the schemas that they really have. */

const TOOLS = [webSearch, visit, scholarSearch, runCode, readFile];
const offer = (tool: (typeof TOOLS)[number] | typeof runNetworkedCode): ToolOffer => ({
  name: tool.definition.name,
  description: "",
  inputSchema: z.toJSONSchema(tool.definition.input, { io: "input" }) as unknown as JsonObject,
});
const OFFERS = TOOLS.map(offer);
const callsOf = (reply: string, offers: readonly ToolOffer[] = OFFERS, dialect: "tags" | "json" = "tags") =>
  hear(dialect, [reply], offers).read.calls.map(({ tool, input }) => [tool, input]);

describe("a reply of DeepResearch's model", () => {
  test.each(RESEARCH_CALLS.map((row) => [row.name, row] as const))("%s", (_, { input, value }) => {
    expect(callsOf(input)).toEqual(value);
    // However it comes in.
    expect(hear("tags", [...input], OFFERS)).toEqual(hear("tags", [input], OFFERS));
  });

  test.each(RESEARCH_CALLS.flatMap(({ value }) => value))("%s takes %j", (tool, input) => {
    const { definition } = TOOLS.find((one) => one.definition.name === tool) ?? webSearch;
    expect(definition.input.safeParse(input).error?.issues ?? []).toEqual([]);
  });

  test("a program runs in the sandbox with a network where that is the one that runs Python", () => {
    const networked = [...OFFERS, offer(runNetworkedCode)];
    const reply =
      '<tool_call>\n{"name": "PythonInterpreter", "arguments": {}}\n<code>\nprint(1)\n</code>\n</tool_call>';
    expect(callsOf(reply, networked)).toEqual([["run_networked_code", { code: "print(1)" }]]);
  });

  test("scholarly works are looked for in the web where nothing else is offered", () => {
    const reply = '<tool_call>{"name": "google_scholar", "arguments": {"query": ["a"]}}</tool_call>';
    expect(callsOf(reply, [offer(webSearch)])).toEqual([["web_search", { queries: ["a"] }]]);
    expect(callsOf(reply, [offer(readFile)])).toEqual([["google_scholar", { query: ["a"] }]]);
  });

  test("a tool that is offered under such a name is itself", () => {
    const own: ToolOffer = {
      name: "search",
      description: "Searches the house",
      inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    };
    const reply = '<tool_call>{"name": "search", "arguments": {"query": "a"}}</tool_call>';
    expect(callsOf(reply, [...OFFERS, own])).toEqual([["search", { query: "a" }]]);
  });

  test("in JSON too", () => {
    const reply = '{"thought": "x", "action": "search", "action_input": {"query": ["a"]}}';
    expect(callsOf(reply, OFFERS, "json")).toEqual([["web_search", { queries: ["a"] }]]);
  });
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { ToolOffer } from "../../../src/cairn/core/log/model.ts";
import { runCode, runNetworkedCode } from "../../../src/plugins/code/run-code.ts";
import { readFile } from "../../../src/plugins/files/read-file.ts";
import { scholarSearch } from "../../../src/plugins/scholar/scholar-search.ts";
import { webSearch } from "../../../src/plugins/web/search/web-search.ts";
import { visit } from "../../../src/plugins/web/visit.ts";
import { hear } from "../../cairn/core/dialects/read-reply.ts";
import { createProviders } from "../../../src/cairn/models/providers.ts";
import { createModel } from "../../../src/cairn/models/step.ts";
import { RESEARCH_CALLS, RESEARCH_CALLS_ON_THE_WIRE } from "./research-calls.ts";

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

/** The calls that Cairn makes of one call on the wire. */
async function wireCalls(name: string, args: string, offers: readonly ToolOffer[] = OFFERS) {
  const event = (delta: unknown, finish: string | null): string =>
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const call = { index: 0, id: "a", type: "function", function: { name, arguments: args } };
  const body = `${event({ role: "assistant", tool_calls: [call] }, null)}${event({}, "tool_calls")}data: [DONE]\n\n`;
  const providers = createProviders({
    ai: null,
    openaiCompatible: {
      baseUrl: "https://models.example/v1",
      apiKey: "key-1",
      headers: {},
      reportsCost: false,
    },
    openrouter: null,
    gatewayId: null,
    fetch: () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })),
  });
  const outcome = await createModel({ providers }).call(
    {
      model: "openai-compatible:m",
      session: "s1",
      step: "r1s1",
      attempt: 1,
      instructions: "Research.",
      messages: [{ role: "user", parts: [{ type: "text", text: "When is the tide?" }] }],
      tools: offers,
      maxOutputTokens: 100,
      temperature: null,
      timeoutMs: 5_000,
      dialect: "native",
      takesWritten: true,
    },
    () => undefined,
    new AbortController().signal,
  );
  if (outcome.kind !== "replied") throw new Error(JSON.stringify(outcome));
  return outcome.reply.parts.flatMap((part) => (part.type === "call" ? [[part.tool, part.input]] : []));
}

describe("a native call of DeepResearch's model", () => {
  test.each(RESEARCH_CALLS_ON_THE_WIRE.map((row) => [row.name, row] as const))(
    "%s",
    async (_, { input: [name, args], value }) => {
      expect(await wireCalls(name, args)).toEqual(value);
    },
  );

  test("a tool that is offered under such a name is itself", async () => {
    const own: ToolOffer = {
      name: "search",
      description: "Searches the house",
      inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    };
    expect(await wireCalls("search", '{"query":"a"}', [...OFFERS, own])).toEqual([
      ["search", { query: "a" }],
    ]);
  });

  test("stays unknown where none of its tools is offered", async () => {
    expect(await wireCalls("search", '{"query":"a"}', [offer(readFile)])).toEqual([
      ["search", { query: "a" }],
    ]);
  });

  test("broken arguments are reported under the tool that is meant", async () => {
    expect(await wireCalls("search", '{"query":["a"')).toEqual([["web_search", null]]);
    expect(await wireCalls("PythonInterpreter", '{"code":"pri')).toEqual([["run_code", null]]);
  });
});

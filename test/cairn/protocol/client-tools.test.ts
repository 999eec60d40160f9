import { describe, expect, it } from "vitest";
import {
  CLIENT_DESCRIPTION_CHARS_MAX,
  CLIENT_ERROR_CHARS_MAX,
  CLIENT_OUTPUT_BYTES_MAX,
  CLIENT_TOOLS_CHARS_MAX,
  CLIENT_TOOLS_MAX,
} from "../../../src/cairn/core/limits.ts";
import { parseChatBody, readChatBody } from "../../../src/cairn/protocol/chat-body.ts";
import { readClientResult, readClientTools } from "../../../src/cairn/protocol/client-tools.ts";
import { parseFrame } from "../../../src/cairn/protocol/frames.ts";

const NOTHING = { type: "object", properties: {} };
const deep = (levels: number): unknown =>
  levels === 0 ? { type: "string" } : { type: "object", properties: { a: deep(levels - 1) } };

describe("clientTools of a body", () => {
  it("are taken as useAgentChat sends them", () => {
    const parameters = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { unit: { type: "string", enum: ["m", "ft"] } },
      required: ["unit"],
      additionalProperties: false,
    };
    const { $schema: _dialect, ...inputSchema } = parameters;
    expect(
      readClientTools([
        { name: "getLocation", description: "Where the person is.", parameters },
        { name: "get-time" },
      ]),
    ).toEqual({
      ok: true,
      value: [
        { name: "getLocation", description: "Where the person is.", inputSchema },
        { name: "get-time", description: "", inputSchema: NOTHING },
      ],
    });
    expect(readClientTools(undefined)).toEqual({ ok: true, value: [] });
    expect(readClientTools(null)).toEqual({ ok: true, value: [] });
  });

  it.each([
    ["no list", {}, "clientTools is a list."],
    ["a text", ["look"], /^clientTools\[0\]: /],
    ["a name with a space", [{ name: "get it" }], /^clientTools\[0\]: name: 1 to 64/],
    ["no name", [{ description: "x" }], /^clientTools\[0\]: name: /],
    ["a name twice", [{ name: "a" }, { name: "a" }], "clientTools has a twice."],
    [
      "too many tools",
      Array.from({ length: CLIENT_TOOLS_MAX + 1 }, (_, n) => ({ name: `t${n}` })),
      `clientTools has at most ${CLIENT_TOOLS_MAX} tools.`,
    ],
    [
      "a long description",
      [{ name: "a", description: "x".repeat(CLIENT_DESCRIPTION_CHARS_MAX + 1) }],
      /^clientTools\[0\]: description: /,
    ],
    ["parameters of a list", [{ name: "a", parameters: { type: "array" } }], /"object"/],
    ["parameters that are no schema", [{ name: "a", parameters: [] }], /"object"/],
    ["a deep schema", [{ name: "a", parameters: deep(9) }], /levels deep/],
    [
      "a schema that refers to itself",
      [{ name: "a", parameters: { type: "object", properties: { a: { $ref: "#" } } } }],
      /may refer to itself/,
    ],
    [
      "a schema that refers elsewhere",
      [
        {
          name: "a",
          parameters: { type: "object", properties: { a: { $ref: "https://evil.example/s.json" } } },
        },
      ],
      /\$ref/,
    ],
    [
      "more text than one request may hold",
      Array.from({ length: 20 }, (_, n) => ({ name: `t${n}`, description: "x".repeat(2_000) })),
      `clientTools has more than ${CLIENT_TOOLS_CHARS_MAX} characters as JSON.`,
    ],
  ])("are refused: %s", (_, value, message) => {
    const read = readClientTools(value);
    expect(read.ok ? "" : read.error).toMatch(message);
  });

  it("are refused with the body, before its message", () => {
    const body = {
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "hi" }] }],
      clientTools: [{ name: "" }],
    };
    expect(parseChatBody(JSON.stringify(body))).toMatchObject({
      kind: "refused",
      status: 422,
      code: "invalid_client_tools",
    });
  });
});

describe("outputs of a body", () => {
  const tool = (call: string, output: unknown, more: object = {}) => ({
    type: "tool-getLocation",
    toolCallId: call,
    state: "output-available",
    input: {},
    output,
    ...more,
  });
  const assistant = (...parts: unknown[]) => ({ id: "ses.r1", role: "assistant", parts });

  it("are those of the last step of the last message of the assistant", () => {
    const messages = [
      assistant(tool("r1s1c0", "old")),
      { id: "m2", role: "user", parts: [{ type: "text", text: "again" }] },
      assistant(
        { type: "step-start" },
        tool("r2s1c0", "earlier"),
        { type: "step-start" },
        { type: "text", text: "I look." },
        tool("r2s2c0", { lat: 1 }),
        tool("r2s2c1", undefined, { state: "output-error", errorText: " denied " }),
        tool("r2s2c2", undefined, { state: "input-available" }),
        {
          type: "dynamic-tool",
          toolName: "ask_human",
          toolCallId: "r2s2c3",
          state: "output-available",
          output: "x",
        },
      ),
    ];
    expect(readChatBody({ messages })).toEqual({
      kind: "decide",
      answers: [{ call: "r2s2c3", value: "x" }],
      outputs: [
        { call: "r2s2c0", result: { kind: "output", value: { lat: 1 } } },
        { call: "r2s2c1", result: { kind: "error", text: "denied" } },
      ],
    });
  });

  it("are bounded, and an error always says something", () => {
    expect(readClientResult({ output: "x".repeat(CLIENT_OUTPUT_BYTES_MAX - 2) }).kind).toBe("output");
    expect(readClientResult({ output: "x".repeat(CLIENT_OUTPUT_BYTES_MAX - 1) })).toEqual({
      kind: "too_large",
    });
    expect(readClientResult({ output: "é".repeat(CLIENT_OUTPUT_BYTES_MAX / 2) })).toEqual({
      kind: "too_large",
    });
    expect(readClientResult({})).toEqual({ kind: "output", value: null });
    const long = readClientResult({ state: "output-error", errorText: "x".repeat(5_000) });
    expect(long.kind === "error" && long.text).toHaveLength(CLIENT_ERROR_CHARS_MAX);
    expect(readClientResult({ state: "output-error", errorText: 7 })).toMatchObject({
      kind: "error",
      text: "The client gave no reason.",
    });
  });

  it("come in a frame with an error and without an output", () => {
    const frame = { type: "cf_agent_tool_result", toolCallId: "r1s1c0", toolName: "x" };
    const parsed = parseFrame(JSON.stringify({ ...frame, state: "output-error", errorText: "no" }));
    expect(parsed).toMatchObject({ kind: "stock", frame: { state: "output-error", errorText: "no" } });
  });
});

import { describe, expect, it } from "vitest";
import type { PromptMessage, ReplyPart } from "../../../src/cairn/core/log/model.ts";
import { toPrompt } from "../../../src/cairn/models/messages.ts";

const call = (input: Extract<ReplyPart, { type: "call" }>["input"]): ReplyPart => ({
  type: "call",
  call: "r1s1c0",
  tool: "look",
  input,
});

const RESULT: PromptMessage = {
  role: "tool",
  results: [{ call: "r1s1c0", tool: "look", observation: "seen", failed: false }],
};

describe("toPrompt", () => {
  it("keeps roles, order, call names and the provider's own options", () => {
    expect(
      toPrompt("", [
        { role: "user", parts: [{ type: "text", text: "hello" }] },
        {
          role: "assistant",
          parts: [
            { type: "reasoning", text: "", options: { anthropic: { signature: "abc" } } },
            { type: "text", text: "I look." },
            {
              type: "call",
              call: "r1s1c0",
              tool: "look",
              input: { at: 1 },
              options: { google: { thought: "x" } },
            },
            { type: "call", call: "r1s1c1", tool: "look", input: { at: 2 } },
          ],
        },
        {
          role: "tool",
          results: [
            { call: "r1s1c0", tool: "look", observation: "seen", failed: false },
            { call: "r1s1c1", tool: "look", observation: "nothing there", failed: true },
          ],
        },
      ]),
    ).toEqual([
      { role: "user", content: [{ type: "text", text: "hello" }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "", providerOptions: { anthropic: { signature: "abc" } } },
          { type: "text", text: "I look." },
          {
            type: "tool-call",
            toolCallId: "000100100",
            toolName: "look",
            input: { at: 1 },
            providerOptions: { google: { thought: "x" } },
          },
          { type: "tool-call", toolCallId: "000100101", toolName: "look", input: { at: 2 } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "000100100",
            toolName: "look",
            output: { type: "text", value: "seen" },
          },
          {
            type: "tool-result",
            toolCallId: "000100101",
            toolName: "look",
            output: { type: "error-text", value: "nothing there" },
          },
        ],
      },
    ]);
  });

  it.each([
    [
      "data:image/png;base64,iVBORw==",
      { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw==" } },
    ],
    [
      "data:,caf%C3%A9",
      { type: "file", mediaType: "image/png", data: { type: "data", data: btoa("cafÃ©") } },
    ],
    [
      "https://example.com/a.png",
      { type: "text", text: "[file, not included: image/png https://example.com/a.png]" },
    ],
    ["data:image/png;base64", { type: "text", text: "[file, not included: image/png data:]" }],
    ["data:,%zz", { type: "text", text: "[file, not included: image/png data:]" }],
  ])("sends a file only when it is inline: %s", (url, part) => {
    expect(toPrompt("", [{ role: "user", parts: [{ type: "file", mediaType: "image/png", url }] }])).toEqual([
      { role: "user", content: [part] },
    ]);
  });

  it.each([
    [null, {}],
    ["half", { input: "half" }],
    [[1], { input: [1] }],
  ])("sends the arguments %j as an object", (input, sent) => {
    expect(toPrompt("", [{ role: "assistant", parts: [call(input)] }, RESULT])).toMatchObject([
      { content: [{ type: "tool-call", input: sent }] },
      { role: "tool" },
    ]);
  });

  it("begins with the instructions, when there are any", () => {
    const said: PromptMessage = { role: "user", parts: [{ type: "text", text: "hello" }] };
    expect(toPrompt("Be brief.", [said])[0]).toEqual({ role: "system", content: "Be brief." });
    expect(toPrompt("", [said])).toHaveLength(1);
  });

  const BLANKS: readonly ReplyPart[] = [
    { type: "text", text: "" },
    { type: "text", text: "\u200b" },
    { type: "text", text: " \n\u00a0\u2800" },
    { type: "text", text: "\u2063\u200d", options: { p: { item: "i1" } } },
    { type: "reasoning", text: " \u2060\ufeff " },
    { type: "reasoning", text: "\u3164" },
  ];
  const GO: PromptMessage = { role: "user", parts: [{ type: "text", text: "go" }] };

  it("leaves out a text and a thought without a visible character", () => {
    const signed: ReplyPart = { type: "reasoning", text: "\u200b", options: { p: { encrypted: "e1" } } };
    const [, message] = toPrompt("", [
      GO,
      { role: "assistant", parts: [...BLANKS, signed, { type: "text", text: "Yes." }] },
    ]);
    expect(message?.content).toEqual([
      { type: "reasoning", text: "", providerOptions: { p: { encrypted: "e1" } } },
      { type: "text", text: "Yes." },
    ]);
  });

  it("leaves out a message of which nothing is left", () => {
    const thought: ReplyPart = { type: "reasoning", text: "I wait." };
    const blank: PromptMessage = { role: "user", parts: [{ type: "text", text: "\u200b\u3164" }] };
    const messages: PromptMessage[] = [GO, { role: "assistant", parts: [...BLANKS, thought] }, blank];
    expect(toPrompt("\u200b ", messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "go" }] },
    ]);
  });

  it("names a result without a visible character", () => {
    const [, , results] = toPrompt("", [
      GO,
      { role: "assistant", parts: [{ type: "call", call: "r1s1c0", tool: "look", input: {} }] },
      { role: "tool", results: [{ call: "r1s1c0", tool: "look", observation: "\u2060\n", failed: false }] },
    ]);
    expect(results?.content).toMatchObject([{ output: { type: "text", value: "(nothing)" } }]);
  });

  it("gives each answer a field of thoughts where the provider wants it", () => {
    const messages: PromptMessage[] = [
      GO,
      { role: "assistant", parts: [{ type: "text", text: "Yes." }] },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "I am sure." },
          { type: "text", text: "Very much." },
        ],
      },
    ];
    const options = (always: boolean): unknown[] =>
      toPrompt("", messages, always).map(({ providerOptions }) => providerOptions);
    expect(options(true)).toEqual([undefined, { openaiCompatible: { reasoning_content: "" } }, undefined]);
    expect(options(false)).toEqual([undefined, undefined, undefined]);
  });

  it.each<[string, PromptMessage[]]>([
    ["at the end", []],
    ["when a person speaks", [{ role: "user", parts: [{ type: "text", text: "and?" }] }, RESULT]],
  ])("refuses a call without a result %s", (_, rest) => {
    const asked: PromptMessage = { role: "assistant", parts: [call({})] };
    expect(() => toPrompt("", [asked, ...rest])).toThrow("r1s1c0");
    expect(() => toPrompt("", [asked, RESULT])).not.toThrow();
  });

  it("leaves out messages without content", () => {
    expect(
      toPrompt("", [
        { role: "user", parts: [] },
        { role: "assistant", parts: [] },
        { role: "tool", results: [] },
      ]),
    ).toEqual([]);
  });
});

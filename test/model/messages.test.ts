import { describe, expect, it } from "vitest";
import type { PromptMessage, ReplyPart } from "../../src/core/log/model.ts";
import { toPrompt } from "../../src/model/messages.ts";

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
            toolCallId: "r1s1c0",
            toolName: "look",
            input: { at: 1 },
            providerOptions: { google: { thought: "x" } },
          },
          { type: "tool-call", toolCallId: "r1s1c1", toolName: "look", input: { at: 2 } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "r1s1c0",
            toolName: "look",
            output: { type: "text", value: "seen" },
          },
          {
            type: "tool-result",
            toolCallId: "r1s1c1",
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

  it("leaves out a text without words, unless its provider attached something to it", () => {
    const [, message] = toPrompt("", [
      { role: "user", parts: [{ type: "text", text: "go" }] },
      {
        role: "assistant",
        parts: [
          { type: "text", text: "" },
          { type: "text", text: "", options: { p: { item: "i1" } } },
        ],
      },
    ]);
    expect(message?.content).toEqual([{ type: "text", text: "", providerOptions: { p: { item: "i1" } } }]);
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

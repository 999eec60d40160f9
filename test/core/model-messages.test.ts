import { describe, expect, it } from "vitest";
import type { ReplyPart } from "../../src/core/model.ts";
import { toModelMessages } from "../../src/model/messages.ts";

const call = (input: Extract<ReplyPart, { type: "call" }>["input"]): ReplyPart => ({
  type: "call",
  call: "r1s1c0",
  tool: "look",
  input,
});

describe("toModelMessages", () => {
  it("keeps roles, order, call names and the provider's own options", () => {
    expect(
      toModelMessages([
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
    expect(
      toModelMessages([{ role: "user", parts: [{ type: "file", mediaType: "image/png", url }] }]),
    ).toEqual([{ role: "user", content: [part] }]);
  });

  it.each([
    [null, {}],
    ["half", { input: "half" }],
    [[1], { input: [1] }],
  ])("sends the arguments %j as an object", (input, sent) => {
    expect(toModelMessages([{ role: "assistant", parts: [call(input)] }])).toMatchObject([
      { content: [{ type: "tool-call", input: sent }] },
    ]);
  });

  it("leaves out messages without content", () => {
    expect(
      toModelMessages([
        { role: "user", parts: [] },
        { role: "assistant", parts: [] },
        { role: "tool", results: [] },
      ]),
    ).toEqual([]);
  });
});

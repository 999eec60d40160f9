import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { createWorkersAI } from "workers-ai-provider";
import { createBindingModel } from "../../src/model/chat/models.ts";
import {
  ANSWERS,
  asked,
  body,
  CALL,
  called,
  chunk,
  collect,
  file,
  look,
  text,
  USAGE,
} from "./chat-fixture.ts";

describe("a model behind the binding, beside workers-ai-provider", () => {
  async function both(
    call: LanguageModelV4CallOptions,
    answer: () => unknown,
    modelId = "@cf/test/m",
    gatewayId: string | null = null,
  ) {
    const sent: unknown[] = [];
    const ai = {
      run: async (...args: unknown[]) => {
        sent.push(JSON.parse(JSON.stringify(args)));
        return answer();
      },
    } as unknown as Ai;
    const theirs = createWorkersAI({
      binding: ai,
      ...(gatewayId === null ? {} : { gateway: { id: gatewayId } }),
    });
    return {
      theirs: await collect(theirs.chat(modelId, { sessionAffinity: "s1" }), call),
      ours: await collect(createBindingModel(modelId, { ai, gatewayId, session: "s1" }), call),
      sent,
    };
  }
  it("says of a stream that breaks off that it has no end", async () => {
    const { ours, theirs } = await both(CALL, () => body([chunk({ content: "half" })]));
    expect(theirs).toMatchObject({ text: "half", finish: "error" });
    expect(ours).toMatchObject({ text: "half", finish: "other" });
  });

  const ended = () => body([chunk({}, "stop"), "[DONE]"]);

  it.each<[string, LanguageModelV4CallOptions]>([
    ["a whole history", CALL],
    ["a message and nothing else", asked(text("hi"))],
    ["an image", asked(text("what"), file("image/png"), text("is it?"))],
    ["an image alone", asked(file("image/png"))],
  ])("sends the same for %s", async (_, call) => {
    const { sent } = await both(call, ended);
    expect(sent[1]).toEqual(sent[0]);
  });

  it.each<[string, string | null]>([
    ["@cf/test/m", null],
    ["@cf/test/m", "gw-1"],
    ["openai/gpt-test", null],
    ["openai/gpt-test", "gw-1"],
    ["dynamic/route", null],
  ])("reaches %s through the same gateway as they do with %s", async (modelId, gatewayId) => {
    const { sent } = await both(asked(text("hi")), ended, modelId, gatewayId);
    expect(sent[1]).toEqual(sent[0]);
  });

  it("refuses a file that is no image, as they do", async () => {
    await expect(both(asked(file("application/pdf")), ended)).rejects.toMatchObject({
      name: "AI_UnsupportedFunctionalityError",
    });
    const ours = createBindingModel("@cf/m", { ai: {} as Ai, gatewayId: null, session: "s1" });
    await expect(ours.doStream(asked(file("application/pdf")))).rejects.toMatchObject({
      name: "UnsupportedFileError",
    });
  });

  it.each(
    Object.entries({
      ...ANSWERS,
      "the older format": [
        { response: "Hel" },
        { response: "lo" },
        { response: 5 },
        { response: "", usage: USAGE.usage },
        "[DONE]",
      ],
      "calls in the older format": [
        { response: null, tool_calls: [{ name: "look", arguments: { slug: "a" } }] },
        "[DONE]",
      ],
      "a piece that says that a call is over": [
        called({ index: 0, id: "a", type: "function", function: look('{"slug":"a"}') }),
        called({ id: null, type: null, index: 0, function: { name: null, arguments: "" } }),
        chunk({}, "tool_calls"),
        "[DONE]",
      ],
    }),
  )("understands %s as they do", async (_, answer) => {
    const { ours, theirs } = await both(CALL, () => body(answer));
    expect(ours).toEqual(theirs);
  });

  it.each(
    Object.entries({
      "a text": { response: "All at once.", usage: USAGE.usage },
      calls: {
        response: null,
        tool_calls: [
          { name: "look", arguments: { slug: "a" } },
          { name: "look", arguments: '{"slug":"b"}' },
        ],
      },
      "the open format": {
        choices: [
          {
            message: {
              reasoning_content: "Hm.",
              content: "I look.",
              tool_calls: [{ id: "a", type: "function", function: look('{"slug":"a"}') }],
            },
            finish_reason: "tool_calls",
          },
        ],
      },
    }),
  )("understands an answer that came whole as they do: %s", async (_, answer) => {
    const { ours, theirs } = await both(CALL, () => answer);
    expect(ours).toEqual(theirs);
  });
});

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { createRehearsalModel } from "../../../src/plugins/rehearsal/model.ts";
import { startOpenAiServer, type Behaviour } from "../clients/openai-server.ts";

const user: LanguageModelV4Prompt[number] = {
  role: "user",
  content: [
    {
      type: "text",
      text: '/call look {"at":"the site, all of it"}\n/call look {"at":"b"}\n/then\n/say Seen.',
    },
  ],
};
const afterwards: LanguageModelV4Prompt = [
  user,
  {
    role: "assistant",
    content: ["a", "b"].map((at) => ({ type: "tool-call", toolCallId: at, toolName: "look", input: { at } })),
  },
  {
    role: "tool",
    content: ["a", "b"].map((at) => ({
      type: "tool-result",
      toolCallId: at,
      toolName: "look",
      output: { type: "text", value: `saw ${at}` },
    })),
  },
];
const tools = [{ type: "function" as const, name: "look", inputSchema: { type: "object" as const } }];

/** The server's reply as the AI SDK's own client parses it: calls, text and the end. */
async function ask(prompt: LanguageModelV4Prompt, behaviour: Behaviour = {}) {
  const server = await startOpenAiServer(behaviour);
  const provider = createOpenAICompatible({ name: "test", baseURL: server.baseUrl, includeUsage: true });
  const { stream } = await provider.chatModel("test").doStream({ prompt, tools });
  const parts = await collect(stream);
  await server.close();
  return { server, parts, shape: shapeOf(parts) };
}

async function collect(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function shapeOf(parts: readonly LanguageModelV4StreamPart[]) {
  const end = parts.find((part) => part.type === "finish");
  return {
    calls: parts.flatMap((part) =>
      part.type === "tool-call" ? [[part.toolName, JSON.parse(part.input)]] : [],
    ),
    text: parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join(""),
    finish: end?.finishReason.unified,
    outputTokens: end?.usage.outputTokens.total,
  };
}

async function straight(prompt: LanguageModelV4Prompt) {
  const { stream } = await createRehearsalModel().doStream({ prompt, tools });
  return shapeOf(await collect(stream));
}

test("through the OpenAI format the model says the same as without it", async () => {
  for (const prompt of [[user], afterwards]) {
    const { shape, server } = await ask(prompt);
    expect(shape).toEqual(await straight(prompt));
    expect(server.replies).toBe(1);
  }
  expect((await straight([user])).calls).toHaveLength(2);
  expect((await straight(afterwards)).text).toContain("Seen.");
});

test("each piece of a reply can be held, and is counted", async () => {
  const pieces: number[] = [];
  const last: boolean[] = [];
  const replies: number[] = [];
  await ask([user], {
    gate: (at) => {
      pieces.push(at.piece);
      last.push(at.last);
    },
    onReply: ({ calls }) => replies.push(calls),
  });
  expect(pieces).toEqual(pieces.map((_, at) => at));
  expect(pieces.length).toBeGreaterThan(6);
  expect(last).toEqual(pieces.map((_, at) => at === pieces.length - 1));
  expect(replies).toEqual([2]);
});

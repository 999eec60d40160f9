import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { ANSWER, PLAN } from "./plan.ts";

/** A model that asks for the calls of the plan, a step at a time, whatever came of the ones before, and then answers. */
export const planModel: LanguageModelV4 = {
  specificationVersion: "v4",
  provider: "plan",
  modelId: "plan",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("it only streams")),
  doStream: ({ prompt }) => {
    const { step } = readPrompt(prompt);
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      start(controller) {
        for (const part of reply(step)) controller.enqueue(part);
        controller.close();
      },
    });
    return Promise.resolve({ stream });
  },
};

/** The step that a prompt asks for, and the session: its name is all that the person says. */
export function readPrompt(prompt: LanguageModelV4Prompt): {
  readonly session: string;
  readonly step: number;
} {
  const said = prompt.flatMap(({ role, content }) => (role === "user" ? content : []))[0];
  const asked = prompt.filter(
    ({ role, content }) => role === "assistant" && content.some((part) => part.type === "tool-call"),
  );
  return { session: said?.type === "text" ? said.text : "", step: asked.length + 1 };
}

function* reply(step: number): Generator<LanguageModelV4StreamPart> {
  const calls = PLAN[step - 1] ?? [];
  const text =
    calls.length === 0 ? ANSWER : `This is step ${step} of ${PLAN.length}: ${calls.join(" and ")}.`;
  yield { type: "stream-start", warnings: [] };
  yield { type: "text-start", id: "text" };
  for (const delta of text.match(/\S+\s*/g) ?? []) yield { type: "text-delta", id: "text", delta };
  yield { type: "text-end", id: "text" };
  for (const [index, toolName] of calls.entries())
    yield { type: "tool-call", toolCallId: `c${index}`, toolName, input: JSON.stringify({ step, index }) };
  const unified = calls.length === 0 ? "stop" : "tool-calls";
  yield {
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 10, text: 10, reasoning: 0 },
    },
  };
}

import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import * as z from "zod";

/** A request of the OpenAI chat completions API, and the same conversation as the AI SDK's models take it. */

const content = z.union([
  z.string(),
  z
    .array(z.looseObject({ type: z.string(), text: z.string().optional() }))
    .transform((parts) => parts.map((part) => part.text ?? "").join("")),
]);
const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content }),
  z.object({ role: z.literal("user"), content }),
  z.object({
    role: z.literal("assistant"),
    content: content.nullish(),
    tool_calls: z
      .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
      .nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content }),
]);
export const completionRequest = z.object({
  model: z.string(),
  stream: z.literal(true),
  messages: z.array(message),
  tools: z
    .array(
      z.object({
        type: z.literal("function"),
        function: z.object({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.custom<JSONSchema7>((value) => typeof value === "object" && value !== null),
        }),
      }),
    )
    .nullish(),
  temperature: z.number().nullish(),
  stop: z.array(z.string()).nullish(),
  stream_options: z.object({ include_usage: z.boolean() }).nullish(),
});
export type CompletionRequest = z.infer<typeof completionRequest>;

/** The request as the options of `doStream`. Throws on a tool result without its call: a real server answers 400. */
export function toCallOptions(request: CompletionRequest): LanguageModelV4CallOptions {
  const tools = (request.tools ?? []).map(({ function: { name, description, parameters } }) => ({
    type: "function" as const,
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: parameters,
  }));
  return { prompt: toPrompt(request), tools };
}

function toPrompt({ messages }: CompletionRequest): LanguageModelV4Prompt {
  const names = new Map<string, string>();
  const prompt: LanguageModelV4Prompt = [];
  for (const each of messages) {
    if (each.role === "system") prompt.push({ role: "system", content: each.content });
    else if (each.role === "user")
      prompt.push({ role: "user", content: [{ type: "text", text: each.content }] });
    else if (each.role === "assistant") {
      const text = each.content ?? "";
      const calls = (each.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => {
        names.set(id, name);
        const parsed: unknown = JSON.parse(input);
        return { type: "tool-call" as const, toolCallId: id, toolName: name, input: parsed };
      });
      prompt.push({
        role: "assistant",
        content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls],
      });
    } else {
      const toolName = names.get(each.tool_call_id);
      if (toolName === undefined) throw new Error(`a result without its call: ${each.tool_call_id}`);
      const result = {
        type: "tool-result" as const,
        toolCallId: each.tool_call_id,
        toolName,
        output: { type: "text" as const, value: each.content },
      };
      // The results of one reply stand in one message there, and in one message each here.
      const last = prompt.at(-1);
      if (last?.role === "tool") last.content.push(result);
      else prompt.push({ role: "tool", content: [result] });
    }
  }
  return prompt;
}

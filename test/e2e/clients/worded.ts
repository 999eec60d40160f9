import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { JSONSchema7 } from "@ai-sdk/provider";
import * as z from "zod";
import { createRehearsalModel } from "../../../src/plugins/rehearsal/model.ts";

/**
 * A model that knows nothing of tools beside the words: it reads the tools in its instructions and the results in its
 * messages, and says its calls and its answer as text. What it decides, the rehearsal model decides.
 */
export function createWordedModel(dialect: "json" | "tags"): LanguageModelV4 {
  const rules = createRehearsalModel();
  return {
    ...rules,
    doStream: async (options) => {
      if (options.tools !== undefined && options.tools.length > 0)
        throw new Error("tools were sent to a model that ignores them");
      const said = options.prompt.find(({ role }) => role === "system");
      const tools = toolsIn(typeof said?.content === "string" ? said.content : "");
      const { content } = await rules.doGenerate({ ...options, prompt: readPrompt(options.prompt), tools });
      const thought = content.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join(" ");
      const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      const calls = content.flatMap((part) =>
        part.type === "tool-call"
          ? [{ name: part.toolName, input: z.json().parse(JSON.parse(part.input)) }]
          : [],
      );
      const reply = (dialect === "json" ? inJson : inTags)({
        thought,
        text,
        calls,
        free: tools.length === 0,
      });
      return { stream: streamOf(reply) };
    },
  };
}

interface Said {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  /** it was told of no form */
  readonly free: boolean;
}

function inJson({ thought, text, calls, free }: Said): string {
  if (free) return text;
  const [first, second] = calls;
  if (first === undefined)
    return JSON.stringify({ thought, action: "__complete__", action_input: { answer: text } });
  // As models do: in a fence, with words around it, with a comma too many.
  if (second === undefined)
    return `Next:\n\`\`\`json\n{"thought": ${JSON.stringify(`${thought}${text}`)}, "action": "${first.name}", "action_input": ${JSON.stringify(first.input)},}\n\`\`\``;
  const actions = calls.map(({ name, input }) => ({ action: name, action_input: input }));
  return JSON.stringify({ thought: `${thought}${text}`, actions });
}

function inTags({ thought, text, calls, free }: Said): string {
  if (free) return text;
  const blocks = calls.map(
    ({ name, input }) => `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`,
  );
  const rest = calls.length === 0 ? `<answer>\n${text}\n</answer>` : `${text}\n${blocks.join("\n")}`;
  return `<think>\n${thought}\n</think>\n${rest}`;
}

const toolLine = z.object({
  name: z.string(),
  description: z.string(),
  input: z.custom<JSONSchema7>((value) => typeof value === "object" && value !== null),
});

/** The tools that stand in the instructions, one in each line. */
function toolsIn(instructions: string) {
  return instructions.split("\n").flatMap((line) => {
    if (!line.startsWith('{"name":')) return [];
    const { name, description, input } = toolLine.parse(JSON.parse(line));
    return [{ type: "function" as const, name, description, inputSchema: input }];
  });
}

/** The conversation as the rehearsal model takes it: calls and results are parts of their own again. */
function readPrompt(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  let id = 0;
  let open: { readonly id: string; readonly name: string }[] = [];
  return prompt.flatMap((message): LanguageModelV4Prompt => {
    if (message.role === "assistant") {
      const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      const { calls, answer } = readReply(text);
      open = calls.map(({ name }) => ({ id: `w${(id += 1)}`, name }));
      return [
        {
          role: "assistant",
          content: [
            ...(answer === "" ? [] : [{ type: "text" as const, text: answer }]),
            ...calls.map(({ name, input }, at) => ({
              type: "tool-call" as const,
              toolCallId: open[at]?.id ?? "",
              toolName: name,
              input,
            })),
          ],
        },
      ];
    }
    if (message.role !== "user" || open.length === 0) return [message];
    const [first, ...rest] = message.content;
    const results = resultsIn(first?.type === "text" ? first.text : "", open);
    open = [];
    return [
      { role: "tool", content: results },
      ...(rest.length === 0 ? [] : [{ role: "user" as const, content: rest }]),
    ];
  });
}

const call = z.object({ name: z.string(), arguments: z.json() });
const action = z.object({ action: z.string(), action_input: z.json() });
const reply = z.union([
  z.object({ actions: z.array(action) }),
  action.transform((only) => ({ actions: [only] })),
]);

function readReply(text: string) {
  if (text.startsWith("{")) {
    const { actions } = reply.parse(JSON.parse(text));
    const [only] = actions;
    if (only?.action === "complete")
      return { calls: [], answer: z.object({ answer: z.string() }).parse(only.action_input).answer };
    return { calls: actions.map((one) => ({ name: one.action, input: one.action_input })), answer: "" };
  }
  const calls = [...text.matchAll(/<tool_call>([\s\S]*?)<\/tool_call>(?=\n|$)/gu)].map((found) => {
    const { name, arguments: input } = call.parse(JSON.parse(found[1] ?? ""));
    return { name, input };
  });
  const answer = /<answer>([\s\S]*)<\/answer>/u.exec(text)?.[1] ?? (calls.length === 0 ? text : "");
  return { calls, answer };
}

function resultsIn(text: string, open: readonly { readonly id: string; readonly name: string }[]) {
  const texts = text.startsWith("Observation: ")
    ? text.split(/^Observation: /mu).slice(1)
    : [...text.matchAll(/<tool_response>\n([\s\S]*?)\n<\/tool_response>/gu)].map((found) => found[1] ?? "");
  if (texts.length !== open.length) throw new Error(`${texts.length} results for ${open.length} calls`);
  return open.map(({ id, name }, at) => {
    const [head = "", ...lines] = (texts[at] ?? "").trimEnd().split("\n");
    const type = head.endsWith("failed:") ? ("error-text" as const) : ("text" as const);
    return {
      type: "tool-result" as const,
      toolCallId: id,
      toolName: name,
      output: { type, value: lines.join("\n") },
    };
  });
}

function streamOf(text: string): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "text-start", id: "0" });
      for (const delta of text.match(/[\s\S]{1,5}/gu) ?? [])
        controller.enqueue({ type: "text-delta", id: "0", delta });
      controller.enqueue({ type: "text-end", id: "0" });
      controller.enqueue({
        type: "finish",
        finishReason: { unified: "stop", raw: "stop" },
        usage: {
          inputTokens: { total: 1_000, noCache: 1_000, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 100, text: 100, reasoning: 0 },
        },
      });
      controller.close();
    },
  });
}

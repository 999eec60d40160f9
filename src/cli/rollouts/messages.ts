import * as z from "zod";
import type { Message } from "./rows.ts";

/** The entries of a run as DeepResearch writes a conversation: thoughts, calls and results in tags. */

export const eventsSchema = z.object({
  items: z.array(
    z.object({ seq: z.number(), run: z.string().nullable(), kind: z.string(), body: z.looseObject({}) }),
  ),
  more: z.boolean(),
});
export type Event = z.output<typeof eventsSchema>["items"][number];

const repliedSchema = z.object({
  parts: z.array(
    z.union([
      z.object({ type: z.enum(["text", "reasoning"]), text: z.string() }),
      z.object({ type: z.literal("call"), tool: z.string(), input: z.unknown() }),
      z.looseObject({ type: z.string() }),
    ]),
  ),
});
const settledSchema = z.object({ observation: z.string() });
const answerSchema = z.object({ text: z.string() });

/** The question, each reply, what its calls came to, and the answer, if it came to one. */
export function messagesOf(question: string, events: readonly Event[]): readonly Message[] {
  const messages: Message[] = [{ role: "user", content: question }];
  for (const { kind, body } of events) {
    const content = contentOf(kind, body);
    if (content === "") continue;
    const role = kind === "call_settled" ? "user" : "assistant";
    const last = messages.at(-1);
    if (last?.role !== role || messages.length === 1) messages.push({ role, content });
    else {
      // The results of one reply are one message, and so are its last words and the answer that was made of them.
      const before = kind === "answer" ? withoutEnd(last.content, String(body["text"])) : last.content;
      messages[messages.length - 1] = { role, content: `${before}\n${content}`.trim() };
    }
  }
  return messages;
}

const withoutEnd = (text: string, end: string): string =>
  text.endsWith(end) ? text.slice(0, -end.length).trimEnd() : text;

export const callsIn = (events: readonly Event[]): number =>
  events.reduce((sum, { kind, body }) => {
    const parts = kind === "model_replied" ? (repliedSchema.safeParse(body).data?.parts ?? []) : [];
    return sum + parts.filter(({ type }) => type === "call").length;
  }, 0);

function contentOf(kind: string, body: Event["body"]): string {
  if (kind === "call_settled") {
    const settled = settledSchema.safeParse(body);
    return settled.success ? `<tool_response>\n${settled.data.observation}\n</tool_response>` : "";
  }
  if (kind === "answer") {
    const answer = answerSchema.safeParse(body);
    return answer.success ? `<answer>${answer.data.text}</answer>` : "";
  }
  if (kind !== "model_replied") return "";
  const parts = repliedSchema.safeParse(body).data?.parts ?? [];
  return parts
    .flatMap((part) => {
      if ("tool" in part && "input" in part)
        return `<tool_call>\n${JSON.stringify({ name: part.tool, arguments: part.input })}\n</tool_call>`;
      if (!("text" in part) || typeof part.text !== "string" || part.text.trim() === "") return [];
      return part.type === "reasoning" ? `<think>\n${part.text}\n</think>` : part.text;
    })
    .join("\n");
}

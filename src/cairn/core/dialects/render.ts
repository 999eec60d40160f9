import type { PromptMessage, PromptResult, ReplyPart } from "../log/model.ts";
import type { Dialect } from "../log/model.ts";

/**
 * Renders the conversation in a dialect. Storage does not depend on the dialect. Each message stays one message, so
 * that the prefix of a request does not change.
 */
export function renderMessages(
  dialect: Dialect,
  messages: readonly PromptMessage[],
): readonly PromptMessage[] {
  if (dialect === "native") return messages;
  return messages.map((message, at) => {
    const known = rendered.get(message);
    const refused = isNote(messages[at + 1]);
    if (known?.dialect === dialect && known.refused === refused) return known.message;
    const made = renderMessage(dialect, message, refused);
    rendered.set(message, { dialect, refused, message: made });
    return made;
  });
}

type Worded = Exclude<Dialect, "native">;

/** Messages that are made of an entry stay the same objects from step to step. */
const rendered = new WeakMap<
  PromptMessage,
  { readonly dialect: Dialect; readonly refused: boolean; readonly message: PromptMessage }
>();

function renderMessage(dialect: Worded, message: PromptMessage, refused: boolean): PromptMessage {
  switch (message.role) {
    case "user":
      return message;
    case "assistant": {
      const text = dialect === "json" ? jsonReply(message.parts, refused) : tagsReply(message.parts, refused);
      return { role: "assistant", parts: [{ type: "text", text }] };
    }
    case "tool": {
      const text = message.results.map(dialect === "json" ? jsonResult : tagsResult).join("\n");
      return { role: "user", parts: [{ type: "text", text }] };
    }
  }
}

const textOf = (parts: readonly ReplyPart[], type: "text" | "reasoning"): string =>
  parts
    .flatMap((part) => (part.type === type && part.text.trim() !== "" ? [part.text.trim()] : []))
    .join("\n");

function jsonReply(parts: readonly ReplyPart[], refused: boolean): string {
  const calls = parts.filter((part) => part.type === "call");
  const thought = textOf(parts, "reasoning");
  const text = textOf(parts, "text");
  if (calls.length === 0) {
    // A refused reply is shown as it was written, because it must not serve as an example.
    if (refused) return text;
    return JSON.stringify({ thought, action: "complete", action_input: { answer: text } });
  }
  const actions = calls.map(({ tool, input }) => ({ action: tool, action_input: input }));
  const content = [thought, text].filter((one) => one !== "").join("\n");
  const [only, more] = actions;
  return JSON.stringify(more === undefined ? { thought: content, ...only } : { thought: content, actions });
}

function tagsReply(parts: readonly ReplyPart[], refused: boolean): string {
  const calls = parts.filter((part) => part.type === "call");
  const text = textOf(parts, "text");
  const thought = [textOf(parts, "reasoning"), calls.length > 0 ? text : ""]
    .filter((one) => one !== "")
    .join("\n");
  const think = thought === "" ? [] : [`<think>${thought}</think>`];
  if (calls.length === 0) return refused ? text : [...think, `<answer>${text}</answer>`].join("\n");
  const blocks = calls.map(
    ({ tool, input }) => `<tool_call>${JSON.stringify({ name: tool, arguments: input })}</tool_call>`,
  );
  return [...think, ...blocks].join("\n");
}

const jsonResult = ({ tool, observation, failed }: PromptResult): string =>
  `Observation: ${tool} ${failed ? "failed" : "returned"}:\n${observation}`;

/** Tags inside of a result are no tags. */
const tagsResult = ({ tool, observation, failed }: PromptResult): string =>
  `<tool_response>\n${tool} ${failed ? "failed" : "returned"}:\n${observation.replace(OWN_TAGS, "&lt;$1")}\n</tool_response>`;

const OWN_TAGS = /<(\/?(?:tool_response|tool_call|answer|think)\b)/giu;

/** True for a note of the runtime that sends back the message before it. */
function isNote(message: PromptMessage | undefined): boolean {
  if (message?.role !== "user") return false;
  const [part] = message.parts;
  return part?.type === "text" && part.text.startsWith("<cairn-note>");
}

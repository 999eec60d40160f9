import type { Fault, ToolOffer } from "../log/model.ts";
import type { Dialect } from "../log/model.ts";
import type { NoteText } from "../prompt-note.ts";

/** Instructions on the reply format and the tools, for models that do not get the tools natively. */

/** The texts at which a model stops: what would follow is the result of a tool, and it may not make one up. */
export function stopStrings(dialect: Dialect): readonly string[] {
  if (dialect === "json") return ["\nObservation:"];
  return dialect === "tags" ? ["\n<tool_response>", "<tool_response>"] : [];
}

const FORM: Readonly<Record<Exclude<Dialect, "native">, string>> = {
  json: '{"thought": "<what you know and what comes next>", "action": "<name of a tool>", "action_input": {<its input>}}',
  tags: '<think>what you know and what comes next</think>\n<tool_call>{"name": "<name of a tool>", "arguments": {<its input>}}</tool_call>',
};

export interface PromptOffer {
  /** whether the model is instructed to end the run with the line FINAL_ANSWER: */
  readonly marker: boolean;
}

const written = new WeakMap<readonly ToolOffer[], { readonly dialect: Dialect; readonly text: string }>();

/** The text behind the instructions: the form of a reply and the tools; empty where there is nothing to add. */
export function offerPrompt(
  dialect: Dialect,
  tools: readonly ToolOffer[],
  { marker }: PromptOffer,
  noteText: NoteText,
): string {
  const form = dialect === "native" || tools.length === 0 ? "" : formPrompt(dialect, tools, noteText);
  const line = marker && tools.length > 0 ? noteText("final-answer-line") : "";
  return [form, line].filter((one) => one !== "").join("\n\n");
}

function formPrompt(
  dialect: Exclude<Dialect, "native">,
  tools: readonly ToolOffer[],
  noteText: NoteText,
): string {
  const known = written.get(tools);
  if (known?.dialect === dialect) return known.text;
  const list = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name, description, input: inputSchema }),
  );
  const text = noteText(`reply-${dialect}`, { form: FORM[dialect], tools: list.join("\n") });
  written.set(tools, { dialect, text });
  return text;
}

const FAULTS: Readonly<Record<Fault, string>> = {
  empty: "it was empty",
  no_json: "it held no JSON object",
  no_tag: "it held neither a <tool_call> nor an <answer>",
  bad_json: "its JSON could not be read",
  truncated: "it was cut off",
  missing_field: "the name of the tool was missing",
  unclosed_tag: "a tag was not closed",
  leaked_observation: "it made up a result",
  call_and_answer: "an answer stood beside calls",
  no_thought: "it held no thought",
};

const EXAMPLE: Readonly<Record<Dialect, (tool: string) => string>> = {
  native: () => "",
  json: (tool) => `{"thought": "I look first.", "action": "${tool}", "action_input": {}}`,
  tags: (tool) => `<think>I look first.</think>\n<tool_call>{"name": "${tool}", "arguments": {}}</tool_call>`,
};

/**
 * Returns the correction for an unusable reply: its faults, the expected form and, on repetition, an example with this
 * tool.
 */
export function correction(dialect: Dialect, faults: readonly Fault[], tool: string | null): string {
  const named = faults.map((fault) => FAULTS[fault]).join(", and ");
  const form =
    dialect === "native" ? "Call a tool, or answer the person in words." : `Expected is: ${FORM[dialect]}`;
  const example = tool === null || dialect === "native" ? "" : `\nFor example: ${EXAMPLE[dialect](tool)}`;
  return `Your reply could not be used, so nothing was run: ${named}. ${form}${example}`;
}

import type { PromptMessage, PromptPart } from "../log/model.ts";

/** Words of the runtime to the model, marked so that they are not taken for the person's. */
export function note(text: string): PromptMessage {
  return { role: "user", parts: [textPart(noteText(text))] };
}

export const noteText = (text: string): string => `<cairn-note>${text}</cairn-note>`;

export function textPart(text: string): PromptPart {
  return { type: "text", text };
}

import { ORIGIN, SEND_MESSAGE } from "../../core/address.ts";

/** A call that sends words to a person, as what it is: a message. */
export interface SentMessage {
  /** Markdown */
  readonly text: string;
  /** a name of the address book; null: whoever asked */
  readonly to: string | null;
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** Null for a call of another tool, and for one without words. */
export function sentMessage(tool: string, input: unknown): SentMessage | null {
  const { text, to } = fieldsOf(input);
  if (tool !== SEND_MESSAGE || typeof text !== "string") return null;
  return { text, to: typeof to === "string" && to !== ORIGIN ? to : null };
}

/** Where it went, of what the call gave; null where that does not say. */
export function sentWords(output: unknown): string | null {
  const { sent, to, receipt } = fieldsOf(output);
  if (sent !== true || typeof to !== "string") return null;
  return receipt === undefined ? "shown here" : `sent to ${to}`;
}

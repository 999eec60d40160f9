import { readJson } from "../../core/log/json.ts";
import { ORIGIN, SEND_MESSAGE } from "../../core/address.ts";

/** A call that sends words to a person, as what it is: a message. */
export interface SentMessage {
  /** Markdown */
  readonly text: string;
  /** a name of the address book; null: the requester */
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

/** Where the call has sent it, and what the channel answered: null where it is shown on the page, or waits for its hour. */
export interface SentReceipt {
  readonly to: string;
  readonly receipt: string | null;
  /** ISO 8601: it goes out then, by itself; null where it has gone out */
  readonly heldUntil: string | null;
}

/** Parses the output of a send, as a value or as stored in the log; null if it has no receipt. */
export function sentReceipt(output: unknown): SentReceipt | null {
  const { sent, to, receipt, heldUntil } = fieldsOf(typeof output === "string" ? parsed(output) : output);
  const isHeld = typeof heldUntil === "string";
  if ((sent !== true && !isHeld) || typeof to !== "string") return null;
  return {
    to,
    receipt: typeof receipt === "string" ? receipt : null,
    heldUntil: isHeld ? heldUntil : null,
  };
}

const parsed = (text: string): unknown => readJson(text) ?? null;

/** Returns the destination in words; null if it is unknown. */
export function sentWords(output: unknown): string | null {
  const sent = sentReceipt(output);
  if (sent === null) return null;
  if (sent.heldUntil !== null) return `waits until ${sent.heldUntil}, for ${sent.to}`;
  return sent.receipt === null ? "shown here" : `sent to ${sent.to}`;
}

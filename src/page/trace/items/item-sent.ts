import { sentMessage, sentReceipt, type SentMessage } from "../../../cairn/protocol/stream/sent-message.ts";
import type { Event } from "../../../cairn/protocol/views.ts";
import { chatLabel } from "../../parts/channel-words.ts";
import { oneLine } from "../../parts/one-line.ts";
import { plainWords } from "../../parts/plain-words.ts";
import { callState } from "../../sent/state.ts";
import { dateText } from "../../parts/duration.ts";
import { add, begin, type Reading } from "../reading.ts";
import { moment, timeOf, type Item } from "./item.ts";
import { lowerFirst, QUOTE_CHARS, unstopped } from "../../log-text/codes.ts";

/** A call that sends a message to a person: its text, its destination, and the response. */
export function sentItem(reading: Reading, entry: Event): boolean {
  if (entry.kind !== "call_intended" && entry.kind !== "call_settled") return false;
  const { call, tool } = entry.body;
  const message = sentMessage(tool, reading.calls.get(call)?.input);
  if (message === null) return false;
  if (entry.kind === "call_intended") {
    if (!add(reading, call, entry, {}))
      begin(reading, call, messageItem(entry, message, { note: `to ${whom(message)}`, to: null }));
    return true;
  }
  const change = {
    note: settledWords(entry, message),
    tone: toneOf(entry),
    to: timeOf(entry),
  } as const;
  if (!add(reading, call, entry, change)) reading.items.push(messageItem(entry, message, change));
  reading.open.delete(call);
  return true;
}

const messageItem = (entry: Event, message: SentMessage, more: Partial<Item>): Item =>
  moment("person", entry, `Message: “${oneLine(plainWords(message.text), QUOTE_CHARS)}”`, {
    ...more,
    message,
  });

const whom = ({ to }: SentMessage): string => to ?? "the requester";

function settledWords(entry: Event<"call_settled">, message: SentMessage): string {
  const sent = sentReceipt(entry.body.observation);
  if (entry.body.status === "ok" && sent !== null) {
    const { heldUntil, receipt, to } = sent;
    if (heldUntil !== null) return `waits for the end of quiet hours, until ${dateText(heldUntil)}`;
    return receipt === null ? "shown on the page" : `sent: ${chatLabel(to)}, which took it as ${receipt}`;
  }
  // A run that no person watches leaves what it may not send to them.
  if (entry.body.skip === "AUTONOMY_DENY")
    return `to ${whom(message)}; held, because unattended runs may not send it`;
  const { words, more } = callState(entry);
  return [`to ${whom(message)}`, lowerFirst(unstopped(words)), lowerFirst(unstopped(more))]
    .filter((part) => part !== "")
    .join("; ");
}

function toneOf({ body: { status, skip } }: Event<"call_settled">): Item["tone"] {
  if (skip === "AUTONOMY_DENY") return "waits";
  if (status === "ok" || status === "cancelled") return "plain";
  return status === "unknown" ? "waits" : "bad";
}

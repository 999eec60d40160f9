import type { Answer } from "../../cairn/protocol/api.ts";
import type { Event } from "../../cairn/protocol/views.ts";
import { whyNotDone } from "../log-text/why.ts";
import { unstopped } from "../log-text/codes.ts";

/** Texts for the state of a sent message. Pure. */

export type Delivery = Answer<"Deliveries">["items"][number];

/** `at`: of the sentence, when it happened or will. */
export interface SentState {
  readonly tone: "good" | "bad" | "waits" | "plain";
  readonly words: string;
  readonly at: string | null;
  /** behind the time */
  readonly more: string;
}

const MINUTE_MS = 60_000;

export function stateOf(delivery: Delivery, now: number): SentState {
  const { state, tries, lastStatus, nextAt, endedAt } = delivery;
  switch (state) {
    case "delivered":
      return { tone: "good", words: "Sent", at: endedAt, more: "" };
    case "failed":
      return { tone: "bad", words: `Could not be sent: ${whyNot(lastStatus)}`, at: endedAt, more: "" };
    case "unknown":
      return { tone: "waits", words: "May have arrived", at: endedAt, more: "It is not sent again." };
    case "held":
      return { tone: "waits", words: "Waits for the end of your quiet hours, until", at: nextAt, more: "" };
    case "noted":
      return endedAt === null
        ? heldState(nextAt, now)
        : { tone: "good", words: "Delivered with your other held messages,", at: endedAt, more: "" };
    case "pending": {
      const isSoon = nextAt === null || Date.parse(nextAt) - now < MINUTE_MS;
      if (tries > 0)
        return { tone: "waits", words: "Did not get through. Tried again", at: nextAt, more: "" };
      return isSoon
        ? { tone: "plain", words: "On its way", at: null, more: "" }
        : { tone: "waits", words: "Waits until", at: nextAt, more: "" };
    }
  }
}

/** A message that a run could not send by itself waits for its person. */
function heldState(nextAt: string | null, now: number): SentState {
  const words = "Held for you: unattended runs may not send it. Arrives with your next message";
  const isKnown = nextAt !== null && Date.parse(nextAt) > now;
  return isKnown
    ? { tone: "waits", words: `${words}, or at`, at: nextAt, more: "" }
    : { tone: "waits", words, at: null, more: "" };
}

/** `status`: as a row of the outbox keeps it, one for each way in which a channel refuses. */
function whyNot(status: number | null): string {
  switch (status) {
    case 403:
      return "the chat no longer accepts messages from Cairn";
    case 401:
      return "Cairn's token was rejected there; an admin needs to check it";
    case 400:
      return "it was not accepted there";
    case 413:
      return "it is too long";
    case 429:
      return "too many messages went there at once";
    default:
      return "no response after several attempts";
  }
}

/** The state of a call that was to send something outside. */
export function callState({ at, body }: Event<"call_settled">): SentState {
  switch (body.status) {
    case "ok":
      return { tone: "good", words: "Sent", at, more: "" };
    case "unknown":
      return { tone: "waits", words: "May have arrived", at, more: "It is not sent again." };
    case "cancelled":
      return { tone: "plain", words: "Not sent: it was stopped", at, more: "" };
    case "error": {
      const why = body.failure === null ? "it failed" : unstopped(body.failure.message);
      return { tone: "bad", words: `Could not be sent: ${why}`, at, more: "" };
    }
    default: {
      const why = unstopped(whyNotDone(body) ?? "Not run").replace(/^Not run/, "Not sent");
      return { tone: "bad", words: why, at, more: "" };
    }
  }
}

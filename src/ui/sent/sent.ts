import { sentMessage, sentReceipt } from "../../wire/stream/sent-message.ts";
import type { Answer } from "../../wire/api.ts";
import type { Event } from "../../wire/views.ts";
import { whyNotDone } from "../trace/items/why.ts";
import { unstopped } from "../trace/items/words.ts";
import { placeWords, type KnownPlace } from "../parts/channel-words.ts";

/** What a session sent to people outside of this page, and what became of each. Pure. */

export type Delivery = Answer<"Deliveries">["items"][number];

export interface Sent {
  readonly id: string;
  /** a run said it by a call, which stands in its timeline */
  readonly isCall: boolean;
  /** the run that it is of, as the log names it; null where nobody knows */
  readonly run: string | null;
  /** of the entry that it tells of */
  readonly at: string;
  /** what it is: `Answer`, `Question` */
  readonly what: string;
  /** its words; empty where nobody knows them */
  readonly text: string;
  /** `Telegram, Ada` */
  readonly where: string;
  readonly state: SentState;
}

/** What became of it. `at`: of the sentence, when it happened or will. */
export interface SentState {
  readonly tone: "good" | "bad" | "waits" | "plain";
  readonly words: string;
  readonly at: string | null;
  /** behind the time */
  readonly more: string;
}

/** What the log and the deliveries say together, the newest first. */
export function sentOf(
  deliveries: readonly Delivery[],
  events: readonly Event[],
  places: readonly KnownPlace[],
  now: number,
): readonly Sent[] {
  const bySeq = new Map(events.map((event) => [event.seq, event]));
  const delivered = deliveries.flatMap((delivery): readonly Sent[] => {
    // That a card shows its end is no message of its own.
    if (!/^(?:place|person):/.test(delivery.target)) return [];
    const told = delivery.seq === null ? undefined : bySeq.get(delivery.seq);
    return [
      {
        id: `${delivery.id} ${delivery.target}`,
        isCall: false,
        run: told?.run ?? null,
        at: told?.at ?? delivery.createdAt,
        ...contentOf(told, events),
        where: whereOf(delivery.target, places),
        state: stateOf(delivery, now),
      },
    ];
  });
  return [...delivered, ...saidOf(events, places)].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** A person is written to at the place that they chose, which is known when it is sent. */
const whereOf = (target: string, places: readonly KnownPlace[]): string => {
  const name = target.slice(target.indexOf(":") + 1);
  return target.startsWith("place:") ? placeWords(name, places) : `to ${name}`;
};

function contentOf(told: Event | undefined, events: readonly Event[]): Pick<Sent, "what" | "text"> {
  switch (told?.kind) {
    case "run_ended": {
      const answer = events.findLast((event) => event.kind === "answer" && event.run === told.run);
      const text = answer?.kind === "answer" ? answer.body.text : "";
      const isAnswer = told.body.class === "answered" || told.body.class === "partial";
      return { what: isAnswer ? "Answer" : "What went wrong", text };
    }
    case "human_asked":
      return { what: "Question", text: told.body.text };
    case "approval_requested":
      return { what: "Asked to decide", text: told.body.title };
    default:
      return { what: "Message", text: "" };
  }
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

/** `status`: as a row of the outbox keeps it, one for each way in which a channel refuses. */
function whyNot(status: number | null): string {
  switch (status) {
    case 403:
      return "the chat takes no messages from Cairn";
    case 401:
      return "Cairn is not let in there, so whoever runs it has to look at its token";
    case 400:
      return "it was not accepted there";
    case 413:
      return "it is too long";
    case 429:
      return "too many messages went there at once";
    default:
      return "nobody answered, however often it was tried";
  }
}

/** What runs said by a call, where it was to go outside: what is shown on this page stands in the conversation. */
function saidOf(events: readonly Event[], places: readonly KnownPlace[]): readonly Sent[] {
  const inputs = new Map(
    events.flatMap((event) =>
      event.kind === "model_replied" ? event.body.calls.map(({ call, input }) => [call, input] as const) : [],
    ),
  );
  return events.flatMap((event): readonly Sent[] => {
    if (event.kind !== "call_settled") return [];
    const message = sentMessage(event.body.tool, inputs.get(event.body.call));
    if (message === null) return [];
    const receipt = sentReceipt(event.body.observation);
    if (event.body.status === "ok" && receipt?.receipt == null) return [];
    return [
      {
        id: event.body.call,
        isCall: true,
        run: event.run,
        at: event.at,
        what: "Message",
        text: message.text,
        where: receipt === null ? (message.to ?? "whoever asked") : placeWords(receipt.to, places),
        state: saidState(event),
      },
    ];
  });
}

/** What became of a call that was to say something outside. */
export function saidState({ at, body }: Event<"call_settled">): SentState {
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

import { ORIGIN } from "../../cairn/core/address.ts";
import { receiptLines, underReceipt } from "../../cairn/core/text/receipt-lines.ts";
import { sentMessage, sentReceipt } from "../../cairn/protocol/stream/sent-message.ts";
import type { Event } from "../../cairn/protocol/views.ts";
import { chatLabel, type KnownChat } from "../parts/channel-words.ts";
import { callState, stateOf, type Delivery, type SentState } from "./state.ts";

/** Messages that a session sent to people outside this page, with the state of each. Pure. */

export interface Sent {
  readonly id: string;
  /** a run sent it by a call, which is in its timeline */
  readonly isCall: boolean;
  /** the run that sent it, as the log names it; null if unknown */
  readonly run: string | null;
  /** of its log entry */
  readonly at: string;
  /** what it is: `Answer`, `Question` */
  readonly what: string;
  /** its text; empty if unknown */
  readonly text: string;
  /** `Telegram, Ada` */
  readonly where: string;
  readonly state: SentState;
}

/** Merges the log and the deliveries, newest first. */
export function sentOf(
  deliveries: readonly Delivery[],
  events: readonly Event[],
  places: readonly KnownChat[],
  now: number,
): readonly Sent[] {
  const log = readLog(events);
  const delivered = deliveries.flatMap((delivery) => {
    // The update of a card at its end is no message.
    if (!/^(?:place|person|note):/.test(delivery.target)) return [];
    return [{ delivery, event: eventOf(delivery, log) }];
  });
  const known = new Set(delivered.map(({ event }) => event?.seq));
  return [
    ...delivered.map(({ delivery, event }): Sent => ({
      id: `${delivery.id} ${delivery.target}`,
      isCall: false,
      run: event?.run ?? null,
      at: event?.at ?? delivery.createdAt,
      ...contentOf(event, log),
      where: targetLabel(delivery.target, places),
      state: stateOf(delivery, now),
    })),
    ...callMessage(log, places).filter(({ seq }) => !known.has(seq)),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

interface ReadLog {
  readonly events: readonly Event[];
  readonly bySeq: ReadonlyMap<number, Event>;
  /** what was proposed, by call */
  readonly inputs: ReadonlyMap<string, unknown>;
}

const readLog = (events: readonly Event[]): ReadLog => ({
  events,
  bySeq: new Map(events.map((event) => [event.seq, event])),
  inputs: new Map(
    events.flatMap((event) =>
      event.kind === "model_replied" ? event.body.calls.map(({ call, input }) => [call, input] as const) : [],
    ),
  ),
});

/** The log entry of a delivery. A call that put a message into the outbox for a later hour is found by its key. */
function eventOf({ id, seq }: Delivery, { bySeq, events }: ReadLog): Event | undefined {
  if (seq !== null) return bySeq.get(seq);
  const call = id.slice(id.lastIndexOf("/") + 1);
  return events.find((event) => event.kind === "call_settled" && event.body.call === call);
}

/** A person is written to at the place that they chose, which is known when it is sent. */
function targetLabel(target: string, places: readonly KnownChat[]): string {
  const [, kind = "", name = ""] = /^(\w+):(.*)$/.exec(target) ?? [];
  if (kind === "place") return chatLabel(name, places);
  return kind === "note" && name === ORIGIN ? "for the requester" : `to ${name}`;
}

function contentOf(event: Event | undefined, { events, inputs }: ReadLog): Pick<Sent, "what" | "text"> {
  switch (event?.kind) {
    case "run_ended": {
      const answer = events.findLast((each) => each.kind === "answer" && each.run === event.run);
      const { class: outcome, reason } = event.body;
      const text =
        answer?.kind === "answer"
          ? underReceipt(receiptLines(answer.body.receipt ?? null, { outcome, reason }), answer.body.text)
          : "";
      const isAnswer = event.body.class === "answered" || event.body.class === "partial";
      return { what: isAnswer ? "Answer" : "What went wrong", text };
    }
    case "human_asked":
      return { what: "Question", text: event.body.text };
    case "approval_requested":
      return { what: "Asked to decide", text: event.body.title };
    case "call_settled":
      return { what: "Message", text: sentMessage(event.body.tool, inputs.get(event.body.call))?.text ?? "" };
    case "note":
      return { what: "Held messages", text: event.body.text };
    default:
      return { what: "Message", text: "" };
  }
}

/** Messages that runs sent by a call to somewhere outside: those to this page are in the conversation. */
function callMessage(
  { events, inputs }: ReadLog,
  places: readonly KnownChat[],
): readonly (Sent & { readonly seq: number })[] {
  return events.flatMap((event) => {
    if (event.kind !== "call_settled") return [];
    const message = sentMessage(event.body.tool, inputs.get(event.body.call));
    if (message === null) return [];
    const receipt = sentReceipt(event.body.observation);
    if (event.body.status === "ok" && receipt?.receipt == null) return [];
    return [
      {
        id: event.body.call,
        seq: event.seq,
        isCall: true,
        run: event.run,
        at: event.at,
        what: "Message",
        text: message.text,
        where: receipt === null ? (message.to ?? "the requester") : chatLabel(receipt.to, places),
        state: callState(event),
      },
    ];
  });
}

import { addressName, type Address, type MessageKind } from "../../../cairn/core/address.ts";
import { ChannelFault, type ChannelFaultCode } from "../channel.ts";
import type { Channels } from "../channels.ts";
import { DELIVERY_DELAYS_MS } from "../../../cairn/core/limits.ts";
import type { Entry } from "../../../cairn/core/log/entry.ts";
import type { ErrorClass } from "../../../cairn/core/log/tool.ts";
import { CARRIES_RECEIPT, runReceipt } from "../../../cairn/core/guards/review/run-receipt.ts";
import type { AcceptedRun, State } from "../../../cairn/core/state/state.ts";
import { receiptLines, underReceipt, type ReceiptLine } from "../../../cairn/core/text/receipt-lines.ts";
import { ToolError } from "../../../cairn/tools/define.ts";
import type { Messenger } from "../tools/messenger.ts";
import { quietFor, type ChannelNote } from "./notices.ts";
import { waitsUntil } from "../../../cairn/session/background/held.ts";
import type { PeopleReader } from "../../../cairn/session/background/notes.ts";
import type { ChannelSender } from "./sender.ts";

/** The deployment's named addresses, besides the requester's. */
export type AddressBook = ReadonlyMap<string, Address>;

type HeldMessage = Extract<ChannelNote, { type: "message" }>;

/** Fields of the live run that decide where and when its messages go. */
export type Asking = Pick<AcceptedRun, "origin" | "source" | "actor" | "askedAt">;

export interface MessengerDeps {
  readonly channels: Pick<Channels, "names" | "find">;
  readonly book: AddressBook;
  /** null while no run is live */
  readonly asking: () => Asking | null;
  readonly people: Pick<PeopleReader, "timesOf">;
  /** puts a message into the outbox until it is due */
  readonly hold: (id: string, note: HeldMessage, until: number) => void;
  /** lines of the receipt of the live run, for a message of it */
  readonly receipt: () => readonly ReceiptLine[];
  readonly sender: Pick<ChannelSender, "send">;
  readonly clock: () => number;
}

/** True where a run may have somewhere to send: the address book, or a channel on which people speak. */
export const canSend = ({ names, find }: Pick<Channels, "names" | "find">, book: AddressBook): boolean =>
  book.size > 0 || names.some((name) => find(name)?.isOneWay !== true);

/** The port by which the tools of a session send; null where there is nowhere to send. */
export function createMessenger(deps: MessengerDeps): Messenger | null {
  const { channels, book, asking, sender } = deps;
  if (!canSend(channels, book)) return null;
  return {
    names: [...book.keys()],
    find: (name) => book.get(name) ?? null,
    origin: () => asking()?.origin ?? null,
    has: ({ channel }) => channels.find(channel) !== null,
    send: async (said, address, key, signal) => {
      const to = addressName(address);
      const message = isResult(said.kind, address, asking())
        ? { ...said, text: underReceipt(deps.receipt(), said.text) }
        : said;
      const until = await heldUntil(deps, message.kind);
      if (until !== null) {
        deps.hold(key, { type: "message", ...message, address }, until);
        return { receipt: null, to, heldUntil: new Date(until).toISOString() };
      }
      try {
        const { id } = await sender.send(message, address, { key, signal });
        return { receipt: id, to };
      } catch (error) {
        if (!(error instanceof ChannelFault)) throw error;
        const restAt = handOver(deps, error, { type: "message", ...message, address }, key);
        if (restAt === null) throw toolError(error, address);
        return { receipt: null, to, arrived: error.sent, restAt: new Date(restAt).toISOString() };
      }
    },
  };
}

/**
 * Hands the rest of a message to the outbox, where some of its parts have arrived and the others may arrive later. Returns
 * when they go out; null where the rest cannot be handed over.
 */
function handOver(
  { hold, clock }: MessengerDeps,
  { code, sent, retryAfterMs }: ChannelFault,
  note: HeldMessage,
  key: string,
): number | null {
  if (sent === 0 || (code !== "unavailable" && code !== "rate_limited")) return null;
  const at = clock() + Math.max(REST_DELAY_MS, retryAfterMs ?? 0);
  hold(key, { ...note, skip: sent }, at);
  return at;
}

/** milliseconds that a channel which failed in the middle of a message is left alone */
const REST_DELAY_MS = DELIVERY_DELAYS_MS[0];

/** The receipt of the live run so far, without the line for its end. */
export function receiptSoFar(
  { run }: State,
  entriesOf: (run: string) => readonly Entry[],
): readonly ReceiptLine[] {
  if (run === null) return [];
  const receipt = runReceipt(run, entriesOf(run.run));
  return receiptLines(receipt, { outcome: "answered", reason: null }).filter(
    ({ about }) => about !== "status",
  );
}

/** True for a message that delivers the run's result to the requester. */
function isResult(kind: MessageKind, to: Address, asking: Asking | null): boolean {
  const isOrigin = asking?.origin !== undefined && addressName(asking.origin) === addressName(to);
  return isOrigin && CARRIES_RECEIPT.has(kind);
}

/** The end of the quiet hours that hold a message of the live run; null where it goes out now. */
async function heldUntil(
  { asking, people, clock }: MessengerDeps,
  kind: MessageKind,
): Promise<number | null> {
  const run = asking();
  const { quiet } = quietFor(kind === "failure" ? null : run, run?.actor ?? "");
  if (quiet === undefined) return null;
  try {
    return waitsUntil(quiet, await people.timesOf(quiet.subject), clock());
  } catch {
    throw new ToolError(
      "server",
      "channel_unavailable",
      "It cannot be seen now whether the person wants to be told.",
      {
        nothingDone: true,
      },
    );
  }
}

/** `unknown` alone leaves the outcome open. */
const CLASSES: Readonly<Record<ChannelFaultCode, ErrorClass>> = {
  bad_signature: "internal",
  malformed: "invalid_args",
  too_large: "too_large",
  auth: "auth",
  blocked: "conflict",
  rate_limited: "rate_limit",
  refused: "invalid_args",
  unavailable: "server",
  unknown: "network",
};

function toolError({ code, message, retryAfterMs, sent }: ChannelFault, { channel }: Address): ToolError {
  const isBlocked = code === "blocked";
  // Sent again, the parts that have arrived would be read twice.
  if (sent > 0)
    return new ToolError(
      "network",
      `channel_${code}`,
      `${channel}: ${message} ${sent === 1 ? "The first part" : `The first ${sent} parts`} of the message arrived; the rest may not have.`,
      { hint: "Do not send it again. Say in your answer what is missing." },
    );
  return new ToolError(CLASSES[code], `channel_${code}`, `${channel}: ${message}`, {
    nothingDone: code !== "unknown",
    retryAfterMs,
    ...(isBlocked
      ? { hint: "Nothing reaches them there. Say it in your answer: they find it on the page." }
      : {}),
  });
}

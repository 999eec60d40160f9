import { addressName, type Address } from "../../core/address.ts";
import { ChannelFault, type ChannelFaultCode } from "../../channels/channel.ts";
import type { Channels } from "../../channels/create.ts";
import type { ErrorClass } from "../../core/log/tool.ts";
import { ToolError } from "../../tools/define.ts";
import type { Messenger } from "../../tools/messaging/messenger.ts";
import type { ChannelSender } from "./sender.ts";

/** Names by which a deployment knows places, beside whoever asked. */
export type AddressBook = ReadonlyMap<string, Address>;

/** What the tools of a session send by; null where there is nowhere to send: nobody speaks from a browser's notifications. */
export function createMessenger({
  channels,
  book,
  origin,
  sender,
}: {
  readonly channels: Channels;
  readonly book: AddressBook;
  /** of the live run */
  readonly origin: () => Address | null;
  readonly sender: () => Pick<ChannelSender, "send">;
}): Messenger | null {
  if (book.size === 0 && channels.names.every((name) => name === "webpush")) return null;
  return {
    names: [...book.keys()],
    find: (name) => book.get(name) ?? null,
    origin,
    has: ({ channel }) => channels.find(channel) !== null,
    send: async (message, address, key, signal) => {
      try {
        const { id } = await sender().send(message, address, key, signal);
        return { receipt: id, to: addressName(address) };
      } catch (error) {
        if (error instanceof ChannelFault) throw toolError(error, address);
        throw error;
      }
    },
  };
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

function toolError({ code, message, retryAfterMs }: ChannelFault, { channel }: Address): ToolError {
  const isBlocked = code === "blocked";
  return new ToolError(CLASSES[code], `channel_${code}`, `${channel}: ${message}`, {
    nothingDone: code !== "unknown",
    retryAfterMs,
    ...(isBlocked
      ? { hint: "Nothing reaches them there. Say it in your answer: they find it on the page." }
      : {}),
  });
}

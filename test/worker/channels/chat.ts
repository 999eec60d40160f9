import { addressName } from "../../../src/cairn/core/address.ts";
import {
  ChannelFault,
  type Channel,
  type Outgoing,
  type Received,
} from "../../../src/plugins/channels/channel.ts";
import type { Channels } from "../../../src/plugins/channels/channels.ts";

/** A channel without a vendor: what is heard is in the body as it is, and what is sent is kept. */

export interface Chat {
  readonly channels: Channels;
  readonly sent: { readonly to: string; readonly message: Outgoing }[];
  /** what whoever pressed was told */
  readonly told: string[];
  /** names of the files that were fetched */
  readonly read: string[];
}

export function openChat(isDown = () => false): Chat {
  const sent: Chat["sent"] = [];
  const told: string[] = [];
  const read: string[] = [];
  const channel: Channel = {
    name: "telegram",
    isPrivate: (place, user) => place === user.id,
    mayMove: (place) => place.startsWith("-"),
    receive: async (request) => {
      if (request.headers.get("x-secret") !== "right") throw new ChannelFault("bad_signature", "not ours");
      const body = await request.text();
      if (body === "{") throw new ChannelFault("malformed", "no JSON");
      const heard = JSON.parse(body) as Received;
      const ack = async (text: string): Promise<void> => void told.push(text);
      if (heard.kind === "press") return { ...heard, ack };
      if (heard.kind !== "message") return heard;
      const files = heard.files.map((file) => ({
        ...file,
        read: async (): Promise<Uint8Array> => {
          read.push(file.name);
          // The vendor gives it to the first who asks.
          if (file.name === "once.txt" && read.filter((name) => name === file.name).length > 1)
            throw new ChannelFault("unavailable", "The vendor did not give the whole file.");
          return file.name.endsWith(".jpg")
            ? new Uint8Array([0xff, 0xd8, 0xff, 0xe0])
            : new TextEncoder().encode("Trains leave at nine.");
        },
      }));
      return { ...heard, files };
    },
    send: async (message, address) => {
      sent.push({ to: addressName(address), message });
      return { id: String(sent.length), parts: 1 };
    },
    fits: () => true,
    linkBy: async (code) => {
      if (isDown()) throw new ChannelFault("unavailable", "no answer");
      return `https://t.me/a_bot?start=${code}`;
    },
  };
  return {
    channels: {
      find: (name) => (name === "telegram" ? channel : null),
      names: ["telegram"],
      states: [
        { name: "telegram", missing: [] },
        { name: "slack", missing: ["SLACK_BOT_TOKEN"] },
      ],
    },
    sent,
    told,
    read,
  };
}

let updates = 0;

/** Somebody in a chat: what they say as the body of a request. */
export function person(id: string, place = id, more: object = {}) {
  const heard = () => ({
    deliveryId: `u${(updates += 1)}`,
    user: { id, name: `Name of ${id}` },
    at: 0,
    address: { channel: "telegram", place },
    isGroup: false,
    ...more,
  });
  return {
    says: (text: string) => ({
      kind: "message",
      text,
      foreign: null,
      files: [],
      isForUs: true,
      isEdit: false,
      answers: null,
      ...heard(),
    }),
    commands: (command: string, args = "") => ({ kind: "command", command, args, ...heard() }),
    presses: (token: string) => ({ kind: "press", token, card: null, ...heard() }),
  };
}

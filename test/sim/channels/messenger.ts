import { addressName, type Address } from "../../../src/cairn/core/address.ts";
import { holdNote } from "./hold-note.ts";
import { loadRun } from "../../../src/cairn/session/api/log-reader.ts";
import type { ModelRequest } from "../../../src/cairn/core/log/model.ts";
import type { ToolError } from "../../../src/cairn/tools/define.ts";
import type { Channel } from "../../../src/plugins/channels/channel.ts";
import { createMessenger, receiptSoFar } from "../../../src/plugins/channels/session/messenger.ts";
import { messagesPack } from "../../../src/plugins/channels/tools/pack.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

/** A chat with a person, and a friend of theirs in the address book; what arrives there is kept. */

export const CHAT: Address = { channel: "telegram", place: "4711" };
export const FRIEND: Address = { channel: "telegram", place: "42" };

/** Set up, and never asked itself: what is sent comes here. */
export const CHANNEL: Channel = {
  name: "telegram",
  receive: () => Promise.resolve(null),
  send: () => Promise.reject(new Error("not this one")),
  fits: () => true,
};

export interface Told {
  readonly to: string;
  readonly text: string;
}

export function messengerPlatform(script: (request: ModelRequest) => Line): {
  platform: FakePlatform;
  told: Told[];
  /** the next sends fail so */
  faults: ToolError[];
} {
  const platform = new FakePlatform(script);
  const told: Told[] = [];
  const faults: ToolError[] = [];
  platform.own = (tools) => {
    tools.add(messagesPack, {
      messenger: createMessenger({
        channels: { names: ["telegram"], find: () => CHANNEL },
        book: new Map([["friend", FRIEND]]),
        asking: () => platform.state.run?.request ?? null,
        receipt: () => receiptSoFar(platform.state, (run) => loadRun(platform.store, platform.state, run)),
        people: { timesOf: () => platform.readTimes() },
        hold: (id, note, until) => holdNote(platform, id, note, until),
        sender: {
          send: async ({ text }, address, _sending) => {
            const fault = faults.shift();
            if (fault !== undefined) throw fault;
            platform.effects.cross("message: before");
            told.push({ to: addressName(address), text });
            platform.effects.cross("message: after");
            return { id: String(told.length), parts: 1 };
          },
        },
        clock: () => platform.now,
      }),
    });
  };
  platform.restart();
  return { platform, told, faults };
}

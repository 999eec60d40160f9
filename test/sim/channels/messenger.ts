import { addressName, type Address } from "../../../src/core/address.ts";
import type { ModelRequest } from "../../../src/core/log/model.ts";
import type { ToolError } from "../../../src/tools/define.ts";
import { messagesPack } from "../../../src/tools/messaging/messages-pack.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

/** A chat with a person, and a friend of theirs in the address book; what arrives there is kept. */

export const CHAT: Address = { channel: "telegram", place: "4711" };
export const FRIEND: Address = { channel: "telegram", place: "42" };

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
      messenger: {
        names: ["friend"],
        find: (name) => (name === "friend" ? FRIEND : null),
        origin: () => platform.state.run?.request.origin ?? null,
        has: ({ channel }) => channel === "telegram",
        send: async ({ text }, address) => {
          const fault = faults.shift();
          if (fault !== undefined) throw fault;
          platform.effects.cross("message: before");
          told.push({ to: addressName(address), text });
          platform.effects.cross("message: after");
          return { receipt: String(told.length), to: addressName(address) };
        },
      },
    });
  };
  platform.restart();
  return { platform, told, faults };
}

import type { MessageKind } from "../../../cairn/core/address.ts";
import type { PushPayload } from "./protocol/push-payload.ts";
import type { Outgoing } from "../channel.ts";
import type { Block } from "../text/blocks.ts";
import { firstBytes, toPlain } from "../text/plain.ts";

/** of the payload; services take 4 KB, of which encrypting needs a part */
export const PUSH_BYTES_MAX = 3_072;
const TEXT_BYTES_MAX = 1_600;
const TEXT_BYTES_MIN = 100;
const TITLE_BYTES_MAX = 200;

const TITLES: Readonly<Record<MessageKind, string>> = {
  ack: "Cairn",
  progress: "Cairn",
  final: "Cairn has an answer",
  question: "Cairn asks you",
  failure: "Cairn could not do it",
};

/** `blocks`: of the message. A notification decides nothing: of the buttons the first that leads somewhere is what a click opens. */
export function pushPayload(message: Outgoing, blocks: readonly Block[], tag: string): PushPayload {
  const { kind, title, link, buttons = [] } = message;
  const url = buttons.find((button) => button.url !== undefined)?.url ?? link ?? null;
  const plain = toPlain(blocks);
  // A card begins with its title.
  const body = title !== undefined && plain.startsWith(title) ? plain.slice(title.length).trim() : plain;
  for (let max = TEXT_BYTES_MAX; ; max = Math.floor(max / 2)) {
    const payload = {
      kind,
      title: firstBytes(title ?? TITLES[kind], Math.min(max, TITLE_BYTES_MAX)),
      body: firstBytes(body, max),
      url,
      tag,
    };
    // Signs that JSON writes with two or six.
    const isFitting = new TextEncoder().encode(JSON.stringify(payload)).length <= PUSH_BYTES_MAX;
    if (isFitting || max <= TEXT_BYTES_MIN) return payload;
  }
}

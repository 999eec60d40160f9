import { addressName } from "../../../src/cairn/core/address.ts";
import type { ChannelNote } from "../../../src/plugins/channels/session/notices.ts";
import type { FakePlatform } from "../platform/platform.ts";

/** A message to a place waits in the outbox until then, as the plugin of channels has it wait. */
export const holdNote = (
  { engine, outbox, now }: FakePlatform,
  id: string,
  note: Extract<ChannelNote, { type: "message" }>,
  until: number,
): void =>
  engine.rearm(() =>
    outbox.keepUntil(
      { id, target: `place:${addressName(note.address)}`, type: note.type, body: JSON.stringify(note) },
      now,
      until,
    ),
  );

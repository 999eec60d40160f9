import { addressName } from "../../../cairn/core/address.ts";
import type { NotifySettings } from "../../../cairn/core/quiet.ts";
import type { Deliveries } from "../../../cairn/session/background/outbox.ts";
import type { SessionHost, SessionPart } from "../../../cairn/session/part.ts";
import type { Channels } from "../channels.ts";
import type { Messenger } from "../tools/messenger.ts";
import { deniedMessage } from "./denied-messages.ts";
import { createMessenger, receiptSoFar, type AddressBook } from "./messenger.ts";
import { channelNoticesOf } from "./notices.ts";
import { createPeopleReader } from "./people.ts";
import { ChannelSender } from "./sender.ts";
import { ShownCards } from "./shown-cards.ts";

/** Settings of a deployment, from its project and its variables. */
export interface ChannelSettings {
  readonly channels: Channels;
  /** notification settings of people who have none */
  readonly notify: NotifySettings;
  readonly book: AddressBook;
  /** addresses that unattended runs may write to, by name */
  readonly alone: readonly string[];
}

export interface ChannelsPart extends SessionPart {
  /** null where there is nowhere to send */
  readonly messenger: Messenger | null;
  readonly sender: ChannelSender;
  readonly cards: ShownCards;
  readonly deliveries: Deliveries;
  readonly wrote: NonNullable<SessionPart["wrote"]>;
}

/** Words of one session to people on channels. */
export function createPart(
  host: SessionHost,
  { channels, notify: notifyDefaults, book, alone }: ChannelSettings,
): ChannelsPart {
  const { session, disk, clock, redact, outbox, people } = host;
  const { DB: db } = host.env as { readonly DB: D1Database };
  const cards = new ShownCards(disk, outbox);
  const reader = createPeopleReader({ db, channels, notifyDefaults, people, zone: () => host.zone() });
  const sender = new ChannelSender({
    session,
    createdAt: () => host.createdAt(),
    channels,
    db,
    notifyDefaults,
    state: () => host.state(),
    transaction: (body) => host.transaction(body),
    outbox,
    cards,
    clock,
    redact,
    people,
  });
  const messenger = createMessenger({
    channels,
    book,
    asking: () => host.state().run?.request ?? null,
    people: reader,
    hold: (id, note, until) =>
      host.transaction(() => {
        const target = `place:${addressName(note.address)}`;
        outbox.keepUntil({ id, target, type: note.type, body: JSON.stringify(note) }, clock(), until);
      }),
    receipt: () => receiptSoFar(host.state(), (run) => host.entriesOf(run, host.state())),
    sender,
    clock,
  });
  return {
    messenger,
    sender,
    cards,
    people: reader,
    reachable: alone,
    // Shows the typing indicator during this wake's step. Nothing waits for it.
    loadDue: () => Promise.resolve(sender.typing()),
    wrote: (entries, state) => {
      const around = { ...outbox.around(state), shownQuestions: (run: string) => cards.questionsOf(run) };
      for (const entry of entries) {
        if (channels.names.length > 0)
          for (const { id, target, note, waitMs } of channelNoticesOf(session, entry, around))
            outbox.keep({ id, target, type: note.type, body: JSON.stringify(note) }, entry.at, waitMs);
        const denied = deniedMessage(session, entry, (run) => host.entriesOf(run, state));
        if (denied !== null) outbox.held.note(denied, entry.at);
      }
    },
    deliveries: {
      kinds: ["place", "person", "card"],
      // A card may be shown again: two cards of one digest decide the same, and a run would wait for a card that
      // was never shown.
      once: ["message"],
      deliver: (delivery) => sender.tell(delivery),
    },
  };
}

import type { Address } from "../../core/address.ts";
import { digestEntry } from "../../core/entries/notes.ts";
import { laneOf } from "../../core/guards/permissions.ts";
import type { BodyOf, Entry } from "../../core/log/entry.ts";
import { quietAt, quietEnd, type QuietTimes } from "../../core/quiet.ts";
import type { Background, OpenLog } from "../engine/ports.ts";
import { calendar } from "./cron.ts";
import { TIMES_AGAIN_MS, type HeldRows } from "./held.ts";

/** Facts about people that are stored outside of the session. Each throws if it cannot be read now. */
export interface PeopleReader {
  /** notification settings of a person */
  timesOf(subject: string): Promise<QuietTimes>;
  /** channel for their notes; null: the page alone */
  channelOf(subject: string): Promise<Address | null>;
}

/** No channels and no quiet hours: people read notes on the page. */
export const PAGE_ALONE: PeopleReader = {
  timesOf: () => Promise.resolve({ zone: null, quiet: null }),
  channelOf: () => Promise.resolve(null),
};

/** Triggers the delivery of notes by a person's message, and marks those that a digest entry delivers. */
export function callNotes(
  held: HeldRows,
  entry: Entry,
  around: {
    readonly requestOf: (run: string) => BodyOf<"run_queued"> | null;
    readonly owner: string | null;
  },
): void {
  switch (entry.kind) {
    case "user_message": {
      const { source, author } = entry.body;
      if (laneOf(source) !== "user" || (around.owner !== null && around.owner !== author)) return;
      held.call({ run: entry.run, channel: around.requestOf(entry.run ?? "")?.origin ?? null }, entry.at);
      return;
    }
    case "note":
      if (entry.body.digest !== undefined) held.markDigested(entry.body.digest.notes, entry.at);
      return;
    default:
      return;
  }
}

/** The person's settings and channel; null if unreadable. */
type Known = { readonly times: QuietTimes; readonly channel: Address | null } | null;

/**
 * The digest of a session: its notes as one entry, with their person's next message or at the end of quiet hours. Each
 * note is in one digest, because the transaction that writes it removes its notes.
 */
export class Digest implements Background {
  readonly #held: HeldRows;
  readonly #people: PeopleReader;
  readonly #owner: () => string | null;
  /** as it was read for the alarm that is at work */
  #known: Known | undefined;

  constructor(held: HeldRows, people: PeopleReader, owner: () => string | null) {
    this.#held = held;
    this.#people = people;
    this.#owner = owner;
  }

  /** The outbox sets the alarm for these rows. */
  due(): null {
    return null;
  }

  /** Reads the person's settings before notes fall due, because a transaction cannot await them. */
  async loadDue(at: number): Promise<void> {
    this.#known = undefined;
    if (this.#held.notesDue(at).length === 0) return;
    try {
      const owner = this.#owner() ?? "";
      const [times, channel] = await Promise.all([
        this.#people.timesOf(owner),
        this.#people.channelOf(owner),
      ]);
      this.#known = { times, channel };
    } catch {
      this.#known = null;
    }
  }

  fallDue(log: OpenLog): void {
    const call = this.#held.takeCall(log.at);
    if (call !== null) {
      const notes = this.#held.notes();
      const { run: live, queue } = log.state;
      const isThere = live?.run === call.run || queue.some(({ run }) => run === call.run);
      const target = { run: isThere ? call.run : null, place: call.channel };
      // Words that were stopped before anybody read them show nothing on the page: the next ones do.
      if (notes.length > 0 && (isThere || call.channel !== null)) log.append([digestEntry(notes, target)]);
      return;
    }
    if (this.#known !== undefined) this.#byHour(log, this.#known);
  }

  #byHour(log: OpenLog, known: Known): void {
    const notes = this.#held.notesDue(log.at);
    if (notes.length === 0) return;
    if (known === null) return this.#held.postpone(notes, log.at + TIMES_AGAIN_MS, false);
    const { times, channel } = known;
    const quiet = quietAt(times, log.at, calendar);
    const isHour = quiet === null && notes.some(({ isNew }) => !isNew);
    // On the page, notes are shown with their person's next message.
    if (isHour && channel !== null)
      return void log.append([digestEntry(this.#held.notes(), { run: null, place: channel })]);
    const end = quiet?.until ?? quietEnd(times, log.at, calendar);
    this.#held.postpone(notes, channel === null ? null : end, true);
  }
}

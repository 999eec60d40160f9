import { shortened } from "../text/cut.ts";
import type { Address } from "../address.ts";
import type { EntryDraft } from "../log/entry.ts";

/** Withheld messages for a person who was not there to allow them, delivered once as one digest. */

/** code of the note that delivers them */
export const NOTES_DELIVERED = "notes_delivered";

export interface StoredNote {
  /** of its delivery */
  readonly id: string;
  /** where it was to go, as the run named it */
  readonly to: string;
  readonly text: string;
}

/** prefix of IDs of messages about scheduled work, which need no approval */
const SCHEDULED_WORK = "sched:";

/** notes per digest, and characters of each; further notes are counted and stay in the session */
const SHOWN_MAX = 20;
const CHARS_MAX = 1_000;

/** `run`: with whose input they are sent; null when their hour has come. `place`: absent for the page alone. */
export function digestEntry(
  notes: readonly StoredNote[],
  { run, place: channel }: { readonly run: string | null; readonly place: Address | null },
): EntryDraft<"note"> {
  const digest = { notes: notes.map(({ id }) => id), ...(channel === null ? {} : { place: channel }) };
  return { kind: "note", run, step: null, body: { code: NOTES_DELIVERED, text: digestText(notes), digest } };
}

function digestText(notes: readonly StoredNote[]): string {
  const isNotice = notes.some(({ id }) => id.startsWith(SCHEDULED_WORK));
  const many = notes.length === 1 ? "One message was" : `${notes.length} messages were`;
  const head = isNotice
    ? `${many} held for you.`
    : `${many} held for you: unattended runs may not send this.`;
  const shown = notes.slice(0, SHOWN_MAX).map(({ to, text }) => `${toWords(to)}${cut(text)}`);
  const more = notes.length - shown.length;
  return [
    `**${head}**`,
    ...shown,
    ...(more > 0 ? [`And ${more} more: they are in the conversation.`] : []),
  ].join("\n\n");
}

const toWords = (to: string): string => (to === "origin" ? "" : `To ${to}: `);

const cut = (text: string): string => shortened(text, CHARS_MAX);

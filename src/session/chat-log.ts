import type { Entry } from "../core/entries.ts";
import { uiMessages } from "../wire/messages.ts";
import type { UiMessage } from "../wire/ui-chunk.ts";
import type { Store } from "./ports.ts";

/** Reads of the log for the chat, a page at a time: never the whole history. */

export const MESSAGES_SHOWN = 200;
const PAGE_ROWS = 256;

/** Rows of one run with seq <= upTo, oldest first; empty when the log has no such run. */
export function loadRun(store: Pick<Store, "entriesBefore">, run: string, upTo: number): Entry[] {
  const rows: Entry[] = [];
  let before = upTo + 1;
  for (;;) {
    const page = store.entriesBefore(before, PAGE_ROWS);
    for (const entry of page) {
      if (entry.run !== run) continue;
      rows.push(entry);
      if (entry.kind === "run_queued") return rows.reverse();
    }
    const oldest = page.at(-1);
    if (page.length < PAGE_ROWS || oldest === undefined) return [];
    before = oldest.seq;
  }
}

export interface MessagePage {
  readonly items: readonly UiMessage[];
  /** older ones exist */
  readonly more: boolean;
}

/**
 * The newest messages, oldest first; those before the message `before` when it is given (none when it is not there).
 * Reads back only as far as the messages asked for.
 */
export function loadMessages(
  store: Pick<Store, "entriesBefore">,
  session: string,
  cleared: number,
  limit: number,
  before: string | null = null,
): MessagePage {
  let rows: Entry[] = [];
  let pageRows = PAGE_ROWS;
  for (;;) {
    const page = store.entriesBefore(rows[0]?.seq ?? Number.MAX_SAFE_INTEGER, pageRows);
    rows = [...page.toReversed(), ...rows];
    const reached = page.length < pageRows || (rows[0]?.seq ?? 0) <= cleared;
    const messages = uiMessages(session, rows, cleared);
    const end = before === null ? messages.length : messages.findIndex((message) => message.id === before);
    if (end > limit || reached) {
      const until = Math.max(0, end);
      return {
        items: messages.slice(Math.max(0, until - limit), until),
        more: until > limit,
      };
    }
    pageRows *= 2;
  }
}

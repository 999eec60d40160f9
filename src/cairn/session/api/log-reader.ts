import type { BodyOf, Entry } from "../../core/log/entry.ts";
import type { State } from "../../core/state/state.ts";
import { withoutThoughts } from "../../core/text/thoughts.ts";
import { uiMessages } from "../../protocol/stream/messages.ts";
import { missingBytes, type UiMessage } from "../../protocol/stream/ui-chunk.ts";
import { fileRef } from "../engine/files.ts";
import type { Store } from "../engine/ports.ts";
import { type Actor, allows } from "./session-api.ts";

/** Reads of the log for those who watch, a page at a time: never the whole history, never more than a page of bytes. */

export const MESSAGES_SHOWN = 200;
/** of one page of entries or messages, as JSON: far below what a frame or an RPC answer may be */
export const PAGE_BYTES_MAX = 1_048_576;
const PAGE_ENTRIES = 256;
/** read at once where a page may end before the next of them */
const BATCH_ENTRIES = 16;

/** The part of the store that readers of the log use. */
export type Log = Pick<Store, "entriesAfter" | "entriesBefore" | "entriesBetween" | "loadBlob">;

/** Returns the log as this actor may read it. Every interface reads the log through this. */
export function readableBy(actor: Pick<Actor, "scopes">, store: Log, state: State): Log {
  if (allows(actor, "admin")) return store;
  const known = new Map<string, boolean>();
  const show = (entries: readonly Entry[]): Entry[] =>
    entries.map((entry) => publicEntry(store, state, entry, known));
  return {
    entriesAfter: (seq, limit) => show(store.entriesAfter(seq, limit)),
    entriesBefore: (seq, limit) => show(store.entriesBefore(seq, limit)),
    entriesBetween: (from, to) => show(store.entriesBetween(from, to)),
    loadBlob: (name) => store.loadBlob(name),
  };
}

/**
 * Returns an entry for readers who are not admins: without thoughts, if its run restricts them. `known`: runs with that
 * setting.
 */
export function publicEntry(
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
  state: State,
  entry: Entry,
  known = new Map<string, boolean>(),
): Entry {
  const bare = withoutThoughts(entry);
  if (bare === entry || entry.run === null) return entry;
  const keeps = known.get(entry.run) ?? keepsThoughts(queuedEntry(store, state, entry.run));
  known.set(entry.run, keeps);
  return keeps ? bare : entry;
}

/** True if the run queued by this entry shows its thoughts to admins alone. */
export const keepsThoughts = (queued: Entry | undefined): boolean =>
  queued?.kind === "run_queued" && !queued.body.spec.showThoughts;

/** Entries after a seq, oldest first: at most `entries`, and after the first no more than fit into `bytes`. */
export function loadEvents(
  store: Pick<Store, "entriesAfter">,
  after: number,
  entries: number,
  bytes: number = PAGE_BYTES_MAX,
): Entry[] {
  const events: Entry[] = [];
  let space = bytes;
  while (events.length < entries) {
    const batchSize = Math.min(BATCH_ENTRIES, entries - events.length);
    const batch = store.entriesAfter(events.at(-1)?.seq ?? after, batchSize);
    for (const entry of batch) {
      space -= bytesOf(entry);
      if (space < 0 && events.length > 0) return events;
      events.push(entry);
    }
    if (batch.length < batchSize) break;
  }
  return events;
}

/**
 * Returns the entries of one run with seq <= upTo from its run_queued on, oldest first; empty if the log has no such
 * run. The state has the positions of the newest runs and the highest run number; an older run is searched from the
 * end.
 */
export function loadRun(
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
  state: State,
  run: string,
  upTo: number = state.head,
): Entry[] {
  if (Number(run.slice(1)) > state.runs) return [];
  const range = rangeOf(state, run);
  if (range === undefined) return searchRun(store, run, upTo);
  const entries = firstEntry(store, run, range.inputSeq, upTo);
  const last = Math.min(range.lastSeq, upTo);
  for (const entry of scan(store, range.firstSeq, last, PAGE_ENTRIES))
    if (entry.run === run) entries.push(entry);
  return entries;
}

/** Returns a run's request; null if there never was such a run. */
export function loadRunRequest(
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
  state: State,
  run: string,
): BodyOf<"run_queued"> | null {
  const entry = queuedEntry(store, state, run);
  return entry?.kind === "run_queued" ? entry.body : null;
}

/** Returns the text of the message with this seq; empty where there is none. */
export function wordsAt(store: Pick<Store, "entriesBetween">, seq: number): string {
  const [message] = store.entriesBetween(seq, seq);
  const parts = message?.kind === "user_message" ? message.body.parts : [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
}

/** Returns the positions of a queued, live or recent run; undefined for any other. */
function rangeOf({ run: live, queue, ended }: State, run: string): EntryRange | undefined {
  const waiting = queue.find((item) => item.run === run);
  // A waiting run has a run_queued, and maybe notes that were shown with its message.
  if (waiting !== undefined) {
    const { request, noted } = waiting;
    return { inputSeq: request.inputSeq, firstSeq: noted ?? 1, lastSeq: noted ?? 0 };
  }
  if (live?.run === run)
    return { inputSeq: live.request.inputSeq, firstSeq: live.firstSeq, lastSeq: Infinity };
  return ended.find((item) => item.run === run);
}

type EntryRange = Pick<State["ended"][number], "inputSeq" | "firstSeq" | "lastSeq">;

/** Finds the run_queued of a run, without reading the rest of the run if its position is known. */
function queuedEntry(
  store: Pick<Store, "entriesBefore" | "entriesBetween">,
  state: State,
  run: string,
): Entry | undefined {
  const range = rangeOf(state, run);
  const { head } = state;
  return (
    range === undefined ? searchRun(store, run, head) : firstEntry(store, run, range.inputSeq, head)
  )[0];
}

/** The run_queued: next to the words that it answers, or behind the run that they had joined. */
function firstEntry(
  store: Pick<Store, "entriesBetween">,
  run: string,
  inputSeq: number,
  upTo: number,
): Entry[] {
  for (const entry of scan(store, inputSeq, upTo, BATCH_ENTRIES)) {
    if (entry.run === run && entry.kind === "run_queued") return [entry];
  }
  return [];
}

function* scan(store: Pick<Store, "entriesBetween">, from: number, to: number, size: number) {
  for (let at = from; at <= to; at += size) yield* store.entriesBetween(at, Math.min(to, at + size - 1));
}

function searchRun(store: Pick<Store, "entriesBefore">, run: string, upTo: number): Entry[] {
  const entries: Entry[] = [];
  let before = upTo + 1;
  for (;;) {
    const page = store.entriesBefore(before, PAGE_ENTRIES);
    for (const entry of page) {
      if (entry.run !== run) continue;
      entries.push(entry);
      if (entry.kind === "run_queued") return entries.reverse();
    }
    const oldest = page.at(-1);
    if (page.length < PAGE_ENTRIES || oldest === undefined) return [];
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
 * At most `limit`, and after the newest no more than fit into a page; what room they leave goes to their files, the newest
 * first. Reads back only as far as the messages asked for.
 */
export function loadMessages(
  store: Pick<Store, "entriesBefore" | "entriesBetween" | "loadBlob">,
  session: string,
  cleared: number,
  limit: number,
  before: string | null = null,
): MessagePage {
  let entries: Entry[] = [];
  let pageEntries = PAGE_ENTRIES;
  for (;;) {
    const page = store.entriesBefore(entries[0]?.seq ?? Number.MAX_SAFE_INTEGER, pageEntries);
    entries = [...page.toReversed(), ...entries];
    const reached = page.length < pageEntries || (entries[0]?.seq ?? 0) <= cleared;
    const messages = uiMessages(session, [...olderInputs(store, entries), ...entries], cleared);
    const end = before === null ? messages.length : messages.findIndex((message) => message.id === before);
    const until = Math.max(0, end);
    const { items, bytesLeft } = newest(messages.slice(0, until), limit);
    const more = items.length < until;
    if (more || reached) return { items: showFiles(store, items, bytesLeft), more };
    pageEntries *= 2;
  }
}

/** Returns messages older than these entries, for runs that were queued in them. */
function olderInputs(store: Pick<Store, "entriesBetween">, entries: readonly Entry[]): Entry[] {
  const first = entries[0]?.seq ?? 0;
  return entries
    .flatMap((entry) =>
      entry.kind === "run_queued" && entry.body.inputSeq < first ? [entry.body.inputSeq] : [],
    )
    .sort((a, b) => a - b)
    .flatMap((seq) => store.entriesBetween(seq, seq));
}

/** As many of the last messages as may be shown, and the bytes that they leave of a page. */
function newest(messages: readonly UiMessage[], limit: number): { items: UiMessage[]; bytesLeft: number } {
  let left = PAGE_BYTES_MAX;
  let from = messages.length;
  for (const message of messages.slice(-limit).reverse()) {
    const bytes = bytesOf(message);
    if (bytes > left && from < messages.length) break;
    left -= bytes;
    from -= 1;
  }
  return { items: messages.slice(from), bytesLeft: left };
}

/** Reads the files back that messages are shown without, the newest first, as long as there is room. */
function showFiles(
  store: Pick<Store, "loadBlob">,
  messages: readonly UiMessage[],
  spare: number,
): readonly UiMessage[] {
  let space = spare;
  const show = (message: UiMessage): UiMessage => {
    if (message.role !== "user") return message;
    const parts = message.parts.map((part, index) => {
      const bytes = missingBytes(part);
      if (bytes === null || bytes > space) return part;
      const url = store.loadBlob(fileRef(message.id, index));
      if (url === null) return part;
      space -= bytes;
      return { type: "file", mediaType: part["mediaType"] ?? "", url };
    });
    return { ...message, parts };
  };
  return messages.toReversed().map(show).toReversed();
}

const encoder = new TextEncoder();
const bytesOf = (value: Entry | UiMessage): number => encoder.encode(JSON.stringify(value)).length;

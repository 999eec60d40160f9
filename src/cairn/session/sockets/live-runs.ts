import type { Entry } from "../../core/log/entry.ts";
import type { CallProgress } from "../../core/log/tool.ts";
import { RunStream, type Update } from "../../protocol/stream/stream.ts";
import { withoutThoughts } from "../../core/text/thoughts.ts";
import { keepsThoughts, loadRun } from "../api/log-reader.ts";
import type { PlacedDraft, Store } from "../engine/ports.ts";
import type { State } from "../../core/state/state.ts";

/** Chunks that an entry or a draft adds to the stream of its run. */
export interface LiveUpdate extends Update {
  readonly run: string;
  readonly stream: RunStream;
  readonly to: Audience;
}

/** Audience of a stream: if a run restricts its thoughts, admins and others have separate streams. */
type Audience = "all" | "admins" | "others";

/**
 * The same stream twice, unless the run restricts its thoughts. Uncommitted text is only in the whole one: it may be a
 * thought.
 */
interface Streams {
  readonly whole: RunStream;
  readonly shown: RunStream;
}

/**
 * The streams of watched runs, each built once from the log and then extended by published entries. Also stores the
 * draft of the model call in flight, so that late clients get the text so far. Nothing here is truth: after a restart
 * it is read from the log again.
 */
export class LiveRuns {
  readonly #session: string;
  readonly #store: Pick<Store, "entriesBefore" | "entriesBetween">;
  readonly #state: () => State;
  readonly #streams = new Map<string, Streams>();
  #draft: PlacedDraft[] = [];
  /** progress of the tools running in this isolate; null without any */
  progress: CallProgress | null = null;

  constructor(session: string, store: Pick<Store, "entriesBefore" | "entriesBetween">, state: () => State) {
    this.#session = session;
    this.#store = store;
    this.#state = state;
  }

  /** The stream of a run up to what is published, for an admin or for others; null when there is no such run. */
  stream(run: string, admin: boolean): RunStream | null {
    const streams = this.#load(run, this.#state().head);
    return streams === null ? null : admin ? streams.whole : streams.shown;
  }

  /** The stream of the live run. */
  live(admin: boolean): RunStream | null {
    const { run } = this.#state();
    return run === null ? null : this.stream(run.run, admin);
  }

  accept(entry: Entry): readonly LiveUpdate[] {
    const { run } = entry;
    if (run === null) return [];
    if (ENDS_ATTEMPT.has(entry.kind)) this.#draft = [];
    // The words that a run will answer are no part of its stream: it begins with its run_queued, so nothing is read for it.
    if (entry.kind === "user_message" && entry.body.mode !== "join") return [];
    const begins = entry.kind === "run_queued" && !this.#streams.has(run);
    const known = begins ? null : this.#load(run, entry.seq - 1);
    const { whole, shown } = known ?? this.#add(run, entry);
    const of = (stream: RunStream, seen: Entry, to: Audience): LiveUpdate[] => {
      const update = stream.accept(seen);
      return update === null ? [] : [{ ...update, run, stream, to }];
    };
    if (whole === shown) return of(whole, entry, "all");
    return [...of(whole, entry, "admins"), ...of(shown, withoutThoughts(entry), "others")];
  }

  /** Adds a piece of the model call in flight. Always cached; `watched` is true if anyone gets it. */
  draft(piece: PlacedDraft, watched: boolean): LiveUpdate | null {
    // A stream that misses a piece would never have it again: who comes next gets one that is built anew.
    if (!watched) this.#streams.clear();
    const streams = watched ? this.#load(piece.run, this.#state().head) : null;
    if (this.#draft[0]?.base !== piece.base) this.#draft = [];
    this.#draft.push(piece);
    const update = streams?.whole.draft(piece) ?? null;
    if (update === null || streams === null) return null;
    const { whole: stream, shown } = streams;
    return { ...update, run: piece.run, stream, to: stream === shown ? "all" : "admins" };
  }

  /** Releases a run that has ended; a live one stays, because it grows. */
  release(run: string): void {
    const { run: live, queue } = this.#state();
    if (live?.run !== run && !queue.some((item) => item.run === run)) this.#streams.delete(run);
  }

  /** Without watchers, newly committed entries are not followed. */
  unwatched(entries: readonly Entry[]): void {
    this.#streams.clear();
    if (entries.some((entry) => ENDS_ATTEMPT.has(entry.kind))) this.#draft = [];
  }

  /** The log is gone. */
  forget(): void {
    this.#streams.clear();
    this.#draft = [];
    this.progress = null;
  }

  #load(run: string, upTo: number): Streams | null {
    const known = this.#streams.get(run);
    if (known !== undefined) return known;
    const entries = loadRun(this.#store, this.#state(), run, upTo);
    if (entries.length === 0) return null;
    const streams = this.#add(run, entries[0]);
    const { whole, shown } = streams;
    for (const entry of entries) {
      whole.accept(entry);
      if (shown !== whole) shown.accept(withoutThoughts(entry));
    }
    for (const piece of this.#draft) whole.draft(piece);
    return streams;
  }

  #add(run: string, queued: Entry | undefined): Streams {
    const whole = new RunStream(this.#session, run);
    const shown = keepsThoughts(queued) ? new RunStream(this.#session, run) : whole;
    const streams = { whole, shown };
    this.#streams.set(run, streams);
    return streams;
  }
}

const ENDS_ATTEMPT: ReadonlySet<Entry["kind"]> = new Set(["model_replied", "model_failed", "attempt_lost"]);

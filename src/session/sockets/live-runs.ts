import type { Entry } from "../../core/log/entry.ts";
import type { ToldProgress } from "../../core/log/tool.ts";
import { RunStream, type Update } from "../../wire/stream/stream.ts";
import { loadRun } from "../api/log-reader.ts";
import type { PlacedDraft, Store } from "../engine/ports.ts";
import type { State } from "../../core/state/state.ts";

/** What an entry or a draft adds to the stream of its run. */
export interface LiveUpdate extends Update {
  readonly run: string;
  readonly stream: RunStream;
}

/**
 * The streams of the runs that someone watches, each built once from the log and then grown by what is published. Also
 * keeps the draft of the model call in flight, so that who comes late gets the text so far. Nothing here is truth: after
 * a stop it is read from the log again.
 */
export class LiveRuns {
  readonly #session: string;
  readonly #store: Pick<Store, "entriesBefore" | "entriesBetween">;
  readonly #state: () => State;
  readonly #streams = new Map<string, RunStream>();
  #draft: PlacedDraft[] = [];
  /** how far the tools are that run now, in this isolate; null when none says so */
  progress: ToldProgress | null = null;

  constructor(session: string, store: Pick<Store, "entriesBefore" | "entriesBetween">, state: () => State) {
    this.#session = session;
    this.#store = store;
    this.#state = state;
  }

  /** The stream of a run up to what is published, or null when there is no such run. */
  stream(run: string): RunStream | null {
    return this.#load(run, this.#state().head);
  }

  /** The stream of the live run. */
  live(): RunStream | null {
    const { run } = this.#state();
    return run === null ? null : this.stream(run.run);
  }

  accept(entry: Entry): LiveUpdate | null {
    if (entry.run === null) return null;
    if (ENDS_ATTEMPT.has(entry.kind)) this.#draft = [];
    // The words that a run will answer are no part of its stream: it begins with its run_queued, so nothing is read for it.
    if (entry.kind === "user_said" && entry.body.mode !== "join") return null;
    const begins = entry.kind === "run_queued" && !this.#streams.has(entry.run);
    const known = begins ? null : this.#load(entry.run, entry.seq - 1);
    const stream = known ?? this.#add(entry.run);
    const update = stream.accept(entry);
    return update === null ? null : { ...update, run: entry.run, stream };
  }

  /** A piece of the model call in flight. Cached always; `watched` says whether anyone is told. */
  draft(piece: PlacedDraft, watched: boolean): LiveUpdate | null {
    // A stream that misses a piece would never have it again: who comes next gets one that is built anew.
    if (!watched) this.#streams.clear();
    const stream = watched ? this.stream(piece.run) : null;
    if (this.#draft[0]?.base !== piece.base) this.#draft = [];
    this.#draft.push(piece);
    const update = stream?.draft(piece) ?? null;
    return update === null || stream === null ? null : { ...update, run: piece.run, stream };
  }

  /** Lets go of a run that has ended; any other is kept, because it grows. */
  release(run: string): void {
    const { run: live, queue } = this.#state();
    if (live?.run !== run && !queue.some((item) => item.run === run)) this.#streams.delete(run);
  }

  /** Nobody watches: entries that are committed from now on are not followed. */
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

  #load(run: string, upTo: number): RunStream | null {
    const known = this.#streams.get(run);
    if (known !== undefined) return known;
    const entries = loadRun(this.#store, this.#state(), run, upTo);
    if (entries.length === 0) return null;
    const stream = this.#add(run);
    for (const entry of entries) stream.accept(entry);
    for (const piece of this.#draft) stream.draft(piece);
    return stream;
  }

  #add(run: string): RunStream {
    const stream = new RunStream(this.#session, run);
    this.#streams.set(run, stream);
    return stream;
  }
}

const ENDS_ATTEMPT: ReadonlySet<Entry["kind"]> = new Set(["model_replied", "model_failed", "attempt_lost"]);

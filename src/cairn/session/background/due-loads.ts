import { DUE_LOAD_RETRY_MS, DUE_LOAD_RETRY_MS_MAX } from "../../core/limits.ts";
import type { Background } from "../engine/ports.ts";
import type { Cached } from "../storage/cache.ts";
import type { Disk, SqlStore } from "../storage/store.ts";

/** Due background work runs inside a transaction, where I/O is impossible, so each part loads what it needs before. */
export interface LoadsDue {
  loadDue(at: number): Promise<void>;
}

interface Failure {
  readonly tries: number;
  /** milliseconds since the epoch */
  readonly retryAt: number;
}

/**
 * Loads due work before a wake, so that no part stops the others: one whose load fails rests, and its load is tried again with
 * a growing delay. Its work stays due until then. The failures are rows, because an isolate may end between two tries.
 */
export class DueLoads {
  readonly #disk: Disk;
  readonly #failures: Cached<ReadonlyMap<string, Failure>>;
  readonly #report: (part: string, error: unknown) => void;

  constructor(disk: Disk, store: Pick<SqlStore, "keep">, report: (part: string, error: unknown) => void) {
    this.#disk = disk;
    this.#report = report;
    this.#failures = store.keep(() => this.#readFailures());
  }

  /** Loads each part in turn, by the name under which its failures are stored. Never throws for a part. */
  async load(parts: Readonly<Record<string, LoadsDue>>, clock: () => number): Promise<void> {
    for (const [name, part] of Object.entries(parts)) {
      const failure = this.#failures.get().get(name) ?? null;
      if (failure !== null && clock() < failure.retryAt) continue;
      try {
        await part.loadDue(clock());
        if (failure !== null) this.#forget(name);
      } catch (error) {
        this.#report(name, error);
        this.#note(name, (failure?.tries ?? 0) + 1, clock());
      }
    }
  }

  /** The part without due work while its load has failed; the session wakes for it when the load is tried again. */
  resting(name: string, part: Background): Background {
    const failure = (): Failure | null => this.#failures.get().get(name) ?? null;
    return {
      due: (state) => {
        const due = part.due(state);
        const failed = failure();
        return due === null || failed === null ? due : Math.max(due, failed.retryAt);
      },
      fallDue: (log, since) => {
        if (failure() === null) part.fallDue?.(log, since);
      },
      wrote: (entries, state) => part.wrote?.(entries, state),
    };
  }

  #note(name: string, tries: number, at: number): void {
    const wait = Math.min(DUE_LOAD_RETRY_MS_MAX, DUE_LOAD_RETRY_MS * 2 ** (tries - 1));
    this.#failures.forget();
    this.#disk.exec(
      "INSERT OR REPLACE INTO seen (source, id, answer, at) VALUES ('due_load', ?, ?, ?)",
      name,
      String(tries),
      at + wait,
    );
  }

  #forget(name: string): void {
    this.#failures.forget();
    this.#disk.exec("DELETE FROM seen WHERE source = 'due_load' AND id = ?", name);
  }

  #readFailures(): ReadonlyMap<string, Failure> {
    const rows = this.#disk.exec("SELECT id, answer, at FROM seen WHERE source = 'due_load'");
    return new Map(
      rows.map(({ id, answer, at }) => [String(id), { tries: Number(answer), retryAt: Number(at) }]),
    );
  }
}

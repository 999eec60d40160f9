import type { Entry } from "../../core/log/entry.ts";

/** Entries after which a run goes on by itself no more: it has ended, or waits for a person or a client. */
const RESTS: ReadonlySet<Entry["kind"]> = new Set([
  "run_ended",
  "approval_requested",
  "human_asked",
  "client_asked",
]);

/** Callers that wait until a run comes to rest. Not stored: after a crash of the object, the caller asks again. */
export class RunWaiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves when the run rests, or after this many milliseconds. */
  async until(run: string, ms: number): Promise<void> {
    const waiting = this.#waiting.get(run) ?? new Set();
    this.#waiting.set(run, waiting);
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(run);
        resolve();
      };
      const timer = setTimeout(done, ms);
      waiting.add(done);
    });
  }

  /** Called with what has been committed. */
  committed(entries: readonly Entry[]): void {
    if (this.#waiting.size === 0) return;
    for (const { kind, run } of entries)
      if (run !== null && RESTS.has(kind)) for (const done of this.#waiting.get(run) ?? []) done();
  }
}

import type { Entry } from "../../core/log/entry.ts";
import type { CallProgress } from "../../core/log/tool.ts";
import type { State } from "../../core/state/state.ts";
import type { Audience, PlacedDraft } from "./ports.ts";

/** Everyone who watches a session, in the order in which they came. */
export class Watchers implements Audience {
  readonly #all: Partial<Audience>[] = [];

  add(watcher: Partial<Audience>): void {
    this.#all.push(watcher);
  }

  committed(entries: readonly Entry[], state: State): void {
    for (const one of this.#all) one.committed?.(entries, state);
  }

  draft(piece: PlacedDraft): void {
    for (const one of this.#all) one.draft?.(piece);
  }

  progress(progress: CallProgress | null): void {
    for (const one of this.#all) one.progress?.(progress);
  }

  readonly watched = (): boolean => this.#all.some((one) => one.watched?.() ?? false);

  dismiss(): void {
    for (const one of this.#all) one.dismiss?.();
  }
}

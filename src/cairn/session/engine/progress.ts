import { type CallProgress, PROGRESS_MS_MIN } from "../../core/log/tool.ts";

/**
 * Progress of the tools of one batch, for watchers: shown at once, then at most every quarter of a second, the last one
 * always. Nothing is stored, and nothing remains after the end.
 */
export class ShownProgress {
  readonly #show: (progress: CallProgress | null) => void;
  readonly #clock: () => number;
  /** when the last one was shown; null before the first */
  #shownAt: number | null = null;
  /** the newest that waits for its time */
  #waiting: CallProgress | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(show: (progress: CallProgress | null) => void, clock: () => number) {
    this.#show = show;
    this.#clock = clock;
  }

  push(progress: CallProgress): void {
    this.#waiting = progress;
    if (this.#timer !== null) return;
    const left = this.#shownAt === null ? 0 : this.#shownAt + PROGRESS_MS_MIN - this.#clock();
    if (left <= 0) this.#flush();
    else this.#timer = setTimeout(() => this.#flush(), left);
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#shownAt !== null) this.#show(null);
  }

  #flush(): void {
    this.#timer = null;
    const progress = this.#waiting;
    this.#waiting = null;
    if (progress === null) return;
    this.#shownAt = this.#clock();
    this.#show(progress);
  }
}

import { boundedProgress } from "../core/text/progress.ts";
import { shortened } from "../core/text/cut.ts";
import { type CallOrder, LOG_LINE_CHARS_MAX, LOG_LINES_MAX, type Progress } from "../core/log/tool.ts";
import { dollars } from "../core/guards/budget/amounts.ts";
import type { Redact } from "../core/text/redact.ts";
import { logEvent } from "../operator-log.ts";

/** characters of a line that are looked through for secrets, before it is cut */
const READ_CHARS_MAX = 65_536;

/**
 * Output of one attempt of a call: log lines for the trace and the operator, progress, and cost. Scrubbed before it is
 * cut, so that no part of a secret remains. Output after the end of the attempt is ignored.
 */
export class CallReporter {
  readonly #session: string;
  readonly #order: CallOrder;
  readonly #redact: Redact;
  readonly #onProgress: (progress: Progress) => void;
  readonly #lines: string[] = [];
  #cost: number | null = null;
  #ended = false;

  constructor(session: string, order: CallOrder, redact: Redact, tell: (progress: Progress) => void) {
    this.#session = session;
    this.#order = order;
    this.#redact = redact;
    this.#onProgress = tell;
  }

  log(text: string): void {
    if (this.#ended) return;
    const line = this.#scrub(text);
    const shown = shortened(line, LOG_LINE_CHARS_MAX);
    const { run, call, tool, attempt } = this.#order;
    logEvent("info", "tool_log", { session: this.#session, run, call, tool, attempt, text: shown });
    if (this.#lines.length < LOG_LINES_MAX) this.#lines.push(shown);
  }

  progress(text: string, percent?: number): void {
    if (!this.#ended) this.#onProgress(boundedProgress(this.#scrub(text), percent));
  }

  spend(usd: number): void {
    if (!this.#ended && Number.isFinite(usd)) this.#cost = (this.#cost ?? 0) + dollars(usd);
  }

  /** Returns the lines to store with the result, and the cost. */
  end(): { readonly logs?: readonly string[]; readonly cost?: number } {
    this.#ended = true;
    return {
      ...(this.#lines.length === 0 ? {} : { logs: this.#lines }),
      ...(this.#cost === null ? {} : { cost: this.#cost }),
    };
  }

  #scrub(text: string): string {
    return this.#redact(text.slice(0, READ_CHARS_MAX));
  }
}

import { startOf } from "./core/text/cut.ts";
import type { Redact } from "./core/text/redact.ts";
import type { PartProblem } from "./plugin.ts";

const MESSAGE_CHARS_MAX = 300;

/** Throws of plugins that were contained in this isolate, for the operator: the last one of each part. */
export class PluginFaults {
  readonly #redact: Redact;
  readonly #faults = new Map<string, PartProblem>();

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /** `part`: such as `settings`, `routes` or a job */
  readonly note = (plugin: string, part: string, error: unknown): void => {
    const words = startOf(
      this.#redact(error instanceof Error ? error.message : String(error)),
      MESSAGE_CHARS_MAX,
    );
    this.#faults.set(keyOf(plugin, part), {
      about: `plugin ${plugin}`,
      message: `Its ${part} failed: ${words.replace(/\.?$/, ".")}`,
      plugin,
    });
  };

  /** Removes the fault: the part works again. */
  readonly clear = (plugin: string, part: string): void => {
    this.#faults.delete(keyOf(plugin, part));
  };

  get problems(): readonly PartProblem[] {
    return [...this.#faults.values()];
  }
}

const keyOf = (plugin: string, part: string): string => `${plugin}: ${part}`;

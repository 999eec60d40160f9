import type { Shape } from "./shapes.ts";
import { parseShape } from "./shapes.ts";
import type { Does } from "./site.ts";

/** A row of the table of intents (table.ts). */
export interface Intent {
  readonly name: string;
  /** a wish that writes is not carried out beside words that nobody understood */
  readonly kind: "write" | "read" | "talk";
  readonly does: Does;
  /** names of the intents that it forbids in the same message; "any": all that write */
  readonly against: readonly string[];
  readonly shapes: () => readonly Shape[];
}

type Shaped = (lines: TemplateStringsArray, ...words: string[]) => Intent;

/** A row; its shapes stand behind it, one a line. */
export function row(name: string, kind: Intent["kind"], does: Does, ...against: string[]): Shaped {
  return (lines, ...words) => {
    // Read at the first wish: most isolates hear none.
    let read: readonly Shape[] | null = null;
    const shapes = (): readonly Shape[] => {
      const written = String.raw(lines, ...words).split("\n");
      return (read ??= written.filter((line) => line.trim() !== "").map(parseShape));
    };
    return { name, kind, does, against, shapes };
  };
}

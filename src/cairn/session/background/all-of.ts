import type { Background } from "../engine/ports.ts";
import { earlier } from "../engine/transaction.ts";

/** Combines several kinds of background work, in this order. */
export function allOf(parts: readonly (Background | null)[]): Background {
  const all = parts.filter((part) => part !== null);
  return {
    due: (state) => all.map((part) => part.due(state)).reduce(earlier, null),
    fallDue: (log, since) => {
      for (const part of all) part.fallDue?.(log, since);
    },
    wrote: (entries, state) => {
      for (const part of all) part.wrote?.(entries, state);
    },
  };
}

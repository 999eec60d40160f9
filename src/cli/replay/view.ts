import type { Comparison, Replayed } from "./fold.ts";
import type { Exported } from "./log.ts";
import type { TraceVerdict } from "./trace.ts";

/** What a person reads of a replay, line by line. */

const VALUE_CHARS_MAX = 200;

const plural = (count: number, word: string): string =>
  `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= VALUE_CHARS_MAX
    ? text
    : `${text.slice(0, VALUE_CHARS_MAX)}… (${text.length} characters)`;
};

/** The lines of a replay. `at` is the row that it was to stop behind. */
export function viewReplay(replayed: Replayed, at: number | null): string[] {
  const { rows, missing, digest, runs, comparison, exported } = replayed;
  return [
    `${plural(rows, "row")} folded${at === null ? "" : `, up to row ${at}`}`,
    ...(missing === 0
      ? []
      : [`The log goes on: the session had ${plural(missing, "more row")} when this was read.`]),
    ...runs.map(({ run, outcome }) => `${run}  ${outcome}`),
    `folded  ${digest}`,
    ...(exported === null ? [] : viewExported(exported, digest)),
    ...(comparison === null
      ? exported !== null
        ? []
        : ["No stored state of this row is in the file, so there is nothing to compare with."]
      : viewComparison(comparison)),
  ];
}

function viewExported({ digest, sealed }: Exported, folded: string): string[] {
  return [
    `export  ${digest}`,
    digest === folded ? "equal" : "NOT EQUAL",
    sealed ? "The seal of the file holds." : "The seal does not hold: the file was changed.",
  ];
}

function viewComparison({ digest, schema, equal, difference, sealed }: Comparison): string[] {
  return [
    `stored  ${digest}  (schema ${schema})`,
    ...(sealed === false ? ["The stored state is not that of the digest beside it."] : []),
    ...(equal ? ["equal"] : ["NOT EQUAL"]),
    ...(equal || difference === null
      ? []
      : [
          `first difference at ${difference.path === "" ? "the root" : difference.path}`,
          `  folded  ${shown(difference.folded)}`,
          `  stored  ${shown(difference.stored)}`,
        ]),
  ];
}

/** The lines of a checked trace. */
export function viewTrace({ lines, steps, run, outcome, seal, fault }: TraceVerdict): string[] {
  return [
    `A trace of ${run ?? "no run"}: ${plural(lines, "line")}, ${plural(steps, "step")}. A trace has no rows to fold; its hashes can be checked.`,
    ...(fault === null
      ? [`outcome  ${outcome ?? "none yet"}`, `seal  ${seal}`, "The chain of hashes holds."]
      : [fault]),
  ];
}

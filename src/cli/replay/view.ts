import { startOf } from "../../cairn/core/text/cut.ts";
import { revealHidden } from "../../cairn/core/text/untrusted.ts";
import type { Comparison, Replayed } from "./fold.ts";
import type { Exported } from "./log.ts";
import type { TraceVerdict } from "./trace.ts";

/** A replay as lines for a person. */

const VALUE_CHARS_MAX = 200;

const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= VALUE_CHARS_MAX
    ? text
    : `${startOf(text, VALUE_CHARS_MAX)}… (${text.length} characters)`;
};

/** The lines of a replay. `at` is the entry that it was to stop behind. */
export function viewReplay(replayed: Replayed, at: number | null): string[] {
  const { entries, missing, digest, runs, comparison, exported } = replayed;
  return [
    `${plural(entries, "log entry", "log entries")} replayed${at === null ? "" : `, up to entry ${at}`}`,
    ...(missing === 0
      ? []
      : [
          `The file holds the beginning only: the session had ${plural(missing, "more entry", "more entries")} when the file was made.`,
        ]),
    ...runs.flatMap(({ run, outcome, logLines: told }) => [
      `${run}  ${outcome}`,
      ...told.map((line) => `  ${revealHidden(line).replace(/\s+/g, " ")}`),
    ]),
    `replayed state  ${digest}`,
    ...(exported === null ? [] : viewExported(exported, digest)),
    ...(comparison === null
      ? exported !== null
        ? []
        : ["There is no stored state to compare with: a session stores one every few dozen entries."]
      : viewComparison(comparison)),
  ];
}

function viewExported({ digest, sealed }: Exported, replayed: string): string[] {
  return [
    `state in file   ${digest}`,
    digest === replayed ? "equal" : "NOT EQUAL",
    sealed ? "The file is as it was exported." : "The file was changed after it was exported.",
  ];
}

function viewComparison({ at, digest, schema, equal, difference, sealed }: Comparison): string[] {
  return [
    `state in file   ${digest}  (schema ${schema}, at entry ${at})`,
    ...(sealed === false
      ? ["The hash in the file is not that of the state beside it: one of them was changed."]
      : []),
    ...(equal ? ["equal"] : ["NOT EQUAL"]),
    ...(equal || difference === null
      ? []
      : [
          `first difference: ${difference.path === "" ? "the whole state" : difference.path}`,
          `  replayed  ${shown(difference.folded)}`,
          `  in file   ${shown(difference.stored)}`,
        ]),
  ];
}

/** The lines of a checked trace. */
export function viewTrace({ lines, steps, run, outcome, seal, fault }: TraceVerdict): string[] {
  return [
    `A trace of ${run ?? "no run"}: ${plural(lines, "line", "lines")}, ${plural(steps, "step", "steps")}. A trace cannot be replayed; it can be checked for changes.`,
    ...(fault === null
      ? [
          `outcome  ${outcome ?? "none yet"}`,
          `hash of the last line  ${seal}`,
          "The trace is as it was exported.",
        ]
      : [fault]),
  ];
}

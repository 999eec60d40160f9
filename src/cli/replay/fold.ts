import { ownValue } from "../../cairn/core/log/json.ts";
import { digestOf } from "../../cairn/core/log/digest.ts";
import type { Entry } from "../../cairn/core/log/entry.ts";
import { apply, migrate } from "../../cairn/core/state/apply.ts";
import { EMPTY_STATE, type State } from "../../cairn/core/state/state.ts";
import type { Exported, Log, Problem, Stored } from "./log.ts";

/** A log folded again by today's `apply`, and held against what was stored with it. */

export interface Replayed {
  readonly kind: "replayed";
  /** entries that were folded */
  readonly entries: number;
  /** entries that the session had beyond those of the file */
  readonly missing: number;
  readonly state: State;
  readonly digest: string;
  readonly runs: readonly RunEnd[];
  /** null where there is nothing to compare with */
  readonly comparison: Comparison | null;
  /** facts about an export; null for another file, and before the last entry */
  readonly exported: Exported | null;
}

export interface RunEnd {
  readonly run: string;
  /** its outcome, or its current phase */
  readonly outcome: string;
  /** logs and progress reports of its tools, a line each */
  readonly logLines: readonly string[];
}

export interface Comparison {
  readonly schema: number;
  /** seq of the last entry that the stored state knows */
  readonly at: number;
  /** of the stored state in today's shape */
  readonly digest: string;
  readonly equal: boolean;
  readonly difference: Difference | null;
  /** true if the stored state has the digest next to it; null without a digest */
  readonly sealed: boolean | null;
}

/** The first place at which two values are not the same, such as `run.phase.at`. */
export interface Difference {
  readonly path: string;
  readonly folded: unknown;
  readonly stored: unknown;
}

const problem = (text: string): Problem => ({ kind: "problem", problem: text });

/**
 * Folds the entries, up to `at` when it is given. A gap, an entry that does not fit, or a stored state that this version cannot
 * read is a problem that names it. The stored state is compared with the one at its own place in the log: a session stores it every few entries.
 */
export function replay(log: Log, at: number | null): Replayed | Problem {
  const { entries, stored, lastSeq } = log;
  const end = entries.at(-1)?.seq ?? 0;
  if (end === 0) return problem("The log is empty.");
  if (at !== null && at > end) return problem(`The log ends at entry ${end}: there is no entry ${at}.`);
  const wanted = at === null ? entries : entries.filter((entry) => entry.seq <= at);
  const snapshot = stored === null ? null : readSnapshot(stored);
  if (snapshot !== null && "problem" in snapshot) return snapshot;
  let state = EMPTY_STATE;
  let comparison: Comparison | null = null;
  for (const entry of wanted) {
    const fault = findGap(state.head, entry);
    if (fault !== null) return problem(fault);
    try {
      state = apply(state, entry);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return problem(`Entry ${entry.seq} (${entry.kind}) cannot be replayed: ${why}.`);
    }
    if (stored !== null && snapshot?.head === state.head) comparison = compare(state, snapshot, stored);
  }
  return {
    kind: "replayed",
    entries: wanted.length,
    missing: at === null ? Math.max(0, (lastSeq ?? end) - end) : 0,
    state,
    digest: digestOf(state),
    runs: runEnds(wanted, state),
    comparison,
    exported: state.head < end ? null : log.exported,
  };
}

/** True if nothing in the file contradicts the folded entries. */
export function holds({ comparison, exported, digest }: Replayed): boolean {
  const stored = comparison === null || (comparison.equal && comparison.sealed !== false);
  return stored && (exported === null || (exported.sealed && exported.digest === digest));
}

function findGap(head: number, { seq, kind }: Entry): string | null {
  if (seq === head + 1) return null;
  if (seq <= head) return `Entry ${seq} (${kind}) comes again after entry ${head}.`;
  const from = head + 1;
  const gone = from === seq - 1 ? `entry ${from} is missing` : `entries ${from} to ${seq - 1} are missing`;
  return head === 0
    ? `The log begins at entry ${seq} (${kind}): ${gone}.`
    : `After entry ${head} comes entry ${seq} (${kind}): ${gone}.`;
}

function readSnapshot({ schema, state }: Stored): State | Problem {
  try {
    return migrate(schema, state);
  } catch (error) {
    return problem(
      `The state in the file cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

function compare(folded: State, state: State, stored: Stored): Comparison {
  const difference = findDifference(folded, state);
  const sealed = stored.digest === null ? null : digestOf(stored.state) === stored.digest;
  const digest = digestOf(state);
  return {
    at: state.head,
    schema: stored.schema,
    digest,
    equal: digest === digestOf(folded),
    difference,
    sealed,
  };
}

/** The first difference in the order of the folded value's fields; null when there is none. */
export function findDifference(folded: unknown, stored: unknown, path = ""): Difference | null {
  if (Object.is(folded, stored)) return null;
  if (!isObject(folded) || !isObject(stored) || Array.isArray(folded) !== Array.isArray(stored))
    return { path, folded, stored };
  for (const key of new Set([...Object.keys(folded), ...Object.keys(stored)])) {
    const below = path === "" ? key : `${path}.${key}`;
    const found = findDifference(ownValue(folded, key), ownValue(stored, key), below);
    if (found !== null) return found;
  }
  return null;
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null;

function runEnds(entries: readonly Entry[], state: State): RunEnd[] {
  const ended = new Map(
    entries.flatMap((entry) =>
      entry.kind === "run_ended" ? [[entry.run, entry.body.outcome] as const] : [],
    ),
  );
  return entries.flatMap((entry): RunEnd[] => {
    if (entry.kind !== "run_queued" || entry.run === null) return [];
    const { run } = entry;
    const live = state.run?.run === run ? state.run.phase.at : "queued";
    const logLines = entries.filter((each) => each.run === run).flatMap(logLinesIn);
    return [{ run, outcome: ended.get(run) ?? live, logLines }];
  });
}

function logLinesIn(entry: Entry): string[] {
  if (entry.kind === "call_settled")
    return (entry.body.logs ?? []).map((line) => `${entry.body.call} ${entry.body.tool}: ${line}`);
  if (entry.kind !== "progress_noted") return [];
  const { call, text, percent } = entry.body;
  return [`${call}: ${percent === null ? "" : `${percent} %, `}${text}`];
}

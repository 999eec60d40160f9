import type { BodyOf, Entry } from "../log/entry.ts";
import type { TranscriptPolicy } from "./transcript.ts";
import { lastCompacted } from "./transcript.ts";
import {
  COMPACT_SHARE,
  COMPACT_STEPS,
  COMPACT_STEPS_MIN,
  COMPACT_STEPS_MORE,
  FAILED_STEPS_KEPT,
  OBSERVATION_CHARS_LESS,
  RECAP_CHARS_MAX,
  STEPS_KEPT_FIRST,
  STEPS_KEPT_LAST,
  STEPS_KEPT_LAST_LESS,
} from "../guard-limits.ts";
import { summarise } from "./summary.ts";

/** When the middle of a run is summed up, and what of it stays as it was (guards 10.4, 10.5). Rows are those of the run. */

/** A request as it would be sent now. */
export interface RequestSize {
  readonly tokens: number;
  /** what a request may have: the window without the output, or what a preset says */
  readonly cap: number;
}

/** Whether a compaction comes before the next model call. An overflow that the provider reports is another matter. */
export function compactionDue(rows: readonly Entry[], policy: TranscriptPolicy, size: RequestSize): boolean {
  const last = lastCompacted(rows);
  const fresh = stepsOf(rows).filter((step) => step.from > (last?.seq ?? 0)).length;
  if (policy === "none") return false;
  if (policy === "compact" && (last === null ? fresh > COMPACT_STEPS : fresh >= COMPACT_STEPS_MORE))
    return true;
  if (size.tokens <= size.cap * COMPACT_SHARE) return false;
  return last === null || size.tokens > size.cap || fresh >= COMPACT_STEPS_MIN;
}

export interface Compaction {
  readonly body: BodyOf<"compacted">;
  /** whether the request is within the target now; where not, this is the smallest there is */
  readonly fits: boolean;
}

/**
 * The row that compacts a run to at most `target` tokens: first the middle is summed up, then what is kept shows less of its
 * observations, then three last steps are kept instead of five. Null where none of it would change anything. `measure` says
 * the tokens of the next request as it would be with this row, or without one.
 */
export function compaction(
  rows: readonly Entry[],
  target: number,
  measure: (body: BodyOf<"compacted"> | null) => number,
  listed = false,
): Compaction | null {
  const before = measure(null);
  let smallest: Compaction | null = null;
  for (const rung of RUNGS) {
    const plain = compactedBody(rows, rung, listed);
    if (plain === null) continue;
    const after = measure({ ...plain, before, after: before });
    if (smallest === null || after < smallest.body.after)
      smallest = { body: { ...plain, before, after }, fits: after <= target };
    if (after <= target) break;
  }
  return smallest;
}

interface Rung {
  readonly last: number;
  readonly observationChars: number | null;
}

const RUNGS: readonly Rung[] = [
  { last: STEPS_KEPT_LAST, observationChars: null },
  { last: STEPS_KEPT_LAST, observationChars: OBSERVATION_CHARS_LESS },
  { last: STEPS_KEPT_LAST_LESS, observationChars: OBSERVATION_CHARS_LESS },
];

function compactedBody(
  rows: readonly Entry[],
  { last, observationChars }: Rung,
  listed: boolean,
): Omit<BodyOf<"compacted">, "before" | "after"> | null {
  const previous = lastCompacted(rows);
  const old = previous === null || previous.body.to === 0 ? null : previous.body;
  const steps = stepsOf(rows);
  const first = steps[STEPS_KEPT_FIRST];
  const next = steps[steps.length - last];
  const isMiddle = first !== undefined && next !== undefined && next.from > first.from;
  const from = old?.from ?? (isMiddle ? first.from : 0);
  const to = Math.max(old?.to ?? 0, isMiddle ? next.from - 1 : 0);
  const less = observationChars ?? previous?.body.observationChars ?? null;
  const isNew = to > (old?.to ?? 0) || (less !== null && rows.some((row) => isCutBy(row, less, previous)));
  if (!isNew) return null;
  const covered = rows.filter((row) => row.seq >= from && row.seq <= to);
  const added = covered.filter((row) => row.seq > (old?.to ?? 0));
  const summary = to === 0 ? "" : summarise(old?.summary ?? null, added, listed);
  return { from, to, summary, kept: keptSeqs(rows, covered), observationChars: less, method: "mechanical" };
}

/** An observation that would be shown shorter than it is now. */
function isCutBy(row: Entry, max: number, previous: Entry<"compacted"> | null): boolean {
  if (row.kind !== "call_settled" || row.body.observation.length <= max) return false;
  const now = previous !== null && row.seq < previous.seq ? previous.body.observationChars : null;
  return now === null || now > max;
}

interface StepRows {
  readonly step: string;
  /** seq of its first row */
  readonly from: number;
}

/** The steps of the run that have begun, in order. */
function stepsOf(rows: readonly Entry[]): readonly StepRows[] {
  return rows.flatMap((row) =>
    row.kind === "step_started" && row.step !== null ? [{ step: row.step, from: row.seq }] : [],
  );
}

/** What a summed-up middle still shows as it was: words of people, arguments they changed, and failures that nothing mended. */
function keptSeqs(rows: readonly Entry[], covered: readonly Entry[]): readonly number[] {
  // What a person has answered stands in the result of the step that asked.
  const answered = covered.flatMap((row) =>
    row.kind === "human_answered" && row.step !== null ? [row.step] : [],
  );
  const whole = new Set([...failedSteps(rows, covered), ...answered]);
  return covered
    .filter((row) => {
      if (row.kind === "user_said" || row.kind === "human_answered") return true;
      if (row.step === null || !whole.has(row.step)) return isEdit(row);
      return row.kind === "model_replied" || row.kind === "call_settled" || isEdit(row);
    })
    .map((row) => row.seq);
}

const isEdit = (row: Entry): boolean =>
  (row.kind === "approval_decided" || row.kind === "approval_voted") && row.body.decision === "edit";

/** The newest failed step of each tool that has not succeeded since, at most three of them. */
function failedSteps(rows: readonly Entry[], covered: readonly Entry[]): ReadonlySet<string> {
  const open = new Map<string, { step: string | null; seq: number }>();
  for (const row of rows) {
    if (row.kind !== "call_settled") continue;
    const { tool, status } = row.body;
    if (status === "ok") open.delete(tool);
    else if (status === "error" || status === "unknown") open.set(tool, { step: row.step, seq: row.seq });
  }
  const inside = new Set(covered.map((row) => row.seq));
  const steps = [...open.values()]
    .filter(({ seq }) => inside.has(seq))
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ step }) => (step === null ? [] : [step]));
  return new Set([...new Set(steps)].slice(-FAILED_STEPS_KEPT));
}

/** To go on, to sum up or to say how things stand, in a few words. */
const RECAP =
  /\b(?:continue|resume|go on|carry on|recap|summar\w+|status|progress|where (?:are|were) (?:we|you)|weiter|fortsetzen|zusammenfass\w+|stand|continuez?|reprends|reprenez|résum\w+|où en|continúa|continua|sigue|resum\w+|estado)\b/iu;

/** Whether the run is asked to go on or to say how things stand: then its last calls are listed one by one. */
export function isRecap(rows: readonly Entry[]): boolean {
  const said = rows
    .flatMap((row) => (row.kind === "user_said" ? row.body.parts : []))
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n");
  return said.length <= RECAP_CHARS_MAX && RECAP.test(said);
}

import type { Entry } from "../log/entry.ts";
import { GUARD_HINT_CHARS_MAX, NOTES_PER_STEP_MAX } from "../guard-limits.ts";

/**
 * What the runtime tells the model once, in the block that changes every step (guards 1.3, rule 6): at most three notes, those of
 * loops first, the others as they came, and those of a step that begins in the order of guards 1.5.
 */

const LAST = ["LAST_STEP", "WRAP_UP", "REPLAN", "PLAN_WANTED", "NUDGE_HARD", "NUDGE_SOFT"] as const;

/** Rows since the last reply: what no model call has been shown yet. */
function unseen(rows: readonly Entry[]): readonly Entry[] {
  return rows.slice(rows.findLastIndex((row) => row.kind === "model_replied") + 1);
}

/** How many more notes the next request has room for. An answer that was sent back is told in its own place, and counts. */
export function roomForNotes(rows: readonly Entry[]): number {
  const fresh = unseen(rows);
  const refused = fresh.some((row) => row.kind === "verdict" && !row.body.accept) ? 1 : 0;
  const noted = fresh.filter((row) => row.kind === "guard_fired" && row.body.act === "note").length;
  return Math.max(0, NOTES_PER_STEP_MAX - refused - noted);
}

/** The notes of the next request, each of at most 300 characters. */
export function notesFor(rows: readonly Entry[]): readonly string[] {
  const fresh = unseen(rows);
  const refused = fresh.some((row) => row.kind === "verdict" && !row.body.accept) ? 1 : 0;
  const rank = ({ rule, code }: { readonly rule: string; readonly code: string }): number =>
    rule.startsWith("loop") ? -1 : 1 + LAST.findIndex((one) => one === code);
  return fresh
    .flatMap((row) => (row.kind === "guard_fired" && row.body.act === "note" ? [row.body] : []))
    .map((body, index) => ({ body, index }))
    .sort((a, b) => rank(a.body) - rank(b.body) || a.index - b.index)
    .slice(0, NOTES_PER_STEP_MAX - refused)
    .map(({ body: { hint } }) =>
      hint.length <= GUARD_HINT_CHARS_MAX ? hint : `${hint.slice(0, GUARD_HINT_CHARS_MAX - 1)}…`,
    );
}

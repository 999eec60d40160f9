import { ASK_HUMAN } from "../rows/question.ts";
import {
  QUESTION_LIKENESS_MIN,
  QUESTIONS_COMPARED,
  QUESTIONS_MAX,
  QUESTIONS_MAX_SMALL,
} from "../guard-limits.ts";
import { executed } from "../state/record-call.ts";
import type { CallRow, GuardConfig, GuardMemory, Profile, Verdict } from "../state/loop-memory.ts";

const SMALL: ReadonlySet<Profile> = new Set(["trivial", "heartbeat", "lean"]);

/**
 * `CLARIFY_REPEAT` or `TOOL_CAP` [skip], before_tool 10: a person was asked this before and nothing is new since, or was
 * asked often enough. `stored` names the earlier question.
 */
export function checkQuestion(
  memory: GuardMemory,
  call: CallRow,
  { profile }: GuardConfig,
): { readonly verdict: Verdict<"CLARIFY_REPEAT" | "TOOL_CAP">; readonly stored: string | null } | null {
  if (call.tool !== ASK_HUMAN) return null;
  const asked = memory.calls.filter((row) => row.tool === ASK_HUMAN && executed(row));
  const like = asked.slice(-QUESTIONS_COMPARED).findLast((row) => isSameQuestion(row, call));
  if (like !== undefined && !isNewSince(memory, like)) {
    const verdict = {
      code: "CLARIFY_REPEAT",
      rule: "question.repeat",
      evidence: { seqs: [like.seq], names: [ASK_HUMAN, like.id] },
      hint: "This was asked before and nothing is new since: what came of it stands below. Go on with that.",
    } as const;
    return { verdict, stored: like.id };
  }
  const most = SMALL.has(profile) ? QUESTIONS_MAX_SMALL : QUESTIONS_MAX;
  // The count, because rows of long ago are forgotten.
  const times = Math.max(asked.length, memory.counts[ASK_HUMAN]?.executed ?? 0);
  if (times < most) return null;
  const verdict = {
    code: "TOOL_CAP",
    rule: "question.cap",
    evidence: { seqs: asked.slice(-1).map((row) => row.seq), names: [ASK_HUMAN], numbers: { asked: times } },
    hint: `The person was asked ${times} times in this run, which is as often as they may be. Decide yourself, and say what you took for granted.`,
  } as const;
  return { verdict, stored: null };
}

/** Shared words, of the longer of the two (guards 6.1). */
function isSameQuestion(before: CallRow, now: CallRow): boolean {
  if (before.sig === now.sig) return true;
  const [old, words] = [before.query ?? [], now.query ?? []];
  const most = Math.max(old.length, words.length);
  return most > 0 && words.filter((word) => old.includes(word)).length / most >= QUESTION_LIKENESS_MIN;
}

/** Something that the person could not have spoken of, or they have spoken again. */
function isNewSince({ calls, stuck }: GuardMemory, { seq }: CallRow): boolean {
  return stuck.since > seq || calls.some((row) => row.seq > seq && row.kind === "work" && row.fresh);
}

import {
  OVERUSE_CALLS,
  OVERUSE_CALLS_LONG,
  OVERUSE_CAP_FACTOR,
  OVERUSE_FRESH_MIN,
  QUESTION_LIKENESS_MIN,
  QUESTIONS_COMPARED,
  QUESTIONS_MAX,
  QUESTIONS_MAX_SMALL,
} from "../limits.ts";
import type { CallMark, CallRecord } from "../log/mark.ts";
import type { Profile, Verdict } from "../log/verdict.ts";
import { ASK_HUMAN } from "../entries/question.ts";
import type { GuardConfig, LoopMemory } from "../state/loop-memory.ts";
import type { ToolTraits } from "../log/tool.ts";
import { wasExecuted } from "../state/record-call.ts";

/** How often and how soon a tool is called. Only executed calls count; sends have a budget of their own. */

const LONG: ReadonlySet<Profile> = new Set(["complex", "research", "time_capsule"]);
const MINUTE_MS = 60_000;

/** `POLL_TOO_SOON` [wait], before_tool 8: an equal poll was answered less than its interval ago. `until` is when it may run. */
export function checkPoll(
  memory: LoopMemory,
  call: CallMark,
  traits: ToolTraits,
  now: number,
): { readonly verdict: Verdict<"POLL_TOO_SOON">; readonly until: number } | null {
  if (traits.polling === null) return null;
  const before = memory.calls.findLast((entry) => entry.sig === call.sig && wasExecuted(entry));
  const until = before === undefined ? 0 : before.at + traits.polling.minIntervalMs;
  if (before === undefined || now >= until) return null;
  const verdict = {
    code: "POLL_TOO_SOON",
    rule: "poll.interval",
    evidence: { seqs: [before.seq], sigs: [call.sig], names: [call.tool], numbers: { until } },
    hint: `${call.tool} is asked at most every ${traits.polling.minIntervalMs / 1000} s; this call waits for its time.`,
  } as const;
  return { verdict, until };
}

/**
 * `TOOL_CAP` or `TOOL_COOLDOWN` [skip], before_tool 8, behind `checkBans`. Polling tools are bounded by their `maxPolls`,
 * past which equal results are a loop. `now.id` names the call itself.
 */
export function checkCaps(
  memory: LoopMemory,
  call: CallMark,
  traits: ToolTraits,
  config: GuardConfig,
  now: { readonly id: string; readonly step: number; readonly at: number },
): Verdict<"TOOL_CAP" | "TOOL_COOLDOWN"> | null {
  if (traits.kind === "send") return null;
  const own = memory.calls.filter((entry) => entry.tool === call.tool);
  const ran = own.filter(wasExecuted);
  const total = countOf(memory, call.tool);
  if (traits.maxCalls !== null && total.executed >= traits.maxCalls)
    return capped("cap.run", ran, `${call.tool} may be called ${traits.maxCalls} times in a run`);
  const cap = overuseFrom(config) * OVERUSE_CAP_FACTOR;
  const bounded = traits.maxCalls !== null || traits.polling !== null;
  if (!bounded && total.executed >= cap && isOverused(total))
    return capped(
      "cap.overuse",
      ran,
      `${call.tool} was called ${total.executed} times, mostly with nothing new`,
    );
  // Unskipped calls before this one in its reply: they run, or are about to.
  const index = own.findIndex((entry) => entry.id === now.id);
  const inStep = own
    .slice(0, index < 0 ? own.length : index)
    .filter((entry) => entry.step === now.step && (wasExecuted(entry) || entry.status === "pending")).length;
  if (traits.perStep !== undefined && inStep >= traits.perStep)
    return capped("cap.step", ran, `${call.tool} may be called ${traits.perStep} times in a step`);
  const inMinute = ran.filter((entry) => now.at - entry.at < MINUTE_MS).length;
  if (traits.perMinute !== undefined && inMinute >= traits.perMinute)
    return capped("cap.minute", ran, `${call.tool} may be called ${traits.perMinute} times a minute`);
  const newest = ran.at(-1);
  if (traits.cooldownMs === undefined || newest === undefined || now.at - newest.at >= traits.cooldownMs)
    return null;
  return {
    code: "TOOL_COOLDOWN",
    rule: "cap.cooldown",
    evidence: { seqs: [newest.seq], names: [call.tool], numbers: { until: newest.at + traits.cooldownMs } },
    hint: `${call.tool} rests ${Math.ceil(traits.cooldownMs / 1000)} s between calls. Do something else first.`,
  };
}

/**
 * `TOOL_OVERUSE` [note], after_result 6: the tool of this call is used often and finds little new. Noted once, when the
 * count is reached.
 */
export function checkOveruse(
  memory: LoopMemory,
  call: Pick<CallRecord, "tool" | "kind" | "seq" | "poll">,
  config: GuardConfig,
): Verdict<"TOOL_OVERUSE"> | null {
  const total = countOf(memory, call.tool);
  const from = overuseFrom(config);
  if (call.kind === "send" || call.poll !== undefined) return null;
  if (total.executed < from || total.executed % from !== 0 || !isOverused(total)) return null;
  return {
    code: "TOOL_OVERUSE",
    rule: "cap.overuse",
    evidence: {
      seqs: [call.seq],
      names: [call.tool],
      numbers: { executed: total.executed, fresh: total.fresh },
    },
    hint: `${call.tool} was called ${total.executed} times and brought something new ${total.fresh} times. Use what you have, or another tool.`,
  };
}

function capped(rule: string, entries: readonly CallRecord[], why: string): Verdict<"TOOL_CAP"> {
  const [entry] = entries.slice(-1);
  return {
    code: "TOOL_CAP",
    rule,
    evidence: {
      seqs: entry === undefined ? [] : [entry.seq],
      ...(entry === undefined ? {} : { names: [entry.tool] }),
    },
    hint: `${why}, so this call was not run. Go on with what you have.`,
  };
}

function countOf(
  { counts }: LoopMemory,
  tool: string,
): { readonly executed: number; readonly fresh: number } {
  return (Object.hasOwn(counts, tool) ? counts[tool] : undefined) ?? { executed: 0, fresh: 0 };
}

function overuseFrom(config: GuardConfig): number {
  return LONG.has(config.profile) ? OVERUSE_CALLS_LONG : OVERUSE_CALLS;
}

function isOverused(total: { readonly executed: number; readonly fresh: number }): boolean {
  return total.fresh < total.executed * OVERUSE_FRESH_MIN;
}

const SMALL: ReadonlySet<Profile> = new Set(["trivial", "heartbeat", "lean"]);

/**
 * `CLARIFY_REPEAT` or `TOOL_CAP` [skip], before_tool 10: a person was asked this before and nothing is new since, or was
 * asked often enough. `stored` names the earlier question.
 */
export function checkQuestion(
  memory: LoopMemory,
  call: CallRecord,
  { profile }: GuardConfig,
): { readonly verdict: Verdict<"CLARIFY_REPEAT" | "TOOL_CAP">; readonly stored: string | null } | null {
  if (call.tool !== ASK_HUMAN) return null;
  const questions = memory.calls.filter((entry) => entry.tool === ASK_HUMAN && wasExecuted(entry));
  const like = questions.slice(-QUESTIONS_COMPARED).findLast((entry) => isSameQuestion(entry, call));
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
  // The count, because entries of long ago are forgotten.
  const times = Math.max(questions.length, memory.counts[ASK_HUMAN]?.executed ?? 0);
  if (times < most) return null;
  const verdict = {
    code: "TOOL_CAP",
    rule: "question.cap",
    evidence: {
      seqs: questions.slice(-1).map((entry) => entry.seq),
      names: [ASK_HUMAN],
      numbers: { asked: times },
    },
    hint: `The person was asked ${times} times in this run, which is as often as they may be. Decide yourself, and say what you took for granted.`,
  } as const;
  return { verdict, stored: null };
}

/** Shared words, of the longer of the two. */
function isSameQuestion(before: CallRecord, now: CallRecord): boolean {
  if (before.sig === now.sig) return true;
  const [old, words] = [before.query ?? [], now.query ?? []];
  const most = Math.max(old.length, words.length);
  return most > 0 && words.filter((word) => old.includes(word)).length / most >= QUESTION_LIKENESS_MIN;
}

/** Something that the person could not have spoken of, or they have spoken again. */
function isNewSince({ calls, stuck }: LoopMemory, { seq }: CallRecord): boolean {
  return stuck.since > seq || calls.some((entry) => entry.seq > seq && entry.kind === "work" && entry.fresh);
}

import { shortened } from "../../text/cut.ts";
import { GUARD_HINT_CHARS_MAX, TOOL_BLOCK_STEPS } from "../../limits.ts";
import type { EntryDraft } from "../../log/entry.ts";
import type { CallMark, CallRecord } from "../../log/mark.ts";
import type { Climb, Block, Evidence, Profile, Verdict } from "../../log/verdict.ts";
import { escalateEntry } from "../../entries/question.ts";
import { forceEntry, verdictEntry } from "../../entries/verdict.ts";
import { newestBlocks } from "../../state/apply-loop-memory.ts";
import { type GuardConfig, type LoopMemory, guardConfig } from "../../state/loop-memory.ts";
import type { LiveRun } from "../../state/state.ts";
import { findLoops } from "./loops.ts";
import { hasResult, type Finding, type LoopRule } from "./window.ts";

/**
 * The ladder of loops: a hint, then what it named is not run, then `on_stuck`. It climbs by at most one level a turn,
 * by `applyClimb`, and is lowered by progress (`finishTurn`) and by a person (`hearHuman`).
 */

type StuckAction = GuardConfig["onStuck"]["action"];

/** Rules whose second firing blocks the tools in the evidence for two turns. */
const BLOCK_TOOLS: ReadonlySet<LoopRule> = new Set(["error_streak", "near_query", "no_progress"]);

const BLOCK = "LOOP_BLOCK";

/**
 * Returns the ladder's reaction to the newest turn, or null: to after_result 5, and to turns that end refused, unusable
 * or without an executed call. Call it once per turn, after `finishTurn`.
 */
export function climbLadder(memory: LoopMemory, config: GuardConfig): Climb | null {
  const { stuck, turns, calls } = memory;
  const last = turns.at(-1);
  if (last === undefined || last.seq <= stuck.since || stuck.level === 3) return null;
  const findings = findLoops(memory, config);
  const own = calls.filter((entry) => last.calls.includes(entry.id));
  const skipped = own.filter((entry) => entry.skip === BLOCK);
  // A tool rests as a whole, also for calls that are new: proposing one among others is no defiance.
  const echoes = own.some(hasResult) ? skipped.filter((entry) => !restsOnly(memory, entry)) : skipped;
  const [finding] = findings;
  if (finding === undefined && echoes.length === 0) return null;
  const level = stuck.level === 0 ? 1 : stuck.level === 1 ? 2 : 3;
  const blocks = findings.flatMap((one) => one.named);
  if (level === 2 && finding !== undefined && BLOCK_TOOLS.has(finding.rule))
    blocks.push(...blockedTools(finding, last.step));
  const verdict =
    finding === undefined
      ? echoVerdict(memory, echoes, level)
      : { ...verdictOf(finding, level), hint: hintOf(finding, level) };
  return { verdict, level, step: last.step, blocks: newestBlocks(blocks) };
}

/**
 * `LOOP_BLOCK` [skip], before_tool 5: the call is what a hint named. `stored` names the newest call with its result, which
 * comes back with the notice; null where there is none.
 */
export function checkBlocks(
  memory: LoopMemory,
  call: CallMark,
  step: number,
): { readonly verdict: Verdict<"LOOP_BLOCK">; readonly stored: string | null } | null {
  const block = memory.stuck.blocked.find((one) => covers(one, call, step));
  if (block === undefined) return null;
  const equal = memory.calls.filter((entry) => entry.sig === call.sig && hasResult(entry));
  const stored = equal.at(-1);
  const hint =
    block.by === "tool"
      ? `${call.tool} is blocked for now: its calls led nowhere. Use another tool, or answer with what you have.`
      : `Not run: this repeats what led nowhere (${block.rule}). ${stored === undefined ? "" : "Its last result stands. "}Do something different, or answer with what you have and say what is missing.`;
  const evidence = {
    seqs: seqsOf(equal),
    sigs: [call.sig],
    names: [call.tool, ...equal.map((entry) => entry.id)],
  };
  return {
    verdict: { code: BLOCK, rule: `loop.${block.rule}`, evidence, hint: cut(hint) },
    stored: stored?.id ?? null,
  };
}

/**
 * `STUCK` [stuck], before_model 3: the action at level 3. `retry_with_hint` works once, and a person is not asked again
 * after an unanswered question.
 */
export function checkStuck(
  { stuck, turns, calls }: LoopMemory,
  config: GuardConfig,
): { readonly verdict: Verdict<"STUCK">; readonly action: StuckAction; readonly hint: string | null } | null {
  if (stuck.level < 3) return null;
  const { action: wanted, hint = null } = config.onStuck;
  const once = wanted === "retry_with_hint" || wanted === "escalate";
  const action = once && stuck.retries > 0 ? "force_answer" : wanted;
  const last = turns.slice(-3);
  const repeated = calls.filter((entry) => last.some((turn) => turn.calls.includes(entry.id)));
  const evidence = {
    seqs: last.map((turn) => turn.seq),
    names: [...new Set(repeated.map((entry) => entry.tool))],
    numbers: { level: stuck.level, retries: stuck.retries },
  };
  const fallback = "The same thing was tried again and again. No further tools: answer with what is there.";
  const verdict = {
    code: "STUCK",
    rule: stuck.rule ?? "loop",
    evidence,
    hint: cut(hint ?? fallback),
  } as const;
  return { verdict, action, hint };
}

function restsOnly({ stuck }: LoopMemory, entry: CallRecord): boolean {
  const blocks = stuck.blocked.filter((block) => covers(block, entry, entry.step));
  return blocks.length > 0 && blocks.every((block) => block.by === "tool");
}

function covers(block: Block, call: CallMark, step: number): boolean {
  if (block.untilStep !== null && step > block.untilStep) return false;
  switch (block.by) {
    case "sig":
      return block.value === call.sig;
    case "mask":
      return block.value === call.mask;
    case "target":
      // To read what one has written to and fro is the way out.
      return call.effect !== "read" && block.value === call.target;
    case "tool":
      return block.value === call.tool;
  }
}

function blockedTools(finding: Finding, step: number): Block[] {
  const tools = new Set(finding.entries.filter((entry) => entry.kind === "work").map((entry) => entry.tool));
  return [...tools].map((tool) => ({
    by: "tool",
    value: tool,
    untilStep: step + TOOL_BLOCK_STEPS,
    rule: finding.rule,
  }));
}

function verdictOf(finding: Finding, level: 1 | 2 | 3): Omit<Verdict<"LOOP_HINT" | "LOOP_WARN">, "hint"> {
  return {
    code: level === 1 ? "LOOP_HINT" : "LOOP_WARN",
    rule: `loop.${finding.rule}`,
    evidence: evidenceOf(finding.entries, { level, count: finding.count }),
  };
}

function echoVerdict(
  { stuck }: LoopMemory,
  echoes: readonly CallRecord[],
  level: 1 | 2 | 3,
): Verdict<"LOOP_HINT" | "LOOP_WARN"> {
  const tools = [...new Set(echoes.map((entry) => entry.tool))].join(", ");
  return {
    code: level === 1 ? "LOOP_HINT" : "LOOP_WARN",
    rule: stuck.rule ?? "loop.block_echo",
    evidence: evidenceOf(echoes, { level, count: echoes.length }),
    hint: cut(
      `You called ${tools} again although it is blocked. Once more, and the run stops looking for a way: answer with what you have, or do something else.`,
    ),
  };
}

function evidenceOf(entries: readonly CallRecord[], numbers: Record<string, number>): Evidence {
  return {
    seqs: seqsOf(entries),
    sigs: [...new Set(entries.map((entry) => entry.sig))],
    names: [...new Set(entries.map((entry) => entry.tool))],
    numbers,
  };
}

function seqsOf(entries: readonly CallRecord[]): number[] {
  return [...new Set(entries.map((entry) => entry.seq))].sort((a, b) => a - b);
}

/** Returns a hint: what happened and one different thing to do. From level 2 on it also names the consequence. */
function hintOf(finding: Finding, level: 1 | 2 | 3): string {
  const tools = [...new Set(finding.entries.map((entry) => entry.tool))].slice(0, 4).join(", ");
  const calls = finding.entries.slice(-4).map((entry) => entry.id);
  const hint = HINTS[finding.rule](tools, finding.count);
  const shown = calls.length === 0 ? "" : ` (${calls.join(", ")})`;
  const warned = level === 1 ? "" : WARNINGS[finding.rule];
  return cut(`${hint.what}${shown}. ${warned === "" ? hint.instead : warned}`);
}

type Hint = { readonly what: string; readonly instead: string };

const HINTS: Readonly<Record<LoopRule, (tools: string, count: number) => Hint>> = {
  same_result: (tools, count) => ({
    what: `${tools} gave the same result ${count} times`,
    instead:
      "It will not be run again. Use the result you have, ask something else, or say what you cannot find.",
  }),
  same_error: (tools, count) => ({
    what: `The same call of ${tools} failed the same way ${count} times`,
    instead: "It will not be run again. Change the arguments by what the error says, or use another tool.",
  }),
  error_streak: (tools, count) => ({
    what: `${count} calls in a row failed with the same kind of error: ${tools}`,
    instead: "Read the error and find its cause before the next call, for example by listing what there is.",
  }),
  cycle: (tools, count) => ({
    what: `The last ${2 * count} turns repeat each other with equal results: ${tools}`,
    instead:
      "These calls will not be run again. Use what they said, take a different step, or answer with what you have.",
  }),
  monologue: (_, count) => ({
    what: `${count} turns in a row did nothing that counts`,
    instead: "Call a tool with arguments that fit its schema, or give the person a complete answer.",
  }),
  same_thought: (_, count) => ({
    what: `You have said the same ${count} times`,
    instead: "Call a tool, or give the person an answer that holds what you found.",
  }),
  near_query: (tools, count) => ({
    what: `${count} searches of ${tools} in almost the same words found nothing new`,
    instead: "Search in really different words, open one of the results, or say that it is not there.",
  }),
  drift: (tools, count) => ({
    what: `${count} calls of ${tools} that only count on found nothing new`,
    instead: "There is nothing further along this way. Use other arguments, or go on with what you have.",
  }),
  thrash: (tools, count) => ({
    what: `${tools} wrote an older value back ${count} times`,
    instead: "Decide for one value, read it once to check, and go on; if you cannot decide, ask the person.",
  }),
  block_echo: (tools, count) => ({
    what: `The call of ${tools} was refused ${count} times and proposed again`,
    instead: "It will not run. Do what the refusal says, or tell the person what is not possible.",
  }),
  after_compaction: (tools, count) => ({
    what: `${tools} was asked ${count} times again for what it had said before the summary`,
    instead: "Use the result you have now, or store what matters; then go on.",
  }),
  bookkeeping: (tools, count) => ({
    what: `${count} turns in a row only kept books: ${tools}`,
    instead: "Do the next open thing itself with a work tool, or answer.",
  }),
  no_progress: (tools, count) => ({
    what: `${count} steps of work brought nothing new: ${tools}`,
    instead: "Change the approach: another tool, another source, or an answer with what you have.",
  }),
};

const TOOLS_BLOCKED = `These tools are blocked for ${TOOL_BLOCK_STEPS} turns. Use others, or answer with what you have.`;

/** Warning for a second firing; empty if the hint already has it. */
const WARNINGS: Readonly<Record<LoopRule, string>> = {
  same_result: "",
  same_error: "",
  error_streak: TOOLS_BLOCKED,
  cycle: "",
  monologue: "Expected now: one tool call that fits its schema, or the final answer in words. Nothing else.",
  same_thought: "Expected now: one tool call, or the final answer with results in it. Nothing else.",
  near_query: TOOLS_BLOCKED,
  drift: "",
  thrash: "",
  block_echo: "",
  after_compaction: "",
  bookkeeping: "Expected now: a call of a work tool, or the final answer. No plan, no note.",
  no_progress: TOOLS_BLOCKED,
};

function cut(hint: string): string {
  return shortened(hint, GUARD_HINT_CHARS_MAX);
}

/** Climbs by memory, which is immutable: several guards look at one run between two steps. */
const climbs = new WeakMap<LoopMemory, { readonly profile: Profile; readonly climb: Climb | null }>();

function climbOf({ loop, ...run }: Pick<LiveRun, "loop" | "policy" | "profile">): Climb | null {
  const known = climbs.get(loop);
  if (known?.profile === run.profile) return known.climb;
  const made = { profile: run.profile, climb: climbLadder(loop, guardConfig(run)) };
  climbs.set(loop, made);
  return made.climb;
}

/** Returns the entry for the newest turn, once per turn, or for reaching the top of the ladder. */
export function loopEntry(run: LiveRun, at: number): EntryDraft | null {
  const last = run.loop.turns.at(-1);
  if (last !== undefined && run.loop.stuck.lastTurn !== last.step) {
    const climbed = climbOf(run);
    if (climbed !== null)
      return verdictEntry(run, "after_result", climbed.verdict, "note", { climb: climbed });
  }
  const stuck = checkStuck(run.loop, guardConfig(run));
  if (stuck === null) return null;
  switch (stuck.action) {
    case "retry_with_hint":
      return verdictEntry(run, "before_model", stuck.verdict, "note", { again: true });
    case "escalate":
      return escalateEntry(run, stuck.verdict, stuck.hint, at);
    case "fail":
      return verdictEntry(run, "before_model", stuck.verdict, "end");
    case "force_answer":
      return forceEntry(run, "STUCK", "stuck");
  }
}

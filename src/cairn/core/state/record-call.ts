import { ownValue } from "../log/json.ts";
import {
  BANS_STORED_MIN,
  CALLS_STORED_MIN,
  GOOD_TURNS,
  GUARD_MEMORY_CHARS_CUT,
  GUARD_MEMORY_CHARS_MAX,
  POLL_SPACING_MIN,
  POLLS_STORED,
  SEEN_STORED_MIN,
  TOOLS_COUNTED_MAX,
} from "../limits.ts";
import type { CallMark, ResultMark, CallRecord } from "../log/mark.ts";
import type { ErrorClass } from "../log/tool.ts";
import { banAfter, liftBans, type Lift } from "./bans.ts";
import {
  BANS_STORED,
  CALLS_STORED,
  NO_STUCK,
  SEEN_STORED,
  TURNS_STORED,
  type LoopMemory,
  type PollCount,
  type Stuck,
  type ToolCount,
  type Turn,
} from "./loop-memory.ts";

/**
 * The fold of the guards' memory: what an entry of a run does to it. Pure and bounded, and it sees marks,
 * never texts, so that a replay, a crash and a compaction leave it as it would have been.
 */

/** A call of a reply; `seq` is that of the reply. */
export type Proposal = Pick<CallRecord, "id" | "seq" | "step" | "at"> & { readonly mark: CallMark };

/** The one result of a call. A skipped one names the code that skipped it; a reused one has the mark of the earlier. */
export interface Settled {
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly status: Exclude<CallRecord["status"], "pending">;
  /** null where there is none to compare: skipped, cancelled */
  readonly mark: ResultMark | null;
  readonly error: ErrorClass | null;
  readonly skip: string | null;
}

/**
 * A reply whose calls are all settled, with the words of its text as `thoughtWords` makes them. `progress` is what is not in
 * its calls: a plan item done with evidence, a new fact.
 */
export type FinishedTurn = Omit<Turn, "executed">;

/** True if a call ran. An unknown outcome counts, because it may have had its effect. */
export function wasExecuted(entry: CallRecord): boolean {
  return entry.status === "ok" || entry.status === "error" || entry.status === "unknown";
}

/** An ok effect with a signature that is new to the run. */
export function isNewEffect(entry: CallRecord): boolean {
  return entry.kind === "work" && entry.effect !== "read" && entry.status === "ok" && entry.fresh;
}

/** A call of a reply, not settled yet. */
export function recordProposal(memory: LoopMemory, { id, seq, step, at, mark }: Proposal): LoopMemory {
  const entry: CallRecord = {
    ...mark,
    id,
    seq,
    step,
    at,
    res: null,
    ids: null,
    empty: false,
    status: "pending",
    error: null,
    fresh: false,
  };
  return { ...memory, calls: [...memory.calls, entry].slice(-CALLS_STORED) };
}

/** A person has put other arguments into a call: it is known by those, and what was asked for first was never called. */
export function recordEdit(memory: LoopMemory, call: string, mark: CallMark): LoopMemory {
  const calls = memory.calls.map((entry) => {
    const { scope: _scope, polling: _polling, ...rest } = entry;
    return entry.id === call ? { ...rest, ...mark } : entry;
  });
  return { ...memory, calls };
}

/** The result of a proposed call. A call that the memory no longer has, or has settled, changes nothing. */
export function recordResult(memory: LoopMemory, settled: Settled): LoopMemory {
  const before = memory.calls.find((entry) => entry.id === settled.id && entry.status === "pending");
  if (before === undefined) return memory;
  const { polling, ...open } = before;
  const { mark, skip, status, seq, at, error } = settled;
  const poll =
    polling === undefined || status !== "ok" || mark === null ? null : spacing(memory, before, mark, at);
  const known = mark?.ids === null || mark === null ? null : knownShare(memory, mark.ids);
  const entry: CallRecord = {
    ...open,
    seq,
    at,
    status,
    error,
    res: mark?.res ?? null,
    // Counted here, against the results that the run has seen; the entry stores the share.
    ids: mark?.ids === null || mark === null ? null : [],
    empty: mark?.empty ?? false,
    fresh: status === "ok" && mark !== null && isFresh(memory, before, mark),
    ...(known === null ? {} : { known }),
    ...(skip === null ? {} : { skip }),
    ...(poll === null ? {} : { poll: poll.poll }),
  };
  const calls = memory.calls.map((one) => (one === before ? entry : one));
  const ran = wasExecuted(entry);
  const counts = ran ? count(memory.counts, entry) : memory.counts;
  const lifted = ran ? liftBans(memory.bans, liftOf(entry)) : memory.bans;
  const { bans, cooled } = banAfter({ ...memory, bans: lifted, counts }, entry);
  const next: LoopMemory = {
    ...memory,
    calls,
    counts: cooled ?? counts,
    bans: bans.slice(-BANS_STORED),
    polls: poll?.polls ?? memory.polls,
    seen: status === "ok" && mark !== null ? see(memory.seen, entry, mark) : memory.seen,
    stuck: isNewEffect(entry) ? { ...memory.stuck, blocked: [] } : memory.stuck,
  };
  return fit(next);
}

/** A finished turn, and how the ladder is lowered by progress. What raises it is in `ladder.ts`. */
export function finishTurn(memory: LoopMemory, turn: FinishedTurn): LoopMemory {
  const entries = memory.calls.filter((entry) => turn.calls.includes(entry.id));
  const answered = entries.some((entry) => wasExecuted(entry) || entry.status === "reused");
  const progress = turn.progress || entries.some((entry) => entry.kind === "work" && entry.fresh);
  const words = answered ? [] : turn.words;
  const done: Turn = { ...turn, words, executed: entries.some(wasExecuted), progress };
  return fit({
    ...memory,
    turns: [...memory.turns, done].slice(-TURNS_STORED),
    stuck: lower(memory.stuck, progress),
  });
}

/** A message, an answer or a decision with a comment: the ladder starts anew behind it, and bans are lifted. */
export function recordPersonInput(memory: LoopMemory, seq: number): LoopMemory {
  const counts = Object.fromEntries(
    Object.entries(memory.counts).map(([tool, { executed, fresh }]) => [tool, { executed, fresh }]),
  );
  return {
    ...memory,
    counts,
    bans: liftBans(memory.bans, { by: "human" }),
    stuck: { ...NO_STUCK, since: seq },
  };
}

/** A compaction: it resets nothing. `from` and `to` are the seqs that it covers. */
export function noteCompaction(
  memory: LoopMemory,
  compacted: { readonly seq: number; readonly from: number; readonly to: number },
): LoopMemory {
  return { ...memory, compacted };
}

/** A refusal of the review, by its code. */
export function noteRefusal(memory: LoopMemory, code: string): LoopMemory {
  return { ...memory, refusals: { ...memory.refusals, [code]: (ownValue(memory.refusals, code) ?? 0) + 1 } };
}

function lower(stuck: Stuck, progress: boolean): Stuck {
  if (!progress) return { ...stuck, good: 0 };
  const good = stuck.good + 1;
  if (good < GOOD_TURNS || stuck.level === 0) return { ...stuck, good };
  const level = stuck.level === 3 ? 2 : stuck.level === 2 ? 1 : 0;
  return { ...stuck, level, good: 0, blocked: level === 0 ? [] : stuck.blocked };
}

function isFresh(memory: LoopMemory, entry: CallRecord, mark: ResultMark): boolean {
  const { seen } = memory;
  if (entry.effect !== "read") return !seen.includes(`e${entry.sig}`);
  if (mark.empty || seen.includes(mark.res)) return false;
  return mark.ids === null || mark.ids.some((id) => !seen.includes(id));
}

function knownShare({ seen }: LoopMemory, ids: readonly string[]): number | null {
  if (ids.length === 0) return null;
  return Math.round((100 * ids.filter((id) => seen.includes(id)).length) / ids.length) / 100;
}

function see(seen: readonly string[], entry: CallRecord, mark: ResultMark): readonly string[] {
  const all = [...(entry.effect === "read" ? [mark.res] : [`e${entry.sig}`]), ...(mark.ids ?? [])];
  const fresh = all.filter((digest) => !seen.includes(digest));
  return fresh.length === 0 ? seen : [...seen, ...fresh].slice(-SEEN_STORED);
}

/** Compares a poll with the previous one; a changed result restarts the count. */
function spacing(
  memory: LoopMemory,
  entry: CallRecord,
  mark: ResultMark,
  at: number,
): { readonly poll: NonNullable<CallRecord["poll"]>; readonly polls: readonly PollCount[] } {
  const { sig, polling } = entry;
  const before = memory.polls.find((one) => one.sig === sig);
  const equal = before !== undefined && before.res === mark.res;
  const number = equal ? before.count + 1 : 1;
  const apart = before === undefined ? Infinity : at - before.at;
  const hasty = apart < POLL_SPACING_MIN * (polling?.minIntervalMs ?? 0);
  const poll = number > (polling?.maxPolls ?? 0) ? "spent" : hasty ? "hasty" : "spaced";
  const others = memory.polls.filter((one) => one !== before);
  return { poll, polls: [...others, { sig, res: mark.res, count: number, at }].slice(-POLLS_STORED) };
}

function count(counts: LoopMemory["counts"], entry: CallRecord): LoopMemory["counts"] {
  const old = Object.hasOwn(counts, entry.tool) ? counts[entry.tool] : undefined;
  const { cooled } = old ?? {};
  const failed = entry.status === "error" ? (old?.failed ?? 0) + 1 : 0;
  const next: ToolCount = {
    executed: (old?.executed ?? 0) + 1,
    fresh: (old?.fresh ?? 0) + (entry.fresh ? 1 : 0),
    ...(failed === 0 ? {} : { failed }),
    ...(cooled === undefined ? {} : { cooled }),
  };
  // Object.fromEntries makes own properties of any name, `__proto__` too.
  const others = Object.entries(counts).filter(([tool]) => tool !== entry.tool);
  const newest = others.length < TOOLS_COUNTED_MAX ? others : withoutLeast(others);
  return Object.fromEntries([...newest, [entry.tool, next]]);
}

function withoutLeast(counts: readonly [string, ToolCount][]): [string, ToolCount][] {
  const least = Math.min(...counts.map(([, one]) => one.executed));
  const index = counts.findIndex(([, one]) => one.executed === least);
  return counts.filter((_, at) => at !== index);
}

function liftOf(entry: CallRecord): Lift {
  if (entry.status !== "ok") return { by: "nothing" };
  if (entry.effect !== "read" && entry.kind !== "work") return { by: "nothing" };
  return entry.effect === "read" ? { by: "read", target: entry.target } : { by: "effect" };
}

/** Within its bytes, at the cost of its oldest: what was seen, then calls, then bans. */
function fit(memory: LoopMemory): LoopMemory {
  const chars = charsOfMemory(memory);
  if (chars <= GUARD_MEMORY_CHARS_MAX) return memory;
  const over = chars - GUARD_MEMORY_CHARS_CUT;
  const seen = memory.seen.slice(-SEEN_STORED_MIN);
  const first = over - freed(memory.seen, seen);
  const calls = withoutOldest(memory.calls, first, CALLS_STORED_MIN);
  const second = first - freed(memory.calls, calls);
  const bans = second > 0 ? memory.bans.slice(-BANS_STORED_MIN) : memory.bans;
  const third = second - freed(memory.bans, bans);
  return { ...memory, seen, bans, calls: withoutOldest(calls, third, 1) };
}

/** Weights of parts of memories, which are immutable, so most were computed for an earlier memory. */
const weighed = new WeakMap<object, number>();

function charsOfPart(part: unknown): number {
  if (typeof part !== "object" || part === null) return JSON.stringify(part).length;
  const known = weighed.get(part);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(part);
  weighed.set(part, length);
  return length;
}

/** Characters of its JSON. */
function charsOfMemory(memory: LoopMemory): number {
  let chars = 1;
  for (const [field, value] of Object.entries(memory)) {
    chars += field.length + 4;
    if (!Array.isArray(value)) chars += charsOfPart(value);
    else
      chars += value.reduce<number>(
        (sum, part) => sum + charsOfPart(part) + 1,
        Math.max(1, 2 - value.length),
      );
  }
  return chars;
}

function freed(before: readonly unknown[], after: readonly unknown[]): number {
  return JSON.stringify(before).length - JSON.stringify(after).length;
}

/** Without as many of the oldest as make up these characters, but not below `least` of them. */
function withoutOldest(calls: readonly CallRecord[], chars: number, least: number): readonly CallRecord[] {
  let left = chars;
  let from = 0;
  while (left > 0 && from < calls.length - least) left -= JSON.stringify(calls[from++]).length + 1;
  return calls.slice(from);
}

import type { LoopRule, LoopTrace } from "./loop-format.ts";
import { turnsOf, type Call, type Turn } from "./turns.ts";

/**
 * The rules of loops, each read word for word over a whole trace: slow, plain, and apart from the detector, which is
 * measured against what this says. It is the proof behind the labels of the generator and the second reader of the traces
 * that were written by hand.
 */
export interface Finding {
  readonly rule: LoopRule;
  /** turn from which a careful reader calls it a loop */
  readonly onset: number;
  /** turn in which the definition is complete, with its default count */
  readonly complete: number;
}

const REPEATS = {
  same_result: 3,
  same_error: 2,
  error_streak: 4,
  monologue: 2,
  same_thought: 3,
  near_query: 3,
  drift: 4,
  thrash: 2,
  block_echo: 2,
  after_compaction: 2,
  bookkeeping: 5,
  no_progress: 6,
  no_progress_research: 10,
} as const;

/** The first time that each rule's definition is complete, earliest first; empty for a trace without a loop. */
export function findLoops(trace: LoopTrace): Finding[] {
  const { turns, compactions } = turnsOf(trace);
  const iterations = trace.config.onStuck?.iterations;
  const research = trace.config.profile === "research";
  const found: Finding[] = [];
  const stretches = Map.groupBy(turns, (turn) => turn.stretch);
  for (const stretch of stretches.values()) {
    found.push(
      ...sameResult(stretch, iterations ?? REPEATS.same_result),
      ...sameError(stretch),
      ...errorStreak(stretch),
      ...cycle(stretch),
      ...inARow("monologue", stretch, REPEATS.monologue, (turn) => turn.refused),
      ...sameThought(stretch, iterations ?? REPEATS.same_thought),
      ...nearQuery(stretch),
      ...drift(stretch),
      ...thrash(stretch),
      ...blockEcho(stretch),
      ...inARow("bookkeeping", stretch, REPEATS.bookkeeping, (turn) => turn.onlyBookkeeping),
      ...inARow(
        "no_progress",
        stretch.filter((turn) => turn.worked || turn.progress),
        research ? REPEATS.no_progress_research : REPEATS.no_progress,
        (turn) => !turn.progress,
      ),
    );
    for (const { from, to, after } of compactions) {
      const covered = turns.filter((turn) => turn.n >= from && turn.n <= to);
      const since = stretch.filter((turn) => turn.n > after);
      found.push(...afterCompaction(covered, since));
    }
  }
  const first = new Map<LoopRule, Finding>();
  for (const finding of found.toSorted((a, b) => a.complete - b.complete || a.onset - b.onset))
    if (!first.has(finding.rule)) first.set(finding.rule, finding);
  return [...first.values()];
}

/** Counts a thing once a turn; says when it has been met so often. */
class Tally {
  readonly #turns = new Map<string, number[]>();

  /** turns in which the thing was met, this one included */
  add(thing: string, turn: number): readonly number[] {
    const turns = this.#turns.get(thing) ?? [];
    if (turns.at(-1) !== turn) turns.push(turn);
    this.#turns.set(thing, turns);
    return turns;
  }

  clear(): void {
    this.#turns.clear();
  }
}

const ran = (turns: readonly Turn[]): { readonly turn: Turn; readonly call: Call }[] =>
  turns.flatMap((turn) => turn.calls.filter((call) => call.executed).map((call) => ({ turn, call })));

function sameResult(turns: readonly Turn[], times: number): Finding[] {
  const tally = new Tally();
  for (const { turn, call } of ran(turns)) {
    if (call.newEffect) tally.clear();
    if (call.pollExempt) continue;
    const met = tally.add(`${call.sig} ${call.res}`, turn.n);
    if (met.length === times) return [{ rule: "same_result", onset: met[1] ?? turn.n, complete: turn.n }];
  }
  return [];
}

function sameError(turns: readonly Turn[]): Finding[] {
  const tally = new Tally();
  for (const { turn, call } of ran(turns)) {
    if (call.error === null) continue;
    const met = tally.add(`${call.sig} ${call.error}`, turn.n);
    if (met.length === REPEATS.same_error) return [{ rule: "same_error", onset: turn.n, complete: turn.n }];
  }
  return [];
}

function errorStreak(turns: readonly Turn[]): Finding[] {
  let error: string | null = null;
  let streak: number[] = [];
  for (const { turn, call } of ran(turns)) {
    streak = call.error === null ? [] : call.error === error ? [...streak, turn.n] : [turn.n];
    ({ error } = call);
    if (streak.length >= REPEATS.error_streak && new Set(streak).size > 1)
      return [{ rule: "error_streak", onset: turn.n, complete: turn.n }];
  }
  return [];
}

function cycle(turns: readonly Turn[]): Finding[] {
  const found: Finding[] = [];
  for (const period of [2, 3, 4]) {
    for (let end = 2 * period; end <= turns.length; end++) {
      const window = turns.slice(end - 2 * period, end).map((turn) => turn.identity);
      const again = window.slice(period).every((identity, index) => identity === window[index]);
      if (again && new Set(window).size > 1 && !window.includes("")) {
        const last = turns[end - 1];
        if (last !== undefined) found.push({ rule: "cycle", onset: last.n - period + 1, complete: last.n });
        break;
      }
    }
  }
  return found;
}

function inARow(
  rule: LoopRule,
  turns: readonly Turn[],
  times: number,
  counts: (turn: Turn) => boolean,
): Finding[] {
  let entry = 0;
  for (const turn of turns) {
    entry = counts(turn) ? entry + 1 : 0;
    if (entry === times) return [{ rule, onset: turn.n, complete: turn.n }];
  }
  return [];
}

function sameThought(turns: readonly Turn[], times: number): Finding[] {
  const tally = new Tally();
  for (const turn of turns) {
    if (!turn.refused || turn.words.length === 0) continue;
    const met = tally.add(turn.words.join(" "), turn.n);
    if (met.length === times) return [{ rule: "same_thought", onset: met[1] ?? turn.n, complete: turn.n }];
  }
  return [];
}

function nearQuery(turns: readonly Turn[]): Finding[] {
  const asked: { readonly call: Call; readonly near: number }[] = [];
  for (const { turn, call } of ran(turns)) {
    if (call.query === null) continue;
    const likes = asked.filter((other) => isNear(other.call, call));
    const near = 1 + Math.max(0, ...likes.map((other) => other.near));
    if (near >= REPEATS.near_query) return [{ rule: "near_query", onset: turn.n, complete: turn.n }];
    asked.push({ call, near });
  }
  return [];
}

function isNear(earlier: Call, later: Call): boolean {
  if (earlier.tool !== later.tool || earlier.turn === later.turn) return false;
  const a = new Set(earlier.query);
  const b = new Set(later.query);
  const shared = [...a].filter((word) => b.has(word)).length;
  const union = new Set([...a, ...b]).size;
  if (union === 0 || shared / union < 0.9) return false;
  if (earlier.empty && later.empty) return true;
  const { ids } = later;
  return ids !== null && ids.all > 0 && (ids.all - ids.fresh) / ids.all >= 0.8;
}

function drift(turns: readonly Turn[]): Finding[] {
  let entry: Call[] = [];
  for (const { turn, call } of ran(turns)) {
    const barren = call.cls === "read" && call.error === null && (call.empty || call.ids?.fresh === 0);
    if (!barren) entry = [];
    else if (entry.some((other) => other.mask !== call.mask || other.sig === call.sig)) entry = [call];
    else entry.push(call);
    if (entry.length === REPEATS.drift && new Set(entry.map((other) => other.turn)).size > 1)
      return [{ rule: "drift", onset: turn.n, complete: turn.n }];
  }
  return [];
}

function thrash(turns: readonly Turn[]): Finding[] {
  const written = new Map<string, { values: string[]; returns: number[] }>();
  for (const { turn, call } of ran(turns)) {
    if (call.target === null || call.value === null || call.error !== null) continue;
    const history = written.get(call.target) ?? { values: [], returns: [] };
    written.set(call.target, history);
    if (history.values.at(-1) !== call.value) {
      if (history.values.includes(call.value)) history.returns.push(turn.n);
      history.values.push(call.value);
    }
    if (history.returns.length === REPEATS.thrash)
      return [{ rule: "thrash", onset: history.returns[0] ?? turn.n, complete: turn.n }];
  }
  return [];
}

/** Refusals that say "later", not "no". */
const NO_ECHO: ReadonlySet<string> = new Set(["CIRCUIT_OPEN", "POLL_TOO_SOON", "NEEDS_APPROVAL"]);

function blockEcho(turns: readonly Turn[]): Finding[] {
  const skipped = new Set<string>();
  const tally = new Tally();
  for (const turn of turns) {
    for (const call of turn.calls) {
      if (!skipped.has(call.sig)) continue;
      const met = tally.add(call.sig, turn.n);
      if (met.length === REPEATS.block_echo)
        return [{ rule: "block_echo", onset: met[0] ?? turn.n, complete: turn.n }];
    }
    for (const call of turn.calls) if (!call.executed && !NO_ECHO.has(call.code ?? "")) skipped.add(call.sig);
  }
  return [];
}

function afterCompaction(covered: readonly Turn[], since: readonly Turn[]): Finding[] {
  const known = new Set(ran(covered).map(({ call }) => `${call.sig} ${call.res}`));
  const tally = new Tally();
  for (const { turn, call } of ran(since)) {
    const identity = `${call.sig} ${call.res}`;
    if (call.pollExempt || !known.has(identity)) continue;
    const met = tally.add(identity, turn.n);
    if (met.length === REPEATS.after_compaction)
      return [{ rule: "after_compaction", onset: met[0] ?? turn.n, complete: turn.n }];
  }
  return [];
}

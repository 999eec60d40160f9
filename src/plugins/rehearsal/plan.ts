import { type Json, canonicalJson } from "../../cairn/core/log/json.ts";
import type { Failure, Outcome, PastCall } from "../../cairn/models/script/conversation.ts";
import { objectsAt, textAt } from "../../cairn/models/script/fields.ts";
import type { ScriptedCall } from "../../cairn/models/script/reply.ts";

/** The tools of a run and its failed calls, so that no failed call is repeated at once. */
export interface Tools {
  readonly has: (name: string) => boolean;
  /** failures by call; forgotten when another call succeeds, except denied ones */
  readonly failures: Map<string, Outcome>;
  lastRead: ScriptedCall | null;
}

/** The calls of one reply, with the thought that precedes them. */
export interface Turn {
  readonly thought: string;
  readonly calls: readonly ScriptedCall[];
}

/**
 * A generator that yields the calls it needs and receives their outcomes. Nothing is stored between replies: each reply
 * replays the plan from its start along the recorded outcomes. So a reply that a crash repeats is the same reply.
 */
export type Plan<T> = Generator<Turn, T, readonly Outcome[]>;

const keyOf = ([name, input]: ScriptedCall): string => `${name} ${canonicalJson(input)}`;

/** Replays a plan along the calls of the run. Returns the first turn without an outcome, or null at the plan's end. */
export function nextTurn(plan: Plan<void>, calls: readonly PastCall[]): Turn | null {
  const open = calls.filter(({ outcome }) => outcome !== null);
  const take = (wanted: ScriptedCall): Outcome | null => {
    const same = open.findIndex(({ name, input }) => keyOf([name, input]) === keyOf(wanted));
    // A person may have edited the input before approving it; then name and position identify the call.
    const at = same < 0 && open[0]?.name === wanted[0] ? 0 : same;
    return at < 0 ? null : (open.splice(at, 1)[0]?.outcome ?? null);
  };
  let turn = plan.next();
  while (turn.done !== true) {
    const { thought, calls: wanted } = turn.value;
    const outcomes = wanted.map(take);
    const missing = wanted.filter((_, at) => outcomes[at] === null);
    if (missing.length > 0) return { thought, calls: missing };
    turn = plan.next(outcomes.filter((one) => one !== null));
  }
  return null;
}

/** The outcome of a call of a tool that is not offered. */
function notOffered(name: string): Outcome {
  const message = `the tool ${name} is not available here`;
  return { ok: false, error: { code: "not_offered", message, hint: "", suggestions: [], details: null } };
}

/** True if a person denied the call, or nobody decided in time. Such a call is not made again. */
export const isDenied = ({ code }: Failure): boolean => code === "denied" || code === "approval_expired";

/** The reason of a failure, as the second half of a sentence. The hint of a denied call is for a language model only. */
export function reasonOf(error: Failure): string {
  const end = (text: string): string => text.trim().replace(/[.\s]{1,20}$/u, "");
  const { details } = error;
  const blockers = [details, ...objectsAt(details, "targets")].flatMap((one) => objectsAt(one, "blockers"));
  const messages = new Set(blockers.flatMap((blocker) => textAt(blocker, "message") ?? []));
  if (messages.size > 0) return end([...messages].join(" "));
  const reason = error.message === "" ? `the tool says ${error.code}` : end(error.message);
  return [reason, isDenied(error) ? "" : end(error.hint)].filter(Boolean).join(". ");
}

/**
 * Calls of one reply; returns their outcomes in order. A tool that is not offered is not called. A failed call is not made
 * again before another one has succeeded: its outcome is the known failure.
 */
function* perform(tools: Tools, thought: string, calls: readonly ScriptedCall[]): Plan<Outcome[]> {
  const known = calls.map((call) => {
    return tools.failures.get(keyOf(call)) ?? (tools.has(call[0]) ? null : notOffered(call[0]));
  });
  const open = calls.filter((_, at) => known[at] === null);
  const fresh = open.length === 0 ? [] : [...(yield { thought, calls: open })];
  return calls.map((call, at) => {
    const outcome = known[at] ?? fresh.shift() ?? notOffered(call[0]);
    if (!outcome.ok) tools.failures.set(keyOf(call), outcome);
    else
      for (const [key, failure] of tools.failures)
        if (!failure.ok && !isDenied(failure.error)) tools.failures.delete(key);
    return outcome;
  });
}

/** Reads of one reply. */
export function* readAll(tools: Tools, thought: string, calls: readonly ScriptedCall[]): Plan<Outcome[]> {
  tools.lastRead = calls[0] ?? tools.lastRead;
  return yield* perform(tools, thought, calls);
}

export function* read(tools: Tools, thought: string, name: string, input: Json): Plan<Outcome> {
  const [outcome] = yield* readAll(tools, thought, [[name, input]]);
  return outcome ?? notOffered(name);
}

/** Failures of a write whose basis has changed meanwhile. */
const STALE =
  /^(?:version_conflict|state_conflict|approval_stale|approval_mismatch|conflict|order_conflict)$/u;

/** A write. When its basis has changed, it reads again and tries once more. */
export function* write(tools: Tools, thought: string, name: string, input: Json): Plan<Outcome> {
  const [first = notOffered(name)] = yield* perform(tools, thought, [[name, input]]);
  if (first.ok || !STALE.test(first.error.code) || tools.lastRead === null) return first;
  yield* perform(tools, "Something changed in the meantime, so I will look again first.", [tools.lastRead]);
  const [again] = yield* perform(tools, "I have looked again and will try once more.", [[name, input]]);
  return again ?? first;
}

import { type JsonObject, canonicalJson } from "../../cairn/core/log/json.ts";
import type { Conversation, Failure, Outcome } from "./conversation.ts";

export interface PlannedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Which tools may be called, and what came of calls so far, so that no failed call is made again at once. */
export interface Offer {
  readonly has: (name: string) => boolean;
  /** failures by call; forgotten when something else succeeds, except a person's no */
  readonly failures: Map<string, Outcome>;
  /** the newest read */
  looked: PlannedCall | null;
}

/** What one reply asks for: a short thought and calls to make together. */
export interface Turn {
  readonly thought: string;
  readonly calls: readonly PlannedCall[];
}

/**
 * A way of doing something, written straight on: it yields the calls that it needs and is handed their outcomes.
 * It keeps nothing between replies; each reply walks it again from the start through the recorded outcomes, and the
 * first call without one is what happens next. So a reply that is repeated after a crash is the same reply.
 */
export type Course<T> = Generator<Turn, T, readonly Outcome[]>;

const keyOf = ({ name, input }: PlannedCall): string => `${name} ${canonicalJson(input)}`;

/** Walks a course along the calls of the run: the first turn that has no outcome yet, or null at its end. */
export function walk(course: Course<void>, calls: Conversation["calls"]): Turn | null {
  const open = calls.filter((one) => one.outcome !== null);
  const take = (wanted: PlannedCall): Outcome | null => {
    const same = open.findIndex((one) => keyOf(one) === keyOf(wanted));
    // A person may have edited the input of a call before approving it: then its name and its place decide.
    const at = same < 0 && open[0]?.name === wanted.name ? 0 : same;
    return at < 0 ? null : (open.splice(at, 1)[0]?.outcome ?? null);
  };
  let turn = course.next();
  while (turn.done !== true) {
    const { thought, calls: wanted } = turn.value;
    const outcomes = wanted.map(take);
    const missing = wanted.filter((_, at) => outcomes[at] === null);
    if (missing.length > 0) return { thought, calls: missing };
    turn = course.next(outcomes.filter((one) => one !== null));
  }
  return null;
}

/** An outcome of our own making, for a tool that is not offered here. */
function notOffered(name: string): Outcome {
  const message = `the tool ${name} is not available here`;
  const error: Failure = { code: "not_offered", message, hint: "", suggestions: [], details: null };
  return { ok: false, error };
}

/** Whether a person said no, or nobody decided in time. Such a call is not tried again. */
export const isDenied = ({ code }: Failure): boolean => code === "denied" || code === "approval_expired";

function remember(tools: Offer, asked: PlannedCall, outcome: Outcome): void {
  if (!outcome.ok) return void tools.failures.set(keyOf(asked), outcome);
  for (const [key, failure] of tools.failures) {
    if (!failure.ok && !isDenied(failure.error)) tools.failures.delete(key);
  }
}

/**
 * Calls made in one reply; the outcomes stand in their order. A tool that is not offered is not called, and a call that
 * failed is not made again before something else has succeeded: its outcome is the failure that is known.
 */
function* perform(tools: Offer, thought: string, calls: Turn["calls"]): Course<Outcome[]> {
  const known = calls.map((one) => {
    return tools.failures.get(keyOf(one)) ?? (tools.has(one.name) ? null : notOffered(one.name));
  });
  const open = calls.filter((_, index) => known[index] === null);
  const fresh = open.length === 0 ? [] : [...(yield { thought, calls: open })];
  return calls.map((one, index) => {
    const outcome = known[index] ?? fresh.shift() ?? notOffered(one.name);
    if (known[index] === null) remember(tools, one, outcome);
    return outcome;
  });
}

/** Reads, made in one reply. */
export function* readTogether(tools: Offer, thought: string, calls: Turn["calls"]): Course<Outcome[]> {
  tools.looked = calls[0] ?? tools.looked;
  return yield* perform(tools, thought, calls);
}

/** One read. */
export function* read(tools: Offer, thought: string, name: string, input: JsonObject): Course<Outcome> {
  const [outcome] = yield* readTogether(tools, thought, [{ name, input }]);
  return outcome ?? notOffered(name);
}

/** What a failure says when something has changed meanwhile, so that looking again and trying once more is right. */
const STALE = new Set(
  "version_conflict state_conflict approval_stale approval_mismatch conflict order_conflict".split(" "),
);

/** A write. When what it was made from has changed, it looks again and proposes the same once more. */
export function* write(tools: Offer, thought: string, name: string, input: JsonObject): Course<Outcome> {
  const [first = notOffered(name)] = yield* perform(tools, thought, [{ name, input }]);
  if (first.ok || !STALE.has(first.error.code) || tools.looked === null) return first;
  yield* perform(tools, "Something changed in the meantime, so I will look again first.", [tools.looked]);
  const [again] = yield* perform(tools, "I have looked again and will try once more.", [{ name, input }]);
  return again ?? first;
}

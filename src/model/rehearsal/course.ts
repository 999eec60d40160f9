import type { JsonObject } from "../../core/log/json.ts";
import type { Conversation, Failure, Outcome } from "./conversation.ts";
import type { PlannedCall } from "./script.ts";

/** Which tools may be called, and what failed so far, so that no failed call is made again at once. */
export interface Offer {
  readonly has: (name: string) => boolean;
  /** failures by call; forgotten when something else succeeds, except a person's no */
  readonly failures: Map<string, Outcome>;
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

export type Walked<T> =
  { readonly done: true; readonly value: T } | { readonly done: false; readonly turn: Turn };

/** Walks a course along the calls of the run. Ends with its value, or with the first turn that has no outcome yet. */
export function walk<T>(course: Course<T>, conversation: Pick<Conversation, "calls">): Walked<T> {
  const open = conversation.calls
    .filter((call) => call.outcome !== null)
    .map((call) => ({ ...call, used: false }));
  const take = (wanted: PlannedCall): Outcome | null => {
    const text = JSON.stringify(sorted(wanted.input));
    const first = open.find((call) => !call.used);
    const same = open.find(
      (call) => !call.used && call.name === wanted.name && JSON.stringify(sorted(call.input)) === text,
    );
    // A person may have edited the input of a call before approving it: then its name and its place decide.
    const found = same ?? (first?.name === wanted.name ? first : undefined);
    if (found === undefined) return null;
    found.used = true;
    return found.outcome;
  };
  let turn = course.next();
  while (turn.done !== true) {
    const outcomes: Outcome[] = [];
    const missing: PlannedCall[] = [];
    for (const call of turn.value.calls) {
      const outcome = take(call);
      if (outcome === null) missing.push(call);
      else outcomes.push(outcome);
    }
    if (missing.length > 0) return { done: false, turn: { thought: turn.value.thought, calls: missing } };
    turn = course.next(outcomes);
  }
  return { done: true, value: turn.value };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** An outcome of our own making, for a tool that is not offered here. */
function notOffered(name: string): Outcome {
  const error: Failure = {
    code: "not_offered",
    class: "policy",
    message: `the tool ${name} is not available here`,
    hint: "",
    at: null,
    suggestions: [],
    details: null,
  };
  return { ok: false, error };
}

const keyOf = ({ name, input }: PlannedCall): string => `${name} ${JSON.stringify(sorted(input))}`;

/** Whether a person said no, or nobody decided in time. Such a call is not tried again. */
export function isDenied(error: Failure): boolean {
  return error.code === "denied" || error.code === "approval_expired";
}

function remember(tools: Offer, asked: PlannedCall, outcome: Outcome): void {
  if (!outcome.ok) {
    tools.failures.set(keyOf(asked), outcome);
    return;
  }
  for (const [key, failure] of tools.failures) {
    if (!failure.ok && !isDenied(failure.error)) tools.failures.delete(key);
  }
}

/**
 * Calls made in one reply; the outcomes stand in their order. A tool that is not offered is not called, and a call that
 * failed is not made again before something else has succeeded: its outcome is the failure that is known.
 */
export function* callTogether(
  tools: Offer,
  thought: string,
  calls: readonly PlannedCall[],
): Course<Outcome[]> {
  const known = calls.map(
    (one) => tools.failures.get(keyOf(one)) ?? (tools.has(one.name) ? null : notOffered(one.name)),
  );
  const open = calls.filter((_, index) => known[index] === null);
  const fresh = open.length === 0 ? [] : [...(yield { thought, calls: open })];
  return calls.map((one, index) => {
    const outcome = known[index] ?? fresh.shift() ?? notOffered(one.name);
    if (known[index] === null) remember(tools, one, outcome);
    return outcome;
  });
}

/** One call, as `callTogether`. */
export function* call(tools: Offer, thought: string, name: string, input: JsonObject): Course<Outcome> {
  const [outcome] = yield* callTogether(tools, thought, [{ name, input }]);
  return outcome ?? notOffered(name);
}

const STALE = new Set([
  "version_conflict",
  "state_conflict",
  "approval_stale",
  "approval_mismatch",
  "conflict",
  "order_conflict",
]);

/** Whether the failure says that something has changed meanwhile, so that looking again and trying once more is right. */
export function isStale(error: Failure): boolean {
  return STALE.has(error.code);
}

/** A write. When what it was made from has changed, it looks again and proposes the same once more. */
export function* write(
  tools: Offer,
  thought: string,
  name: string,
  input: JsonObject,
  lookAgain: PlannedCall,
): Course<Outcome> {
  const first = yield* call(tools, thought, name, input);
  if (first.ok || !isStale(first.error)) return first;
  yield* call(
    tools,
    "Something changed in the meantime, so I will look again before I try once more.",
    lookAgain.name,
    lookAgain.input,
  );
  return yield* call(tools, "I have looked again and will try once more.", name, input);
}

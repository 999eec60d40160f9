import { RUN_LIMITS } from "../limits.ts";
import type { Limits } from "../log/entry.ts";
import { NO_GUARD_MEMORY } from "./loop-memory.ts";
import { NO_SAFETY, UNTAINTED } from "./safety.ts";
import { type EndedRun, type Entity, type LiveRun, type Memory, type State, STATE_SCHEMA } from "./state.ts";

/** The shapes that a stored snapshot had before. A session of any of them goes on where it stood. */

/** 1: no stored facts, no tool beside what it touched, and of an ended run only its first input. */
interface State1 extends Omit<State2, "schema" | "memory" | "ended"> {
  readonly ended: readonly Omit<EndedRun, "inputs" | "taint" | "profile">[];
  readonly schema: 1;
  readonly memory: Omit<Memory, "facts" | "entities"> & {
    readonly entities: readonly Omit<Entity, "tool">[];
  };
}

/**
 * A stored snapshot in today's shape; equal to what today's code folds from the same log. Throws for a schema that this
 * code does not know: nothing is written over what a newer version made.
 */
export function migrate(schema: number, stored: unknown): State {
  switch (schema) {
    case STATE_SCHEMA:
      return stored as State;
    case 2:
      return from2(stored as State2);
    case 1:
      return from2(from1(stored as State1));
    default:
      throw new Error(`the session was written by a newer version (schema ${schema})`);
  }
}

/**
 * 2: the guards remembered nothing, no tool read from outside, so that nothing of then is tainted, and every run was of
 * class `standard` under the same four limits.
 */
interface State2 extends Omit<State, "schema" | "run" | "ended" | "taintedMemory"> {
  readonly schema: 2;
  readonly run:
    | (Omit<LiveRun, "guard" | "wanted" | "limits" | "profile" | "work" | "sends" | "once" | "safety"> & {
        readonly limits: Limits2;
      })
    | null;
  readonly ended: readonly Omit<EndedRun, "profile" | "taint">[];
}

type Limits2 = Pick<Limits, "steps" | "activeMs" | "outputTokens" | "toolCalls">;

function from2(state: State2): State {
  const run =
    state.run === null
      ? null
      : {
          ...state.run,
          wanted: { limits: state.run.limits },
          limits: { ...RUN_LIMITS, ...state.run.limits },
          profile: "standard" as const,
          work: false,
          sends: 0,
          once: [],
          guard: NO_GUARD_MEMORY,
          safety: NO_SAFETY,
        };
  const ended = state.ended.map((one): EndedRun => ({ ...one, taint: UNTAINTED, profile: "standard" }));
  return { ...state, schema: STATE_SCHEMA, run, ended, taintedMemory: false };
}

function from1(state: State1): State2 {
  const entities = state.memory.entities.map((entity): Entity => ({ ...entity, tool: null }));
  const ended = state.ended.map((run) => ({ ...run, inputs: [run.said] }));
  return { ...state, schema: 2, ended, memory: { ...state.memory, entities, facts: [] } };
}

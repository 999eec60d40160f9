import type { EndedRun, Entity, Memory, State } from "./state.ts";
import { STATE_SCHEMA } from "./state.ts";

/** The shapes that a stored snapshot had before. A session of any of them goes on where it stood. */

/** 1: no stored facts, no tool beside what it touched, and of an ended run only its first input. */
interface State1 extends Omit<State, "schema" | "memory" | "ended"> {
  readonly ended: readonly Omit<EndedRun, "inputs">[];
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
    case 1:
      return from1(stored as State1);
    default:
      throw new Error(`the session was written by a newer version (schema ${schema})`);
  }
}

function from1(state: State1): State {
  const entities = state.memory.entities.map((entity): Entity => ({ ...entity, tool: null }));
  const ended = state.ended.map((run): EndedRun => ({ ...run, inputs: [run.said] }));
  return { ...state, schema: STATE_SCHEMA, ended, memory: { ...state.memory, entities, facts: [] } };
}

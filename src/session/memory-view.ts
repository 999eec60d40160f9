import { renderFacts } from "../core/facts.ts";
import type { JsonObject } from "../core/json.ts";
import { renderMemory } from "../core/memory.ts";
import { estimateTokens } from "../core/prompt.ts";
import type { Entity, State } from "../core/state.ts";
import { factValue } from "./ledger.ts";
import type { Store } from "./ports.ts";

/** interface 3, GET S/memory: what the session has in mind, as its next prompt will say it, with the whole of each fact. */
export interface MemoryView {
  /** newest first */
  readonly entities: readonly EntityView[];
  /** newest first */
  readonly facts: readonly { readonly key: string; readonly value: string; readonly seq: number }[];
  /** what it takes of a prompt */
  readonly tokens: number;
  /** seq of the last row of the log */
  readonly seq: number;
}

export interface EntityView {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** `slug` and `parent {type, id}`, where it has them */
  readonly fields: JsonObject;
  /** it is what "it" and "that page" mean */
  readonly focus: boolean;
  /** null where no tool put it there */
  readonly tool: string | null;
  readonly step: string | null;
  readonly seq: number;
}

/** Reads the row of each fact; the things stand in the snapshot. */
export function memoryView({ memory, head }: State, store: Pick<Store, "entriesBetween">): MemoryView {
  const facts = memory.facts.map((fact) => ({ key: fact.key, value: factValue(store, fact), seq: fact.seq }));
  const values = new Map(facts.map(({ seq, value }) => [seq, value]));
  const shown = [renderMemory(memory), ...renderFacts(memory.facts, ({ seq }) => values.get(seq) ?? "")];
  return {
    entities: memory.entities.map((entity) => entityView(entity, memory.focus[entity.type] === entity.id)),
    facts,
    tokens: memory.entities.length + facts.length === 0 ? 0 : estimateTokens(shown.join("\n").length),
    seq: head,
  };
}

function entityView({ slug, parent, ...entity }: Entity, focus: boolean): EntityView {
  const { type, id, name, tool, step, seq } = entity;
  const fields = { ...(slug === undefined ? {} : { slug }), ...(parent === undefined ? {} : { parent }) };
  return { type, id, name, fields, focus, tool, step, seq };
}

import { renderFacts } from "../../core/state/facts.ts";
import { renderMemory } from "../../core/state/memory.ts";
import { estimateTokens } from "../../core/prompt/prompt.ts";
import type { Entity, State } from "../../core/state/state.ts";
import { factValue } from "../engine/transaction.ts";
import type { EntityView, MemoryView } from "../../wire/session-view.ts";
import type { Store } from "../engine/ports.ts";

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

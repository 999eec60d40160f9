import type { EntityRef } from "./tool.ts";
import { ENTITIES_MAX } from "./limits.ts";
import type { Entity, Memory } from "./state.ts";

/**
 * Working memory: the things that the session's tools have touched, newest first, and one focus per type.
 * A deleted thing leaves with its children, and later touches of it by the same result are dropped.
 */
export function changeMemory(
  memory: Memory,
  changes: readonly EntityRef[],
  cause: { step: string | null; seq: number },
): Memory {
  const gone = new Set(changes.filter((change) => change.op === "delete").map(nameOf));
  let entities = memory.entities.filter((entity) => !gone.has(nameOf(entity)) && !isChildOf(entity, gone));
  const focus: Record<string, string> = {};
  for (const [type, id] of Object.entries(memory.focus)) {
    if (entities.some((entity) => entity.type === type && entity.id === id)) focus[type] = id;
  }
  const focused = new Set<string>();
  const touched: Entity[] = [];
  for (const change of changes) {
    if (gone.has(nameOf(change)) || touched.some((entity) => nameOf(entity) === nameOf(change))) continue;
    const { op: _op, ...entity } = change;
    touched.push({ ...entity, ...cause });
    if (!focused.has(change.type)) {
      focused.add(change.type);
      focus[change.type] = change.id;
    }
  }
  const renewed = new Set(touched.map(nameOf));
  entities = [...touched, ...entities.filter((entity) => !renewed.has(nameOf(entity)))].slice(
    0,
    ENTITIES_MAX,
  );
  return { entities, focus };
}

/** The memory as the model is shown it, one line a thing. */
export function renderMemory(memory: Memory): string {
  if (memory.entities.length === 0) return "- nothing yet";
  return memory.entities
    .map((entity) => {
      const words = [`- ${entity.type} ${entity.id} ${JSON.stringify(entity.name)}`];
      if (entity.slug !== undefined) words.push(`slug=${entity.slug}`);
      if (entity.parent !== undefined) words.push(`of ${entity.parent.type} ${entity.parent.id}`);
      if (memory.focus[entity.type] === entity.id) words.push("focus");
      return words.join(" ");
    })
    .join("\n");
}

const nameOf = (thing: { type: string; id: string }): string => `${thing.type}:${thing.id}`;

function isChildOf(entity: Entity, gone: ReadonlySet<string>): boolean {
  return entity.parent !== undefined && gone.has(nameOf(entity.parent));
}

import type { EntityRef } from "../log/tool.ts";
import { ENTITIES_MAX, ENTITY_NAME_CHARS_MAX } from "../limits.ts";
import type { Entity, Memory } from "./state.ts";

/** Where a change of working memory comes from. */
export type Cause = Pick<Entity, "tool" | "step" | "seq">;

/**
 * Working memory: the things that the session's tools have touched, newest first, and one focus per type: the first of
 * its type in the newest result. A deleted thing leaves with its children, and whatever else the same result says of
 * them is dropped (cms 3). What a result does not say of a thing stays as it was known.
 */
export function changeMemory(memory: Memory, changes: readonly EntityRef[], cause: Cause): Memory {
  const known = new Map(memory.entities.map((entity) => [nameOf(entity), entity]));
  const touched = new Map<string, Entity>();
  for (const { op, ...thing } of changes) {
    const name = nameOf(thing);
    if (op === "delete" || touched.has(name)) continue;
    touched.set(name, { ...known.get(name), ...thing, name: short(thing.name), ...cause });
  }
  const gone = withChildren(
    changes.filter((change) => change.op === "delete").map(nameOf),
    new Map([...known, ...touched]),
  );
  const entities = [...touched.values(), ...memory.entities.filter((entity) => !touched.has(nameOf(entity)))]
    .filter((entity) => !gone.has(nameOf(entity)))
    .slice(0, ENTITIES_MAX);
  const present = new Set(entities.map(nameOf));
  const focus: Record<string, string> = {};
  // The newest word on a type comes first: what this result touched, in its order, then what was in focus before.
  for (const [type, id] of [...pairs(touched.values()), ...Object.entries(memory.focus)]) {
    if (!Object.hasOwn(focus, type) && present.has(nameOf({ type, id }))) focus[type] = id;
  }
  return { ...memory, entities, focus };
}

/** The memory as the model is shown it, one line a thing. */
export function renderMemory(memory: Memory): string {
  if (memory.entities.length === 0) return "- nothing yet";
  return memory.entities
    .map((entity) => {
      const words = [`- ${entity.type} ${plain(entity.id)} ${quoted(entity.name)}`];
      if (entity.slug !== undefined) words.push(`slug=${plain(entity.slug)}`);
      if (entity.parent !== undefined) words.push(`of ${entity.parent.type} ${plain(entity.parent.id)}`);
      if (memory.focus[entity.type] === entity.id) words.push("focus");
      return words.join(" ");
    })
    .join("\n");
}

/** Text from outside on one line of the situation block: it can neither end the line nor the block. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("<", "\\u003c");
}

/** An id or a slug: as it is, unless it could be taken for something else. */
const plain = (word: string): string => (/^[^\s<>"]+$/u.test(word) ? word : quoted(word));

const nameOf = (thing: { readonly type: string; readonly id: string }): string => `${thing.type}:${thing.id}`;

const pairs = (entities: Iterable<Entity>): [string, string][] =>
  [...entities].map(({ type, id }) => [type, id]);

/** These names and those of all things below them. */
function withChildren(names: readonly string[], known: ReadonlyMap<string, Entity>): ReadonlySet<string> {
  const all = new Set(names);
  for (let before = -1; before !== all.size && all.size > 0;) {
    before = all.size;
    for (const [name, { parent }] of known)
      if (parent !== undefined && all.has(nameOf(parent))) all.add(name);
  }
  return all;
}

function short(name: string): string {
  return name.length <= ENTITY_NAME_CHARS_MAX ? name : `${name.slice(0, ENTITY_NAME_CHARS_MAX - 1)}…`;
}

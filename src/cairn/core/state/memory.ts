import { shortened } from "../text/cut.ts";
import {
  ENTITIES_MAX,
  ENTITY_ID_CHARS_MAX,
  ENTITY_NAME_CHARS_MAX,
  FACTS_BLOCK_CHARS_MAX,
  FACTS_FOUND_MAX,
  FACTS_MAX,
  FACTS_SHOWN_MAX,
  FACT_FOUND_CHARS_MAX,
  FACT_SHOWN_CHARS_MAX,
} from "../limits.ts";
import type { FactChange } from "../log/entry.ts";
import { type JsonObject, ownValue } from "../log/json.ts";
import type { EntityRef, ToolFailure } from "../log/tool.ts";
import { LIKENESS_MIN, likenessTo, nearestWords, normalised } from "../text/nearest.ts";
import { isPlainWord, quoteLine } from "../text/untrusted.ts";
import type { Entity, Memory, Fact } from "./state.ts";

/** Where a change of working memory comes from. */
type Cause = Pick<Entity, "tool" | "step" | "seq">;

/**
 * Working memory: the things that the session's tools have touched, newest first, and one focus per type: the first of
 * its type in the newest result. A deleted thing leaves with its children, and other changes to them in the same result
 * are dropped. Fields that a result lacks are unchanged.
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
    .map((entity) => `${lineOf(entity)}${ownValue(memory.focus, entity.type) === entity.id ? " focus" : ""}`)
    .join("\n");
}

/** A known thing never changes, it is replaced: its line is made once. */
const lines = new WeakMap<Entity, string>();

function lineOf(entity: Entity): string {
  const known = lines.get(entity);
  if (known !== undefined) return known;
  const words = [`- ${entity.type} ${quoteUnlessPlain(entity.id)} ${quoteLine(entity.name)}`];
  if (entity.slug !== undefined) words.push(`slug=${quoteUnlessPlain(entity.slug)}`);
  if (entity.parent !== undefined)
    words.push(`of ${entity.parent.type} ${quoteUnlessPlain(entity.parent.id)}`);
  const line = words.join(" ");
  lines.set(entity, line);
  return line;
}

/** An id or a slug: as it is, unless it could be taken for something else, or is so long that few of them would fill a prompt. */
function quoteUnlessPlain(word: string): string {
  const shown = shortened(word, ENTITY_ID_CHARS_MAX);
  return isPlainWord(shown) ? shown : quoteLine(shown);
}

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
  return shortened(name, ENTITY_NAME_CHARS_MAX);
}

/**
 * Facts that the session stores (store_memory, retrieve_memory). The state has the keys, newest first, and the entries
 * that hold the values; readers of values pass in `valueOf`.
 */

/** Reads the value of a fact from its entry. */
export type ValueOf = (fact: Fact) => string;

export type Recalled =
  | { readonly ok: true; readonly output: JsonObject; readonly changes: readonly FactChange[] }
  | { readonly ok: false; readonly failure: ToolFailure };

/** The facts after an entry that stores or forgets some. */
export function changeFacts(
  facts: readonly Fact[],
  changes: readonly FactChange[],
  seq: number,
): readonly Fact[] {
  return changes.reduce<readonly Fact[]>((kept, { op, key }) => {
    const others = kept.filter((fact) => fact.key !== key);
    return op === "store" ? [{ key, seq }, ...others] : others;
  }, facts);
}

/**
 * Stores a value under a key; an empty value deletes the key. A new key above the cap is refused, and nothing is lost.
 */
export function storeFact(facts: readonly Fact[], key: string, value: string): Recalled {
  const keys = facts.map((fact) => fact.key);
  const known = keys.includes(key);
  if (value === "") {
    if (known)
      return { ok: true, output: { ok: true, key, forgotten: true }, changes: [{ op: "forget", key }] };
    return {
      ok: true,
      output: { ok: true, key, forgotten: false, near: nearestWords(key, keys) },
      changes: [],
    };
  }
  if (!known && facts.length >= FACTS_MAX) {
    const failure: ToolFailure = {
      class: "too_large",
      code: "memory_full",
      message: `All ${FACTS_MAX} keys of this session are in use.`,
      retryable: false,
      hint: "Store it under a key that is there, or forget one first by storing an empty value under it.",
      suggestions: keys,
    };
    return { ok: false, failure };
  }
  return {
    ok: true,
    output: { ok: true, key, replaced: known, keys: facts.length + (known ? 0 : 1) },
    changes: [{ op: "store", key, value }],
  };
}

/** One fact by its key, the facts that fit some words, or, asked for nothing, the keys there are. */
export function retrieveFacts(
  facts: readonly Fact[],
  request: { readonly key: string | null; readonly query: string | null },
  valueOf: ValueOf,
): Recalled {
  return { ok: true, output: { ok: true, ...found(facts, request, valueOf) }, changes: [] };
}

function found(
  facts: readonly Fact[],
  { key, query }: Parameters<typeof retrieveFacts>[1],
  valueOf: ValueOf,
): JsonObject {
  const keys = facts.map((fact) => fact.key);
  if (key !== null) {
    const fact = byKey(facts, key);
    if (fact !== null) return { found: true, key: fact.key, value: valueOf(fact) };
    if (query === null) return { found: false, key, near: nearestWords(key, keys) };
  }
  if (query === null) return { found: facts.length > 0, keys };
  const fitting = search(facts, query, valueOf);
  if (fitting.length === 0) return { found: false, query, near: nearestWords(query, keys), keys };
  const items = fitting.slice(0, FACTS_FOUND_MAX).map(({ fact, value }): JsonObject => {
    if (value.length <= FACT_FOUND_CHARS_MAX) return { key: fact.key, value };
    return { key: fact.key, value: shortened(value, FACT_FOUND_CHARS_MAX), cut: true, chars: value.length };
  });
  return { found: true, items, total: fitting.length };
}

/** The fact of exactly this key, or the only one whose key differs in case and punctuation alone. */
function byKey(facts: readonly Fact[], key: string): Fact | null {
  const exact = facts.find((fact) => fact.key === key);
  if (exact !== undefined) return exact;
  const wanted = normalised(key);
  const alike = wanted === "" ? [] : facts.filter((fact) => normalised(fact.key) === wanted);
  return alike.length === 1 ? (alike[0] ?? null) : null;
}

/** Returns facts that contain words of the query, or whose key resembles it: best match first, then the newest. */
function search(
  facts: readonly Fact[],
  query: string,
  valueOf: ValueOf,
): { fact: Fact; value: string; score: number }[] {
  const words = normalised(query)
    .split(" ")
    .filter((word) => word !== "");
  const likenessOf = likenessTo(query);
  return facts
    .map((fact) => {
      const value = valueOf(fact);
      const text = ` ${normalised(fact.key)} ${normalised(value)} `;
      const hits = words.filter((word) => text.includes(` ${word}`)).length;
      const likeness = likenessOf(fact.key);
      const isFit = hits > 0 || likeness >= LIKENESS_MIN;
      return { fact, value, score: isFit ? hits / Math.max(1, words.length) + likeness : 0 };
    })
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || b.fact.seq - a.fact.seq);
}

/** The facts as the model is shown them at every step: the newest with the beginning of their value, within a cap. */
export function renderFacts(facts: readonly Fact[], valueOf: ValueOf): string[] {
  if (facts.length === 0) return [];
  const lines: string[] = [];
  let space = FACTS_BLOCK_CHARS_MAX;
  for (const [at, fact] of facts.entries()) {
    const line = at < FACTS_SHOWN_MAX ? shown(fact.key, valueOf(fact)) : `- ${quoteLine(fact.key)}`;
    space -= line.length + 1;
    if (space < 0) {
      lines.push(`- and ${facts.length - at} more`);
      break;
    }
    lines.push(line);
  }
  return ["remembered (retrieve_memory brings the whole):", ...lines];
}

function shown(key: string, value: string): string {
  if (value.length <= FACT_SHOWN_CHARS_MAX) return `- ${quoteLine(key)}: ${quoteLine(value)}`;
  return `- ${quoteLine(key)}: ${quoteLine(shortened(value, FACT_SHOWN_CHARS_MAX + 1))} (${value.length} characters)`;
}

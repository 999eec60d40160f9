import type { Slots } from "./slots.ts";
import { readSlot } from "./slots.ts";
import type { Token } from "./reading.ts";

/**
 * The shapes of wishes, as the table of intents writes them, and whether a clause has one of them.
 *
 * `word` stands for itself, `(a b|c)` for one of the ways, `[a|b]` for one of them or nothing, `{page}` for what the
 * reader of that slot takes. A shape fits only when it takes every word of the clause, so a word that nobody expected,
 * such as "not" or "unless", is never overlooked.
 */

export type Shape =
  | { readonly kind: "end"; readonly id: number }
  | { readonly kind: "word"; readonly id: number; readonly word: string; readonly next: Shape }
  | { readonly kind: "slot"; readonly id: number; readonly slot: string; readonly next: Shape }
  | { readonly kind: "ways"; readonly id: number; readonly ways: readonly Shape[] };

/** Reads a shape. A shape that is not written well throws: it is a fault of the table. */
export function parseShape(text: string): Shape {
  const parts = text.match(/[[\](){}|]|[^\s[\](){}|]+/gu) ?? [];
  let at = 0;
  let ids = 0;
  const end: Shape = { kind: "end", id: ids++ };
  type Build = (next: Shape) => Shape;
  const ways = (close: string | undefined, optional: boolean): Build => {
    const all: Build[] = [];
    let sequence: Build[] = [];
    for (;;) {
      const part = parts[at];
      at += 1;
      if (part === close || part === "|" || part === undefined) {
        const own = sequence;
        all.push((next) => own.reduceRight((behind, build) => build(behind), next));
        sequence = [];
        if (part === close) break;
        if (part === undefined) throw new Error(`a bracket of the shape is not closed: ${text}`);
      } else if (part === "(") sequence.push(ways(")", false));
      else if (part === "[") sequence.push(ways("]", true));
      else if (part === "{") {
        const slot = parts[at] ?? "";
        at += 2;
        sequence.push((next) => ({ kind: "slot", id: ids++, slot, next }));
      } else sequence.push((next) => ({ kind: "word", id: ids++, word: part, next }));
    }
    return (next) => {
      const built = all.map((build) => build(next));
      return { kind: "ways", id: ids++, ways: optional ? [...built, next] : built };
    };
  };
  return ways(undefined, false)(end);
}

const SLOT_TOKENS_MAX = 20;

/** What the slots of the shape take when it takes the whole clause; null when it does not fit. */
export function fitShape(shape: Shape, clause: readonly Token[]): Slots | null {
  // A state that failed at a place fails there again: so the work grows with states, places and lengths, not with ways.
  const failed = new Set<number>();
  const walk = (state: Shape, at: number): Slots | null => {
    const key = state.id * (clause.length + 1) + at;
    const found = failed.has(key) ? null : step(state, at);
    if (found === null) failed.add(key);
    return found;
  };
  const step = (state: Shape, at: number): Slots | null => {
    if (state.kind === "end") return at === clause.length ? {} : null;
    if (state.kind === "word") return clause[at]?.lower === state.word ? walk(state.next, at + 1) : null;
    for (const way of state.kind === "ways" ? state.ways : []) {
      const found = walk(way, at);
      if (found !== null) return found;
    }
    const last = state.kind === "slot" ? Math.min(clause.length, at + SLOT_TOKENS_MAX) : at;
    for (let end = at + 1; state.kind === "slot" && end <= last; end += 1) {
      const taken = readSlot(state.slot, clause.slice(at, end));
      const behind = taken === null ? null : walk(state.next, end);
      if (behind !== null) return { ...taken, ...behind };
    }
    return null;
  };
  return walk(shape, 0);
}

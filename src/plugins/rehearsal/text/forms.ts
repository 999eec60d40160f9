import { readSlot, type Slots } from "./slots.ts";
import type { Token } from "./tokens.ts";

/**
 * Forms of sentences, as the table of intents writes them.
 *
 * `word` matches itself, `(a b|c)` one of the alternatives, `[a|b]` one of them or nothing, `{page}` the words that the
 * reader of that slot accepts. A form must match every word of the clause, so an unexpected word such as "not" or
 * "unless" is never overlooked.
 */
export type Form =
  | { readonly kind: "end"; readonly id: number }
  | { readonly kind: "word"; readonly id: number; readonly word: string; readonly next: Form }
  | { readonly kind: "slot"; readonly id: number; readonly slot: string; readonly next: Form }
  | { readonly kind: "choice"; readonly id: number; readonly alternatives: readonly Form[] };

type Build = (next: Form) => Form;

/** Parses a form. Throws for a malformed one: that is a bug in the table. */
export function parseForm(text: string): Form {
  const parts = text.match(/[[\](){}|]|[^\s[\](){}|]+/gu) ?? [];
  let at = 0;
  let ids = 0;
  const end: Form = { kind: "end", id: ids++ };

  const choice = (close: string | undefined, isOptional: boolean): Build => {
    const alternatives: Build[] = [];
    let sequence: Build[] = [];
    for (;;) {
      const part = parts[at];
      at += 1;
      if (part === close || part === "|" || part === undefined) {
        const own = sequence;
        alternatives.push((next) => own.reduceRight((rest, build) => build(rest), next));
        sequence = [];
        if (part === close) break;
        if (part === undefined) throw new Error(`a bracket of the form is not closed: ${text}`);
      } else if (part === "(") sequence.push(choice(")", false));
      else if (part === "[") sequence.push(choice("]", true));
      else if (part === "{") {
        const slot = parts[at] ?? "";
        at += 2;
        sequence.push((next) => ({ kind: "slot", id: ids++, slot, next }));
      } else sequence.push((next) => ({ kind: "word", id: ids++, word: part, next }));
    }
    return (next) => {
      const built = alternatives.map((build) => build(next));
      return { kind: "choice", id: ids++, alternatives: isOptional ? [...built, next] : built };
    };
  };
  return choice(undefined, false)(end);
}

const SLOT_TOKENS_MAX = 20;

/** The slots of a form that matches the whole clause; null where it does not. */
export function matchForm(form: Form, clause: readonly Token[]): Slots | null {
  // A state that failed at a position fails there again. This bounds the work by states × positions × slot lengths.
  const failed = new Set<number>();
  const match = (state: Form, at: number): Slots | null => {
    const key = state.id * (clause.length + 1) + at;
    const found = failed.has(key) ? null : step(state, at);
    if (found === null) failed.add(key);
    return found;
  };
  const step = (state: Form, at: number): Slots | null => {
    if (state.kind === "end") return at === clause.length ? {} : null;
    if (state.kind === "word") return clause[at]?.lower === state.word ? match(state.next, at + 1) : null;
    if (state.kind === "choice") {
      for (const alternative of state.alternatives) {
        const found = match(alternative, at);
        if (found !== null) return found;
      }
      return null;
    }
    const last = Math.min(clause.length, at + SLOT_TOKENS_MAX);
    for (let end = at + 1; end <= last; end += 1) {
      const own = readSlot(state.slot, clause.slice(at, end));
      const rest = own === null ? null : match(state.next, end);
      if (rest !== null) return { ...own, ...rest };
    }
    return null;
  };
  return match(form, 0);
}

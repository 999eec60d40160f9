import type { Token } from "./tokens.ts";
import type { Act, Verb } from "./lexicon.ts";
import {
  DETERMINERS,
  FILLERS,
  IMAGE_WORDS,
  NAV_WORDS,
  NEGATIONS,
  PAGE_WORDS,
  PARTICIPLES,
  POST_WORDS,
  PRONOUNS,
  verbAt,
} from "./lexicon.ts";
import { sectionAt } from "./templates.ts";
import { tokenise } from "./tokens.ts";

/** One thing said: at most one verb that asks for something, with its words. */
export interface Clause {
  readonly tokens: readonly Token[];
  /** the whole message, for taking values as they were written */
  readonly source: string;
  readonly act: Act | null;
  readonly verb: string;
  /** index of the first token behind the verb; 0 without a verb */
  readonly rest: number;
  /** "don't publish it", "without publishing" */
  readonly negated: boolean;
  /** it asks to be told something */
  readonly question: boolean;
  /** it states how a page should be: "it should have a hero", "I want it published" */
  readonly requirement: boolean;
}

const ASKING = new Set([
  "what",
  "which",
  "where",
  "who",
  "when",
  "how",
  "why",
  "what's",
  "whats",
  "where's",
  "who's",
]);
const YES_NO = new Set(["is", "are", "was", "does", "do", "did", "has", "have", "isn't", "any", "am"]);
const MODALS = new Set([
  "should",
  "must",
  "needs",
  "need",
  "has",
  "have",
  "is",
  "shall",
  "ought",
  "will",
  "can",
  "includes",
]);
const TIME = new Set(["after", "once", "when", "before"]);
const DONE = new Set(["done", "ready", "finished", "complete", "that"]);
const RELATIVE = new Set(["has", "have", "is", "are", "should", "contains", "includes", "shows", "must"]);

/** Cuts a message into clauses in the order in which they are to be done ("publish it after creating it" is turned round). */
export function splitClauses(message: string): Clause[] {
  const clauses: Clause[] = [];
  for (const sentence of sentences(tokenise(message))) {
    for (const part of unfold(sentence.tokens)) {
      const clause = readClause(part, message, sentence.asks);
      if (clause !== null) clauses.push(clause);
    }
  }
  return clauses;
}

function sentences(tokens: readonly Token[]): { tokens: Token[]; asks: boolean }[] {
  const found: { tokens: Token[]; asks: boolean }[] = [];
  let open: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== "stop") open.push(token);
    else {
      if (open.length > 0) found.push({ tokens: open, asks: "?？".includes(token.text) });
      open = [];
    }
  }
  if (open.length > 0) found.push({ tokens: open, asks: false });
  return found;
}

/** Cuts a sentence at commas and conjunctions behind which a new wish begins, and puts "after …" and "before …" in order. */
function unfold(sentence: readonly Token[]): Token[][] {
  const ordered: Token[][] = [];
  let held: Token[][] = [];
  let open: Token[] = [];
  const close = (): void => {
    if (open.length === 0) return;
    ordered.push(open, ...held);
    open = [];
    held = [];
  };
  let at = 0;
  while (at < sentence.length) {
    const side = subordinate(sentence, at);
    if (side !== null) {
      if (side.when === "before") held.push(side.tokens);
      else if (side.tokens.length > 0) ordered.push(side.tokens);
      at = side.end;
      continue;
    }
    const behind = open.length === 0 ? at : skipDelimiters(sentence, at);
    if (behind > at && opensClause(sentence, behind)) {
      close();
      at = behind;
      continue;
    }
    if (open.length > 0 && sentence[at]?.lower === "without" && verbAt(sentence, at + 1) !== null) close();
    const token = sentence[at];
    if (token !== undefined) open.push(token);
    at += 1;
  }
  close();
  ordered.push(...held);
  return ordered;
}

/** "after creating it", "once it is ready", "before you publish it": a time clause with a verb of its own. */
function subordinate(
  sentence: readonly Token[],
  at: number,
): { when: "after" | "before"; tokens: Token[]; end: number } | null {
  const word = sentence[at]?.lower ?? "";
  if (!TIME.has(word)) return null;
  let end = at + 1;
  while (end < sentence.length && skipDelimiters(sentence, end) === end) end += 1;
  const tokens = sentence.slice(at + 1, end);
  const start = tokens.findIndex(
    (token) =>
      !FILLERS.has(token.lower) &&
      !PRONOUNS.has(token.lower) &&
      !["you're", "it's", "have", "has", "been", "you've", "the", "page"].includes(token.lower),
  );
  const head = start < 0 ? undefined : tokens[start];
  if (head === undefined) return null;
  if (DONE.has(head.lower)) return { when: "after", tokens: [], end: at + 1 + start + 1 };
  const works =
    PARTICIPLES[head.lower] !== undefined ||
    (verbAt(tokens, start) !== null && sectionAt(tokens, start) === null);
  if (!works || (word === "after" && DETERMINERS.has(tokens[0]?.lower ?? ""))) return null;
  const next = PARTICIPLES[head.lower] === undefined ? null : headAt(tokens, start + 1);
  if (next !== null && !next.verb.ambiguous) {
    const own = tokens.slice(0, start + 1);
    return { when: word === "before" ? "before" : "after", tokens: own, end: at + 1 + own.length };
  }
  return { when: word === "before" ? "before" : "after", tokens, end };
}

/** The place behind commas, "and", "then", "also", "but" …; the same place when there is none. */
function skipDelimiters(tokens: readonly Token[], at: number): number {
  let next = at;
  for (;;) {
    const token = tokens[next];
    if (token === undefined) return next;
    const joins = [
      "and",
      "then",
      "also",
      "plus",
      "but",
      "afterwards",
      "next",
      "finally",
      "so",
      "or",
      "lastly",
    ];
    if (token.kind === "comma" || token.kind === "colon" || joins.includes(token.lower)) next += 1;
    else if (token.lower === "after" && tokens[next + 1]?.lower === "that") next += 2;
    else return next;
  }
}

function opensClause(tokens: readonly Token[], at: number): boolean {
  if (sectionAt(tokens, at) !== null) return false;
  const word = tokens[at]?.lower ?? "";
  const next = tokens[at + 1]?.lower ?? "";
  if (ASKING.has(word)) return !RELATIVE.has(next) || word === "what" || word === "how";
  if (word === "make" && next === "sure") return true;
  if (requirementAt(tokens, at) !== null) return true;
  const head = headAt(tokens, at);
  if (head === null) return false;
  if (!head.verb.ambiguous) return true;
  return opensObject(tokens, head.at + head.verb.length);
}

/** Behind an ambiguous verb an object must follow; otherwise it is a noun ("a list, a link and a name"). */
function opensObject(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined) return false;
  if (token.kind !== "word") return token.kind === "quote" || token.kind === "path";
  const word = token.lower;
  return (
    DETERMINERS.has(word) ||
    PRONOUNS.has(word) ||
    [PAGE_WORDS, NAV_WORDS, IMAGE_WORDS, POST_WORDS].some((words) => words.has(word)) ||
    ["me", "us", "for", "up", "on", "in"].includes(word) ||
    sectionAt(tokens, at) !== null ||
    /^\p{Lu}/u.test(token.text)
  );
}

interface Head {
  readonly verb: Verb;
  readonly at: number;
  readonly negated: boolean;
}

/** The asking verb behind polite words: "could you please **publish**", "I'd like you to **add**". */
function headAt(tokens: readonly Token[], from: number): Head | null {
  let at = from;
  let negated = false;
  for (; at < tokens.length; at += 1) {
    const word = tokens[at]?.lower ?? "";
    const next = tokens[at + 1]?.lower ?? "";
    if ((verbAt(tokens, at)?.length ?? 0) > 1) break;
    if (NEGATIONS.has(word)) {
      negated = true;
      if (word === "no" && next === "need") at += next === "need" && tokens[at + 2]?.lower === "to" ? 2 : 1;
    } else if (word === "do" && next === "not") continue;
    else if (["want", "need", "like", "love", "have", "wish", "going", "try", "prefer"].includes(word)) {
      const toward =
        next === "to"
          ? 1
          : (next === "you" || next === "u" || next === "us") && tokens[at + 2]?.lower === "to"
            ? 2
            : 0;
      if (toward === 0) break;
      at += toward;
      if (tokens[at + 1]?.lower === "see" || tokens[at + 1]?.lower === "know") continue;
    } else if (!FILLERS.has(word) && tokens[at]?.kind !== "comma") break;
  }
  const verb = verbAt(tokens, at);
  return verb === null ? null : { verb, at, negated };
}

/** "it should …", "the page needs …", "make sure that it is …": the index behind the modal, or null. */
function requirementAt(tokens: readonly Token[], from: number): number | null {
  let at = from;
  const word = (offset: number): string => tokens[at + offset]?.lower ?? "";
  while (FILLERS.has(word(0)) && word(0) !== "is") at += 1;
  const sure = (word(0) === "make" || word(0) === "be") && word(1) === "sure";
  if (sure) at += 2;
  else if (word(0) === "ensure") at += 1;
  while (word(0) === "that" && word(1) !== "page" && !MODALS.has(word(1))) at += 1;
  const wanted = ["want", "need", "like"].includes(word(0)) && PRONOUNS.has(word(1)) && word(1) !== "one";
  if (wanted) return at + 2;
  if (PRONOUNS.has(word(0)) && MODALS.has(word(1))) return at + 2;
  if (["it's", "it'll", "they're"].includes(word(0))) return at + 1;
  if (DETERMINERS.has(word(0)) && PAGE_WORDS.has(word(1)) && MODALS.has(word(2))) return at + 3;
  const page = DETERMINERS.has(word(0))
    ? [2, 3, 4].find((offset) => PAGE_WORDS.has(word(offset)) && MODALS.has(word(offset + 1)))
    : undefined;
  if (page !== undefined) return at + page + 2;
  return sure ? at : null;
}

function readClause(tokens: readonly Token[], source: string, asks: boolean): Clause | null {
  if (tokens.length === 0) return null;
  const none = {
    tokens,
    source,
    act: null,
    verb: "",
    rest: 0,
    negated: false,
    question: false,
    requirement: false,
  };
  let start = 0;
  while (FILLERS.has(tokens[start]?.lower ?? "") && !YES_NO.has(tokens[start]?.lower ?? "")) start += 1;
  const first = tokens[start]?.lower ?? "";
  const second = tokens[start + 1]?.lower ?? "";
  if (ASKING.has(first)) return { ...none, question: true, rest: start };
  const negation = first === "do" && second === "not";
  if (YES_NO.has(first) && !negation && !(first === "have" && !asks) && !(first === "any" && !asks)) {
    return { ...none, question: true, rest: start };
  }
  const requirement = requirementAt(tokens, 0);
  if (requirement !== null && !asks) {
    const negated = tokens.slice(0, requirement + 1).some((token) => NEGATIONS.has(token.lower));
    return { ...none, requirement: true, rest: requirement, negated };
  }
  const head = headAt(tokens, 0) ?? laterHead(tokens);
  if (head === null) {
    const participle = tokens.find((token) => PARTICIPLES[token.lower] !== undefined);
    const act = participle === undefined ? null : (PARTICIPLES[participle.lower] ?? null);
    if ((act === "publish" || act === "unpublish") && tokens.length <= 5 && !asks)
      return { ...none, requirement: true, rest: 0 };
    return { ...none, question: asks && tokens.length > 2 };
  }
  return {
    ...none,
    act: head.verb.act,
    verb: head.verb.word,
    rest: head.at + head.verb.length,
    negated: head.negated,
  };
}

/** "On the team page hide the gallery", "I am looking for someone to build a page": the verb stands further behind. */
function laterHead(tokens: readonly Token[]): Head | null {
  const toward = tokens.findIndex(
    (token, at) => at > 0 && token.lower === "to" && verbAt(tokens, at + 1) !== null,
  );
  const wanted = toward < 0 ? null : verbAt(tokens, toward + 1);
  if (wanted !== null && opensObject(tokens, toward + 1 + wanted.length))
    return { verb: wanted, at: toward + 1, negated: false };
  if (!["on", "in", "for", "from", "at", "under", "regarding"].includes(tokens[0]?.lower ?? "")) return null;
  for (let at = 1; at < tokens.length; at += 1) {
    const verb = sectionAt(tokens, at) === null ? verbAt(tokens, at) : null;
    if (verb === null) continue;
    if (!verb.ambiguous || opensObject(tokens, at + verb.length)) return { verb, at, negated: false };
  }
  return null;
}

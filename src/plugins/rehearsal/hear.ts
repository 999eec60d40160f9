import type { Token } from "./reading.ts";
import { set, tokenise, TURNING, VERBS } from "./reading.ts";
import { fitShape } from "./shapes.ts";
import type { Place, Slots } from "./slots.ts";
import type { Intent } from "./intent.ts";
import { INTENTS } from "./table.ts";

/** Hears the wishes in a message: cuts it into sentences and clauses, and finds the shape of each in the table. */

export interface Wish {
  readonly intent: Intent;
  readonly slots: Slots;
  /** the person's own words */
  readonly said: string;
}

export interface Heard {
  readonly wishes: readonly Wish[];
  /** parts that no shape takes and that stand for themselves; they are left out, and named */
  readonly left: readonly string[];
  /** a part that no shape takes and that may change the others: then nothing is written. With why, when that is known. */
  readonly unclear: { readonly said: string; readonly why: string | null } | null;
}

/** A longer sentence is not parsed: wishes are short. */
const SENTENCE_TOKENS_MAX = 50;

const phrases = (text: string): readonly (readonly string[])[] =>
  text.split("|").map((phrase) => phrase.trim().split(/\s+/u));

const SEPARATORS = set("and then und dann also plus afterwards danach anschließend");
const FILLERS = set("please plz pls bitte kindly mal gleich direkt einfach");
const OPENINGS = phrases(`
  can you|could you|would you|will you|can u|could u|i want you to|i need you to|i would like you to|i'd like you to|i want to|
  would you be so kind as to|i would like to|i'd like to|we want to|we need to|i need to|we would like to|we'd like to|let's|lets|
  go ahead and|after that|kannst du|könntest du|können sie|könnten sie|würdest du|ich möchte|wir möchten|
  hi|hello|hey|hallo|hi cairn|hey cairn|ok|okay|so|now|next|finally|also|auch|jetzt|just`);
const CLOSINGS = phrases(`
  for me|for us|for now|from now on|right now|right away|immediately|asap|now|thanks|many thanks|thank you|thx|danke|jetzt|sofort|
  für mich|für uns|would you|will you|could you|ok|okay|cheers`);
const ASKING = set(`
  what's where's who's whats which what where who when why how is are does do did can could was welche wo wie wer ist`);

/** The words of a message, without those that only make it polite. */
export const wordsOf = (message: string): readonly Token[] =>
  tokenise(message).filter((token) => !FILLERS.has(token.lower));

/** The rows of the table that have a shape for the clause as it stands, else without the polite words around it. */
function readingsOf(clause: readonly Token[]): readonly Pick<Wish, "intent" | "slots">[] {
  const read = (tokens: readonly Token[]): readonly Pick<Wish, "intent" | "slots">[] =>
    INTENTS.flatMap((intent) => {
      for (const shape of intent.shapes()) {
        const slots = fitShape(shape, tokens);
        if (slots !== null) return [{ intent, slots }];
      }
      return [];
    });
  const whole = read(clause);
  const plain = unwrapped(clause);
  return whole.length > 0 || plain.length === 0 || plain.length === clause.length ? whole : read(plain);
}

/** Where the longest clause ends that begins here and has a shape; null when none has. */
function clauseEnd(tokens: readonly Token[], at: number): number | null {
  for (let end = tokens.length; end > at; end -= 1) {
    const isEnd = end === tokens.length || isSeparator(tokens[end]) || tokens[end]?.lower === "but";
    if (isEnd && readingsOf(tokens.slice(at, end)).length > 0) return end;
  }
  return null;
}

/** What a message asks for, in the order in which it asks. */
export function hearMessage(message: string): Heard {
  const wishes: Wish[] = [];
  const left: string[] = [];
  let unclear: Heard["unclear"] = null;

  const textOf = (tokens: readonly Token[]): string =>
    message.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0).replace(/\s+/gu, " ");

  const take = (clause: readonly Token[]): void => {
    const [first, ...more] = readingsOf(clause);
    if (first === undefined) return;
    const said = textOf(clause);
    const { intent, slots } = first;
    if (more.length > 0 && [first, ...more].some((one) => one.intent.kind === "write")) {
      const names = [first, ...more].map((one) => one.intent.name).join(", or ");
      unclear ??= { said, why: `I can read it in several ways, ${names}` };
    }
    const before = wishes.at(-1);
    if (intent.name === "call it" && before?.intent.name === "create a page")
      wishes.splice(-1, 1, { ...before, slots: { ...before.slots, names: slots.names ?? [] } });
    else if (intent.name === "call it")
      wishes.push({ intent, said, slots: { value: slots.names?.[0] ?? "" } });
    else if (intent.name === "not there" && !isApart(before?.slots.place, slots.place ?? "any"))
      unclear ??= { said, why: "It takes back what stands before it" };
    else wishes.push({ intent, slots, said });
  };

  /** Words that no shape takes: they stand for themselves when they begin as a wish or a question does. */
  const leave = (tokens: readonly Token[], isQuestion: boolean): void => {
    const words = unwrapped(tokens).map((token) => token.lower);
    const begins = VERBS.has(words[0] ?? "") || (isQuestion && ASKING.has(words[0] ?? ""));
    const said = textOf(tokens);
    if ((begins && !words.some((word) => TURNING.has(word))) || unclear !== null) left.push(said);
    else unclear = { said, why: null };
  };

  /** Takes the longest clause that has a shape, again and again; what stands between them is left over. */
  const hear = (tokens: readonly Token[], isQuestion: boolean): void => {
    let lost = -1;
    let at = 0;
    while (at < tokens.length) {
      const end = isSeparator(tokens[at]) ? at + 1 : clauseEnd(tokens, at);
      if (end === null) {
        if (lost < 0) lost = at;
        at += 1;
        while (at < tokens.length && !isSeparator(tokens[at])) at += 1;
        continue;
      }
      if (!isSeparator(tokens[at])) {
        if (lost >= 0) leave(tokens.slice(lost, at), isQuestion);
        take(tokens.slice(at, end));
        lost = -1;
      }
      at = end;
    }
    if (lost >= 0) leave(tokens.slice(lost), isQuestion);
  };

  const tokens = wordsOf(message);
  let start = 0;
  for (let at = 0; at <= tokens.length; at += 1) {
    const token = tokens[at];
    if (token !== undefined && token.kind !== "stop") continue;
    const sentence = tokens.slice(start, at);
    if (sentence.length <= SENTENCE_TOKENS_MAX) hear(sentence, token?.text === "?");
    else unclear ??= { said: textOf(sentence), why: "The sentence is too long for me" };
    start = at + 1;
  }
  return judged(wishes, left, unclear);
}

/** Looks at the wishes together: what forbids another one, or may narrow it. */
function judged(wishes: readonly Wish[], left: readonly string[], heard: Heard["unclear"]): Heard {
  let unclear = heard;
  const writes = wishes.filter(({ intent }) => intent.kind === "write").map(({ intent }) => intent.name);
  for (const { intent, said } of wishes) {
    if (writes.some((name) => intent.against.includes("any") || intent.against.includes(name)))
      unclear ??= { said, why: "One part of it says not to do what another part says" };
    // "The footer" behind a wish that writes may narrow it.
    const [first = ""] = tokenise(said).map((token) => token.lower);
    if (writes.length > 0 && intent.kind === "read" && !VERBS.has(first) && !ASKING.has(first))
      unclear ??= { said, why: null };
  }
  // A greeting beside a wish needs no answer of its own.
  const asked = wishes.filter(({ intent }) => !["greet", "thank"].includes(intent.name));
  return { wishes: asked.length > 0 ? asked : wishes, left, unclear };
}

const isSeparator = (token: Token | undefined): boolean =>
  token !== undefined && (token.kind === "comma" || (token.kind === "word" && SEPARATORS.has(token.lower)));

/** Whether "not there" leaves the place that stands before it as it is. */
function isApart(place: Slots["place"], not: Place): boolean {
  const named = place === "any" ? "header" : place;
  return named !== undefined && named !== "both" && (not === "header" || not === "footer") && named !== not;
}

/** A clause without the polite words around it. */
function unwrapped(clause: readonly Token[]): readonly Token[] {
  let tokens = clause;
  for (;;) {
    const words = tokens.map((token) => token.lower);
    const opening = OPENINGS.find((own) => own.every((word, at) => words[at] === word));
    const closing = CLOSINGS.find((own) => own.every((word, at) => words.at(at - own.length) === word));
    if (opening !== undefined) tokens = tokens.slice(opening.length);
    else if (isSeparator(tokens[0])) tokens = tokens.slice(1);
    else if (closing !== undefined) tokens = tokens.slice(0, tokens.length - closing.length);
    else if (tokens.at(-1)?.kind === "comma") tokens = tokens.slice(0, -1);
    else return tokens;
  }
}

import { INTENTS, type Intent } from "./intents.ts";
import { matchForm } from "./text/forms.ts";
import type { Slots } from "./text/slots.ts";
import { tokenize, wordSet, type Token } from "./text/tokens.ts";

/** Finds the requests in a message: splits it into sentences and clauses, and matches each with the forms of the table. */

export interface Request {
  readonly intent: Intent;
  readonly slots: Slots;
  /** in the person's own words */
  readonly text: string;
}

export interface ParsedMessage {
  readonly requests: readonly Request[];
  /** the first words that no form matches, with the reason where there is another one; then nothing is written */
  readonly unclear: { readonly text: string; readonly why: string | null } | null;
}

/** Longer sentences are not parsed. */
const SENTENCE_TOKENS_MAX = 50;

const phrases = (text: string): readonly (readonly string[])[] =>
  text.split("|").map((phrase) => phrase.trim().split(/\s+/u));

const SEPARATORS = wordSet("and then also plus");
const FILLERS = wordSet("please pls kindly");
const OPENINGS = phrases(`
  can you|could you|would you|will you|i want you to|i need you to|i would like you to|i'd like you to|i want to|i would like to|
  i'd like to|let's|hi|hello|hey|hi cairn|ok|okay|so|now|next|finally`);
const CLOSINGS = phrases("for me|for us|now|right now|thanks|thank you");

/** The words of a message without "please". */
export const messageTokens = (message: string): readonly Token[] =>
  tokenize(message).filter(({ lower }) => !FILLERS.has(lower));

type Match = Pick<Request, "intent" | "slots">;

/** The intents with a form that matches the clause, as it is or else without the polite words around it. */
function matchesOf(clause: readonly Token[]): readonly Match[] {
  const match = (tokens: readonly Token[]): readonly Match[] =>
    INTENTS.flatMap((intent) => {
      for (const form of intent.forms()) {
        const slots = matchForm(form, tokens);
        if (slots !== null) return [{ intent, slots }];
      }
      return [];
    });
  const whole = match(clause);
  const bare = withoutPoliteness(clause);
  return whole.length > 0 || bare.length === 0 || bare.length === clause.length ? whole : match(bare);
}

export function parseMessage(message: string): ParsedMessage {
  const requests: Request[] = [];
  let unclear: ParsedMessage["unclear"] = null;
  const textOf = (tokens: readonly Token[]): string =>
    message.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0).replace(/\s+/gu, " ");

  const take = (clause: readonly Token[], [first, ...others]: readonly Match[]): void => {
    if (first === undefined) return;
    const text = textOf(clause);
    const all = [first, ...others].map(({ intent }) => intent);
    if (others.length > 0 && all.some(({ kind }) => kind === "write"))
      unclear ??= {
        text,
        why: `I can read it in several ways, ${all.map(({ name }) => name).join(", or ")}`,
      };
    requests.push({ ...first, text });
  };

  /** Takes the longest clause that matches, again and again. */
  const parseSentence = (tokens: readonly Token[]): void => {
    let at = 0;
    while (at < tokens.length) {
      if (isSeparator(tokens[at])) {
        at += 1;
        continue;
      }
      let end = tokens.length;
      let matches: readonly Match[] = [];
      for (; end > at; end -= 1) {
        if (end < tokens.length && !isSeparator(tokens[end])) continue;
        matches = matchesOf(tokens.slice(at, end));
        if (matches.length > 0) break;
      }
      if (matches.length === 0) {
        unclear ??= { text: textOf(tokens.slice(at)), why: null };
        return;
      }
      take(tokens.slice(at, end), matches);
      at = end;
    }
  };

  const tokens = messageTokens(message);
  let start = 0;
  for (let at = 0; at <= tokens.length; at += 1) {
    if (at < tokens.length && tokens[at]?.kind !== "stop") continue;
    const sentence = tokens.slice(start, at);
    if (sentence.length <= SENTENCE_TOKENS_MAX) parseSentence(sentence);
    else unclear ??= { text: textOf(sentence), why: "The sentence is too long for me" };
    start = at + 1;
  }
  // A greeting next to a request needs no answer.
  const others = requests.filter(({ intent }) => intent.name !== "greet" && intent.name !== "thank");
  return { requests: others.length > 0 ? others : requests, unclear };
}

const isSeparator = (token: Token | undefined): boolean =>
  token !== undefined && (token.kind === "comma" || SEPARATORS.has(token.lower));

function withoutPoliteness(clause: readonly Token[]): readonly Token[] {
  let tokens = clause;
  for (;;) {
    const words = tokens.map(({ lower }) => lower);
    const opening = OPENINGS.find((phrase) => phrase.every((word, at) => words[at] === word));
    const closing = CLOSINGS.find((phrase) =>
      phrase.every((word, at) => words.at(at - phrase.length) === word),
    );
    if (opening !== undefined) tokens = tokens.slice(opening.length);
    else if (isSeparator(tokens[0])) tokens = tokens.slice(1);
    else if (closing !== undefined) tokens = tokens.slice(0, -closing.length);
    else if (tokens.at(-1)?.kind === "comma") tokens = tokens.slice(0, -1);
    else return tokens;
  }
}

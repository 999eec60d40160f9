import type { Clause } from "./clauses.ts";
import {
  PAGE_WORDS,
  ordinalOf,
  SECTION_WORDS,
  countOf,
  TITLE_WORDS,
  SUBTITLE_WORDS,
  BUTTON_WORDS,
  TEXT_WORDS,
} from "./lexicon.ts";
import { sectionAt } from "./templates.ts";
import type { Token } from "./tokens.ts";
import type { FieldWord, Place, SectionAsk, SectionRef } from "./wish.ts";
import { isTextOfSection } from "./names.ts";

/** A new value in "change … to …", the old one where it was quoted, and the words that are left. */
export interface Valued {
  readonly value: string | null;
  readonly from: string | null;
  readonly tokens: readonly Token[];
}

const SAYING = new Set(["say", "says", "saying", "read", "reads", "reading"]);
const TOWARD = new Set(["to", "as", "into", "with", "be"]);

/** Takes the value out of a clause: quoted, or everything behind "to", "say", "read", "with" or a colon. */
export function readValue(clause: Clause): Valued {
  const tokens = clause.tokens.slice(clause.rest);
  const quotes = tokens.flatMap((token, at) => (token.kind === "quote" ? [at] : []));
  const lastQuote = quotes.at(-1);
  if (lastQuote !== undefined) {
    const lead = tokens.findLastIndex(
      (token, at) =>
        at < lastQuote && (TOWARD.has(token.lower) || SAYING.has(token.lower) || token.kind === "colon"),
    );
    const before = tokens[lastQuote - 1]?.lower ?? "";
    const direct =
      (lastQuote === 0 && !TOWARD.has(tokens[1]?.lower ?? "")) ||
      (lead >= 0 && lastQuote - lead <= 3) ||
      TITLE_WORDS.has(before) ||
      ["slug", "url", "text", "subtitle", "description", "label"].includes(before);
    if (direct) {
      const firstQuote = quotes.length > 1 ? quotes[0] : undefined;
      const isOld =
        firstQuote !== undefined &&
        tokens[firstQuote + 1]?.lower !== "page" &&
        tokens[firstQuote - 1]?.lower !== "page";
      const old = isOld && firstQuote !== undefined ? firstQuote : -1;
      return {
        value: tokens[lastQuote]?.text ?? null,
        from: old >= 0 ? (tokens[old]?.text ?? null) : null,
        tokens: tokens.filter((_, at) => at !== lastQuote && at !== lead && at !== old),
      };
    }
  }
  const colon = tokens.findIndex((token) => token.kind === "colon");
  const saying = tokens.findIndex((token) => SAYING.has(token.lower));
  const to = tokens.findIndex((token, at) => at > 0 && TOWARD.has(token.lower) && !isPlace(tokens, at + 1));
  const says =
    saying >= 0 &&
    (to < 0 || saying < to || (saying === to + 1 && tokens[saying]?.text === tokens[saying]?.lower));
  const lead = says ? saying : colon > 0 && (to < 0 || colon < to) ? colon : to;
  if (lead < 0 || lead >= tokens.length - 1)
    return { value: null, from: lastQuote === undefined ? null : (tokens[lastQuote]?.text ?? null), tokens };
  const first = tokens[lead + 1];
  const last = tokens.at(-1);
  const raw = clause.source.slice(first?.start ?? 0, last?.end ?? 0).trim();
  const trimmed = raw
    .replace(/[\s,]*\b(?:please|now|instead|thanks)$/iu, "")
    .replace(/\s+(?:on|of|in|for|from) (?:the |my |our )?\S.{0,40} page$/iu, "")
    .replace(/\s+(?:on|of|in|for|from) (?:it|that page|this page|the page|home|the homepage)$/iu, "");
  const cut = clause.source.slice((first?.start ?? 0) + trimmed.length, last?.end ?? 0);
  const kept =
    cut.trim() === "" ? [] : tokens.filter((token) => token.start >= (first?.start ?? 0) + trimmed.length);
  const old = lastQuote !== undefined && lastQuote < lead ? (tokens[lastQuote]?.text ?? null) : null;
  return {
    value: trimmed === "" ? null : trimmed,
    from: old,
    tokens: [
      ...tokens.slice(0, lead).filter((token) => token.kind !== "quote" || token.text !== old),
      ...kept,
    ],
  };
}

/** "with the new heading", "to the about page": a place or thing, not a value. */
function isPlace(tokens: readonly Token[], at: number): boolean {
  const rest = tokens.slice(at, at + 5);
  const page = rest.findIndex((token) => PAGE_WORDS.has(token.lower));
  return (
    page > 0 &&
    ["the", "my", "our", "this", "that"].includes(rest[0]?.lower ?? "") &&
    tokens.slice(at + page + 1).some((token) => TOWARD.has(token.lower) || SAYING.has(token.lower))
  );
}

/** Which field of a section the words mean. */
export function readField(tokens: readonly Token[]): FieldWord | null {
  for (const token of tokens) {
    if (SUBTITLE_WORDS.has(token.lower)) return "subtitle";
    if (BUTTON_WORDS.has(token.lower)) return "button";
  }
  if (
    tokens.some(
      (token) => TITLE_WORDS.has(token.lower) && token.lower !== "headings" && token.lower !== "titles",
    )
  )
    return "title";
  return tokens.some((token, at) => TEXT_WORDS.has(token.lower) && sectionAt(tokens, at) === null)
    ? "text"
    : null;
}

/** The sections asked for, in the order in which they are to stand. */
export function readSectionAsks(tokens: readonly Token[]): SectionAsk[] {
  const asks: SectionAsk[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const found = sectionAt(tokens, at);
    const isName = found !== null && PAGE_WORDS.has(tokens[at + found.length]?.lower ?? "");
    if (found !== null && !isName) {
      const word = tokens
        .slice(at, at + found.length)
        .map((token) => token.lower)
        .join(" ");
      asks.push({ ...shape(tokens, at, at + found.length), template: found.template, word });
      at += found.length - 1;
      continue;
    }
    const token = tokens[at];
    const word = tokens[at - 1];
    if (token === undefined || !SECTION_WORDS.has(token.lower) || found !== null) continue;
    const custom =
      word?.kind === "word" &&
      !PLAIN.has(word.lower) &&
      ordinalOf(word.lower) === null &&
      countOf(word.lower) === null
        ? word.lower
        : null;
    const known = custom !== null && tokens[at - 2] !== undefined ? sectionAt(tokens, at - 2) : null;
    if (custom !== null && known === null && (word === undefined || sectionAt(tokens, at - 1) === null)) {
      asks.push({ ...shape(tokens, at - 1, at + 1), template: null, word: custom });
    }
  }
  const rank = { start: 0, middle: 1, end: 2 };
  const placed = asks.map((ask, index) => ({ ask, index }));
  placed.sort((a, b) => rank[a.ask.place ?? "middle"] - rank[b.ask.place ?? "middle"] || a.index - b.index);
  return placed.map(({ ask }) => ask);
}

const PLAIN = new Set(
  "a an the this that these those my our your its new another more some all every each few two three any other first second last next main whole following of in to and or with single extra additional separate".split(
    " ",
  ),
);

function shape(
  tokens: readonly Token[],
  start: number,
  end: number,
): Pick<SectionAsk, "count" | "place" | "title"> {
  const counted = [tokens[start - 1], tokens[start - 2]]
    .map((token) => countOf(token?.lower ?? ""))
    .find((count) => count !== null && count > 1);
  const behind = tokens.slice(end, end + 5);
  const stop = behind.findIndex(
    (token) => token.kind === "comma" || token.lower === "and" || token.lower === "then",
  );
  const near = stop < 0 ? behind : behind.slice(0, stop);
  const words = near.map((token) => token.lower);
  const top = words.includes("top") || words.includes("first") || words.includes("beginning");
  const bottom =
    words.includes("bottom") || words.includes("end") || words.includes("below") || words.includes("last");
  const quote = tokens.slice(end, end + 7).findIndex((token) => token.kind === "quote");
  const at = end + quote;
  const interrupted = tokens.slice(end, at).some((_, index) => sectionAt(tokens, end + index) !== null);
  const title = quote >= 0 && !interrupted && isTextOfSection(tokens, at) ? (tokens[at]?.text ?? null) : null;
  return { count: counted ?? 1, place: top ? "start" : bottom ? "end" : null, title };
}

/** The existing section that these words speak of. */
export function readSectionRef(tokens: readonly Token[]): SectionRef {
  let template: string | null = null;
  let ordinal: number | null = null;
  let phrase: string | null = null;
  let generic = false;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    const found = sectionAt(tokens, at);
    if (found !== null && template === null && !PAGE_WORDS.has(tokens[at + found.length]?.lower ?? "")) {
      template = found.template;
      ordinal = ordinal ?? ordinalOf(tokens[at - 1]?.lower ?? "");
      at += found.length - 1;
    } else if (found !== null) at += found.length - 1;
    else if (token !== undefined && SECTION_WORDS.has(token.lower)) {
      generic = true;
      const before = tokens[at - 1];
      const after = tokens[at + 1];
      ordinal =
        ordinal ?? ordinalOf(before?.lower ?? "") ?? (after?.kind === "word" ? countOf(after.lower) : null);
      if (before?.kind === "quote") phrase = before.text;
      else if (after?.kind === "quote") phrase = after.text;
      else if (["called", "titled", "named"].includes(after?.lower ?? "") && tokens[at + 2]?.kind === "quote")
        phrase = tokens[at + 2]?.text ?? null;
      else if (before?.kind === "word" && ordinal === null && !PLAIN.has(before.lower))
        phrase = phrase ?? before.text;
    }
  }
  if (template === null && !generic) {
    const alone = tokens.find(
      (token, at) =>
        ordinalOf(token.lower) !== null &&
        (tokens[at + 1]?.lower === "one" || tokens[at + 1]?.lower === "item"),
    );
    if (alone !== undefined) ordinal = ordinalOf(alone.lower);
  }
  return { template, ordinal, phrase, pronoun: template === null && ordinal === null && phrase === null };
}

/** Where a section is to go: "to the top", "before the gallery", "above the second section", "one up". */
export function readPlace(tokens: readonly Token[]): Place | null {
  for (const [at, token] of tokens.entries()) {
    const word = token.lower;
    const rest = tokens.slice(at + 1);
    if (
      ["before", "above"].includes(word) ||
      ["after", "below", "under", "beneath", "underneath", "behind", "between"].includes(word)
    ) {
      const section = readSectionRef(rest);
      const side = ["before", "above"].includes(word) ? "before" : "after";
      if (!section.pronoun) return { at: side, section };
      if (rest.length === 0 || ["it", "that", "them"].includes(rest[0]?.lower ?? ""))
        return { at: side === "before" ? "start" : "end" };
    }
    if (["top", "beginning"].includes(word) || (word === "start" && tokens[at - 1]?.lower === "the"))
      return { at: "start" };
    if (["bottom", "end"].includes(word)) return { at: "end" };
    if (word === "up" || word === "higher") return { at: "up" };
    if (word === "down" || word === "lower") return { at: "down" };
    if (word === "position" || word === "place" || word === "spot") {
      const index = countOf(rest[0]?.lower ?? "") ?? ordinalOf(tokens[at - 1]?.lower ?? "");
      if (index !== null)
        return index === 1 ? { at: "start" } : index < 0 ? { at: "end" } : { at: "index", index };
    }
  }
  const to = tokens.findLastIndex(
    (token, at) => ordinalOf(token.lower) !== null && !PAGE_WORDS.has(tokens[at + 1]?.lower ?? ""),
  );
  const ordinal = ordinalOf(tokens[to]?.lower ?? "");
  const toward =
    ["to", "as", "the", "be", "come", "go"].includes(tokens[to - 1]?.lower ?? "") || to === tokens.length - 1;
  if (ordinal === null || !toward) return null;
  return ordinal === 1 ? { at: "start" } : ordinal < 0 ? { at: "end" } : { at: "index", index: ordinal };
}

/** The part of a clause that names the thing moved, without its destination. */
export function beforePlace(tokens: readonly Token[]): readonly Token[] {
  const at = tokens.findIndex(
    (token, index) =>
      index > 0 &&
      [
        "before",
        "above",
        "after",
        "below",
        "under",
        "to",
        "beneath",
        "behind",
        "at",
        "on",
        "as",
        "up",
        "down",
      ].includes(token.lower),
  );
  return at < 0 ? tokens : tokens.slice(0, at);
}

import { ownValue } from "../../../cairn/core/log/json.ts";
import type { Token } from "./tokens.ts";
import { wordSet } from "./tokens.ts";
import { AND, isFree, VERBS } from "./vocabulary.ts";

/** The parts of a request that vary. A reader accepts all of its words or none. */

export type PageRef =
  /** "it", "that page", "both" */
  | { readonly kind: "it"; readonly plural: boolean }
  | { readonly kind: "named"; readonly names: readonly string[] };

export interface SectionRef {
  readonly template: string | null;
  /** from 1, or from the end below 0 */
  readonly ordinal: number | null;
}

export type Location = "header" | "footer" | "any";
export type FieldWord = "title" | "subtitle" | "text";

export interface Slots {
  readonly page?: PageRef;
  readonly section?: SectionRef;
  /** templates of new sections */
  readonly sections?: readonly string[];
  readonly location?: Location;
  readonly field?: FieldWord;
  readonly name?: string;
  /** a text, a topic or a question */
  readonly value?: string;
}

const DETERMINERS = wordSet("the my our your their a an this that these");
const PAGE_WORDS = wordSet("page pages");
/** Words about what is done with a page or what is on it: no page's name has one, unless it is in quotes. */
const NOT_IN_NAMES = wordSet(`
  to in into on onto from with at of off as for by it its them both all every everything page pages section sections navigation nav
  navbar menu header footer heading headline title subtitle text name slug url address hero gallery feature features cta image images
  picture pictures photo photos post posts article articles a an new another one and site website this that called named titled draft
  drafts first second third fourth fifth last change changes set sets file files`);
/** Words that end an unquoted name or text: more about the request follows them. */
const NAME_ENDS = wordSet(
  "to into onto with that which having containing including featuring for in on under at off from page pages",
);
const NO_KIND = wordSet("new landing blank empty simple page pages with the a an");

const FIELDS: readonly (readonly [words: ReadonlySet<string>, field: FieldWord])[] = [
  [wordSet("title heading headline"), "title"],
  [wordSet("subtitle subheading"), "subtitle"],
  [wordSet("text description"), "text"],
];
const HEADINGS = wordSet("heading headline");

/** Names of the section templates. */
const TEMPLATES = new Map(
  Object.entries({
    hero: "hero|hero image|hero picture|hero banner|banner",
    feature: "feature|features|feature list|list of features",
    cta: "cta|call to action|call-to-action",
    gallery: "gallery|image gallery|photo gallery",
    "image-text": "image-text|image with text|text with image|text with an image",
  }).flatMap(([template, names]) => names.split("|").map((name) => [name, template] as const)),
);
const ORDINALS = new Map(Object.entries({ first: 1, second: 2, third: 3, fourth: 4, fifth: 5, last: -1 }));

const lowers = (tokens: readonly Token[]): string[] => tokens.map((token) => token.lower);
const isPossessive = (token: Token | undefined): boolean => /['’]s$/iu.test(token?.text ?? "");

const withoutDeterminer = (tokens: readonly Token[]): readonly Token[] =>
  DETERMINERS.has(tokens[0]?.lower ?? "") ? tokens.slice(1) : tokens;

const quoteOf = (tokens: readonly Token[]): string | null =>
  tokens.length === 1 && tokens[0]?.kind === "quote" ? tokens[0].text : null;

/** A text in quotes, or a few plain words without any that could begin or turn another request. */
function freeText(
  tokens: readonly Token[],
  max: number,
  barred: ReadonlySet<string> = new Set(),
): string | null {
  const quote = quoteOf(tokens);
  if (quote !== null) return quote;
  const isPlain = tokens.length > 0 && tokens.length <= max && isFree(tokens);
  return isPlain && !tokens.some(({ lower }) => barred.has(lower))
    ? tokens.map((token) => token.text).join(" ")
    : null;
}

/** A new name. Without quotes it begins with a capital letter. */
function newName(tokens: readonly Token[], max: number, barred: ReadonlySet<string>): string | null {
  const name = freeText(tokens, max, barred);
  return name === null || quoteOf(tokens) !== null ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

/** The parts of a list, split at commas and "and"; null where one is empty, unreadable, or begins a request. */
function readList<T>(
  tokens: readonly Token[],
  read: (part: readonly Token[]) => T | null,
): readonly T[] | null {
  const parts: Token[][] = [[]];
  for (const [at, token] of tokens.entries()) {
    const isAnd = AND.has(token.lower);
    if (isAnd && tokens[at - 1]?.kind === "comma") continue;
    if (isAnd || token.kind === "comma") parts.push([]);
    else parts.at(-1)?.push(token);
  }
  if (parts.some(([first], at) => at > 0 && VERBS.has(first?.lower ?? ""))) return null;
  const all = parts.map((part) => (part.length === 0 ? null : read(part)));
  const known = all.filter((one) => one !== null);
  return known.length === all.length ? known : null;
}

function readPageName(all: readonly Token[]): string | null {
  let tokens = withoutDeterminer(all);
  if (tokens.length > 1 && PAGE_WORDS.has(tokens.at(-1)?.lower ?? "")) tokens = tokens.slice(0, -1);
  else if (tokens.length > 1 && PAGE_WORDS.has(tokens[0]?.lower ?? ""))
    tokens = tokens.slice(/^(?:called|named)$/u.test(tokens[1]?.lower ?? "") ? 2 : 1);
  return freeText(tokens, 6, NOT_IN_NAMES);
}

function readPage(tokens: readonly Token[]): PageRef | null {
  if (isPossessive(tokens.at(-1))) return null;
  const words = quoteOf(tokens) === null ? lowers(tokens).join(" ") : "";
  if (/^(?:it|(?:this|that|the) page)$/u.test(words)) return { kind: "it", plural: false };
  if (/^(?:them|(?:both|these|those)(?: pages)?)$/u.test(words)) return { kind: "it", plural: true };
  const names = readList(tokens, readPageName);
  return names === null ? null : { kind: "named", names };
}

function readSection(all: readonly Token[]): SectionRef | null {
  if (/^(?:an?|another)$/u.test(all[0]?.lower ?? "")) return null;
  let words = lowers(withoutDeterminer(all));
  const ordinal = ORDINALS.get(words[0] ?? "") ?? null;
  if (ordinal !== null) words = words.slice(1);
  const isNamed = words.at(-1) === "section";
  if (isNamed) words = words.slice(0, -1);
  // "The hero image" is no section: a section shows it.
  const template = /\b(?:image|picture)$/u.test(words.join(" ")) ? undefined : TEMPLATES.get(words.join(" "));
  if (template !== undefined) return { template, ordinal };
  return ordinal !== null && isNamed && words.length === 0 ? { template: null, ordinal } : null;
}

/** "a hero image", "another gallery section" */
function readNewSection(all: readonly Token[]): string | null {
  if (all[0]?.lower === "the") return null;
  const words = lowers(withoutDeterminer(all));
  if (words[0] === "new") words.shift();
  if (words.at(-1) === "section") words.pop();
  return TEMPLATES.get(words.join(" ")) ?? null;
}

function readLocation(all: readonly Token[]): Location | null {
  const words = lowers(withoutDeterminer(all)).join(" ");
  const [, first, last] =
    /^(?:(main|header|footer|site) )?(header|footer|navigation|nav|navbar|menu)$/u.exec(words) ?? [];
  if (last === undefined) return null;
  if (first === "footer" || last === "footer") return "footer";
  return first === "header" || first === "main" || last === "header" ? "header" : "any";
}

function readField(all: readonly Token[]): FieldWord | null {
  const [word = "", ...more] = lowers(withoutDeterminer(all));
  return more.length > 0 ? null : (FIELDS.find(([words]) => words.has(word))?.[1] ?? null);
}

/** Words that negate a question or take it back. */
const NEGATIONS = wordSet(`
  not don't dont doesn't didn't isn't aren't won't can't cannot never no without but except unless instead rather actually sorry
  scratch cancel forget nevermind abort ignore disregard`);
const JOINS = wordSet("and then");
const QUESTION_TOKENS_MAX = 18;

/** A question as it was written; null where another request may begin in it, or a word negates it. */
function readQuestion(tokens: readonly Token[]): string | null {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (first === undefined || last === undefined || tokens.length > QUESTION_TOKENS_MAX) return null;
  if ([first, last].some(({ kind, lower }) => kind === "comma" || JOINS.has(lower))) return null;
  const isOdd = tokens.some(({ kind, lower }, at) => {
    if (kind === "stop" || kind === "colon" || (kind === "word" && NEGATIONS.has(lower))) return true;
    return (kind === "comma" || JOINS.has(lower)) && VERBS.has(tokens[at + 1]?.lower ?? "");
  });
  if (isOdd) return null;
  return tokens
    .map(({ kind, text }) => (kind === "comma" ? "," : ` ${text}`))
    .join("")
    .trim();
}

type Reader = (tokens: readonly Token[]) => Slots | null;
const slot =
  <Key extends keyof Slots>(key: Key, read: (tokens: readonly Token[]) => Slots[Key] | null): Reader =>
  (tokens) => {
    const found = read(tokens);
    return found === null || found === undefined ? null : { [key]: found };
  };

const READERS: Readonly<Record<string, Reader>> = {
  page: slot("page", readPage),
  section: slot("section", readSection),
  sections: slot("sections", (tokens) => readList(tokens, readNewSection)),
  location: slot("location", readLocation),
  field: slot("field", readField),
  /** only a "heading" can be meant without its section */
  headline: slot("field", (tokens) => (HEADINGS.has(tokens.at(-1)?.lower ?? "") ? readField(tokens) : null)),
  value: slot("value", (tokens) => freeText(tokens, 10, NAME_ENDS)),
  topic: slot("value", (tokens) => freeText(tokens, 6)),
  question: slot("value", readQuestion),
  name: slot("name", (tokens) => newName(tokens, 8, NAME_ENDS)),
  /** the words before "page" */
  kind: slot("name", (tokens) => newName(tokens, 4, NO_KIND)),
};

/** The slots in these words; null where the reader does not accept all of them. */
export function readSlot(name: string, tokens: readonly Token[]): Slots | null {
  const reader = ownValue(READERS, name);
  if (reader === undefined) throw new Error(`the table names an unknown slot: ${name}`);
  return reader(tokens);
}

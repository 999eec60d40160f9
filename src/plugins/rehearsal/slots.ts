import { ownValue } from "../../cairn/core/log/json.ts";
import type { Token } from "./reading.ts";
import { foldWords, ordinalOf, set, TURNING, VERBS } from "./reading.ts";
import { readQuestion } from "./research/question.ts";
import { minutesOf, moment, weekly } from "./times.ts";

/** What the slots of a shape take. A reader takes its words wholly or not at all. */

export type PageRef =
  /** "it", "that page", "both" */
  | { readonly kind: "it"; readonly plural: boolean }
  /** a place in the list that was told last; from 1, or from the end below 0 */
  | { readonly kind: "place"; readonly place: number }
  | { readonly kind: "named"; readonly names: readonly string[] };

export interface SectionRef {
  readonly template: string | null;
  readonly heading: string | null;
  /** from 1, or from the end below 0 */
  readonly ordinal: number | null;
}

export type Place = "header" | "footer" | "both" | "any";
export type FieldWord = "title" | "subtitle" | "text";

export interface Slots {
  readonly page?: PageRef;
  readonly section?: SectionRef;
  /** sections that are to be made: keys of the templates that every site begins with, others as they were called */
  readonly sections?: readonly string[];
  readonly place?: Place;
  readonly where?: "start" | "end";
  readonly field?: FieldWord;
  readonly names?: readonly string[];
  /** what is looked up, each on its own */
  readonly topics?: readonly string[];
  readonly value?: string;
  readonly languages?: readonly Language[];
  /** what a collection was called */
  readonly collection?: string;
  readonly fieldType?: string;
  /** a time of a day that is so many days ahead */
  readonly at?: { readonly days: number; readonly clock: string };
  /** so many minutes from now, or apart */
  readonly minutes?: number;
  /** a day of the week, or days, and a time of it, in five fields */
  readonly cron?: string;
}

export interface Language {
  readonly code: string;
  /** in itself */
  readonly name: string;
  /** in English */
  readonly said: string;
}

const DETERMINERS = set(
  "the my our your their a an this that these der die das den dem des unsere unser unseren meine mein eine ein einen",
);
const PAGE_WORDS = set("page pages seite seiten webpage subpage");
const SECTION_WORDS = set("section sections block abschnitt abschnitte");
const IMAGE_WORDS = set("image picture photo one bild foto");
const AND = set("and und");
/** Words that say what is done with a page or what is on it: they are in no page's name unless it is in quotes. */
const NOT_IN_NAMES = set(`
  to in into on onto from with at of off as for by it its them both all every everything page pages seite seiten section sections
  abschnitt navigation nav navbar menu menü header footer heading headline slug url hero gallery galerie feature features cta
  image images picture pictures photo photos bild bilder post posts article articles entry entries a an new another one
  zu zur zum in im ins auf aus von vom mit als alle alles und and site website this that called named titled draft drafts
  first second third fourth fifth last change changes set sets reminder reminders schedule schedules
  beitrag beiträge artikel`);
const NAME_ENDS = set(
  "with that which having containing including featuring for in on under from page pages mit für",
);
const NO_KIND = set("new landing blank empty simple page with the a an");
const IT = set("it this that sie es ihn diese dieses das");
const THEM = set("them both these those beide beides");

const HEADINGS = set("heading headline überschrift");
const FIELDS: readonly (readonly [words: ReadonlySet<string>, field: FieldWord])[] = [
  [set("title titel heading headline überschrift"), "title"],
  [set("subtitle subheading untertitel"), "subtitle"],
  [set("text description"), "text"],
];

/** What people call the section templates. */
const TEMPLATES = new Map(
  Object.entries({
    hero: "hero|hero image|hero picture|hero banner|hero bild|hero-bild|herobild|banner",
    feature: "feature|features|feature list|feature grid|list of features|benefits",
    cta: "cta|call to action|call-to-action",
    gallery: "gallery|image gallery|photo gallery|bildergalerie|galerie",
    "image-text": "image-text|image text|image with text|text with image|text with an image",
  }).flatMap(([template, names]) => names.split("|").map((name) => [name, template] as const)),
);

/** Templates whose sections are written without a look at the site's own. */
export const KNOWN_TEMPLATES: ReadonlySet<string> = new Set(TEMPLATES.values());

const lowers = (tokens: readonly Token[]): string[] => tokens.map((token) => token.lower);
const isPossessive = (token: Token | undefined): boolean => /['’]s$/iu.test(token?.text ?? "");

const withoutDeterminer = (tokens: readonly Token[]): readonly Token[] =>
  DETERMINERS.has(tokens[0]?.lower ?? "") ? tokens.slice(1) : tokens;

const quoteOf = (tokens: readonly Token[]): string | null =>
  tokens.length === 1 && tokens[0]?.kind === "quote" ? tokens[0].text : null;

/** A text: in quotes, or plain words, none of which could be the beginning or the turn of another wish. */
function freeText(tokens: readonly Token[], max: number, barred = set("")): string | null {
  const quote = quoteOf(tokens);
  if (quote !== null) return quote;
  if (tokens.length === 0 || tokens.length > max) return null;
  if (!tokens.every((token) => token.kind === "word" || token.kind === "path")) return null;
  const words = lowers(tokens);
  if (words.some((word) => TURNING.has(word) || barred.has(word))) return null;
  const begins = (next: string | undefined): boolean =>
    next === undefined || VERBS.has(next) || DETERMINERS.has(next) || MORE.has(next);
  const joins = words.some(
    (word, at) => (AND.has(word) || word === "then") && (at === 0 || begins(words[at + 1])),
  );
  return joins ? null : tokens.map((token) => token.text).join(" ");
}
const MORE = set("then also it its auch dann");

/** Splits at commas and "and". Null when a part is empty, or one but the first begins as a wish does. */
function parts(tokens: readonly Token[]): (readonly Token[])[] | null {
  const all: Token[][] = [[]];
  for (const [at, token] of tokens.entries()) {
    const isAnd = token.kind === "word" && AND.has(token.lower);
    if (isAnd && tokens[at - 1]?.kind === "comma") continue;
    if (isAnd || token.kind === "comma") all.push([]);
    else all.at(-1)?.push(token);
  }
  const isNone = ([first]: readonly Token[], at: number): boolean =>
    first === undefined || (at > 0 && VERBS.has(first.lower));
  return all.some(isNone) ? null : all;
}

/** Every part read alike; null when one of them cannot be read. */
function each<T>(tokens: readonly Token[], read: (part: readonly Token[]) => T | null): readonly T[] | null {
  const all = (parts(tokens) ?? []).map(read);
  const known = all.filter((one) => one !== null);
  return known.length > 0 && known.length === all.length ? known : null;
}

function pageName(all: readonly Token[]): string | null {
  let tokens = withoutDeterminer(all);
  const isPage = (at: 0 | -1): boolean => tokens.length > 1 && PAGE_WORDS.has(tokens.at(at)?.lower ?? "");
  if (isPage(-1)) tokens = tokens.slice(0, -1);
  else if (isPage(0))
    tokens = tokens.slice(/^(?:called|named|namens)$/u.test(tokens[1]?.lower ?? "") ? 2 : 1);
  const name = freeText(tokens, 6, NOT_IN_NAMES);
  return quoteOf(tokens) ?? name?.replace(/-(?:page|seite)$/iu, "") ?? null;
}

function page(tokens: readonly Token[]): PageRef | null {
  const [first = "", second = ""] = lowers(tokens);
  if (tokens.length === 1 && tokens[0]?.kind === "word" && (IT.has(first) || THEM.has(first)))
    return { kind: "it", plural: THEM.has(first) };
  if (tokens.length === 2 && PAGE_WORDS.has(second) && !isPossessive(tokens[0])) {
    const plural = /^(?:both|these|those)$/u.test(first);
    if (plural || /^(?:this|that|the|diese|die)$/u.test(first)) return { kind: "it", plural };
  }
  const [ordinal = "", noun = "", ...more] = lowers(withoutDeterminer(tokens));
  const place = ordinalOf(ordinal);
  if (place !== null && more.length === 0 && (noun === "one" || PAGE_WORDS.has(noun)))
    return { kind: "place", place };
  const names = isPossessive(tokens.at(-1)) ? null : each(tokens, pageName);
  return names === null ? null : { kind: "named", names };
}

/** "its", "the about page's", "About's": the page that something is of. */
function whose(tokens: readonly Token[]): PageRef | null {
  if (tokens.length === 1 && tokens[0]?.lower === "its") return { kind: "it", plural: false };
  const last = tokens.at(-1);
  if (last === undefined || !isPossessive(last)) return null;
  return page([...tokens.slice(0, -1), { ...last, text: last.text.slice(0, -2) }]);
}

const isSectionWord = (token: Token | undefined): boolean => SECTION_WORDS.has(token?.lower ?? "");

function section(all: readonly Token[]): SectionRef | null {
  if (/^(?:an?|another|eine)$/u.test(all[0]?.lower ?? "")) return null;
  let tokens = withoutDeterminer(all);
  const ordinal = ordinalOf(tokens[0]?.lower ?? "");
  if (ordinal !== null) tokens = tokens.slice(1);
  const isNamed = isSectionWord(tokens.at(-1));
  const own = isNamed ? tokens.slice(0, -1) : tokens;
  // "The hero image" is no section, it is what a section shows.
  const isImage = IMAGE_WORDS.has(own.at(-1)?.lower ?? "");
  const template = isImage ? undefined : TEMPLATES.get(lowers(own).join(" "));
  if (template !== undefined) return { template, heading: null, ordinal };
  if (ordinal !== null)
    return isNamed && own.length === 0 ? { template: null, heading: null, ordinal } : null;
  const heading = isNamed ? freeText(own, 6, NOT_IN_NAMES) : null;
  return heading === null ? null : { template: null, heading, ordinal };
}

/** "a hero image, features and a gallery section"; what is no template here is one of the site where it is called a section. */
function newSection(all: readonly Token[]): string | null {
  if (all[0]?.lower === "the") return null;
  const tokens = withoutDeterminer(all).filter((token, at) => at > 0 || !NEW.has(token.lower));
  const isNamed = isSectionWord(tokens.at(-1));
  const own = isNamed ? tokens.slice(0, -1) : tokens;
  const known = TEMPLATES.get(lowers(own).join(" "));
  if (known !== undefined || !isNamed || own.some((token) => ordinalOf(token.lower) !== null))
    return known ?? null;
  return freeText(own, 3, NO_TEMPLATE);
}
const NEW = set("new another einer einem");
/** Words that say which one, where, or what of it, and are in no name of a template. */
const NO_TEMPLATE = set(`
  to in into on onto from with of for at by about called named titled and page pages section sections more some any all every
  whole same last next other own empty blank nice big small short long hidden separate`);

const PLACES: readonly (readonly [words: ReadonlySet<string>, place: Place | null])[] = [
  [set("header kopfzeile header-menü hauptmenü hauptnavigation"), "header"],
  [set("footer fußzeile footer-menü"), "footer"],
  [set("both beide beiden"), "both"],
  [set("navigation nav navbar menu menus menü menüs"), "any"],
  [set("the and main site bar links"), null],
];

function place(all: readonly Token[]): Place | null {
  const tokens = withoutDeterminer(all);
  const rows = tokens.map((token) => PLACES.find(([words]) => words.has(token.lower)));
  if (rows.length > 7 || rows.includes(undefined) || AND.has(tokens.at(-1)?.lower ?? "")) return null;
  const named = new Set(rows.map((row) => row?.[1] ?? null));
  if (named.has("both") || (named.has("header") && named.has("footer"))) return "both";
  const isMain = named.has("any") && tokens.some((token) => token.lower === "main");
  if (named.has("header") || isMain) return "header";
  return named.has("footer") ? "footer" : named.has("any") ? "any" : null;
}

function field(all: readonly Token[]): FieldWord | null {
  const [word = "", ...more] = lowers(withoutDeterminer(all));
  return more.length > 0 ? null : (FIELDS.find(([words]) => words.has(word))?.[1] ?? null);
}

function where(tokens: readonly Token[]): "start" | "end" | null {
  const said = lowers(tokens).filter((word) => !/^(?:to|at|on|the|very|an|das)$/u.test(word));
  if (/^(?:top|beginning|start|anfang)$/u.test(said.join(" "))) return "start";
  return /^(?:end|bottom|ende)$/u.test(said.join(" ")) ? "end" : null;
}

/** A name that was not in quotes begins with a capital letter. */
function newName(tokens: readonly Token[], max = 8, barred = NAME_ENDS): string | null {
  const name = quoteOf(tokens) === null ? freeText(tokens, max, barred) : null;
  return name === null ? quoteOf(tokens) : name.charAt(0).toUpperCase() + name.slice(1);
}

/** Words as they stand, with what is between them. */
const plainText = (tokens: readonly Token[]): string | null =>
  tokens.length > 0 && tokens.every(({ kind }) => kind === "word" || kind === "path" || kind === "quote")
    ? tokens.map(({ text, kind }) => (kind === "quote" ? `"${text}"` : text)).join(" ")
    : null;

/** What people call a language: in English, in German, in itself. */
const LANGUAGES: readonly (readonly [words: ReadonlySet<string>, language: Language])[] = [
  "en English english englisch",
  "de Deutsch german deutsch",
  "fr Français french französisch français",
  "es Español spanish spanisch español",
  "it Italiano italian italienisch italiano",
  "nl Nederlands dutch niederländisch nederlands holländisch",
  "pt Português portuguese portugiesisch português",
  "pl Polski polish polnisch polski",
  "da Dansk danish dänisch dansk",
  "sv Svenska swedish schwedisch svenska",
  "cs Čeština czech tschechisch čeština",
  "ja 日本語 japanese japanisch 日本語",
].map((line) => {
  const [code = "", name = "", ...words] = line.split(" ");
  const [first = ""] = words;
  return [new Set(words), { code, name, said: first.slice(0, 1).toUpperCase() + first.slice(1) }];
});

const language = (tokens: readonly Token[]): Language | null =>
  tokens.length === 1 ? (LANGUAGES.find(([words]) => words.has(tokens[0]?.lower ?? ""))?.[1] ?? null) : null;

/** What people call the types of fields. */
const FIELD_TYPES = new Map(
  Object.entries({
    text: "text|line|short text|textzeile",
    markdown: "long text|rich text|markdown|langer text",
    number: "number|numeric|integer|zahl|nummer",
    date: "date|day|datum",
    boolean: "boolean|checkbox|yes or no|yes/no|ja/nein|ja oder nein",
    image: "image|picture|photo|bild|foto",
    link: "link|url|verweis",
    tags: "tags|keywords|schlagworte",
  }).flatMap(([type, names]) => names.split("|").map((name) => [name, type] as const)),
);

const COLLECTION_WORDS = set("collection collections sammlung kollektion");

const NO_COLLECTION = set("field fields feld to from of with for in on a an the zu zum zur mit für");

/** "the blog", "the recipes collection", "collection Recipes". */
function collection(all: readonly Token[]): string | null {
  let tokens = withoutDeterminer(all);
  const isNoun = (token: Token | undefined): boolean => COLLECTION_WORDS.has(token?.lower ?? "");
  if (tokens.length > 1 && isNoun(tokens.at(-1))) tokens = tokens.slice(0, -1);
  else if (tokens.length > 1 && isNoun(tokens[0])) tokens = tokens.slice(1);
  return freeText(tokens, 4, NOT_IN_NAMES);
}

type Reader = (tokens: readonly Token[]) => Slots | null;
const lift =
  <Key extends keyof Slots>(key: Key, read: (tokens: readonly Token[]) => Slots[Key] | null): Reader =>
  (tokens) => {
    const found = read(tokens);
    return found === null || found === undefined ? null : { [key]: found };
  };
const one = (name: string | null): readonly string[] | null => (name === null ? null : [name]);

/** as many children as a run may have, and not more than fit on a page */
const TOPICS_MAX = 6;

const READERS: Readonly<Record<string, Reader>> = {
  page: lift("page", page),
  whose: lift("page", whose),
  /** a page that is called by its name */
  named: lift("page", (tokens) => {
    const found = page(tokens);
    return found?.kind === "it" ? null : found;
  }),
  section: lift("section", section),
  sections: lift("sections", (tokens) => each(tokens, newSection)),
  place: lift("place", place),
  where: lift("where", where),
  field: lift("field", field),
  /** a heading that is called so: of a "title" one cannot know whose it is */
  headline: lift("field", (tokens) => (HEADINGS.has(tokens.at(-1)?.lower ?? "") ? field(tokens) : null)),
  /** "A and B to C" is two wishes */
  value: lift("value", (tokens) => {
    const text = freeText(tokens, 16);
    return quoteOf(tokens) === null && /\b(?:and|und)\b.*\b(?:to|zu)\b/iu.test(text ?? "") ? null : text;
  }),
  quoted: lift("value", quoteOf),
  when: lift("at", moment),
  minutes: lift("minutes", minutesOf),
  often: lift("cron", weekly),
  /** what is to be said or done later: other wishes may stand in it */
  later: lift("value", (tokens) => quoteOf(tokens) ?? (tokens.length <= 16 ? plainText(tokens) : null)),
  colour: lift("value", (tokens) =>
    tokens.length === 1 && /^[0-9a-f]{6}$/iu.test(tokens[0]?.text ?? "") ? `#${tokens[0]?.text ?? ""}` : null,
  ),
  slug: lift("value", (tokens) => (tokens.length === 1 ? freeText(tokens, 1) : null)),
  language: lift("languages", (tokens) => each(tokens, language)),
  collection: lift("collection", collection),
  "collection-name": lift("names", (tokens) => one(newName(tokens, 4, NO_COLLECTION))),
  type: lift("fieldType", (tokens) => FIELD_TYPES.get(lowers(tokens).join(" ")) ?? null),
  "field-name": lift("names", (tokens) => one(freeText(tokens, 3, NOT_IN_NAMES))),
  query: lift("value", (tokens) => freeText(tokens, 6)),
  question: lift("value", readQuestion),
  topics: lift("topics", (tokens) => {
    const topics = each(tokens, readQuestion);
    return topics === null || topics.length < 2 || topics.length > TOPICS_MAX ? null : topics;
  }),
  name: lift("names", (tokens) => one(newName(tokens))),
  "quoted-name": lift("names", (tokens) => one(quoteOf(tokens))),
  /** the words before "page" */
  kind: lift("names", (tokens) => one(newName(tokens, 4, NO_KIND))),
  names: lift("names", (tokens) => {
    const names = each(tokens, (part) => newName(part));
    return names === null || names.length < 2 ? null : names;
  }),
};

/** What a slot takes of these words; null when it does not take them all. */
export function readSlot(slot: string, tokens: readonly Token[]): Slots | null {
  const reader = ownValue(READERS, slot);
  if (reader === undefined) throw new Error(`the table names a slot that is not there: ${slot}`);
  return reader(tokens);
}

/** The words of a name, for comparing. */
export const folded = (text: string): string => foldWords(text).join(" ");

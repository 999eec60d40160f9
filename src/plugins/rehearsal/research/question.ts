import { ownValue } from "../../../cairn/core/log/json.ts";
import type { Token } from "../reading.ts";
import { foldWords, set, VERBS } from "../reading.ts";

/** What is asked of the web: which words it is about, and what kind of thing would answer it. No answer is known here. */

/** What an answer must hold to be one, such as a date for "when". */
export interface Kind {
  readonly name: string;
  /** null: any words will do */
  readonly value: RegExp | null;
  /** words that stand beside such a thing, for the search in a page */
  readonly hints: string;
}

export interface Question {
  readonly text: string;
  readonly kind: Kind;
  /** what is asked of them, as stems: without the names, and without the words that only ask */
  readonly words: readonly string[];
  /** the names in it, as stems with blanks between: what lacks one of them is about something else */
  readonly names: readonly string[];
  /** "open in May": the month, from 1; null where none is named */
  readonly month: number | null;
  /** "which of the passes": all that fit are wanted */
  readonly wantsAll: boolean;
  /** what they are, as a stem, such as `pass`; empty where not all are wanted */
  readonly things: readonly string[];
  /** the two things of "which is higher, A or B", and whether the larger value is wanted */
  readonly compared: { readonly things: readonly [string, string]; readonly larger: boolean } | null;
}

/** Words that turn a question round, or take it back. "When" and "leave" do not: they are of what is asked. */
const TURNED = set(`
  not don't dont doesn't didn't isn't aren't won't can't cannot never no without but except excepting excluding besides unless instead
  rather actually sorry scratch cancel forget nevermind abort ignore disregard
  nicht kein keine keinen nie niemals ohne aber außer ausser falls statt stattdessen sondern doch`);
const JOINS = set("and then und dann");
const QUESTION_TOKENS_MAX = 18;
/** How things are looked up, at either end of what: then they are several topics. */
export const APART = "side by side|in parallel|nebeneinander|with an agent each|with one agent each";
const SAYS_APART = new RegExp(`^(?:${APART})\\b|\\b(?:${APART})$`, "iu");

/** A question, or a topic, as it stands; null where another wish may begin in it, or a word turns it round. */
export function readQuestion(tokens: readonly Token[]): string | null {
  if (tokens.length > QUESTION_TOKENS_MAX) return null;
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (first === undefined || last === undefined || first.kind === "comma" || last.kind === "comma")
    return null;
  const isOdd = tokens.some(({ kind, lower }, at) => {
    if (kind === "stop" || kind === "colon") return true;
    if (kind === "word" && TURNED.has(lower)) return true;
    return (kind === "comma" || JOINS.has(lower)) && VERBS.has(tokens[at + 1]?.lower ?? "");
  });
  if (isOdd || JOINS.has(first.lower) || JOINS.has(last.lower)) return null;
  const said = tokens
    .map(({ kind, text }) => (kind === "comma" ? "," : ` ${text}`))
    .join("")
    .trim();
  return SAYS_APART.test(said) ? null : said;
}

export const MONTHS =
  "january february march april may june july august september october november december".split(" ");

const ANY: Kind = { name: "words", value: null, hints: "" };
const COUNT: Kind = { name: "count", value: /\d/u, hints: "" };

const KINDS: readonly (readonly [form: RegExp, kind: Kind])[] = [
  [
    /\b(?:tele)?phone\b/iu,
    { name: "phone", value: /(?:\+\d|\b0\d)[\d ()/-]{6,}\d/u, hints: "phone call contact bookings" },
  ],
  [
    /\bhow steep|\bgradient|\bper ?cent/iu,
    { name: "share", value: /\d[\d.,]* ?%/u, hints: "steep gradient" },
  ],
  [/\bhow (?:high|tall)|\b(?:height|altitude|ascent|elevation)\b|\bclimb/iu, metres("height")],
  [
    /\bhow (?:much time|many (?:hours|minutes))|\bhow long\b.*\b(?:takes?|walk|crossing|ride|last)\b|\b(?:walking|travel) time|\bduration/iu,
    { name: "duration", value: /\d[\d.,]* ?(?:h|hours?|min|minutes?)\b/u, hints: "time hours minutes takes" },
  ],
  [
    /\bhow (?:long|far)\b|\blength\b/iu,
    { name: "length", value: /\d[\d.,]* ?(?:km|m|kilomet\w+|met\w+)\b/u, hints: "km long" },
  ],
  [
    /\bhow much\b|\bcosts?\b|\bprice|\bfare\b|\btoll\b|\bpay\b|\bcheap/iu,
    {
      name: "money",
      value: /\d[\d.,]* ?(?:euros?|francs?|dollars?|pounds?|[€$£])|[€$£] ?\d/u,
      hints: "price costs euros ticket",
    },
  ],
  [/\bhow many\b|\bnumber of\b/iu, COUNT],
  [
    /^(?:who|which (?:engineer|warden|person))\b|\bby whom\b/iu,
    { name: "person", value: /\p{Lu}\p{L}+ \p{Lu}\p{L}+/u, hints: "" },
  ],
  [
    /\bwhat time|\bwhen\b.*\b(?:first|last) (?:boat|train|bus|ferry|cabin)|\b(?:first|last) (?:boat|train|bus|ferry)\b/iu,
    { name: "clock", value: /\b\d{1,2}[:.]\d\d\b/u, hints: "leaves time" },
  ],
  [
    /\b(?:which|what) (?:week)?day\b/iu,
    { name: "weekday", value: /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/iu, hints: "closed open" },
  ],
  [
    /\b(?:which|what) year|\bwhen\b.*\b(?:built|founded|made)\b|\bhow old\b/iu,
    { name: "year", value: /\b1[5-9]\d\d\b|\b20\d\d\b/u, hints: "built founded" },
  ],
  [/\bwhen\b|\b(?:which|what) date|\bdates?\b|\bseason\b/iu, date()],
];

function metres(name: string): Kind {
  return { name, value: /\d[\d.,]* ?(?:m|met(?:re|er)s?)\b/u, hints: "height metres" };
}

/** A number of them: beside the word, not just anywhere. */
const countOf = (what: string): Kind => ({
  name: "count",
  value: new RegExp(
    `\\d[\\d.,]* ${stem(what.toLowerCase())}\\w*|\\b${stem(what.toLowerCase())}\\w*:? \\d`,
    "iu",
  ),
  hints: what,
});

function date(): Kind {
  return {
    name: "date",
    value: new RegExp(`\\b\\d{1,2}\\.? (?:${MONTHS.join("|")})\\b`, "iu"),
    hints: "open from to",
  };
}

const COMPARED =
  /^(?:which|what)\b.*?\b(higher|taller|longer|larger|bigger|dearer|steeper|older|lower|shorter|smaller|cheaper|younger)\b[^,:]*[,:] ?(?:the )?(.+?) or (?:the )?(.+)$/iu;
const SMALLER = set("lower shorter smaller cheaper older");
const COMPARED_KINDS: Readonly<Record<string, string>> = {
  ...{ higher: "how high", taller: "how high", lower: "how high", longer: "how long", shorter: "how long" },
  ...{ larger: "how many", bigger: "how many", smaller: "how many", dearer: "how much", cheaper: "how much" },
  ...{ steeper: "how steep", older: "which year", younger: "which year" },
};

/** Words that ask, and words of every sentence. */
const PLAIN = set(`
  a an and are as at be by can could did do does for from has have how in is it its of on or that the their there this to was were
  what when where which who whom why will with does me i we you tell much many long far high tall one year day time number please
  if whether so any all get there's what's up into out about`);

/** One form for singular and plural, and for the forms of a verb that only differ in their end. */
export function stem(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  return word.length > 3 && /[^s]s$/u.test(word) ? word.slice(0, -1) : word;
}

export const stemsOf = (text: string): string[] => foldWords(text).map(stem);

/** Whether a text holds a name, word behind word. */
export const holdsName = (text: string, name: string): boolean =>
  ` ${stemsOf(text).join(" ")} `.includes(` ${name} `);

/** "Which of the mountain passes are …": the words before the verb. */
const THINGS =
  /^(?:which|what)(?: of)?(?: (?:the|our|these|all))* ((?:\p{L}+ ){1,3}?)(?:is|are|of|in|on|do|does|can|have|has|stay|open)\b/iu;

export function parseQuestion(given: string): Question {
  const text = given.trim().replace(/[?.!\s]{1,9}$/u, "");
  const compared = COMPARED.exec(text);
  const [, degree = "", one = "", other = ""] = compared ?? [];
  const asked = compared === null ? text : `${ownValue(COMPARED_KINDS, degree.toLowerCase()) ?? ""} ${text}`;
  const found = KINDS.find(([form]) => form.test(asked))?.[1];
  const month = monthIn(text);
  const thing = THINGS.exec(text)?.[1]?.trim().split(" ").at(-1);
  const wantsAll = month !== null && /^(?:which|what)\b/iu.test(text);
  // Of a month it is asked whether what is said of dates holds it.
  const counted = /\b(?:how many|number of) (\p{L}+)/iu.exec(text)?.[1];
  const kind =
    month !== null && (found === undefined || wantsAll)
      ? date()
      : found === COUNT && counted !== undefined
        ? countOf(counted)
        : (found ?? ANY);
  const words = [
    ...new Set(
      foldWords(text)
        .filter((word) => !PLAIN.has(word))
        .map(stem),
    ),
  ];
  const names = namesIn(text);
  const named = new Set(names.flatMap((name) => name.split(" ")));
  const things = wantsAll && thing !== undefined ? stemsOf(thing) : [];
  return {
    ...{ text, kind, words: words.filter((word) => !named.has(word)), names, month, wantsAll, things },
    compared:
      compared === null
        ? null
        : { things: [one.trim(), other.trim()], larger: !SMALLER.has(degree.toLowerCase()) },
  };
}

/** "in May", not the "may" of what one may do. */
function monthIn(text: string): number | null {
  const word = new RegExp(`\\b(?:in|during) (${MONTHS.join("|")})\\b`, "iu").exec(text)?.[1];
  return word === undefined ? null : MONTHS.indexOf(word.toLowerCase()) + 1;
}

/** Words that begin with a capital letter, but the first one and the months; those that stand together are one name. */
function namesIn(text: string): string[] {
  const names: string[][] = [];
  let isOpen = false;
  for (const [at, word] of text.split(/\s+/u).entries()) {
    const isName = at > 0 && /^[\p{Pi}\p{Ps}"']?\p{Lu}/u.test(word) && !MONTHS.includes(word.toLowerCase());
    if (isName && isOpen) names.at(-1)?.push(word);
    else if (isName) names.push([word]);
    isOpen = isName && !/[,;:]$/u.test(word);
  }
  return [...new Set(names.map((words) => stemsOf(words.join(" ")).join(" ")))];
}

import { foldWords, wordSet } from "../text/tokens.ts";

/** The values that can answer a question, such as a date for "when". */
export interface AnswerKind {
  readonly name: string;
  /** null: any words */
  readonly value: RegExp | null;
  /** words near such a value, for the search within a page */
  readonly hints: string;
}

/** A question to the web: its kind of answer and its words. */
export interface Question {
  readonly text: string;
  readonly kind: AnswerKind;
  /** stems of the content words, without names */
  readonly words: readonly string[];
  /** stems of each name, joined by blanks: text without one of them is about something else */
  readonly names: readonly string[];
  /** "open in May": from 1; null where none is named */
  readonly month: number | null;
  /** "which of the passes": the stem `pass`, all of which are wanted; null otherwise */
  readonly wanted: readonly string[] | null;
}

export const MONTHS =
  "january february march april may june july august september october november december".split(" ");

const METERS: AnswerKind = {
  name: "meters",
  value: /\d[\d.,]* ?m(?:et(?:re|er)s?)?\b/u,
  hints: "height metres",
};
const COUNT: AnswerKind = { name: "count", value: /\d/u, hints: "" };
const DATE: AnswerKind = {
  name: "date",
  value: new RegExp(`\\b\\d{1,2}\\.? (?:${MONTHS.join("|")})\\b`, "iu"),
  hints: "open from to",
};

const KINDS: readonly (readonly [question: RegExp, kind: AnswerKind])[] = [
  [
    /\b(?:tele)?phone\b/iu,
    { name: "phone", value: /(?:\+\d|\b0\d)[\d ()/-]{6,}\d/u, hints: "phone call contact bookings" },
  ],
  [/\bhow steep\b/iu, { name: "share", value: /\d[\d.,]* ?%/u, hints: "steep gradient" }],
  [/\bhow (?:high|tall)|\b(?:height|altitude|ascent)\b|\bclimb/iu, METERS],
  [
    /\bhow many (?:hours|minutes)|\bhow long\b.*\b(?:takes?|walk|crossing|ride|last)\b|\bwalking time/iu,
    { name: "duration", value: /\d[\d.,]* ?(?:h|hours?|min|minutes?)\b/u, hints: "time hours minutes takes" },
  ],
  [
    /\bhow (?:long|far)\b|\blength\b/iu,
    { name: "length", value: /\d[\d.,]* ?(?:km|m|kilomet\w+|met\w+)\b/u, hints: "km long" },
  ],
  [
    /\bhow much\b|\bcosts?\b|\bprice|\bfare\b|\btoll\b|\bpay\b/iu,
    {
      name: "money",
      value: /\d[\d.,]* ?(?:euros?|francs?|dollars?|pounds?|[€$£])|[€$£] ?\d/u,
      hints: "price costs euros ticket",
    },
  ],
  [/\bhow many\b|\bnumber of\b/iu, COUNT],
  [
    /^who\b|^which (?:engineer|person)\b/iu,
    { name: "person", value: /\p{Lu}\p{L}+ \p{Lu}\p{L}+/u, hints: "" },
  ],
  [
    /\bwhat time|\bwhen\b.*\b(?:first|last) (?:boat|train|bus|ferry)\b/iu,
    { name: "clock", value: /\b\d{1,2}[:.]\d\d\b/u, hints: "leaves time" },
  ],
  [
    /\b(?:which|what) (?:week)?day\b/iu,
    { name: "weekday", value: /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/iu, hints: "closed open" },
  ],
  [
    /\b(?:which|what) year|\bwhen\b.*\b(?:built|founded)\b|\bhow old\b/iu,
    { name: "year", value: /\b1[5-9]\d\d\b|\b20\d\d\b/u, hints: "built founded" },
  ],
  [/\bwhen\b|\b(?:which|what) date|\bseason\b/iu, DATE],
];

/** A number next to the counted thing, not just anywhere. */
function countOf(thing: string): AnswerKind {
  const own = stem(thing.toLowerCase());
  return {
    name: "count",
    value: new RegExp(`\\d[\\d.,]* ${own}\\w*|\\b${own}\\w*:? \\d`, "iu"),
    hints: thing,
  };
}

/** Words of every question and of every sentence. */
const COMMON = wordSet(`
  a an and are as at be by can could did do does for from has have how in is it its of on or that the their there this to was were
  what when where which who whom why will with me i we you tell much many long far high tall one year day time number if whether so
  any all get into out about`);

/** One form for singular and plural. */
export function stem(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  return word.length > 3 && /[^s]s$/u.test(word) ? word.slice(0, -1) : word;
}

export const stemsOf = (text: string): string[] => foldWords(text).map(stem);

/** True if the text contains all words of the name in a row. */
export const hasName = (text: string, name: string): boolean =>
  ` ${stemsOf(text).join(" ")} `.includes(` ${name} `);

/** "Which of the mountain passes are …": the words before the verb. */
const THINGS =
  /^(?:which|what)(?: of)?(?: (?:the|our|these|all))* ((?:\p{L}+ ){1,3}?)(?:is|are|of|in|on|do|does|can|have|has|stay|open)\b/iu;

export function parseQuestion(given: string): Question {
  const text = given.trim().replace(/[?.!\s]{1,9}$/u, "");
  const found = KINDS.find(([form]) => form.test(text))?.[1] ?? null;
  const month = monthIn(text);
  const isList = month !== null && /^(?:which|what)\b/iu.test(text);
  const counted = /\b(?:how many|number of) (\p{L}+)/iu.exec(text)?.[1];
  const names = namesIn(text);
  const inNames = new Set(names.flatMap((name) => name.split(" ")));
  const words = foldWords(text).flatMap((word) => (COMMON.has(word) ? [] : stem(word)));
  // A month asks for dates that include it.
  const isDated = month !== null && (isList || found === null);
  const ownKind = found === COUNT && counted !== undefined ? countOf(counted) : found;
  return {
    text,
    kind: isDated ? DATE : (ownKind ?? { name: "words", value: null, hints: "" }),
    words: [...new Set(words)].filter((word) => !inNames.has(word)),
    names,
    month,
    wanted: isList ? stemsOf(THINGS.exec(text)?.[1]?.trim().split(" ").at(-1) ?? "") : null,
  };
}

/** "in May", not the verb "may". */
function monthIn(text: string): number | null {
  const word = new RegExp(`\\b(?:in|during) (${MONTHS.join("|")})\\b`, "iu").exec(text)?.[1];
  return word === undefined ? null : MONTHS.indexOf(word.toLowerCase()) + 1;
}

/** Capitalized words, except the first one and months; adjacent ones are one name. */
function namesIn(text: string): string[] {
  const names: string[][] = [];
  let isOpen = false;
  for (const [at, word] of text.split(/\s+/u).entries()) {
    const isName = at > 0 && /^["'“‘]?\p{Lu}/u.test(word) && !MONTHS.includes(word.toLowerCase());
    if (isName && isOpen) names.at(-1)?.push(word);
    else if (isName) names.push([word]);
    isOpen = isName && !/[,;:]$/u.test(word);
  }
  return [...new Set(names.map((words) => stemsOf(words.join(" ")).join(" ")))];
}

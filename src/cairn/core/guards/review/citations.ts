import { specOf } from "../../entries/grant.ts";
import { type Entry, sourcesIn } from "../../log/entry.ts";
import type { Citation, CitationList, CitationRule } from "../../log/receipt.ts";
import { normalize } from "../../log/normalize.ts";
import type { Profile } from "../../log/verdict.ts";

/**
 * Checks citation marks of an answer, such as `[e12]`, against the sources read. A mark is valid if the session has the
 * evidence, a run that the model was shown contains it, and its page still has the quote at that position: the caller
 * looks that up.
 */

/** The evidence of a mark, verified against its page; null for one that is none. */
export type Cite = (id: string) => Citation | null;

/** `[e12]`, and several in one pair of brackets. */
const MARKS = /\[(e[1-9]\d{0,8}(?:\s*[,;]\s*e[1-9]\d{0,8})*)\]/gu;
const ID = /e[1-9]\d{0,8}/gu;

/** The ids that a text marks, each once, in order. */
export function marksOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(MARKS), ([, ids = ""]) => ids.match(ID) ?? []).flat())];
}

/** A text in stretches: `ids` are those of a mark, and empty for the words between. Joined they are the text. */
export interface MarkedStretch {
  readonly text: string;
  readonly ids: readonly string[];
}

export function markedStretches(text: string): readonly MarkedStretch[] {
  const found: MarkedStretch[] = [];
  let done = 0;
  for (const { 0: mark, 1: ids = "", index } of text.matchAll(MARKS)) {
    if (index > done) found.push({ text: text.slice(done, index), ids: [] });
    found.push({ text: mark, ids: ids.match(ID) ?? [] });
    done = index + mark.length;
  }
  if (done < text.length) found.push({ text: text.slice(done), ids: [] });
  return found;
}

/**
 * Returns the citation rule of a run, from its agent or its caller. By default a `research` run that has read pages
 * must cite them, and one that has read none has its marks checked. Null: nothing is checked.
 */
export function citationRuleOf(
  { run, profile }: { readonly run: string; readonly profile: Profile },
  entries: readonly Entry[],
): CitationRule | null {
  const { citations } = specOf(entries);
  if (citations !== undefined) return citations === "off" ? null : citations;
  if (profile !== "research") return null;
  const hasRead = entries.some((one) => one.run === run && (sourcesIn(one)?.evidence.length ?? 0) > 0);
  return hasRead ? "require" : "check";
}

/** Citation facts of a candidate, for the review. */
export interface CitedCandidate {
  readonly rule: CitationRule;
  readonly unknown: readonly string[];
  readonly known: number;
}

export function citedBy(text: string, rule: CitationRule, cite: Cite): CitedCandidate {
  const marks = marksOf(text);
  const unknown = marks.filter((id) => cite(id) === null);
  return { rule, unknown, known: marks.length - unknown.length };
}

export interface CitedAnswer {
  /** without the marks that are none, where citations are checked */
  readonly text: string;
  /** null if the answer has no citations and none are required */
  readonly citations: CitationList | null;
  readonly warnings: readonly string[];
}

/** Returns the answer for storage. `rule` null: nothing is checked, and valid citations are stored all the same. */
export function citeAnswer(answer: string, rule: CitationRule | null, cite: Cite): CitedAnswer {
  const marks = marksOf(answer);
  const items = marks.flatMap((id) => cite(id) ?? []);
  if (rule === null)
    return {
      text: answer,
      citations: items.length === 0 ? null : { items, unmarked: unmarkedIn(answer) },
      warnings: [],
    };
  const good = new Set(items.map(({ id }) => id));
  const bad = marks.filter((id) => !good.has(id));
  const text = bad.length === 0 ? answer : withoutMarks(answer, good);
  const unmarked = unmarkedIn(text);
  const warnings = [
    ...(bad.length === 0 ? [] : [`Marks of no evidence were taken out: ${bad.join(", ")}.`]),
    ...(rule === "require" && items.length === 0 ? ["It cites nothing that was read."] : []),
  ];
  return { text, citations: { items, unmarked }, warnings };
}

function withoutMarks(text: string, good: ReadonlySet<string>): string {
  const parts: string[] = [];
  for (const { text: part, ids } of markedStretches(text)) {
    const left = ids.filter((id) => good.has(id));
    if (ids.length === 0) parts.push(part);
    else if (left.length > 0) parts.push(`[${left.join(", ")}]`);
    else parts.push(withoutLastBlanks(parts.pop() ?? ""));
  }
  return parts.join("");
}

/** A pattern for blanks at the end would begin anew at each blank of the text. */
function withoutLastBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  return text.slice(0, end);
}

/** Characters allowed around and between IDs: blanks, hidden ones too, commas, dashes, emphasis. */
const AROUND = "[\\s,;&/+*_`^~\\\\\\-\\u00ad\\u2010-\\u2015\\u2212\\u200b-\\u200f\\u2060\\ufeff]";
const ANY_ID = "[eE\uff25\uff45][\u00ad\u200b-\u200f\u2060\ufeff]*[0-9\uff10-\uff19]{1,12}";
/** A pair of brackets with nothing but ids, however they are written: `[e1–e3]`, `[ E1 ]`, `[**e1**]`, `【e01】`. */
const NEAR_MARKS = new RegExp(
  `\\\\?[[\u3010\uff3b](${AROUND}*${ANY_ID}(?:${AROUND}+(?:${ANY_ID}|[0-9\uff10-\uff19]{1,12}))*${AROUND}*)[\\]\u3011\uff3d]`,
  "gu",
);

/** Words that name a source, and words that join or point at ids: in English, German, French and Spanish. */
const NAMING =
  "sources?|evidence|refs?|references?|citations?|quellen?|belege?|r\u00e9f\u00e9rences?|fuentes?|referencias?";
const JOINING =
  "and|or|to|see|also|from|via|per|by|in|cf|ibid|pages?|pp?|no|und|oder|bis|siehe|auch|vgl|aus|laut|seiten?|et|ou|\u00e0|voir|selon|y|o|a|v\u00e9ase|seg\u00fan|p\u00e1g";
const LETTERS_END = "(?![\\p{L}\\p{N}])";
const FILLER = `(?:${AROUND}|[#|\u2020\u2021]|[.:](?![0-9])|(?:${NAMING}|${JOINING})${LETTERS_END})`;
/** Brackets or parentheses with ids and such words: `[e1 and e2]`, `[source e1]`, `(e1)`, `\u3010e1\u2020source\u3011`. */
const LOOSE_MARKS = new RegExp(
  `\\\\?[[\u3010\uff3b(\uff08](${FILLER}*${ANY_ID}${LETTERS_END}(?:${FILLER}+(?:${ANY_ID}|[0-9\uff10-\uff19]{1,12})${LETTERS_END})*${FILLER}*)[\\]\u3011\uff3d)\uff09]`,
  "giu",
);
const NAMES_SOURCE = new RegExp(`(?<![\\p{L}\\p{N}])(?:${NAMING})${LETTERS_END}`, "iu");
/** The name of a cell or a variable is no mark: `(E1)`. */
const CAPITAL_ID = /[E\uff25][\u00ad\u200b-\u200f\u2060\ufeff]*[0-9\uff10-\uff19]/u;
/** Code as Markdown writes it: fenced blocks and spans. */
const CODE = /^(?<fence>```|~~~)[\s\S]*?(?:^\k<fence>|$(?![\s\S]))|`[^`\n]+`/gmu;

interface NearMark {
  readonly mark: string;
  readonly index: number;
  readonly inner: string;
  /** with words or in parentheses: only what has an `e` is an id */
  readonly isLoose: boolean;
}

/**
 * Whatever reads as a mark. Brackets with nothing but ids are one everywhere. With words, or in parentheses, they are one only
 * in prose: not in code, not as the arguments of a function, and with a capital E only where a word names a source.
 */
function* nearMarks(text: string): Generator<NearMark> {
  const strict = [...text.matchAll(NEAR_MARKS)].map(({ 0: mark, 1: inner = "", index }) => ({
    mark,
    inner,
    index,
    isLoose: false,
  }));
  const code = [...text.matchAll(CODE)].map(({ 0: { length }, index }) => ({ index, end: index + length }));
  const at = new Set(strict.map(({ index }) => index));
  const loose: NearMark[] = [];
  let next = 0;
  for (const { 0: mark, 1: inner = "", index } of text.matchAll(LOOSE_MARKS)) {
    while ((code[next]?.end ?? Infinity) <= index) next++;
    const isCode = (code[next]?.index ?? Infinity) <= index;
    const isCall = /^\\?[(\uff08]/u.test(mark) && /[A-Za-z_$]/.test(text.charAt(index - 1));
    const isName = CAPITAL_ID.test(inner) && !NAMES_SOURCE.test(inner);
    if (!at.has(index) && !isCode && !isCall && !isName) loose.push({ mark, inner, index, isLoose: true });
  }
  let done = 0;
  for (const each of [...strict, ...loose].toSorted((a, b) => a.index - b.index)) {
    if (each.index < done) continue;
    yield each;
    done = each.index + each.mark.length;
  }
}

/**
 * Returns the IDs in such brackets, as the ledger writes them. A range means its ends and all of `known` between them.
 */
function nearIds({ inner, isLoose }: NearMark, known: Iterable<string>): readonly string[] {
  const plain = normalize(inner, "NFKC")
    .toLowerCase()
    .replaceAll(/[*_`^~\\\u00ad\u200b-\u200f\u2060\ufeff]/gu, "");
  const ids = plain.matchAll(isLoose ? LOOSE_IDS : NEAR_IDS);
  return [...ids].flatMap(([, first = "", last = first]) => {
    const [from, to] = [Number(first), Number(last)];
    const isBetween = (id: string): boolean => Number(id.slice(1)) > from && Number(id.slice(1)) < to;
    const between = from + 1 < to ? [...known].filter(isBetween) : [];
    return [...new Set([`e${from}`, ...between, `e${to}`])];
  });
}

const NEAR_IDS = /(\d+)(?:\s*[-\u2010-\u2015\u2212]\s*e?(\d+))?/gu;
const LOOSE_IDS = /(?<!\p{L})e(\d+)(?:\s*[-\u2010-\u2015\u2212]\s*e?(\d+))?/gu;

/**
 * A text from elsewhere, whose marks get other names; one without a name goes, in whatever form it is written. What is left
 * between two marks that went can read as a mark again, which goes as well: whatever marks the text ends with, each is one of
 * the new names.
 */
export function renameMarks(text: string, names: ReadonlyMap<string, string>): string {
  let renamed = withNames(text, names);
  const own = new Map([...names.values()].map((name) => [name, name]));
  for (let passes = 0; passes < RENAME_PASSES_MAX && holdsForeign(renamed, own); passes++)
    renamed = withNames(renamed, own);
  return holdsForeign(renamed, own) ? renamed.replaceAll(OPENED, "") : renamed;
}

const RENAME_PASSES_MAX = 4;
const OPENED = new RegExp(`[[\u3010\uff3b(\uff08](?=${FILLER}*${ANY_ID})`, "giu");

const holdsForeign = (text: string, own: ReadonlyMap<string, string>): boolean =>
  [...nearMarks(text)].some((mark) => nearIds(mark, own.keys()).some((id) => !own.has(id)));

function withNames(text: string, names: ReadonlyMap<string, string>): string {
  const parts: string[] = [];
  let done = 0;
  for (const near of nearMarks(text)) {
    const named = nearIds(near, names.keys()).flatMap((id) => names.get(id) ?? []);
    const before = text.slice(done, near.index);
    done = near.index + near.mark.length;
    if (named.length > 0) parts.push(before, `[${[...new Set(named)].join(", ")}]`);
    else parts.push(before.trimEnd());
  }
  return parts.join("") + text.slice(done);
}

/** Counts substantive paragraphs without marks; headings and code do not count. */
function unmarkedIn(text: string): number {
  const prose = text.replace(/^```[\s\S]*?^```/gmu, "");
  return prose
    .split(/\n\s*\n/u)
    .filter((part) => /\p{L}/u.test(part.replace(/^#.*$/gmu, "")) && marksOf(part).length === 0).length;
}

import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import { hasName, MONTHS, stemsOf, type AnswerKind, type Question } from "./question.ts";

/** Sentences of pages that answer a question, found by its words and by the kind of its answer. */

export interface ReadPage {
  readonly url: string;
  readonly title: string;
  /** as the page states it, such as `2026-04-02`; empty where it does not */
  readonly date: string;
  readonly quotes: readonly { readonly id: string; readonly quote: string }[];
}

export interface Finding {
  readonly page: ReadPage;
  /** ID of the passage */
  readonly evidence: string;
  /** a sentence, or a row of a table */
  readonly text: string;
  /** words of the question in it */
  readonly shared: readonly string[];
  readonly score: number;
}

/** The pages that a `visit` has read. */
export function parsePages(visited: JsonObject): ReadPage[] {
  return objectsAt(visited, "pages").flatMap((page) => {
    const url = textAt(page, "url");
    const quotes = objectsAt(page, "quotes").flatMap((one) => {
      const [id, quote] = [textAt(one, "id"), textAt(one, "quote")];
      return id === null || quote === null ? [] : [{ id, quote }];
    });
    if (url === null || quotes.length === 0) return [];
    return [{ url, title: textAt(page, "title") ?? url, date: textAt(page, "date") ?? "", quotes }];
  });
}

/** Instructions to a machine that reads the page. */
const ORDER =
  /\b(?:ignore|disregard|forget)\b.*\b(?:instructions|prompt)\b|\bAI (?:assistant|agent|model)s?\b|^SYSTEM:/iu;
/** "Last changed: 2026-04-02": about the page itself */
const CHANGED = /^[\p{L} ]{3,20}: \d{4}-\d\d-\d\d$/u;

/** Sentences and rows of tables, without headings. */
export function sentencesOf(quote: string): string[] {
  return quote
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .flatMap((line) => (line.includes(" | ") ? [line] : line.split(/(?<=[.!?]["”’]?)\s+(?=[\p{Lu}"“])/u)))
    .map((line) => line.replace(/^- /u, "").trim())
    .filter((line) => line !== "" && !line.endsWith("?") && !ORDER.test(line) && !CHANGED.test(line));
}

/** All sentences of a page that can answer the question. */
const candidates = (page: ReadPage, question: Question): Finding[] =>
  page.quotes.flatMap(({ id, quote }) =>
    sentencesOf(quote).flatMap((text) => {
      const weight = weigh(text, page.title, question);
      return weight === null ? [] : [{ page, evidence: id, text, ...weight }];
    }),
  );

/** The best sentence of each page, the best first; among equals the newest. */
export function findAnswers(pages: readonly ReadPage[], question: Question): Finding[] {
  return pages
    .flatMap((page) =>
      candidates(page, question)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, 1),
    )
    .toSorted((one, other) => {
      if (one.shared.length !== other.shared.length) return other.shared.length - one.shared.length;
      if (one.page.date !== other.page.date) return one.page.date > other.page.date ? -1 : 1;
      return other.score - one.score;
    });
}

/** Sentences about a topic, of the best pages first. */
export function findNotes(pages: readonly ReadPage[], question: Question, max: number): Finding[] {
  const all = findAnswers(pages, question).flatMap(({ page }) => candidates(page, question));
  const years = all.map(({ page }) => Number(page.date.slice(0, 4)));
  // Pages that are years older than the newest one may be outdated.
  const oldest = Math.max(...years) - 2;
  return all
    .filter(({ text, page }, at) => {
      const isOld = page.date !== "" && (years[at] ?? 0) <= oldest;
      return !isOld && !text.includes(" | ") && all.findIndex((one) => one.text === text) === at;
    })
    .slice(0, max);
}

/** A word of the title counts half: the page is about it, and the sentence need not repeat it. */
const TITLE_SHARE = 0.5;
/** A sentence that names its subject is slightly better. */
const NAMED_SHARE = 0.2;

/** Null for a sentence about something else, or without a value of the kind. */
function weigh(
  text: string,
  title: string,
  { kind, names, words }: Question,
): Pick<Finding, "score" | "shared"> | null {
  const isNamed = names.every((name) => hasName(text, name));
  if (!names.every((name) => hasName(text, name) || hasName(title, name))) return null;
  if (!hasValue(text, kind, names)) return null;
  const [own, titles] = [new Set(stemsOf(text)), new Set(stemsOf(title))];
  const shared = words.filter((word) => own.has(word));
  const titled = words.filter((word) => !own.has(word) && titles.has(word)).length;
  const score = shared.length + TITLE_SHARE * titled + nearness(text, words, kind.value);
  if (score === 0 && names.length === 0) return null;
  return { shared, score: 1 + score + (isNamed ? NAMED_SHARE : 0) };
}

const PLACES = /^(?:valley|lake|road|office|museum|hut|pass)$/u;

/** True if the text has a value of the kind. A person must not be named in the question, nor be a place. */
function hasValue(text: string, { name, value }: AnswerKind, names: readonly string[]): boolean {
  if (value === null) return true;
  if (name !== "person") return value.test(text);
  const inNames = new Set(names.flatMap((each) => each.split(" ")));
  return valuesIn(text, value).some(
    (person) => !stemsOf(person).some((word) => inNames.has(word) || PLACES.test(word)),
  );
}

export const valuesIn = (text: string, value: RegExp | null): readonly string[] =>
  value === null ? [text] : (text.match(new RegExp(value.source, `g${value.flags}`)) ?? []);

/** From 0 to 1: the words of the question in the same part of the sentence as the value. */
function nearness(text: string, words: readonly string[], value: RegExp | null): number {
  if (value === null) return 0;
  const parts = text.split(/[;,.|]\s|\band\b/u).filter((part) => value.test(part));
  const shared = (part: string): number => stemsOf(part).filter((word) => words.includes(word)).length;
  return Math.max(0, ...parts.map(shared)) / Math.max(1, words.length);
}

/** A thing that is open, or closed, from one month to another. */
export interface Season extends Finding {
  readonly name: string;
  /** months from 1, both included */
  readonly from: number;
  readonly to: number;
  readonly isClosed: boolean;
}

const saysClosed = (text: string): boolean =>
  /\b(?:closed|shut)\b/iu.test(text) && !/\bopens?\b/iu.test(text);

/** True if the thing is in that month as the question wants: open, or closed. */
export const isInSeason = ({ from, to, isClosed }: Season, { text }: Question, month: number): boolean =>
  (from <= month && month <= to) === (isClosed === saysClosed(text));

const DAY = new RegExp(`\\b\\d{1,2}\\.? (${MONTHS.join("|")})\\b`, "giu");

/** The season of each thing, by the newest page. */
export function findSeasons(pages: readonly ReadPage[]): Season[] {
  const seasons = new Map<string, Season>();
  for (const page of pages.toSorted((one, other) => (one.date > other.date ? -1 : 1)))
    for (const { id, quote } of page.quotes)
      for (const text of sentencesOf(quote)) {
        const days = [...text.matchAll(DAY)];
        const [from = 0, to = 0] = days.map(([, month = ""]) => MONTHS.indexOf(month.toLowerCase()) + 1);
        const name = subjectOf(text);
        if (days.length !== 2 || name === null || seasons.has(name)) continue;
        const finding = { page, evidence: id, text, shared: [], score: 1 };
        seasons.set(name, { ...finding, name, from, to, isClosed: saysClosed(text) });
      }
  return [...seasons.values()];
}

/** The first cell of a row, or the first name in a sentence. */
function subjectOf(text: string): string | null {
  if (text.includes(" | ")) return text.split(" | ")[0]?.trim() ?? null;
  const words = text.replace(/^In \d{4},? /u, "").replace(/^the\s/iu, "");
  return /(?<=^|\bthe )\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)+/u.exec(words)?.[0] ?? null;
}

/** A sentence in quotes; a season of a table as a sentence; the cells of another row. */
export function findingInWords(finding: Finding | Season): string {
  const [first = "", ...cells] = finding.text.split(" | ");
  if (cells.length === 0) return `"${finding.text}"`;
  if (!("isClosed" in finding)) return `${first}: ${cells.join(", ")}`;
  const [from = "", to = ""] = finding.text.match(DAY) ?? [];
  const state = finding.isClosed ? "closed" : "open";
  return `The ${first.replace(/^the /iu, "")} is ${state} from ${from} to ${to}`;
}

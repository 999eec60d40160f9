import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import { holdsName, MONTHS, stemsOf, type Kind, type Question } from "./question.ts";

/** What of the pages that were read answers a question: a sentence of them, found by its words and by what it must hold. */

export interface ReadPage {
  readonly url: string;
  readonly title: string;
  /** as the page says it, such as `2026-04-02`; null where it does not */
  readonly date: string | null;
  readonly quotes: readonly { readonly id: string; readonly quote: string }[];
}

export interface Finding {
  readonly page: ReadPage;
  /** the passage in which it stands */
  readonly evidence: string;
  /** a sentence, or a row of a table */
  readonly said: string;
  /** words of what is asked that stand in it */
  readonly shared: readonly string[];
  readonly score: number;
}

/** The pages that a `visit` has read; those that could not be read are left out. */
export function pagesOf(visited: JsonObject): ReadPage[] {
  return objectsAt(visited, "pages").flatMap((page) => {
    const url = textAt(page, "url");
    const quotes = objectsAt(page, "quotes").flatMap((one) => {
      const [id, quote] = [textAt(one, "id"), textAt(one, "quote")];
      return id === null || quote === null ? [] : [{ id, quote }];
    });
    if (url === null || quotes.length === 0) return [];
    return [{ url, title: textAt(page, "title") ?? url, date: textAt(page, "date"), quotes }];
  });
}

/** A word of the title is worth half: the page is about it, and the sentence need not say it again. */
const TITLE_SHARE = 0.5;
/** a sentence that needs nothing before it to be understood is better by a little */
const NAMED_SHARE = 0.2;

/** What each page says to it, the best first; among pages that say as much of it, the newest is the best. */
export function findingsOf(pages: readonly ReadPage[], question: Question): Finding[] {
  const age = ({ page }: Finding): string => page.date ?? "";
  return pages
    .flatMap((page) => bestOf(page, question) ?? [])
    .toSorted((one, other) => {
      if (one.shared.length !== other.shared.length) return other.shared.length - one.shared.length;
      return age(one) === age(other) ? other.score - one.score : age(one) > age(other) ? -1 : 1;
    });
}

function bestOf(page: ReadPage, question: Question): Finding | null {
  let best: Finding | null = null;
  for (const { id, quote } of page.quotes) {
    for (const said of sentencesOf(quote)) {
      const found = weigh(said, page.title, question);
      if (found !== null && found.score > (best?.score ?? 0)) best = { page, evidence: id, said, ...found };
    }
  }
  return best;
}

/** Null for a sentence that cannot answer it: it is about something else, or holds nothing of the kind. */
function weigh(
  said: string,
  title: string,
  { kind, names, words }: Question,
): Pick<Finding, "score" | "shared"> | null {
  const isNamed = names.every((name) => holdsName(said, name));
  if (!isNamed && !names.every((name) => holdsName(said, name) || holdsName(title, name))) return null;
  if (!holds(said, kind, names)) return null;
  const [own, titles] = [new Set(stemsOf(said)), new Set(stemsOf(title))];
  const shared = words.filter((word) => own.has(word));
  const titled = words.filter((word) => !own.has(word) && titles.has(word)).length;
  const score = shared.length + TITLE_SHARE * titled + nearness(said, words, kind.value);
  if (score === 0 && names.length === 0) return null;
  return { shared, score: 1 + score + (isNamed ? NAMED_SHARE : 0) };
}

/** Whether a value of the kind stands there; a person is none that the question names itself. */
function holds(said: string, { name, value }: Kind, names: readonly string[]): boolean {
  if (value === null) return true;
  if (name !== "person") return value.test(said);
  const people = said.match(new RegExp(value.source, `g${value.flags}`)) ?? [];
  return people.some(
    (one) =>
      !stemsOf(one).some((word) => names.some((each) => each.split(" ").includes(word)) || PLACES.has(word)),
  );
}
const PLACES = new Set("valley lake road office museum hut pass".split(" "));

/** At most one: a value that stands beside a word of the question is likelier the one that is asked for. */
function nearness(said: string, words: readonly string[], value: RegExp | null): number {
  if (value === null) return 0;
  const parts = said.split(/[;,.|]\s|\b(?:and|und)\b/u).filter((part) => value.test(part));
  const shared = (part: string): number => stemsOf(part).filter((word) => words.includes(word)).length;
  return Math.max(0, ...parts.map(shared)) / Math.max(1, words.length);
}

/** Sentences, and rows of tables; a heading is none. */
export function sentencesOf(quote: string): string[] {
  return quote
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .flatMap((line) => (line.includes(" | ") ? [line] : line.split(/(?<=[.!?]["”’]?)\s+(?=[\p{Lu}"“])/u)))
    .map((line) => line.replace(/^- /u, "").trim())
    .filter((line) => line !== "" && !line.endsWith("?") && !ORDER.test(line) && !CHANGED.test(line));
}

/** "Last changed: 2026-04-02": of the page itself. */
const CHANGED = /^[\p{L} ]{3,20}: \d{4}-\d\d-\d\d$/u;

/** Words for a machine that reads the page: they say nothing of what the page is about. */
const ORDER =
  /\b(?:ignore|disregard|forget)\b.*\b(?:instructions|prompt)\b|\bAI (?:assistant|agent|model)s?\b|^SYSTEM:/iu;

/** A page that is so many years older than the newest one may say what is no longer so. */
const YEARS_STALE = 2;
const yearOf = ({ date }: ReadPage): number => Number(date?.slice(0, 4) ?? Number.NaN);

/** Sentences about a topic, the newest pages first, as many as that of all pages together; nothing of stale pages. */
export function notesOf(pages: readonly ReadPage[], question: Question, most: number): Finding[] {
  const said = new Set<string>();
  const found = findingsOf(pages, question);
  const newest = Math.max(...found.flatMap(({ page }) => (page.date === null ? [] : yearOf(page))));
  return found
    .filter(({ page }) => !(yearOf(page) <= newest - YEARS_STALE))
    .flatMap(({ page }) => {
      return page.quotes.flatMap(({ id, quote }) =>
        sentencesOf(quote).flatMap((one): Finding[] => {
          const found = one.includes(" | ") ? null : weigh(one, page.title, question);
          if (found === null || said.has(one)) return [];
          said.add(one);
          return [{ page, evidence: id, said: one, ...found }];
        }),
      );
    })
    .slice(0, most);
}

/** Something that is so from one day to another, such as a pass that is open. */
export interface Season extends Finding {
  readonly name: string;
  /** months from 1, both of them in it */
  readonly from: number;
  readonly to: number;
  /** in it the thing is closed, such as for an inspection; else it is open */
  readonly isClosed: boolean;
}

/** Whether words speak of what is closed, and not of what is open. */
export const saysClosed = (said: string): boolean =>
  /\b(?:closed|shut)\b/iu.test(said) && !/\bopens?\b/iu.test(said);

/** Whether the thing is in that month as the question has it: open, or closed. */
export const isAsAsked = ({ from, to, isClosed }: Season, { text }: Question, month: number): boolean =>
  (from <= month && month <= to) === (isClosed === saysClosed(text));

const DAY = new RegExp(`\\b\\d{1,2}\\.? (${MONTHS.join("|")})\\b`, "giu");
const monthsIn = (said: string): number[] =>
  Array.from(said.matchAll(DAY), ([, month = ""]) => MONTHS.indexOf(month.toLowerCase()) + 1);

/** All seasons that the pages tell, each thing once: what the newest page says of it. */
export function seasonsOf(pages: readonly ReadPage[]): Season[] {
  const newestFirst = pages.toSorted((one, other) => ((one.date ?? "") > (other.date ?? "") ? -1 : 1));
  const seasons = new Map<string, Season>();
  for (const page of newestFirst) {
    for (const { id, quote } of page.quotes) {
      for (const said of sentencesOf(quote)) {
        const [from, to, ...more] = monthsIn(said);
        if (from === undefined || to === undefined || more.length > 0) continue;
        const name = nameOf(said);
        if (name !== null && !seasons.has(name))
          seasons.set(name, {
            ...{ page, evidence: id, said, shared: [], score: 1, name, from, to },
            isClosed: saysClosed(said),
          });
      }
    }
  }
  return [...seasons.values()];
}

/** Of what a row or a sentence speaks: its first cell, or the first words in it that are a name. */
function nameOf(said: string): string | null {
  if (said.includes(" | ")) return said.split(" | ")[0]?.trim() ?? null;
  const words = said.replace(/^In \d{4},? /u, "").replace(/^the\s/iu, "");
  return /(?<=^|\bthe )\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)+/u.exec(words)?.[0] ?? null;
}

/** As a person reads it: a sentence in quotation marks, a season as a sentence, another row of a table by its cells under their heads. */
export function wordedAs(finding: Finding | Season): string {
  const [first = "", ...cells] = finding.said.split(" | ");
  if (cells.length === 0) return `"${finding.said}"`;
  if ("isClosed" in finding) {
    const [from = "", to = ""] = finding.said.match(DAY) ?? [];
    return `The ${first.replace(/^the /iu, "")} is ${finding.isClosed ? "closed" : "open"} from ${from} to ${to}`;
  }
  const [, ...heads] = headsOf(finding.page, cells.length + 1);
  return `${first}: ${cells.map((cell, at) => `${heads[at] ?? ""} ${cell}`.trim()).join(", ")}`;
}

/** What stands above the columns of a table; empty where a page shows several rows that could be it, or none. */
function headsOf({ quotes }: ReadPage, columns: number): readonly string[] {
  const rows = new Set(quotes.flatMap(({ quote }) => quote.split("\n").filter((line) => !/\d/u.test(line))));
  const tables = [...rows].map((row) => row.split(" | ")).filter((row) => row.length === columns);
  return tables.length === 1 ? (tables[0] ?? []).map((head) => head.toLowerCase()) : [];
}

/** What an answer of this kind holds, as text to compare: the values of the kind in it. */
export const valuesIn = (said: string, value: RegExp | null): string =>
  value === null ? said : (said.match(new RegExp(value.source, `g${value.flags}`)) ?? []).join(" ");

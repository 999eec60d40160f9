import { digestOf } from "../log/digest.ts";
import { isObject, type Json } from "../log/json.ts";
import {
  evidenceName,
  pageName,
  type EvidenceRecord,
  type FoundSources,
  type PageRecord,
  type ReadPage,
  type Sources,
} from "../log/receipt.ts";
import { findQuote, pageText, standsAt } from "../text/quotes.ts";

/** Names for what a call has read. They are given when its result is written, in the order of the log: never before a crash. */

/** Sources that the session has named so far. */
export interface NamedSources {
  /** the page of this text, where the session has it */
  readonly pageOf: (digest: string) => string | null;
  /** how many are named */
  readonly pages: number;
  readonly evidence: number;
}

export interface Named {
  /** the output, its marks replaced by names */
  readonly output: Json;
  readonly sources: Sources;
  /** texts of the pages that are new, under their names */
  readonly texts: readonly (readonly [page: string, text: string])[];
}

/**
 * Names the sources of a call. `clean` removes what must not be stored, so a quote that has moved is located again; a
 * quote that is not on the page gets no name, and its mark becomes null.
 */
export function nameSources(
  found: FoundSources,
  output: Json,
  known: NamedSources,
  clean: (text: string) => string,
): Named {
  const pages: PageRecord[] = [];
  const evidence: EvidenceRecord[] = [];
  const texts: [string, string][] = [];
  const names: { readonly page: string; readonly quotes: readonly (string | null)[] }[] = [];
  for (const read of found.pages) {
    const text = pageText(clean(read.text));
    const digest = digestOf(text);
    const before = known.pageOf(digest) ?? pages.find((one) => one.digest === digest)?.page ?? null;
    const page = before ?? pageName(known.pages + pages.length + 1);
    if (before === null) {
      const { url, title, date, fetchedAt } = read;
      pages.push({ page, url, title, date, digest, chars: text.length, fetchedAt });
      texts.push([page, text + linksOf(read)]);
    }
    const quotes = read.passages.map((passage) => {
      const position = standsAt(text, passage) ? passage : findQuote(text, clean(passage.quote));
      if (position === null) return null;
      const { start, end } = position;
      const id = evidenceName(known.evidence + evidence.length + 1);
      evidence.push({ id, page, start, end, quote: text.slice(start, end) });
      return id;
    });
    names.push({ page, quotes });
  }
  const nameOf = (mark: { readonly [key: string]: Json }): Json | undefined => {
    if (typeof mark["$page"] === "number") return names[mark["$page"]]?.page ?? null;
    const quoted = mark["$evidence"];
    if (!Array.isArray(quoted)) return undefined;
    return names[Number(quoted[0])]?.quotes[Number(quoted[1])] ?? null;
  };
  const sealed = found.pages.some((read) => read.sealed === true) ? ({ sealed: true } as const) : {};
  return { output: withNames(output, nameOf), sources: { pages, evidence, ...sealed }, texts };
}

/** The page's links follow its text, for readers who continue to other pages. */
function linksOf({ links }: ReadPage): string {
  if (links.length === 0) return "";
  return `\n\nLinks of this page:\n${links.map(({ text, url }) => `- ${text}: ${url}`).join("\n")}`;
}

function withNames(value: Json, nameOf: (mark: { readonly [key: string]: Json }) => Json | undefined): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withNames(item, nameOf));
  if (!isObject(value)) return value;
  const name = nameOf(value);
  if (name !== undefined) return name;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNames(item, nameOf)]));
}

import MiniSearch from "minisearch";
import type { Listing } from "./corpus.ts";

/** The search of the corpus: BM25 over title and text, as a search engine of words does it. */

export interface Found {
  readonly url: string;
  readonly title: string;
  /** the line that fits best */
  readonly content: string;
  readonly publishedDate: string | null;
}

export type Search = (query: string) => readonly Found[];

const FOUND_MAX = 20;
/** The title says what a page is about. */
const TITLE_WEIGHT = 2;
/** a search engine shows the beginning of what it found */
const CONTENT_CHARS_MAX = 200;

const COMMON = new Set(
  (
    "a an and are as at be by do does for from has have how in is it its of on or so that the their there this to was what when " +
    "where which who with"
  ).split(" "),
);

/** One form for singular and plural. */
const term = (word: string): string | null => {
  const lowerCase = word.toLowerCase();
  if (COMMON.has(lowerCase) || lowerCase === "") return null;
  if (lowerCase.endsWith("sses")) return lowerCase.slice(0, -2);
  return lowerCase.length > 3 && /[^s]s$/u.test(lowerCase) ? lowerCase.slice(0, -1) : lowerCase;
};

export function createSearch(listings: readonly Listing[]): Search {
  const index = new MiniSearch<Listing & { readonly id: number }>({
    fields: ["title", "text"],
    processTerm: term,
  });
  index.addAll(listings.map((listing, id) => ({ id, ...listing })));
  return (query) => {
    // `site:` is of those who ask engines by words; nothing else of their language is known here.
    const sites = Array.from(query.matchAll(/\bsite:(\S+)/gu), ([, host = ""]) => host);
    const words = query.replace(/\bsite:\S+|\bOR\b|[()]/gu, " ");
    return (
      index
        .search(words, { boost: { title: TITLE_WEIGHT } })
        .flatMap(({ id, score }) => {
          const listing = typeof id === "number" ? listings[id] : undefined;
          return listing === undefined ? [] : [{ listing, score }];
        })
        .filter(({ listing }) => sites.length === 0 || sites.some((host) => isBelow(listing.url, host)))
        // Ties are sorted by URL, so that the order is the same everywhere.
        .toSorted((one, other) => other.score - one.score || (one.listing.url < other.listing.url ? -1 : 1))
        .slice(0, FOUND_MAX)
        .map(({ listing: { url, title, date, text } }) => ({
          url,
          title,
          publishedDate: date,
          content: bestLine(text, words).slice(0, CONTENT_CHARS_MAX),
        }))
    );
  };
}

function isBelow(url: string, host: string): boolean {
  const { hostname } = new URL(url);
  return hostname === host || hostname.endsWith(`.${host}`);
}

function bestLine(text: string, query: string): string {
  const wanted = new Set(termsOf(query));
  const shared = (line: string): number => new Set(termsOf(line).filter((word) => wanted.has(word))).size;
  return text.split("\n").reduce((best, line) => (shared(line) > shared(best) ? line : best));
}

const termsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => term(word) ?? []);

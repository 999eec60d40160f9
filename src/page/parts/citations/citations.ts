import type { CitationView } from "../../../cairn/protocol/receipt.ts";

/** A page that an answer cites, at one passage or several. */
export interface Source {
  /** from 1, in the order of the first mark of each: the text of its marks */
  readonly number: number;
  readonly title: string;
  /** whom the page is from; empty where its address is none of the web */
  readonly host: string;
  readonly url: string;
  /** where a link may lead; null where its address is none of the web */
  readonly href: string | null;
}

/** A cited passage, and its page. */
export interface Cited {
  readonly citation: CitationView;
  readonly source: Source;
}

/** The source and quote of each mark, by its ID. Passages of one address share one source. */
export function citedById(citations: readonly CitationView[]): ReadonlyMap<string, Cited> {
  const sources = new Map<string, Source>();
  return new Map(
    citations.map((citation): [string, Cited] => {
      const { id, page, url, title } = citation;
      const key = url === "" ? page : url;
      const source = sources.get(key) ?? { number: sources.size + 1, title, url, ...webAddress(url) };
      sources.set(key, source);
      return [id, { citation, source }];
    }),
  );
}

/** Each page once, in the order of its first mark. */
export const sourcesOf = (citations: readonly CitationView[]): readonly Source[] => [
  ...new Set(Array.from(citedById(citations).values(), ({ source }) => source)),
];

/** Display name of a source: its title, or else its address. */
export const nameOf = ({ title, host, url }: Source): string => title.trim() || host || url;

/** A log may hold any words as an address: only those of the web may be a link. */
function webAddress(url: string): Pick<Source, "host" | "href"> {
  const parsed = URL.parse(url);
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  return parsed !== null && isWeb ? { host: parsed.host, href: parsed.href } : { host: "", href: null };
}

import { normalize } from "../../cairn/core/log/normalize.ts";
import type { AskOptions } from "../../cairn/outbound/provider.ts";

/** A scholarly work as one source knows it. Other sources may add missing fields. */
export interface Work {
  readonly title: string;
  /** where people read about it */
  readonly url: string | null;
  /** such as `10.1038/nature12373`, in small letters */
  readonly doi: string | null;
  readonly year: number | null;
  readonly citations: number | null;
  readonly authors: readonly string[];
  readonly abstract: string | null;
  /** where the whole text is open to read */
  readonly text: string | null;
  readonly source: string;
}

export interface ScholarRequest {
  readonly query: string;
  readonly limit: number;
  readonly yearFrom?: number;
}

/** A service that finds works by words. */
export interface ScholarSource {
  readonly name: string;
  search(request: ScholarRequest, options: AskOptions): Promise<readonly Work[]>;
}

const DOI = /10\.\d{4,9}\/[^\s"<>?#]+/i;

/** The bare DOI of a text that holds one. */
export const doiOf = (text: string | null | undefined): string | null =>
  DOI.exec(text ?? "")?.[0].toLowerCase() ?? null;

/** A key that two spellings of one title share. */
export const titleKey = (title: string): string =>
  normalize(title, "NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** DOIs that arXiv gives to what it has: the rest is its own name of the work. */
export const arxivIdOf = (doi: string | null): string | null =>
  /^10\.48550\/arxiv\.(.+)$/.exec(doi ?? "")?.[1] ?? null;

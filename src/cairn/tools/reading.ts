import type { FoundSources, StoredPage, ReadPage } from "../core/log/receipt.ts";

/** Outside sources of a call. The session names them when it writes the result. */
export interface Outside {
  /**
   * Stores a page and its substantive passages. The output refers to them by the returned marks, which are replaced by
   * names
   */
  keepPage(page: ReadPage): StoredPage;
  /** Addresses that the result shows, as `canonicalUrl` writes them: a run that has read from outside may go there without a person's yes */
  foundUrls(urls: readonly string[]): void;
}

/** Pages that one call reads, in order, so that its output can refer to them by index. */
export class Reading implements Outside {
  readonly #pages: ReadPage[] = [];
  readonly #urls = new Set<string>();

  keepPage(page: ReadPage): StoredPage {
    const pageIndex = this.#pages.push(page) - 1;
    return {
      page: { $page: pageIndex },
      evidence: page.passages.map((_, index) => ({ $evidence: [pageIndex, index] as const })),
    };
  }

  foundUrls(urls: readonly string[]): void {
    for (const url of urls) this.#urls.add(url);
  }

  found(): FoundSources {
    return { pages: this.#pages, urls: [...this.#urls] };
  }
}

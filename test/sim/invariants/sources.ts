import { isDeepStrictEqual } from "node:util";
import { digestOf } from "../../../src/cairn/core/log/digest.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { EvidenceRecord, PageRecord } from "../../../src/cairn/core/log/receipt.ts";
import { FOUND, MIRROR, SEARCH_COST, SEARCH_COST_MAX } from "../platform/web.ts";
import { proposed, type Rule } from "../scripts/conversation.ts";

/** Invariants of searches, pages and citations. */
export const OF_SOURCES: Readonly<Record<string, Rule>> = {
  "pages and evidence are named once, in the order of the log, and a text has one name": ({ log }) => {
    const { pages, evidence } = namedIn(log);
    return (
      pages.every(({ page }, index) => page === `p${index + 1}`) &&
      evidence.every(({ id }, index) => id === `e${index + 1}`) &&
      new Set(pages.map(({ digest }) => digest)).size === pages.length
    );
  },
  "a page that has a name is kept whole, and says its quotes at their places": ({ platform, log }) => {
    const { pages, evidence } = namedIn(log);
    const textOf = (name: string): string => {
      const chars = pages.find(({ page }) => page === name)?.chars ?? 0;
      return (platform.store.loadBlob(name) ?? "").slice(0, chars);
    };
    return (
      pages.every(({ page, digest }) => digestOf(textOf(page)) === digest) &&
      evidence.every(
        ({ page, start, end, quote }) => quote !== "" && textOf(page).slice(start, end) === quote,
      )
    );
  },
  "the index of pages and evidence says what the log says": ({ platform, log }) => {
    const { sources } = platform.store;
    const { pages, evidence } = namedIn(log);
    return (
      isDeepStrictEqual(sources.count(), { pages: pages.length, evidence: evidence.length }) &&
      pages.every((page) => isDeepStrictEqual(sources.page(page.page), page)) &&
      evidence.every(({ run, ...one }) => isDeepStrictEqual(sources.evidence(one.id), { ...one, run }))
    );
  },
  "an answer that is checked cites what was read before it, and nothing else": ({ log }) =>
    log.every((entry) => {
      if (entry.kind !== "answer" || entry.body.citations === undefined) return true;
      const { pages, evidence } = namedIn(log.filter(({ seq }) => seq < entry.seq));
      const marks = new Set(Array.from(entry.body.text.matchAll(/\[(e\d+)\]/g), ([, id]) => id));
      const { items } = entry.body.citations;
      return (
        isDeepStrictEqual(new Set(items.map(({ id }) => id)), marks) &&
        items.every(({ id, page, start, end, quote, url, title, fetchedAt }) => {
          const read = evidence.find((one) => one.id === id);
          const at = pages.find((one) => one.page === page);
          return (
            isDeepStrictEqual(read, { id, page, start, end, quote, run: read?.run }) &&
            at !== undefined &&
            isDeepStrictEqual([at.url, at.title, at.fetchedAt], [url, title, fetchedAt])
          );
        })
      );
    }),
  "a search is charged once with what it cost, or with all that was set aside for it": ({
    platform,
    log,
  }) => {
    const searches = new Set(
      proposed(log).flatMap(({ tool, call }) => (tool === "web_search" ? [call] : [])),
    );
    let [charged, expected] = [0, 0];
    for (const entry of log) {
      if (entry.kind === "attempt_lost" && entry.body.what === "tool" && searches.has(entry.body.effect)) {
        charged += entry.body.cost ?? 0;
        expected += SEARCH_COST_MAX;
      }
      if (entry.kind !== "call_settled" && entry.kind !== "verdict") continue;
      if (entry.body.call === null || !searches.has(entry.body.call)) continue;
      charged += entry.body.cost ?? 0;
      // A refused search costs nothing, and a reused result was paid for by its first call.
      if (entry.kind === "call_settled" && entry.body.status === "ok" && entry.body.reusedFrom === null)
        expected += SEARCH_COST;
    }
    const billed = platform.effects.searches * SEARCH_COST;
    return charged === expected && charged >= billed;
  },
  "an address that a search has shown is known": ({ platform, log }) =>
    [FOUND, MIRROR].every((url) => platform.store.sources.knowsUrl(url)) ||
    !log.some(
      (entry) =>
        entry.kind === "call_settled" && entry.body.tool === "web_search" && entry.body.status === "ok",
    ),
};

interface Named {
  readonly pages: readonly PageRecord[];
  readonly evidence: readonly (EvidenceRecord & { readonly run: string | null })[];
}

function namedIn(log: readonly Entry[]): Named {
  const read = log.flatMap((entry) =>
    entry.kind === "call_settled" && entry.body.sources !== undefined
      ? [{ run: entry.run, ...entry.body.sources }]
      : [],
  );
  return {
    pages: read.flatMap(({ pages }) => pages),
    evidence: read.flatMap(({ run, evidence }) => evidence.map((one) => ({ ...one, run }))),
  };
}

import type { CallOrder, ToolOutcome } from "../../core/log/tool.ts";
import type { Cite } from "../../core/guards/review/citations.ts";
import type { Json } from "../../core/log/json.ts";
import type { Sources } from "../../core/log/receipt.ts";
import type { State } from "../../core/state/state.ts";
import { nameSources } from "../../core/entries/sources.ts";
import { standsAt } from "../../core/text/quotes.ts";
import type { Ports, Store } from "./ports.ts";

/** Outside sources of a run's calls: named when the result is written, and looked up when an answer cites them. */

type Ok = Extract<ToolOutcome, { readonly kind: "ok" }>;

/**
 * Names the sources of calls, for the results of one transaction: with the next numbers of the session, in writing
 * order. The texts are stored in the same transaction.
 */
export function sourceNames({
  store,
  redact,
}: Pick<Ports, "store" | "redact">): (
  order: Pick<CallOrder, "call">,
  outcome: Pick<Ok, "text" | "sources">,
) => { readonly output: string; readonly sources: Sources | null } {
  const fresh = new Map<string, string>();
  let given: { readonly pages: number; readonly evidence: number } | null = null;
  return ({ call }, { text, sources: found }) => {
    if (found === undefined) return { output: text, sources: null };
    given ??= store.sources.count();
    const known = { ...given, pageOf: (digest: string) => fresh.get(digest) ?? store.sources.pageOf(digest) };
    const { output, sources, texts } = nameSources(found, JSON.parse(text) as Json, known, redact);
    for (const { digest, page } of sources.pages) fresh.set(digest, page);
    for (const [page, whole] of texts) store.saveBlob(page, redact(whole));
    const links = found.pages.flatMap((page) =>
      // A sealed page was not shown to the model, so its links stay unknown.
      page.sealed === true ? [] : [page.url, ...page.links.map(({ url }) => url)],
    );
    store.sources.saveUrls(call, redact([...new Set([...found.urls, ...links])]));
    const { pages, evidence } = given;
    given = { pages: pages + sources.pages.length, evidence: evidence + sources.evidence.length };
    const isEmpty = sources.pages.length + sources.evidence.length === 0;
    return { output: JSON.stringify(output), sources: isEmpty ? null : sources };
  };
}

/**
 * Looks up the evidence of a mark: of the live run, or of an earlier one in its prompt. A quote that its page does not
 * have any more at that position does not count.
 */
export function createCite(store: Pick<Store, "sources" | "loadBlob">, { run, ended }: State): Cite {
  const runs = new Set([run?.run, ...ended.map((one) => one.run)]);
  return (id) => {
    const evidence = store.sources.evidence(id);
    if (evidence === null || !runs.has(evidence.run)) return null;
    const { page, start, end, quote } = evidence;
    const record = store.sources.page(page);
    if (record === null || !standsAt(store.loadBlob(page) ?? "", evidence)) return null;
    const { url, title, fetchedAt } = record;
    return { id, page, url, title, fetchedAt, start, end, quote };
  };
}

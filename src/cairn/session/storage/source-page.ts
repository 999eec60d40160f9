import { err, ok } from "../../core/log/result.ts";
import { standsAt } from "../../core/text/quotes.ts";
import type { SourcePageView } from "../../protocol/views.ts";
import { NO_EVIDENCE, NO_PAGE } from "../api/errors.ts";
import type { ApiResult, SourcePageQuery } from "../api/session-api.ts";
import type { Store } from "../engine/ports.ts";

/**
 * Returns a passage of a page: from `offset` on, or around the quote of `evidence`. Refuses with 404 for a page that
 * the session does not have, and for evidence whose quote is not there.
 */
export function readSourcePage(
  store: Pick<Store, "sources" | "loadBlob">,
  { page, evidence, offset, limit }: SourcePageQuery,
): ApiResult<SourcePageView> {
  const record = store.sources.page(page);
  const whole = record === null ? null : store.loadBlob(page);
  if (record === null || whole === null) return err(NO_PAGE);
  const quote = evidence === null ? null : store.sources.evidence(evidence);
  if (evidence !== null && (quote?.page !== page || !standsAt(whole, quote))) return err(NO_EVIDENCE);
  const around = Math.ceil(limit / 2);
  const first = offset ?? Math.max(0, (quote?.start ?? 0) - around);
  const behind = offset === null && quote !== null ? quote.end + around : first + limit;
  const start = pairStart(whole, Math.min(first, whole.length));
  const end = pairEnd(whole, Math.min(behind, whole.length));
  const { url, title, date, fetchedAt } = record;
  return ok({
    page,
    url,
    title,
    date,
    fetchedAt: new Date(fetchedAt).toISOString(),
    chars: whole.length,
    start,
    end,
    text: whole.slice(start, end),
    quote: quote === null ? null : { id: quote.id, start: quote.start, end: quote.end },
  });
}

const splitsPair = (text: string, at: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1));
const pairStart = (text: string, at: number): number => (splitsPair(text, at) ? at - 1 : at);
const pairEnd = (text: string, at: number): number => (splitsPair(text, at) ? at + 1 : at);

import type { Result } from "../../../core/log/result.ts";
import type { FetchFault } from "../fetch-fault.ts";
import type { Resolve } from "../resolve.ts";
import { safeFetch, statusFault } from "../safe-fetch.ts";
import type { WebServices } from "../services.ts";
import { PAGE_TYPES, readPage, type PageContent } from "./page.ts";

/**
 * The page at an address, fetched safely. A status that is no success is a fault. `signal` is that of all pages of a call: what
 * it cuts is a fault too; what `stopped`, the call's own, cuts is thrown.
 */
export async function readUrl(
  url: string,
  { access, toText }: Pick<WebServices, "access" | "toText">,
  resolve: Resolve,
  signal: AbortSignal,
  stopped: AbortSignal,
): Promise<Result<PageContent, FetchFault>> {
  try {
    const got = await safeFetch(access, { url, signal, resolve, types: PAGE_TYPES });
    if (!got.ok) return got;
    const { status } = got.value;
    if (status < 200 || status > 299) return { ok: false, error: statusFault(got.value) };
    return await readPage(got.value, toText, signal);
  } catch (error) {
    if (!signal.aborted || stopped.aborted) throw error;
    return { ok: false, error: { class: "timeout", code: "timed_out", message: "It did not come in time." } };
  }
}

import { loadDocuments } from "../../../../build/modules/documents.ts";
import { err, ok, type Result } from "../../../cairn/core/log/result.ts";
import type { FetchFault } from "../../../cairn/outbound/fetch-fault.ts";
import type { Resolve } from "../../../cairn/outbound/resolve.ts";
import { safeFetch, statusFault } from "../../../cairn/outbound/safe-fetch.ts";
import type { WebServices } from "../services.ts";
import { needsScript } from "./needs-script.ts";
import { PAGE_TYPES, type PageContent } from "../../../cairn/documents/page.ts";
import { render } from "./render.ts";

type Read = Result<PageContent, FetchFault>;
type Services = Pick<WebServices, "access" | "toText" | "browser">;

/**
 * The page at an address, fetched safely, and as a browser shows it where it is empty without one. A status that is no success
 * is a fault. `signal` is that of all pages of a call: what it cuts is a fault too; what `stopped`, the call's own, cuts is thrown.
 */
export async function readUrl(
  url: string,
  services: Services,
  resolve: Resolve,
  signal: AbortSignal,
  stopped: AbortSignal,
): Promise<Read> {
  try {
    return await fetchPage(url, services, resolve, signal);
  } catch (error) {
    if (!signal.aborted || stopped.aborted) throw error;
    return { ok: false, error: { class: "timeout", code: "timed_out", message: "It did not come in time." } };
  }
}

async function fetchPage(
  url: string,
  { access, toText, browser }: Services,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Read> {
  const got = await safeFetch(access, { url, signal, resolve, types: PAGE_TYPES });
  if (!got.ok) return got;
  const response = got.value;
  if (response.status < 200 || response.status > 299) return { ok: false, error: statusFault(response) };
  const { htmlIn, readMarkup, readPage } = await loadDocuments();
  const page = await readPage(response, toText, signal);
  const html = htmlIn(response);
  if (html === null || !needsScript(html, page.ok ? page.value.text : "", readMarkup)) return page;
  if (browser === null) return withoutScripts(page, unbound(new URL(response.url).host));
  const shown = await render(browser, response.url, { access, resolve, signal });
  if (!shown.ok) return withoutScripts(page, shown.error);
  const bytes = new TextEncoder().encode(shown.value.html);
  const read = await readPage({ ...response, url: shown.value.url, charset: "utf-8", bytes }, toText, signal);
  return read.ok ? ok({ ...read.value, scripts: { run: true } }) : withoutScripts(page, read.error);
}

/** The page without its scripts, and why they did not run; only the reason if there is no text. */
const withoutScripts = (page: Read, why: FetchFault): Read =>
  page.ok ? ok({ ...page.value, scripts: { run: false, why: why.message } }) : err(why);

const unbound = (host: string): FetchFault => ({
  class: "not_found",
  code: "needs_javascript",
  message: `${host} needs JavaScript for this page, and no browser is bound here (BROWSER).`,
});

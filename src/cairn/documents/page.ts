import { startOf } from "../core/text/cut.ts";
import { err, ok, type Result } from "../core/log/result.ts";
import type { PageLink } from "../core/log/receipt.ts";
import { pageText } from "../core/text/quotes.ts";
import { readPdf, type PdfText } from "./pdf.ts";
import { decode } from "../outbound/decode.ts";
import type { FetchFault } from "../outbound/fetch-fault.ts";
import type { SafeResponse } from "../outbound/safe-fetch.ts";
import { readHtml } from "./html.ts";

/** A response as a page: its text, whatever it came as. */

/** characters of one page that are stored; the rest is cut, with a note */
export const PAGE_CHARS_MAX = 1_000_000;
/** what of a text is looked at: blanks and line ends that are left out of the page count */
export const RAW_CHARS_MAX = 2 * PAGE_CHARS_MAX;
export const PAGE_TYPES = [
  "text/",
  "application/xhtml+xml",
  "application/xml",
  "application/json",
  "application/pdf",
];
const TITLE_CHARS_MAX = 300;
const DATE_CHARS_MAX = 40;

/** Turns a file of another kind into text, such as a PDF into Markdown; throws what it throws. */
export type ToText = (file: {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}) => Promise<string>;

export interface PageContent {
  readonly url: string;
  readonly title: string;
  readonly date: string | null;
  readonly text: string;
  readonly links: readonly PageLink[];
  readonly cut: boolean;
  /** of a page that is next to empty without its scripts: whether a browser has run them */
  readonly scripts?: { readonly run: true } | { readonly run: false; readonly why: string };
}

/** `toText`: null where there is none, and what it fails at is read here. Faults: those of `readPdf`, `no_text`. Throws when the signal aborts. */
export async function readPage(
  response: SafeResponse,
  toText: ToText | null,
  signal: AbortSignal,
): Promise<Result<PageContent, FetchFault>> {
  const { url, type, bytes } = response;
  const name = decoded(new URL(url).pathname.split("/").at(-1) ?? "") || new URL(url).host;
  if (type === "application/pdf" || startsAsPdf(bytes)) {
    const pdf = await pdfText({ name, type: "application/pdf", bytes }, toText, signal);
    if (!pdf.ok) return pdf;
    return whole(url, { ...pdf.value, title: pdf.value.title || name, date: null, links: [] });
  }
  const html = htmlIn(response);
  return whole(
    url,
    html === null ? { title: name, date: null, text: textIn(response), links: [] } : readHtml(html, url),
  );
}

/** Returns the HTML of a response; null if the response is not HTML. */
export function htmlIn(response: SafeResponse): string | null {
  const { type, bytes } = response;
  if (type === "application/pdf" || startsAsPdf(bytes)) return null;
  const text = textIn(response);
  return type === "text/html" ||
    type === "application/xhtml+xml" ||
    /^\s*(?:<!doctype html|<html)/i.test(text)
    ? text
    : null;
}

function whole(
  url: string,
  {
    title,
    date,
    text: raw,
    links,
    cut: isCut = false,
  }: Omit<PageContent, "url" | "cut" | "scripts"> & { readonly cut?: boolean },
): Result<PageContent, FetchFault> {
  const text = pageText(raw.slice(0, RAW_CHARS_MAX));
  const { host } = new URL(url);
  if (text === "") {
    return err({ class: "not_found", code: "no_text", message: `${host} has no text on this page.` });
  }
  const cut = isCut || raw.length > RAW_CHARS_MAX || text.length > PAGE_CHARS_MAX;
  return ok({
    url,
    title: startOf(pageText(title).replaceAll("\n", " "), TITLE_CHARS_MAX) || host,
    date: date === null ? null : pageText(date).slice(0, DATE_CHARS_MAX),
    text: startOf(text, PAGE_CHARS_MAX).toWellFormed(),
    links,
    cut,
  });
}

/** By the binding AI, which sees tables and pictures too; where it cannot, page by page. */
async function pdfText(
  file: Parameters<ToText>[0],
  toText: ToText | null,
  signal: AbortSignal,
): Promise<Result<Pick<PdfText, "title" | "text" | "cut">, FetchFault>> {
  try {
    if (toText !== null) return ok({ title: "", text: await toText(file), cut: false });
  } catch {
    signal.throwIfAborted();
  }
  return readPdf(file.bytes, { charsMax: PAGE_CHARS_MAX, signal });
}

const startsAsPdf = (bytes: Uint8Array): boolean => String.fromCharCode(...bytes.subarray(0, 5)) === "%PDF-";

/** Decodes by the response's charset, else by the page's own, else UTF-8. */
function textIn({ bytes, charset }: SafeResponse): string {
  const head = String.fromCharCode(...bytes.subarray(0, 1_024));
  return decode(bytes, charset ?? /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ?? null);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

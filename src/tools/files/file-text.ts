import { ok, type Result } from "../../core/log/result.ts";
import type { PageLink } from "../../core/log/receipt.ts";
import { pageText } from "../../core/text/quotes.ts";
import { readHtml } from "../web/reading/html.ts";
import { PAGE_CHARS_MAX } from "../web/reading/page.ts";
import { rowLine, rowsOf } from "./delimited.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { checkPdf, readPdf } from "./pdf.ts";
import { decodeText, kindOf, type FileKind } from "./kinds.ts";
import { checkOffice, readDocx, readXlsx } from "./office.ts";

/** A file as text, with marks of its pages and rows, in the form in which a page of the session is kept. */

export interface FileText {
  /** as the file says it; empty where it says none */
  readonly title: string;
  readonly date: string | null;
  readonly text: string;
  readonly links: readonly PageLink[];
  /** more of it was there than is kept */
  readonly cut: boolean;
  readonly pages?: number;
  readonly rows?: number;
}

/** What it is, once it is certain that it can be opened. Faults as `kindOf`, `checkPdf` and `unpack`. */
export async function checkFile(name: string, bytes: Uint8Array): Promise<Result<FileKind, FileFault>> {
  const kind = kindOf(name, bytes);
  if (!kind.ok) return kind;
  const { value } = kind;
  const checked =
    value === "pdf" ? await checkPdf(bytes) : isOffice(value) ? checkOffice(value, bytes) : kind;
  return checked.ok ? kind : checked;
}

const isOffice = (kind: FileKind): kind is "docx" | "xlsx" => kind === "docx" || kind === "xlsx";

/** Faults: those of `checkFile`, and `no_text`. Throws when the signal aborts. */
export async function readFileText(
  name: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Result<FileText, FileFault>> {
  const kind = kindOf(name, bytes);
  if (!kind.ok) return kind;
  const raw = await rawText(kind.value, bytes, signal);
  if (!raw.ok) return raw;
  const text = pageText(raw.value.text);
  if (text === "")
    return fault("invalid_args", "no_text", "The file has no text.", "Ask for one that says something.");
  const cut = raw.value.cut || text.length > PAGE_CHARS_MAX;
  return ok({ ...raw.value, text: text.slice(0, PAGE_CHARS_MAX).toWellFormed(), cut });
}

async function rawText(
  kind: FileKind,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Result<FileText, FileFault>> {
  const plain = { title: "", date: null, links: [], cut: false };
  if (kind === "pdf") {
    const read = await readPdf(bytes, { charsMax: PAGE_CHARS_MAX, signal });
    return read.ok ? ok({ ...plain, ...read.value }) : read;
  }
  if (kind === "docx") {
    const read = readDocx(bytes);
    return read.ok ? ok({ ...plain, text: read.value }) : read;
  }
  if (kind === "xlsx") {
    const read = readXlsx(bytes, PAGE_CHARS_MAX);
    return read.ok ? ok({ ...plain, ...read.value }) : read;
  }
  const text = decodeText(bytes) ?? "";
  if (kind === "html") return ok({ ...plain, ...readHtml(text, "about:blank") });
  return ok({ ...plain, ...(kind === "csv" ? tableText(text) : { text }) });
}

function tableText(table: string): Pick<FileText, "text" | "rows" | "cut"> {
  let text = "";
  let rows = 0;
  for (const cells of rowsOf(table)) {
    if (text.length > PAGE_CHARS_MAX) return { text, rows, cut: true };
    text += rowLine(++rows, cells);
  }
  return { text, rows, cut: false };
}

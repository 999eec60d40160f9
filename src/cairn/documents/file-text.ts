import { startOf } from "../core/text/cut.ts";
import { ok, type Result } from "../core/log/result.ts";
import type { PageLink } from "../core/log/receipt.ts";
import { pageText } from "../core/text/quotes.ts";
import { readHtml } from "./html.ts";
import { PAGE_CHARS_MAX, RAW_CHARS_MAX } from "./page.ts";
import { rowLine, rowsOf } from "./delimited.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { TEXT_BYTES_MAX } from "./limits.ts";
import { checkPdf, readPdf } from "./pdf.ts";
import { decodeText, kindOf, type FileKind } from "./kinds.ts";
import { checkOffice } from "./office-package.ts";
import { readDocx } from "./word.ts";
import { readXlsx } from "./workbook.ts";

/** A file as text, with marks of its pages and rows, in the stored form of a page. */

export interface FileText {
  /** as stated in the file; may be empty */
  readonly title: string;
  readonly date: string | null;
  readonly text: string;
  readonly links: readonly PageLink[];
  /** the file had more text than is stored */
  readonly cut: boolean;
  readonly pages?: number;
  readonly rows?: number;
}

/** Returns the kind of a file after checking that it can be opened. Faults as for `kindOf`, `checkPdf` and `unpack`. */
export async function checkFile(name: string, bytes: Uint8Array): Promise<Result<FileKind, FileFault>> {
  const kind = kindOf(name, bytes);
  if (!kind.ok) return kind;
  const { value } = kind;
  const checked = value === "pdf" ? await checkPdf(bytes) : isOffice(value) ? checkOffice(bytes) : kind;
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
  const text = pageText(raw.value.text.slice(0, RAW_CHARS_MAX));
  if (text === "")
    return fault("invalid_args", "no_text", "The file has no text.", "Ask for one that says something.");
  const cut = raw.value.cut || raw.value.text.length > RAW_CHARS_MAX || text.length > PAGE_CHARS_MAX;
  return ok({ ...raw.value, text: startOf(text, PAGE_CHARS_MAX).toWellFormed(), cut });
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
    const read = readDocx(bytes, PAGE_CHARS_MAX);
    return read.ok ? ok({ ...plain, ...read.value }) : read;
  }
  if (kind === "xlsx") {
    const read = readXlsx(bytes, PAGE_CHARS_MAX);
    return read.ok ? ok({ ...plain, ...read.value }) : read;
  }
  const text = decodeText(bytes) ?? "";
  const rest = bytes.length > TEXT_BYTES_MAX;
  const read = kind === "html" ? readHtml(text, "about:blank") : kind === "csv" ? tableText(text) : { text };
  return ok({ ...plain, ...read, cut: rest || ("cut" in read && read.cut) });
}

function tableText(table: string): Pick<FileText, "text" | "rows" | "cut"> {
  const lines: string[] = [];
  let chars = 0;
  let rows = 0;
  let cut = false;
  for (const row of rowsOf(table)) {
    if (chars > PAGE_CHARS_MAX) return { text: lines.join(""), rows, cut: true };
    const line = rowLine(row.number, row.cells);
    rows = row.number;
    cut ||= row.cut;
    chars += line.length;
    lines.push(line);
  }
  return { text: lines.join(""), rows, cut };
}

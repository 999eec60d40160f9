import { loadPdfJs } from "../../../build/modules/pdf.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { PDF_PAGES_MAX } from "./limits.ts";
import { unpacksTooFar } from "./pdf-streams.ts";

/** The text of a PDF, by pdf.js. It runs no script of the file, draws nothing and asks no network. */

type PdfDocument = Awaited<ReturnType<Awaited<ReturnType<typeof loadPdfJs>>["getDocument"]>["promise"]>;

export interface PdfText {
  /** each page behind a line such as `[page 3]` */
  readonly text: string;
  readonly title: string;
  readonly pages: number;
  /** it has more text than was wanted */
  readonly cut: boolean;
}

/** That it can be read, without reading it: its pages. Faults as `readPdf`. */
export async function checkPdf(bytes: Uint8Array): Promise<Result<number, FileFault>> {
  return within(bytes, null, async ({ numPages }) => Promise.resolve(ok(numPages)));
}

/**
 * At most about `charsMax` characters of it. Faults: `pdf_encrypted`, `pdf_pages`, `pdf_unreadable`, `too_large`, `no_text`.
 * Throws when the signal aborts.
 */
export async function readPdf(
  bytes: Uint8Array,
  { charsMax, signal }: { readonly charsMax: number; readonly signal: AbortSignal },
): Promise<Result<PdfText, FileFault>> {
  return within(bytes, signal, async (document) => {
    let text = "";
    let said = 0;
    let page = 0;
    while (page < document.numPages && text.length <= charsMax) {
      signal.throwIfAborted();
      const words = await pageWords(document, ++page);
      said += words.trim().length;
      text += `[page ${page}]\n${words}\n`;
    }
    if (said === 0)
      return fault(
        "invalid_args",
        "no_text",
        "The PDF has no text: its pages are pictures.",
        "Ask for a PDF with text, or for the pages as images.",
      );
    const { info } = await document.getMetadata();
    const title = "Title" in info && typeof info.Title === "string" ? info.Title : "";
    return ok({ text, title, pages: document.numPages, cut: page < document.numPages });
  });
}

async function pageWords(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
}

async function within<Value>(
  bytes: Uint8Array,
  signal: AbortSignal | null,
  read: (document: PdfDocument) => Promise<Result<Value, FileFault>>,
): Promise<Result<Value, FileFault>> {
  if (unpacksTooFar(bytes))
    return fault(
      "too_large",
      "too_large",
      "The PDF is too large once it is unpacked.",
      "Send the pages that matter as a PDF of their own.",
    );
  const { getDocument } = await loadPdfJs();
  const loading = getDocument({
    // It takes the bytes away from whoever hands them over.
    data: bytes.slice(),
    ...{ verbosity: 0, disableFontFace: true, useSystemFonts: false, useWasm: false, useWorkerFetch: false },
  });
  try {
    const document = await loading.promise;
    if (document.numPages > PDF_PAGES_MAX)
      return fault(
        "too_large",
        "pdf_pages",
        `The PDF has ${document.numPages} pages; at most ${PDF_PAGES_MAX} are read.`,
        "Send the pages that matter as a PDF of their own.",
      );
    return await read(document);
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return err(faultOf(error));
  } finally {
    await loading.destroy();
  }
}

/** By the names that pdf.js gives its errors. */
function faultOf(error: unknown): FileFault {
  if (error instanceof Error && error.name === "PasswordException")
    return {
      ...{ class: "invalid_args", code: "pdf_encrypted", message: "The PDF is locked with a password." },
      hint: "Save it without the password, and send that.",
    };
  return {
    ...{ class: "invalid_args", code: "pdf_unreadable", message: "The PDF is damaged: it cannot be read." },
    hint: "Open it, save it again as a PDF, and send that.",
  };
}

import { loadPdfJs } from "../../../build/modules/pdf.ts";
import { err, ok, type Result } from "../core/log/result.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { PDF_PAGES_MAX, PDF_STEPS_MAX, PDF_STEPS_PER_CHAR } from "./limits.ts";

/** The text of a PDF, by pdf.js. It runs no script of the file, draws nothing and asks no network. */

type PdfJs = Awaited<ReturnType<typeof loadPdfJs>>;
type PdfDocument = Awaited<ReturnType<PdfJs["getDocument"]>["promise"]>;

type TextContent = Awaited<ReturnType<Awaited<ReturnType<PdfDocument["getPage"]>>["getTextContent"]>>;
type Read<Value> = (document: PdfDocument, pdfJs: PdfJs) => Promise<Result<Value, FileFault>>;

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
  return withDocument(bytes, null, async ({ numPages }) => Promise.resolve(ok(numPages)));
}

/**
 * At most about `charsMax` characters of it. Faults: `pdf_encrypted`, `pdf_pages`, `pdf_unreadable`, `too_large`, `no_text`.
 * Throws when the signal aborts.
 */
export async function readPdf(
  bytes: Uint8Array,
  { charsMax, signal }: { readonly charsMax: number; readonly signal: AbortSignal },
): Promise<Result<PdfText, FileFault>> {
  return withDocument(bytes, signal, async (document, { areStepsSpent, addSteps }) => {
    let text = "";
    let chars = 0;
    let page = 0;
    while (page < document.numPages && text.length <= charsMax && !areStepsSpent()) {
      signal.throwIfAborted();
      const words = await pageWords(document, ++page, charsMax);
      chars += words.trim().length;
      if (!areStepsSpent()) addSteps(words.length * PDF_STEPS_PER_CHAR);
      text += `[page ${page}]\n${words}\n`;
    }
    const spent = areStepsSpent();
    if (chars === 0 && spent) return TOO_MANY_STEPS;
    if (chars === 0)
      return fault(
        "invalid_args",
        "no_text",
        "The PDF has no text: its pages are pictures.",
        "Ask for a PDF with text, or for the pages as images.",
      );
    const title = spent ? "" : await titleOf(document);
    return ok({ text, title, pages: document.numPages, cut: spent || page < document.numPages });
  });
}

async function titleOf(document: PdfDocument): Promise<string> {
  const { info } = await document.getMetadata();
  return "Title" in info && typeof info.Title === "string" ? info.Title : "";
}

/** About so many characters at most: pdf.js writes no further than the stream is read. */
async function pageWords(document: PdfDocument, number: number, charsMax: number): Promise<string> {
  const page = await document.getPage(number);
  const chunks = page.streamTextContent() as ReadableStream<TextContent>;
  let words = "";
  // To leave the loop cancels the stream.
  for await (const { items } of chunks) {
    for (const item of items) if ("str" in item) words += item.str + (item.hasEOL ? "\n" : "");
    if (words.length > charsMax) break;
  }
  page.cleanup();
  return words;
}

const TOO_MANY_STEPS = fault(
  "too_large",
  "too_large",
  "The PDF takes too long to read: its pages have too many parts.",
  "Send the pages that matter as a PDF of their own.",
);

/** The document that is read now. Its steps are counted, so the next one waits for it. */
let reading: Promise<unknown> = Promise.resolve();

function withDocument<Value>(
  bytes: Uint8Array,
  signal: AbortSignal | null,
  read: Read<Value>,
): Promise<Result<Value, FileFault>> {
  const done = reading.then(() => readAlone(bytes, signal, read));
  reading = done.catch(() => undefined);
  return done;
}

async function readAlone<Value>(
  bytes: Uint8Array,
  signal: AbortSignal | null,
  read: Read<Value>,
): Promise<Result<Value, FileFault>> {
  signal?.throwIfAborted();
  const pdfJs = await loadPdfJs();
  const { getDocument, limitSteps, areStepsSpent } = pdfJs;
  limitSteps(PDF_STEPS_MAX);
  const loading = getDocument({
    // The parser takes ownership of the bytes, so it gets a copy.
    data: bytes.slice(),
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    useWorkerFetch: false,
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
    return await read(document, pdfJs);
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return areStepsSpent() ? TOO_MANY_STEPS : err(faultOf(error));
  } finally {
    await loading.destroy();
  }
}

/** By the names that pdf.js gives its errors. */
function faultOf(error: unknown): FileFault {
  if (error instanceof Error && error.name === "PasswordException")
    return {
      class: "invalid_args",
      code: "pdf_encrypted",
      message: "The PDF is locked with a password.",
      hint: "Save it without the password, and send that.",
    };
  return {
    class: "invalid_args",
    code: "pdf_unreadable",
    message: "The PDF is damaged: it cannot be read.",
    hint: "Open it, save it again as a PDF, and send that.",
  };
}

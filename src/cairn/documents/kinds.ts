import { ok, type Result } from "../core/log/result.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { TEXT_BYTES_MAX } from "./limits.ts";
import { openPackage } from "./office-package.ts";

/** Detects the kind of a file by its bytes, and for text by the extension, because text looks alike. */

export const TYPES = {
  text: "text/plain",
  markdown: "text/markdown",
  html: "text/html",
  csv: "text/csv",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;
export type FileKind = keyof typeof TYPES;

/** Endings of text; no ending is text too. */
const ENDINGS: ReadonlyMap<string, FileKind> = new Map([
  ...["", "txt", "text", "log", "json", "xml", "yaml", "yml"].map((one) => [one, "text"] as const),
  ...["md", "markdown"].map((one) => [one, "markdown"] as const),
  ...["html", "htm"].map((one) => [one, "html"] as const),
  ...["csv", "tsv"].map((one) => [one, "csv"] as const),
]);
const OTHER_ENDINGS = new Set(["pdf", "docx", "xlsx", "doc", "xls", "zip"]);

export const ACCEPTED =
  "Text, Markdown, HTML, CSV, PDF, Word (.docx) and Excel (.xlsx) are accepted, up to 20 MB; of a PDF up to 500 pages.";

/** `""` where there is none */
export const endingOf = (name: string): string =>
  /\.([A-Za-z0-9]{1,20})$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** True if the bytes or the name indicate a document, so that faults are worded for a document. */
export function looksLikeDocument(name: string, bytes: Uint8Array): boolean {
  const ending = endingOf(name);
  return startsWith(bytes, PDF) || startsWith(bytes, ZIP) || OTHER_ENDINGS.has(ending) || ENDINGS.has(ending);
}

const PDF = "%PDF-";
const ZIP = "PK\u0003\u0004";

/** Faults: `unsupported_media`, `empty_file`, and those of `unpack`. */
export function kindOf(name: string, bytes: Uint8Array): Result<FileKind, FileFault> {
  if (bytes.length === 0)
    return fault("invalid_args", "empty_file", "The file is empty.", "Send one that says something.");
  if (startsWith(bytes, PDF)) return ok("pdf");
  if (startsWith(bytes, ZIP)) return officeKind(bytes);
  const ending = endingOf(name);
  if (startsWith(bytes, "\u00d0\u00cf\u0011\u00e0"))
    return refuse(
      "It is an office file of the old kind, or one with a password.",
      "Save it as .docx or .xlsx without a password.",
    );
  const kind = ENDINGS.get(ending);
  if (kind === undefined) return refuse(`It is named .${ending}, and its bytes are not that of such a file.`);
  const text = decodeText(bytes);
  if (text === null) return refuse("It is no text, whatever its name says.");
  return ok(kind === "text" && isHtml(text) ? "html" : kind);
}

const isHtml = (text: string): boolean => /^\s*(?:<!doctype html|<html)/i.test(text);

function officeKind(bytes: Uint8Array): Result<FileKind, FileFault> {
  const opened = openPackage(bytes);
  if (!opened.ok) return opened;
  if (opened.value !== null) return ok(opened.value.kind);
  return refuse("It is an archive.", `Send the files in it one by one. ${ACCEPTED}`);
}

const refuse = (message: string, hint = ACCEPTED): Result<never, FileFault> =>
  fault("invalid_args", "unsupported_media", message, hint);

const startsWith = (bytes: Uint8Array, text: string): boolean =>
  [...text].every((char, at) => bytes[at] === char.charCodeAt(0));

/**
 * The first 8 MB of a text: by their byte order mark, as UTF-8, else as Windows-1252. Null for bytes that are no text. More is
 * never needed: a page of a session has a million characters.
 */
export function decodeText(all: Uint8Array): string | null {
  const bytes = all.subarray(0, TEXT_BYTES_MAX);
  const [first, second] = bytes;
  const marked =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : null;
  const text = decoded(bytes, marked ?? "utf-8") ?? (marked === null ? decoded(bytes, "windows-1252") : null);
  // No text has these, and almost everything else does.
  return text === null || hasControls(text) ? null : text;
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const hasControls = (text: string): boolean => /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);

function decoded(bytes: Uint8Array, charset: string): string | null {
  try {
    const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: false });
    // Where the text goes on, its last character may be cut in two.
    return decoder.decode(bytes, { stream: bytes.length === TEXT_BYTES_MAX });
  } catch {
    return null;
  }
}

import { readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import { readFileText } from "../../src/cairn/documents/file-text.ts";

/** An office file of these parts; a part is text, or bytes in another encoding. */
export const officeFile = (parts: Readonly<Record<string, string | Uint8Array>>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [name, typeof part === "string" ? strToU8(part) : part]),
    ),
  );

/** A part of relationships: id, the last word of the type, target. */
export const relations = (
  rows: readonly (readonly [string, string, string])[],
  namespace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${rows
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${namespace}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;

/** The bytes of a file, by its path. */
export const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(file));

/** The text of a file as `read_file` has it; the code in angle brackets where it is refused. */
export async function fileText(name: string, bytes: Uint8Array): Promise<string> {
  const read = await readFileText(name, bytes, new AbortController().signal);
  return read.ok ? read.value.text : `<${read.error.code}>`;
}

import { deflateSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";

/** Small files of every kind, made by hand, so that a test says what is in them. */

const latin = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

interface PdfWish {
  /** its password is none that anybody has */
  readonly locked?: boolean;
  /** what a page says instead of its words */
  readonly content?: Uint8Array;
  readonly title?: string;
  /** how often the content is packed */
  readonly packed?: number;
}

/** A PDF with a page for each text, a line for each of its lines. */
export function pdf(pages: readonly string[], wish: PdfWish = {}): Uint8Array<ArrayBuffer> {
  const { locked = false, content, title = "", packed = 1 } = wish;
  const kids = pages.map((_, index) => `${5 + 2 * index} 0 R`).join(" ");
  const objects: Uint8Array[] = [
    latin("<< /Type /Catalog /Pages 2 0 R >>"),
    latin(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    latin("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    latin(`<< /Title (${title}) >>`),
  ];
  for (const [index, text] of pages.entries()) {
    const lines = text.split("\n").map((line) => `(${line}) Tj T*`);
    let stream = content ?? latin(`BT /F1 12 Tf 14 TL 72 720 Td\n${lines.join("\n")}\nET`);
    for (let time = 0; time < packed; time++) stream = deflateSync(stream);
    const filters = Array.from({ length: packed }, () => "/FlateDecode").join(" ");
    objects.push(
      latin(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + 2 * index} 0 R >>`,
      ),
      joined([
        latin(`<< /Filter [${filters}] /Length ${stream.length} >>\nstream\n`),
        stream,
        latin("\nendstream"),
      ]),
    );
  }
  const secret = "00".repeat(32);
  if (locked) objects.push(latin(`<< /Filter /Standard /V 1 /R 2 /O <${secret}> /U <${secret}> /P -4 >>`));
  const places: number[] = [];
  const pieces: Uint8Array[] = [latin("%PDF-1.4\n")];
  let at = 9;
  const add = (piece: Uint8Array): void => {
    pieces.push(piece);
    at += piece.length;
  };
  for (const [index, object] of objects.entries()) {
    places.push(at);
    add(joined([latin(`${index + 1} 0 obj\n`), object, latin("\nendobj\n")]));
  }
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const lock = locked ? ` /Encrypt ${objects.length} 0 R /ID [<${secret}> <${secret}>]` : "";
  add(
    latin(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer << /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R${lock} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return joined(pieces);
}

const archive = (parts: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));

/** A Word file with this body, in the words of WordprocessingML. */
export const docx = (body: string): Uint8Array<ArrayBuffer> =>
  archive({
    "[Content_Types].xml": "<Types/>",
    "word/document.xml": `<?xml version="1.0"?><w:document xmlns:w="x"><w:body>${body}</w:body></w:document>`,
  });

/** A paragraph. */
export const paragraph = (text: string, style = ""): string =>
  `<w:p>${style === "" ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

/** A workbook: the XML of the rows of each sheet, by its name. */
export function xlsx(
  sheets: Readonly<Record<string, string>>,
  strings: readonly string[] = [],
): Uint8Array<ArrayBuffer> {
  const names = Object.keys(sheets);
  return archive({
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml": `<workbook xmlns:r="r"><sheets>${names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${names.map((_, at) => `<Relationship Id="rId${at + 1}" Target="worksheets/sheet${at + 1}.xml"/>`).join("")}</Relationships>`,
    "xl/sharedStrings.xml": `<sst>${strings.map((text) => `<si><r><t>${text}</t></r></si>`).join("")}</sst>`,
    // The second style shows a date.
    "xl/styles.xml": `<styleSheet><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  });
}

/** An archive of files that are none of an office. */
export const zip = (): Uint8Array<ArrayBuffer> => archive({ "a.txt": "a" });

export const textBytes = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(text));

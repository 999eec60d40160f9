import { zlibSync } from "fflate";
import { readFileText } from "../../src/cairn/documents/file-text.ts";
import type { Input } from "./parsers.ts";

/** PDFs whose reader would run for seconds or for ever: what they unpack to, name, nest or repeat is far more than they are. */

const MIB = 1_048_576;
const FILE_BYTES = 20 * MIB;
/** what a page of 16 KB unpacks to: half of the steps that a PDF may take, so that the other half is for what is in it */
const PAGE_BYTES = 16 * MIB;
const never = new AbortController().signal;

type Row = readonly [name: string, make: () => Input];
interface Stream {
  readonly dict: string;
  readonly data: Uint8Array;
}
type Part = string | Stream;

const latin = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

/** Exactly so many bytes: the head, and the unit as often as it has room. */
function repeated(unit: string, bytes: number, head = ""): Uint8Array {
  const all = new Uint8Array(bytes).fill(0x20);
  all.set(latin(head));
  const once = latin(unit);
  all.set(once, head.length);
  const end = head.length + Math.floor((bytes - head.length) / once.length) * once.length;
  for (let done = once.length; head.length + done < end; done *= 2)
    all.copyWithin(head.length + done, head.length, Math.min(head.length + done, end - done));
  return all;
}

const plain = (text: string, dict = ""): Stream => ({ dict, data: latin(text) });
const packed = (data: Uint8Array, dict = ""): Stream => ({
  dict: `${dict} /Filter /FlateDecode`,
  data: zlibSync(data),
});

function pdfOf(parts: readonly Part[]): Uint8Array {
  const pieces: Uint8Array[] = [latin("%PDF-1.4\n")];
  const places: number[] = [];
  let at = 9;
  const add = (piece: Uint8Array): void => {
    pieces.push(piece);
    at += piece.length;
  };
  for (const [index, part] of parts.entries()) {
    places.push(at);
    add(latin(`${index + 1} 0 obj\n`));
    if (typeof part === "string") add(latin(part));
    else {
      add(latin(`<< ${part.dict} /Length ${part.data.length} >>\nstream\n`));
      add(part.data);
      add(latin("\nendstream"));
    }
    add(latin("\nendobj\n"));
  }
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = parts.length + 1;
  add(
    latin(
      `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  const all = new Uint8Array(at);
  let end = 0;
  for (const piece of pieces) {
    all.set(piece, end);
    end += piece.length;
  }
  return all;
}

const HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
const TEXT = "BT /F1 12 Tf 14 TL 72 720 Td ";

/** A PDF of one page; the first of `more` is object 6. */
const page = (
  content: Stream,
  more: readonly Part[] = [],
  { resources = "", font = HELVETICA } = {},
): Uint8Array =>
  pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    font,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> ${resources} >> /Contents 5 0 R >>`,
    content,
    ...more,
  ]);

const FORM_LEVELS = 9;
const FORMS = 10;
/** Each form draws the ten of the next level: a thousand million in all, of 20 KB. */
function nestedForms(innermost: string): Uint8Array {
  const named = (level: number): string =>
    `/XObject << ${Array.from({ length: FORMS }, (_, at) => `/X${at} ${6 + level * FORMS + at} 0 R`).join(" ")} >>`;
  const draws = Array.from({ length: FORMS }, (_, at) => `/X${at} Do`).join(" ");
  const forms = Array.from({ length: FORM_LEVELS * FORMS }, (_, at) => {
    const level = Math.floor(at / FORMS) + 1;
    const isLast = level === FORM_LEVELS;
    return plain(
      isLast ? innermost : draws,
      `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> ${isLast ? "" : named(level)} >>`,
    );
  });
  return page(plain(draws), forms, { resources: named(0) });
}

const FONTS = 20_000;
function manyFonts(): Uint8Array {
  const each = (write: (at: number) => string): string =>
    Array.from({ length: FONTS }, (_, at) => write(at)).join(" ");
  return page(
    plain(`BT ${each((at) => `/G${at} 1 Tf (a) Tj`)} ET`),
    Array.from(
      { length: FONTS },
      (_, at) => `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar ${at} >>`,
    ),
    { resources: `/Font << ${each((at) => `/G${at} ${6 + at} 0 R`)} >>` },
  );
}

const font = (entries: string, ...more: readonly Part[]): Uint8Array =>
  page(plain(`${TEXT}(a) Tj ET`), more, {
    font: `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica ${entries} >>`,
  });

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const row = (name: string, make: () => Uint8Array): Row => [
  `a PDF of ${name}`,
  () => {
    const bytes = make();
    return () => readFileText("a.pdf", bytes, never);
  },
];
/** A page of one operator, over and over. */
const operators = (unit: string, head = TEXT): Row =>
  row(`a page of ${JSON.stringify(unit)}`, () => page(packed(repeated(unit, PAGE_BYTES, head))));
/** A file that has no table of its objects, so that they are looked for. */
const damaged = (unit: string): Row =>
  row(`nothing but ${JSON.stringify(unit)}`, () => repeated(unit, FILE_BYTES, "%PDF-1.5\n"));

export const PDFS: readonly Row[] = [
  operators("q Q "),
  operators("(a) Tj T* "),
  operators("(a)-9 ", `${TEXT}[`),
  operators("a", `${TEXT}(`),
  operators("[", ""),
  operators("<<", ""),
  operators("/F1 1 Tf /F1 2 Tf "),
  operators("/X Do "),
  operators("/a BMC "),
  operators("BI ID EI ", ""),
  row("forms in one another, without a word", () => nestedForms("")),
  row("forms in one another, with a word each", () => nestedForms(`${TEXT}(a) Tj ET`)),
  row("a page that unpacks to 512 MiB", () => page(packed(repeated("q Q ", 512 * MIB)))),
  row("a page that is packed twice", () =>
    page({
      dict: "/Filter [/FlateDecode /FlateDecode]",
      data: zlibSync(zlibSync(repeated("q Q ", 9 * PAGE_BYTES))),
    }),
  ),
  row("a page whose packing is hidden", () =>
    page({
      dict: "/Filter [/ASCIIHexDecode /FlateDecode]",
      data: latin(`${hex(zlibSync(repeated("q Q ", PAGE_BYTES)))}>`),
    }),
  ),
  row("run lengths", () =>
    page({ dict: "/Filter /RunLengthDecode", data: repeated("\x81 ", FILE_BYTES - 2_000) }),
  ),
  row("zeros in few signs", () =>
    page({ dict: "/Filter /ASCII85Decode", data: repeated("z", FILE_BYTES - 2_000) }),
  ),
  row("a CMap that names 16 million signs", () =>
    font("/ToUnicode 6 0 R", plain("begincmap 1 beginbfrange <000000> <fffffe> <0041> endbfrange endcmap")),
  ),
  row("a CMap of many ranges", () =>
    font("/ToUnicode 6 0 R", packed(repeated("1 beginbfrange <0000> <ffff> <0041> endbfrange ", PAGE_BYTES))),
  ),
  row("widths of two thousand million signs", () =>
    page(
      plain(`${TEXT}(a) Tj ET`),
      [
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [0 2000000000 500] >>",
      ],
      {
        font: "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [6 0 R] >>",
      },
    ),
  ),
  row("many fonts", manyFonts),
  row("a table of a thousand million objects", () =>
    latin(
      "%PDF-1.5\n1 0 obj\n<< /Type /XRef /Size 1000000000 /W [0 0 0] /Index [0 1000000000] /Root 2 0 R /Length 0 >>\nstream\n\nendstream\nendobj\nstartxref\n9\n%%EOF",
    ),
  ),
  damaged("1 0 obj "),
  damaged("1 0 obj[\n"),
  damaged("xref\ntrailer\nstartxref\n"),
  damaged("1 "),
  damaged("a\n"),
];

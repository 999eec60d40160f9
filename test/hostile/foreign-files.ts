import { strToU8, zipSync } from "fflate";
import { readFileText } from "../../src/cairn/documents/file-text.ts";
import { readHtml } from "../../src/cairn/documents/html.ts";
import type { Input } from "./parsers.ts";

/** Office files and pages whose structure costs more than their text: relationships, text boxes, formats, shadow roots. */

type Row = readonly [name: string, make: () => Input];

const MIB = 1_048_576;
const never = new AbortController().signal;
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

const file = (name: string, parts: Readonly<Record<string, string>>): Input => {
  const bytes = zipSync(
    Object.fromEntries(Object.entries(parts).map(([part, text]) => [part, strToU8(text)])),
  );
  return () => readFileText(name, bytes, never);
};
const relation = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
const many = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join("");
const PACKAGE = { "_rels/.rels": relation("r", "officeDocument", "word/document.xml") };
const word = (
  name: string,
  xml: () => string,
  parts: () => Readonly<Record<string, string>> = () => ({}),
): Row => [name, () => file("a.docx", { ...PACKAGE, "word/document.xml": xml(), ...parts() })];
const BOOK = {
  "xl/workbook.xml": '<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>',
  "xl/_rels/workbook.xml.rels":
    relation("r1", "worksheet", "worksheets/sheet1.xml") + relation("r2", "styles", "styles.xml"),
};
const sheet = (name: string, rows: () => string, styles: () => string): Row => [
  name,
  () => file("a.xlsx", { ...BOOK, "xl/styles.xml": styles(), "xl/worksheets/sheet1.xml": rows() }),
];
const page = (name: string, html: () => string): Row => [
  name,
  () => {
    const text = html();
    return () => readHtml(text, "https://a.example/");
  },
];
const P = "<w:p><w:r><w:t>a</w:t></w:r></w:p>";
const ROOT = '<template shadowrootmode="open">';

export const FOREIGN_FILES: readonly Row[] = [
  word(
    "a document of 200,000 relationships",
    () => P,
    () => ({
      "word/_rels/document.xml.rels": many(200_000, (at) => relation(`r${at}`, "footnotes", "notes.xml")),
    }),
  ),
  word(
    "a document whose relationships go up 1,000,000 folders",
    () => P,
    () => ({ "word/_rels/document.xml.rels": relation("r", "footnotes", `${"../".repeat(1_000_000)}a.xml`) }),
  ),
  word(
    "a document of 4,000 headers",
    () => P,
    () => ({
      "word/_rels/document.xml.rels": many(4_000, (at) => relation(`r${at}`, "header", `header${at}.xml`)),
      ...Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`word/header${at}.xml`, P])),
    }),
  ),
  word(
    "a document of 100,000 footnotes that are named 100,000 times",
    () => `<w:p>${many(100_000, (at) => `<w:r><w:footnoteReference w:id="${at}"/></w:r>`)}</w:p>`,
    () => ({
      "word/_rels/document.xml.rels": relation("r", "footnotes", "footnotes.xml"),
      "word/footnotes.xml": many(100_000, (at) => `<w:footnote w:id="${at}">${P}</w:footnote>`),
    }),
  ),
  word("a document of text boxes in text boxes", () => "<w:p><w:r><w:txbxContent>".repeat(200_000)),
  word(
    "a document of 100,000 text boxes in one paragraph",
    () => `<w:p>${many(100_000, () => `<w:r><w:txbxContent>${P}</w:txbxContent></w:r>`)}</w:p>`,
  ),
  word(
    "a document of choices in choices",
    () => `<w:p>${"<mc:AlternateContent><mc:Choice><w:r>".repeat(200_000)}`,
  ),
  word(
    "a document of moves that do not end",
    () => `<w:p>${'<w:moveFromRangeStart w:id="1"/>'.repeat(300_000)}`,
  ),
  word(
    "a document of fields in fields",
    () => `<w:p>${'<w:r><w:fldChar w:fldCharType="begin"/></w:r>'.repeat(300_000)}`,
  ),
  sheet(
    "a sheet of 100,000 number formats",
    () => many(100_000, (at) => `<row><c s="${at}"><v>45792.5</v></c></row>`),
    () =>
      `<numFmts>${many(100_000, (at) => `<numFmt numFmtId="${164 + at}" formatCode="[h]:mm:ss.000 ${at}"/>`)}</numFmts><cellXfs>${many(100_000, (at) => `<xf numFmtId="${164 + at}"/>`)}</cellXfs>`,
  ),
  sheet(
    "a sheet with one format of 20 MB",
    () => '<row><c s="0"><v>1.5</v></c></row>'.repeat(100_000),
    () =>
      `<numFmts><numFmt numFmtId="164" formatCode="${"[h]".repeat(7 * MIB)}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`,
  ),
  sheet(
    "a sheet whose elapsed time has as many parts as a format may have",
    () => '<row><c s="0"><v>123456.789</v></c></row>'.repeat(200_000),
    () =>
      `<numFmts><numFmt numFmtId="164" formatCode="${"[h]:".repeat(75)}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`,
  ),
  sheet(
    "a sheet of dates that are no numbers",
    () => `<row><c s="0"><v>${"9".repeat(20 * MIB)}</v></c></row>`,
    () => '<cellXfs><xf numFmtId="14"/></cellXfs>',
  ),
  page("a page of shadow roots in one another", () => `<x-a>${ROOT}`.repeat(120_000)),
  page("a page of hosts side by side", () => `<x-a>${ROOT}<slot></slot></template>a</x-a>`.repeat(70_000)),
  page(
    "a page of slots in the fallback of slots",
    () => `<x-a>${ROOT}${"<slot name=a>".repeat(300_000)}</template><p slot=b>a</p></x-a>`,
  ),
  page(
    "a page of 200,000 slots and children, each of its own name",
    () =>
      `<x-a>${ROOT}${many(100_000, (at) => `<slot name=n${at}>b</slot>`)}</template>${many(100_000, (at) => `<i slot=n${at}>a</i>`)}</x-a>`,
  ),
  page("a page of slots that pass slots on through 50,000 hosts", () =>
    `<x-a>${ROOT}<x-b><slot></slot>`.repeat(50_000),
  ),
  page("a page of 200,000 shadow roots of one host", () => `<x-a>${`${ROOT}a</template>`.repeat(120_000)}`),
];

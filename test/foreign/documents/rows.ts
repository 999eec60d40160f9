import path from "node:path";
import { bytesOf, officeFile, relations } from "../office-file.ts";
import type { ForeignRow } from "../row.ts";

const MAMMOTH = "https://github.com/mwilliamson/mammoth.js/tree/master/test/test-data";
const ECMA_376 = "https://ecma-international.org/publications-and-standards/standards/ecma-376/";
const STRICT = "http://purl.oclc.org/ooxml/officeDocument/relationships";
const file = (name: string): Uint8Array => bytesOf(path.join(import.meta.dirname, name));

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const body = (xml: string, root = "w:document"): string =>
  `<?xml version="1.0"?><${root} ${W}><w:body>${xml}</w:body></${root}>`;
const p = (text: string, properties = ""): string => `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
const r = (xml: string, properties = ""): string =>
  `<w:r>${properties === "" ? "" : `<w:rPr>${properties}</w:rPr>`}${xml}</w:r>`;

/** A document with this body, and other parts by the type of their relationship. */
function word(xml: string, parts: Readonly<Record<string, string>> = {}): Uint8Array {
  const names = Object.keys(parts);
  return officeFile({
    "_rels/.rels": relations([["rId1", "officeDocument", "word/document.xml"]]),
    "word/document.xml": body(xml),
    "word/_rels/document.xml.rels": relations(names.map((type, at) => [`rId${at}`, type, `${type}.xml`])),
    ...Object.fromEntries(names.map((type) => [`word/${type}.xml`, parts[type] ?? ""])),
  });
}

const box = (text: string): string => `<w:txbxContent>${p(text)}</w:txbxContent>`;
const drawing = (inside: string): string =>
  `<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx>${inside}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>`;
const pict = (inside: string): string =>
  `<w:pict><v:shape><v:textbox>${inside}</v:textbox></v:shape></w:pict>`;
const either = (choice: string, fallback: string): string =>
  `<mc:AlternateContent><mc:Choice Requires="wps">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
const field = (...runs: readonly string[]): string => runs.map((xml) => r(xml)).join("");
const BEGIN = '<w:fldChar w:fldCharType="begin"/>';
const SEPARATE = '<w:fldChar w:fldCharType="separate"/>';
const END = '<w:fldChar w:fldCharType="end"/>';

/** The bytes of a document and its text; `<code>` where it is refused. */
export const DOCUMENTS: readonly ForeignRow<Uint8Array, string>[] = [
  {
    name: "Word 2010: a text box, which the file holds twice",
    source: MAMMOTH,
    input: file("word-text-box.docx"),
    value: "Datum plane",
  },
  { name: "Word 2016: strict Open XML", source: MAMMOTH, input: file("word-strict.docx"), value: "Test" },
  {
    name: "Word 2010: footnotes",
    source: MAMMOTH,
    input: file("word-footnotes.docx"),
    value: "Ouch[footnote 1].[footnote 2]\n[footnote 1] A tachyon walks into a bar.\n[footnote 2] Fin.",
  },
  {
    name: "Word: endnotes",
    source: MAMMOTH,
    input: file("word-endnotes.docx"),
    value: "Ouch[endnote 1].[endnote 2]\n[endnote 1] A tachyon walks into a bar.\n[endnote 2] Fin.",
  },
  {
    name: "Word 2010: comments",
    source: MAMMOTH,
    input: file("word-comments.docx"),
    value:
      "Ouch.\n[comment by Michael Williamson] A tachyon walks into a bar.\n[comment by Michael Williamson] Fin.",
  },
  {
    name: "Word 2010: a table",
    source: MAMMOTH,
    input: file("word-tables.docx"),
    value: "Above\nTop left | Top right\nBottom left | Bottom right\nBelow",
  },
  {
    name: "parts that begin with a byte order mark",
    source: MAMMOTH,
    input: file("utf8-bom.docx"),
    value: "This XML has a byte order mark.",
  },
  {
    name: "Word 2010: a picture alone is unreadable, not empty",
    source: MAMMOTH,
    input: file("picture-absolute-targets.docx"),
    value: "<unreadable>",
  },
  {
    name: "docx (npm): header, footer, tracked words, footnote and link",
    source: "https://github.com/dolanmiu/docx",
    input: file("docx-lease.docx"),
    value:
      "[header] Draft of May\n# The lease\nNotice is three months[footnote 1].\nThe register\n[footnote 1] From the land register.\n[footer] Page",
  },
  {
    name: "html-docx-js: a page inside of the document, which is not read",
    source: "https://github.com/mwilliamson/mammoth.js/issues/424",
    input: file("html-docx-js.docx"),
    value: "<unreadable>",
  },
  {
    name: "SharePoint and Word Online: word/document2.xml",
    source: "https://github.com/open-xml-templating/docxtemplater/issues/366",
    input: officeFile({
      "_rels/.rels": relations([["rId1", "officeDocument", "word/document2.xml"]]),
      "word/document2.xml": body(p("Saved in SharePoint")),
    }),
    value: "Saved in SharePoint",
  },
  {
    name: "Word for the web: word/document22.xml with a target from the root",
    source: "https://github.com/PHPOffice/PHPWord/issues/1253",
    input: officeFile({
      "_rels/.rels": relations([["rId1", "officeDocument", "/word/document22.xml"]]),
      "word/document22.xml": body(p("Saved online", '<w:pPr><w:pStyle w:val="T"/></w:pPr>')),
      "word/_rels/document22.xml.rels": relations([["rId1", "styles", "/word/styles2.xml"]]),
      "word/styles2.xml": `<w:styles ${W}><w:style w:styleId="T"><w:name w:val="Title"/></w:style></w:styles>`,
    }),
    value: "# Saved online",
  },
  {
    name: "the main part in another folder, by a strict relationship and a target with .. and %20",
    source: ECMA_376,
    input: officeFile({
      "_rels/.rels": relations([["a", "officeDocument", "./x/../my%20texts/main.xml"]], STRICT),
      "my texts/main.xml": body(p("Elsewhere")),
    }),
    value: "Elsewhere",
  },
  {
    name: "names of parts in another case and with backslashes",
    source: ECMA_376,
    input: officeFile({
      "_rels\\.rels": relations([["a", "officeDocument", "Word/Document.xml"]]),
      "WORD\\DOCUMENT.XML": body(p("Backslashes")),
    }),
    value: "Backslashes",
  },
  {
    name: "no relationships at all",
    source: ECMA_376,
    input: officeFile({ "word/document.xml": body(p("Bare")) }),
    value: "Bare",
  },
  {
    name: "another prefix than w, or none",
    source: ECMA_376,
    input: officeFile({
      "word/document.xml":
        '<ns0:document xmlns:ns0="x"><ns0:body><ns0:p><ns0:pPr><ns0:pStyle ns0:val="Heading2"/></ns0:pPr><ns0:r><ns0:t>Prefix</ns0:t></ns0:r></ns0:p><p><r><rPr><vanish/></rPr><t>hidden</t></r><r><t>none</t></r></p></ns0:body></ns0:document>',
    }),
    value: "## Prefix\nnone",
  },
  {
    name: "a part in UTF-16",
    source: ECMA_376,
    input: officeFile({
      "word/document.xml": new Uint8Array(Buffer.from(`\ufeff${body(p("Größe"))}`, "utf16le")),
    }),
    value: "Größe",
  },
  {
    name: "Word: a text box in a sentence and in a cell stands behind them, once",
    source: "https://github.com/yfedoseev/office_oxide/issues/163",
    input: word(
      `<w:p>${r("<w:t>Before </w:t>")}${r(either(drawing(box("In the box")), pict(box("In the box"))))}${r("<w:t>after</w:t>")}</w:p>` +
        `<w:tbl><w:tr><w:tc><w:p>${r(either(drawing(box("Framed")), pict(box("Framed"))))}${r("<w:t>Cell</w:t>")}</w:p></w:tc><w:tc>${p("Other")}</w:tc></w:tr></w:tbl>`,
    ),
    value: "Before after\nIn the box\nCell Framed | Other",
  },
  {
    name: "a text box as VML alone, or in a fallback whose choice has no text",
    source: "https://github.com/jgm/pandoc/issues/5394",
    input: word(
      `<w:p>${r(pict(box("Old box")))}</w:p><w:p>${r(either("<w:drawing/>", pict(box("Fallback"))))}</w:p>`,
    ),
    value: "Old box\nFallback",
  },
  {
    name: "paragraphs in a choice of the body",
    source: "https://github.com/yfedoseev/office_oxide/issues/163",
    input: word(p("One") + either(p("New"), p("Old")) + p("Two")),
    value: "One\nNew\nTwo",
  },
  {
    name: "a moved sentence stands where it was moved to, a moved paragraph too",
    source: ECMA_376,
    input: word(
      `<w:p><w:moveFromRangeStart w:id="1"/><w:moveFrom w:id="2">${r("<w:t>The rent is due. </w:t>")}</w:moveFrom><w:moveFromRangeEnd w:id="1"/>${r("<w:t>First.</w:t>")}</w:p>` +
        `<w:p><w:pPr><w:rPr><w:moveFrom w:id="5"/></w:rPr></w:pPr><w:moveFrom w:id="6">${r("<w:t>Whole.</w:t>")}</w:moveFrom></w:p>` +
        `<w:p>${r("<w:t>Second. </w:t>")}<w:moveTo w:id="3">${r("<w:t>The rent is due.</w:t>")}</w:moveTo></w:p>` +
        `<w:p><w:moveTo w:id="7">${r("<w:t>Whole.</w:t>")}</w:moveTo></w:p>`,
    ),
    value: "First.\nSecond. The rent is due.\nWhole.",
  },
  {
    name: "deleted words, also as w:t; a deleted paragraph mark and row; deleted inside inserted",
    source: ECMA_376,
    input: word(
      `<w:p>${r("<w:t>Three</w:t>")}<w:del>${r("<w:delText> six</w:delText><w:tab/>")}${r("<w:t> nine</w:t>")}</w:del><w:ins><w:del>${r("<w:t> ten</w:t>")}</w:del>${r("<w:t> months</w:t>")}</w:ins></w:p>` +
        `<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>${r("<w:t>One line </w:t>")}</w:p>${p("goes on.")}` +
        `<w:tbl><w:tr><w:trPr><w:del w:id="2"/></w:trPr><w:tc>${p("Gone")}</w:tc></w:tr><w:tr><w:tc>${p("Here")}</w:tc></w:tr></w:tbl>`,
    ),
    value: "Three months\nOne line goes on.\nHere",
  },
  {
    name: "former formatting of a tracked change hides nothing and makes no heading",
    source: ECMA_376,
    input: word(
      `<w:p><w:pPr><w:pPrChange><w:pPr><w:pStyle w:val="Heading1"/><w:numPr/></w:pPr></w:pPrChange></w:pPr>${r("<w:t>Visible</w:t>", "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>")}</w:p>`,
    ),
    value: "Visible",
  },
  {
    name: "codes of fields, nested ones too, are not shown; their results are",
    source: ECMA_376,
    input: word(
      `<w:p>${field(BEGIN, '<w:instrText> HYPERLINK "https://a.example" </w:instrText>', SEPARATE, "<w:t>A link</w:t>", END)}</w:p>` +
        `<w:p>${field(BEGIN, "<w:instrText> IF </w:instrText>", BEGIN, "<w:instrText>MERGEFIELD x</w:instrText>", SEPARATE, "<w:t>inner</w:t>", END, SEPARATE, "<w:t>Outer</w:t>", END, "<w:t>.</w:t>")}</w:p>` +
        `<w:p><w:fldSimple w:instr=" PAGE "><w:r><w:t>7</w:t></w:r></w:fldSimple></w:p><w:p>${field(BEGIN)}</w:p>${p("Open field")}`,
    ),
    value: "A link\nOuter.\n7\nOpen field",
  },
  {
    name: "content controls, links, custom XML, tabs, breaks, hyphens and symbols",
    source: ECMA_376,
    input: word(
      `<w:sdt><w:sdtPr><w:rPr><w:vanish/></w:rPr></w:sdtPr><w:sdtContent><w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:sdt><w:sdtContent>${r("<w:t>Control</w:t>")}</w:sdtContent></w:sdt></w:p></w:sdtContent></w:sdt>` +
        `<w:p><w:hyperlink r:id="x">${r("<w:t>Link</w:t>")}</w:hyperlink>${r("<w:tab/><w:t>tab</w:t><w:br/><w:t>line</w:t><w:cr/><w:t>non</w:t><w:noBreakHyphen/><w:t>break co</w:t><w:softHyphen/><w:t>op</w:t>")}</w:p>` +
        `<w:customXml><w:p><w:smartTag>${r('<w:sym w:font="Wingdings" w:char="F0FC"/>')}${r('<w:sym w:font="Symbol" w:char="F061"/>')}${r('<w:sym w:font="Arial" w:char="20AC"/>')}</w:smartTag></w:p></w:customXml>`,
    ),
    value: "Control\nLink tab\nline\nnon-break coop\n✓α€",
  },
  {
    name: "German Word: headings by the name of their style, by what it is based on, and by outline level",
    source: ECMA_376,
    input: word(
      p("Vertrag", '<w:pPr><w:pStyle w:val="berschrift1"/></w:pPr>') +
        p("Miete", '<w:pPr><w:pStyle w:val="Eigene"/></w:pPr>') +
        p("Kaution", '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>') +
        p("Text", '<w:pPr><w:pStyle w:val="Standard"/></w:pPr>') +
        `<w:p>${r("<w:t>geheim</w:t>", '<w:rStyle w:val="Verborgen"/>')}${r("<w:t>offen</w:t>")}</w:p>`,
      {
        styles: `<w:styles ${W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Standard"><w:name w:val="Normal"/></w:style><w:style w:styleId="Eigene"><w:name w:val="Eigene"/><w:basedOn w:val="Mitte"/></w:style><w:style w:styleId="Mitte"><w:name w:val="Mitte"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style><w:style w:styleId="Verborgen"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>`,
      },
    ),
    value: "# Vertrag\n## Miete\n### Kaution\nText\noffen",
  },
  {
    name: "a footnote whose mark was deleted, and one of two paragraphs; header and footer of every kind once",
    source: ECMA_376,
    input: officeFile({
      "word/document.xml": body(
        `<w:p>${r("<w:t>Rent</w:t>")}<w:del>${r('<w:footnoteReference w:id="2"/>')}</w:del>${r('<w:footnoteReference w:id="3"/>')}</w:p>`,
      ),
      "word/_rels/document.xml.rels": relations([
        ["1", "footnotes", "footnotes.xml"],
        ["2", "header", "header1.xml"],
        ["3", "header", "header2.xml"],
        ["4", "footer", "footer1.xml"],
      ]),
      "word/footnotes.xml": `<w:footnotes ${W}><w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote><w:footnote w:id="2">${p("Gone")}</w:footnote><w:footnote w:id="3">${p("Per month.")}${p("In advance.")}</w:footnote></w:footnotes>`,
      "word/header1.xml": `<w:hdr ${W}>${p("Draft")}</w:hdr>`,
      "word/header2.xml": `<w:hdr ${W}>${p("Draft")}</w:hdr>`,
      "word/footer1.xml": `<w:ftr ${W}>${p("Confidential")}</w:ftr>`,
    }),
    value: "[header] Draft\nRent[footnote 1]\n[footnote 1] Per month. In advance.\n[footer] Confidential",
  },
  {
    name: "Japanese Word: how a word is pronounced is not read",
    source: ECMA_376,
    input: word(
      `<w:p><w:r><w:ruby><w:rt>${r("<w:t>とうきょう</w:t>")}</w:rt><w:rubyBase>${r("<w:t>東京</w:t>")}</w:rubyBase></w:ruby></w:r></w:p>`,
    ),
    value: "東京",
  },
  {
    name: "a paragraph that is taken out of its list",
    source: ECMA_376,
    input: word(
      p("In", '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr>') +
        p("Out", '<w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>'),
    ),
    value: "- In\nOut",
  },
  {
    name: "a document of deleted and hidden words alone",
    source: ECMA_376,
    input: word(
      `<w:p><w:del>${r("<w:delText>x</w:delText>")}</w:del>${r("<w:t>y</w:t>", "<w:vanish/>")}</w:p>`,
    ),
    value: "<unreadable>",
  },
  {
    name: "a main part that is not XML",
    source: ECMA_376,
    input: officeFile({ "word/document.xml": "damaged" }),
    value: "<unreadable>",
  },
  {
    name: "Word: a template with building blocks, which are not its text",
    source: ECMA_376,
    input: officeFile({
      "_rels/.rels": relations([
        ["rId3", "extended-properties", "docProps/app.xml"],
        ["rId1", "officeDocument", "word/document.xml"],
      ]),
      "word/document.xml": body(p("Dear")),
      "word/_rels/document.xml.rels": relations([["rId1", "glossaryDocument", "glossary/document.xml"]]),
      "word/glossary/document.xml": body(p("A building block"), "w:glossaryDocument"),
    }),
    value: "Dear",
  },
  {
    name: "Word: a document with macros",
    source: ECMA_376,
    input: officeFile({
      "_rels/.rels": relations([["rId1", "officeDocument", "word/document.xml"]]),
      "word/document.xml": body(p("With macros")),
      "word/vbaProject.bin": Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0]),
    }),
    value: "With macros",
  },
  {
    name: "Google Docs: a title, a suggestion in a control of its own, and bookmarks with columns",
    source: ECMA_376,
    input: word(
      `<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:bookmarkStart w:colFirst="0" w:colLast="0" w:name="_a" w:id="0"/><w:bookmarkEnd w:id="0"/>${r("<w:t>Plan</w:t>", '<w:rtl w:val="0"/>')}</w:p><w:sdt><w:sdtPr><w:tag w:val="goog_rdk_0"/></w:sdtPr><w:sdtContent><w:p><w:ins w:author="A" w:id="0">${r("<w:t>New</w:t>")}</w:ins><w:del w:author="A" w:id="1">${r("<w:delText>Old</w:delText>")}</w:del></w:p></w:sdtContent></w:sdt>`,
    ),
    value: "# Plan\nNew",
  },
  {
    name: "PowerPoint is another archive",
    source: ECMA_376,
    input: officeFile({
      "_rels/.rels": relations([["a", "officeDocument", "ppt/presentation.xml"]]),
      "ppt/presentation.xml": "<p:presentation/>",
    }),
    value: "<unsupported_media>",
  },
];

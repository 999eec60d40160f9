import path from "node:path";
import { bytesOf, officeFile, relations } from "../office-file.ts";
import type { ForeignRow } from "../row.ts";

const ECMA_376 = "https://ecma-international.org/publications-and-standards/standards/ecma-376/";
const LEAP_YEAR =
  "https://learn.microsoft.com/en-us/office/troubleshoot/excel/wrongly-assumes-1900-is-leap-year";
const file = (name: string): Uint8Array => bytesOf(path.join(import.meta.dirname, name));

/** A format of a cell, as its code or the number of a built-in one, and the value of the cell. */
type Cell = readonly [format: string | number, value: string | number];

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** A sheet with a row for each cell. */
function sheet(cells: readonly Cell[], workbook = ""): Uint8Array {
  const own = [...new Set(cells.map(([format]) => format).filter((format) => typeof format === "string"))];
  const idOf = (format: string | number): number =>
    typeof format === "number" ? format : 164 + own.indexOf(format);
  const formats = own.map((code) => `<numFmt numFmtId="${idOf(code)}" formatCode="${escaped(code)}"/>`);
  const styles = cells.map(([format]) => `<xf numFmtId="${idOf(format)}"/>`);
  const rows = cells.map(
    ([, value], at) => `<row r="${at + 1}"><c r="A${at + 1}" s="${at}"><v>${value}</v></c></row>`,
  );
  return officeFile({
    "_rels/.rels": relations([["a", "officeDocument", "xl/workbook.xml"]]),
    "xl/workbook.xml": `<workbook xmlns:r="r">${workbook}<sheets><sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations([
      ["s", "worksheet", "worksheets/sheet1.xml"],
      ["t", "styles", "styles.xml"],
    ]),
    "xl/styles.xml": `<styleSheet><numFmts>${formats.join("")}</numFmts><cellXfs>${styles.join("")}</cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows.join("")}</sheetData></worksheet>`,
  });
}

const lines = (...values: readonly string[]): string =>
  ["# Sheet: S", ...values.map((value, at) => `[row ${at + 1}] ${value}`)].join("\n");

/** The bytes of a workbook and its text; `<code>` where it is refused. */
export const SPREADSHEETS: readonly ForeignRow<Uint8Array, string>[] = [
  {
    name: "Excel 2016 for Mac: two tables, each on a sheet",
    source: "https://github.com/tidyverse/readxl/tree/main/inst/extdata",
    input: file("excel-clippy.xlsx"),
    value:
      "# Sheet: list-column\n[row 1] name | value\n[row 2] Name | Clippy\n[row 3] Species | paperclip\n[row 4] Approx date of death | 2007-01-01\n[row 5] Weight in grams | 0.9\n# Sheet: two-row-header\n[row 1] name | species | death | weight\n[row 2] (at birth) | (office supply type) | (date is approximate) | (in grams)\n[row 3] Clippy | paperclip | 2007-01-01 | 0.9",
  },
  {
    name: "Excel Online: a hidden sheet",
    source: "https://github.com/ycphs/openxlsx/tree/master/inst/extdata",
    input: file("excel-hidden-sheet.xlsx"),
    value:
      "# Sheet: Nums\n[row 1] 1 | 2\n[row 2] 3 | 4\n# Sheet: Chars\n[row 1] a | b\n[row 2] c | d\n# Sheet: hidden (hidden)\n[row 1] booo | hooo!",
  },
  {
    name: "writexl: strings in the cells",
    source: "https://github.com/ycphs/openxlsx/tree/master/inst/extdata",
    input: file("writexl-inline.xlsx"),
    value:
      "# Sheet: Sheet1\n[row 1] this | it\n[row 2] is an xlsx file | cannot be read\n[row 3] written with writexl::write_xlsx | with open.xlsx::read.xlsx",
  },
  {
    name: "xlsx-populate: one cell",
    source: "https://github.com/dtjohnson/xlsx-populate/tree/master/examples",
    input: file("xlsx-populate-basic.xlsx"),
    value: "# Sheet: Sheet1\n[row 1] This is neat!",
  },
  {
    name: "exceljs: dates from 1904, elapsed time, a share, formulas, an error and a sheet that is very hidden",
    source: "https://github.com/exceljs/exceljs/issues/219",
    input: file("exceljs-1904.xlsx"),
    value:
      "# Sheet: Hours\n[row 1] What | Value\n[row 2] day | 2025-05-15\n[row 3] total | 30:14\n[row 4] share | 7.50%\n[row 5] marks | 12.5\n[row 6] rich | two runs\n[row 7] sum | 2\n[row 8] text | ab\n[row 9] error | #N/A\n# Sheet: Old (hidden)\n[row 1] gone",
  },
  {
    name: "SheetJS: the first serials, and laps",
    source: LEAP_YEAR,
    input: file("sheetjs-serials.xlsx"),
    value:
      "# Sheet: Serials\n[row 1] first | 1900-01-01\n[row 2] never | 1900-02-29\n[row 3] next | 1900-03-01\n[row 4] zero | 1900-01-00\n[row 5] lap | 75:36\n[row 6] sec | 4536\n[row 7] time | 18:00:00\n[row 8] id46 | 60:00:00",
  },
  {
    name: "1904: the first day, a date, a time, and a day before it",
    source: "https://github.com/dtjohnson/xlsx-populate/issues/200",
    input: sheet(
      [
        [14, 0],
        [14, 44_330],
        [22, 44_330.5],
        [20, 0.25],
        ["[h]:mm", -0.5],
        [14, -1],
      ],
      '<workbookPr date1904="true"/>',
    ),
    value: lines("1904-01-01", "2025-05-15", "2025-05-15 12:00:00", "06:00:00", "-12:00", "-1"),
  },
  {
    name: "date1904 that is off",
    source: ECMA_376,
    input: sheet([[14, 45_792]], '<workbookPr date1904="0"/>'),
    value: lines("2025-05-15"),
  },
  {
    name: "serials 1 to 61, with a fraction, before the first and behind the last day",
    source: LEAP_YEAR,
    input: sheet([
      [14, 1],
      [14, 31],
      [14, 32],
      [14, 59],
      [14, 60],
      [14, 61],
      [22, 59.75],
      [22, 0.5],
      [14, 2_958_465],
      [14, 2_958_466],
      [14, -1],
    ]),
    value: lines(
      "1900-01-01",
      "1900-01-31",
      "1900-02-01",
      "1900-02-28",
      "1900-02-29",
      "1900-03-01",
      "1900-02-28 18:00:00",
      "1900-01-00 12:00:00",
      "9999-12-31",
      "2958466",
      "-1",
    ),
  },
  {
    name: "elapsed time of every unit",
    source: "https://github.com/tealeg/xlsx/issues/852",
    input: sheet([
      ["[h]:mm", 1.26],
      ["[hh]:mm:ss", 1.26],
      ["[mm]:ss", 1.26],
      ["[m]", 1.26],
      ["[s]", 1.26],
      ['[h]" h "m" min"', 1.26],
      ["[h]:mm:ss.00", 1.0000005],
      ["[$-409][h]:mm;@", 1.26],
      ["[hhh]:mm", 0.5],
      [46, 62.5],
      ["[Red][h]:mm", 0],
    ]),
    value: lines(
      "30:14",
      "30:14:24",
      "1814:24",
      "1814",
      "108864",
      "30 h 14 min",
      "24:00:00.04",
      "30:14",
      "012:00",
      "1500:00:00",
      "0:00",
    ),
  },
  {
    name: "built-in formats by number, also those of East Asia and Thailand",
    source: ECMA_376,
    input: sheet([
      ...[14, 15, 16, 17, 27, 28, 30, 31, 36, 50, 57, 58, 71].map((id): Cell => [id, 45_792]),
      ...[18, 19, 20, 21, 32, 33, 45, 76].map((id): Cell => [id, 45_792.75]),
      ...[22, 77].map((id): Cell => [id, 45_792.75]),
      [34, 0.75],
      [55, 45_792],
      [47, 0.5000058],
      [9, 0.5],
      [10, 0.075],
      [1, 45_792],
      [44, 45_792],
      [49, 45_792],
    ]),
    value: lines(
      ...Array.from({ length: 13 }, () => "2025-05-15"),
      ...Array.from({ length: 8 }, () => "18:00:00"),
      "2025-05-15 18:00:00",
      "2025-05-15 18:00:00",
      "18:00:00",
      "2025-05-15",
      "12:00:00.5",
      "50%",
      "7.50%",
      "45792",
      "45792",
      "45792",
    ),
  },
  {
    name: "codes that are dates, and codes that only look like one",
    source: ECMA_376,
    input: sheet([
      ['ggge"年"m"月"d"日"', 45_792],
      ["[$-F800]dddd\\, mmmm dd\\, yyyy", 45_792],
      ["dd/mm/yyyy\\ hh:mm", 45_792.5],
      ["mm:ss", 0.5],
      ["mmm\\-yy;@", 45_792],
      ["h:mm:ss.000", 0.50000001],
      ["#,##0.00\\ _D_M", 1234.5],
      ['0.0" days"', 1.5],
      ["[$USD] #,##0", 12],
      ["#,##0 USD", 12],
      ["0.00E+00", 12_000],
      ["General", 45_792],
      ["_-* #,##0\\ _d_-", 7],
      ["[Red]0.0%", 0.125],
      ["0%", 0.12345],
    ]),
    value: lines(
      "2025-05-15",
      "2025-05-15",
      "2025-05-15 12:00:00",
      "12:00:00",
      "2025-05-15",
      "12:00:00.001",
      "1234.5",
      "1.5",
      "12",
      "12",
      "12000",
      "45792",
      "7",
      "12.5%",
      "12.345%",
    ),
  },
  {
    name: "sections with a condition, of which the value chooses one",
    source: ECMA_376,
    input: sheet([
      ["[<1]0%;0", 0.5],
      ["[<1]0%;0", 5],
      ["[<1]h:mm;d/m/yyyy", 0.5],
      ["[<1]h:mm;d/m/yyyy", 45_792],
      ["[>=100][Red]0;[Blue]0.0%", 0.25],
      ["[>=100][Red]0;[Blue]0.0%", 100],
      ["[<>0]0%", 0.5],
      ["[=0]0;[h]:mm", 1.26],
    ]),
    value: lines("50%", "5", "12:00:00", "2025-05-15", "25.0%", "100", "50%", "30:14"),
  },
  {
    name: "a percent sign that is written and does not multiply",
    source: "https://support.microsoft.com/office/number-format-codes-5026bbd6-04bc-48cd-bf33-80f18b4eae68",
    input: sheet([
      ["0\\%", 50],
      ['0"%"', 50],
      ['0"."0%', 0.5],
    ]),
    value: lines("50", "50", "50%"),
  },
  {
    name: "fractions, currencies, thousands and the words for a day in other languages",
    source: ECMA_376,
    input: sheet([
      ["# ?/?", 0.5],
      ['"$"#,##0.00', 12.5],
      ["[$€-407]#,##0.00", 3],
      ['#,##0,,"M"', 2_500_000],
      ["0.00%;[Red]-0.00%", -0.125],
      ["[DBNum1][$-804]yyyy年m月d日", 45_792],
      ["[$-409]h:mm AM/PM;@", 0.75],
      ["[$-1070000]d/mm/yyyy", 45_792],
    ]),
    value: lines("0.5", "12.5", "3", "2500000", "-12.50%", "2025-05-15", "18:00:00", "2025-05-15"),
  },
  {
    name: "numbers with more digits than Excel has",
    source:
      "https://learn.microsoft.com/en-us/office/troubleshoot/excel/floating-point-arithmetic-inaccurate-result",
    input: sheet([
      [0, "0.30000000000000004"],
      [0, "1E-3"],
      [0, "12345678901234567"],
    ]),
    value: lines("0.3", "0.001", "12345678901234567"),
  },
  {
    name: "the workbook elsewhere, by strict relationships, with other prefixes, targets from the root and escaped signs",
    source: ECMA_376,
    input: officeFile({
      "_rels/.rels": relations(
        [["a", "officeDocument", "/book/wb2.xml"]],
        "http://purl.oclc.org/ooxml/officeDocument/relationships",
      ),
      "book/wb2.xml":
        '<x:workbook xmlns:x="m" xmlns:rel="r"><x:sheets><x:sheet name="Erste" sheetId="1" rel:id="s"/><x:sheet name="Chart" sheetId="2" rel:id="c"/></x:sheets></x:workbook>',
      "book/_rels/wb2.xml.rels": relations([
        ["s", "worksheet", "/data/first%20sheet.xml"],
        ["c", "chartsheet", "chartsheets/sheet1.xml"],
        ["t", "sharedStrings", "../text/Strings.xml"],
      ]),
      "text/strings.xml":
        '<x:sst xmlns:x="m"><x:si><x:t>課きく</x:t><x:rPh sb="0" eb="1"><x:t>カ</x:t></x:rPh></x:si><x:si><x:r><x:t>two </x:t></x:r><x:r><x:t>runs_x000D__x005F_</x:t></x:r></x:si></x:sst>',
      "data/first sheet.xml":
        '<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c><x:c t="s"><x:v>1</x:v></x:c><x:c t="b"><x:v>0</x:v></x:c><x:c t="e"><x:v>#REF!</x:v></x:c><x:c t="str"><x:f>A1</x:f><x:v>cached</x:v></x:c><x:c t="d"><x:v>2025-05-15T00:00:00</x:v></x:c><x:c t="inlineStr"><x:is><x:t>東</x:t><x:rPh><x:t>ヒガシ</x:t></x:rPh></x:is></x:c></x:row></x:sheetData></x:worksheet>',
    }),
    value:
      "# Sheet: Erste\n[row 1] 課きく | two runs _ | FALSE | #REF! | cached | 2025-05-15 | 東\n# Sheet: Chart",
  },
  { name: "a workbook without a cell", source: ECMA_376, input: sheet([]), value: "<unreadable>" },
];

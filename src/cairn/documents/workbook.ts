import { startOf } from "../core/text/cut.ts";
import { ok, type Result } from "../core/log/result.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { byName, openPackage } from "./office-package.ts";
import { attribute, isOn, prefixedAttribute, XmlPart, type Reading } from "./office-parts.ts";
import { SharedStrings } from "./shared-strings.ts";
import { CellFormats } from "./cell-formats.ts";
import { SheetRows } from "./sheet-rows.ts";
import { unpack } from "./unpack.ts";

/** sheets of one workbook that are read */
const SHEETS_MAX = 200;
const SHEET_NAME_CHARS_MAX = 100;

const SAVE_AGAIN = "Save it again as .xlsx, or as CSV.";

interface Listed {
  readonly name: string;
  readonly id: string;
  readonly isHidden: boolean;
}

/**
 * Each sheet behind a line with its name, its rows behind their numbers. Formulas are what they came to when it was saved.
 * Faults: those of `unpack`, and `unreadable` where no cell is read.
 */
export function readXlsx(
  bytes: Uint8Array,
  charsMax: number,
): Result<Reading & { readonly rows: number }, FileFault> {
  const opened = openPackage(bytes);
  if (!opened.ok) return opened;
  if (opened.value?.kind !== "xlsx")
    return fault("invalid_args", "unreadable", "The file is no workbook.", SAVE_AGAIN);
  const { main, relations } = opened.value;
  const listed: Listed[] = [];
  const book = { isFrom1904: false };
  const strings = new SharedStrings();
  const formats = new CellFormats();
  const heads = new Map<string, XmlPart>([[main, workbookPart(listed, book)]]);
  const partOf = (type: string, usual: string): string =>
    relations.find((relation) => relation.type === type)?.part ?? usual;
  const stringsPart = new XmlPart(strings);
  heads.set(partOf("sharedStrings", "xl/sharedstrings.xml"), stringsPart);
  heads.set(partOf("styles", "xl/styles.xml"), new XmlPart(formats));
  const names = unpack(bytes, byName(heads));
  if (!names.ok) return names;
  let isWhole = true;
  for (const part of heads.values()) if (!part.end() && part === stringsPart) isWhole = false;
  if (strings.isCut) isWhole = false;
  const targets = new Map(relations.map(({ id, part }) => [id, part]));
  const sheets = listed.flatMap(({ id, ...sheet }) => {
    const part = targets.get(id);
    return part === undefined ? [] : [{ ...sheet, part }];
  });
  if (sheets.length === 0)
    return fault("invalid_args", "unreadable", "The workbook has no sheets.", SAVE_AGAIN);
  // The strings may follow the sheets in the file, so the sheets are read in a second pass.
  const budget = { chars: charsMax };
  const readers = new Map<string, { readonly part: XmlPart; readonly rows: SheetRows }>();
  for (const { part } of sheets) {
    const rows = new SheetRows({
      strings: strings.all,
      formats,
      isFrom1904: book.isFrom1904,
      budget,
    });
    readers.set(part, { part: new XmlPart(rows), rows });
  }
  const unpacked = unpack(bytes, byName(new Map([...readers].map(([name, { part }]) => [name, part]))));
  if (!unpacked.ok) return unpacked;
  for (const { part } of readers.values()) if (!part.end()) isWhole = false;
  const lines: string[] = [];
  let rows = 0;
  for (const { name, part, isHidden } of sheets) {
    lines.push(`# Sheet: ${startOf(name, SHEET_NAME_CHARS_MAX)}${isHidden ? " (hidden)" : ""}\n`);
    const sheet = readers.get(part)?.rows;
    // A sheet that is listed twice is read once.
    readers.delete(part);
    if (sheet === undefined) continue;
    for (const line of sheet.takeLines()) lines.push(line);
    rows += sheet.count;
    if (sheet.isCut) isWhole = false;
  }
  if (rows === 0)
    return fault(
      "invalid_args",
      "unreadable",
      "No cell of the workbook could be read.",
      `It may have charts or pictures alone. ${SAVE_AGAIN}`,
    );
  return ok({ text: lines.join(""), rows, cut: !isWhole || budget.chars <= 0 });
}

function workbookPart(listed: Listed[], book: { isFrom1904: boolean }): XmlPart {
  return new XmlPart({
    open: (name, attributes) => {
      if (name === "workbookPr") {
        const set = attribute(attributes, "date1904");
        book.isFrom1904 = set !== undefined && isOn(set);
        return;
      }
      const id = prefixedAttribute(attributes, "id");
      if (name !== "sheet" || id === undefined || listed.length >= SHEETS_MAX) return;
      const state = attribute(attributes, "state") ?? "visible";
      listed.push({ name: attribute(attributes, "name") ?? "", id, isHidden: state !== "visible" });
    },
  });
}

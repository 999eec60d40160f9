import { Parser } from "htmlparser2";
import { ok, type Result } from "../../core/log/result.ts";
import { rowLine } from "./delimited.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { unpack } from "./unpack.ts";

/** The text of Word and Excel files (ECMA-376): what a reader of the document sees as words, in its order. */

type Attributes = Readonly<Record<string, string | undefined>>;

interface Handler {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/** Names of elements come without their prefix. */
function readXml(bytes: Uint8Array | undefined, { open, close, text }: Handler): void {
  const bare = (name: string): string => name.slice(name.indexOf(":") + 1);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open(bare(name), attributes),
      onclosetag: (name) => close?.(bare(name)),
      ontext: (said) => text?.(said),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(new TextDecoder().decode(bytes));
}

const isOn = (value: string | undefined): boolean => value === undefined || !/^(?:0|false|off)$/.test(value);

const DOCUMENT = "word/document.xml";
const isOfDocument = (name: string): boolean => name === DOCUMENT;

/** That what would be read of it can be unpacked. Faults as `unpack`. */
export function checkOffice(kind: "docx" | "xlsx", bytes: Uint8Array): Result<null, FileFault> {
  const parts = unpack(bytes, kind === "docx" ? isOfDocument : isOfWorkbook);
  return parts.ok ? ok(null) : parts;
}

/** Paragraphs a line each, headings and lists marked, tables by row. Left out: what was deleted or is hidden. */
export function readDocx(bytes: Uint8Array): Result<string, FileFault> {
  const parts = unpack(bytes, isOfDocument);
  if (!parts.ok) return parts;
  const lines: string[] = [];
  let line = "";
  let mark = "";
  let isText = false;
  let isHidden = false;
  let cells: string[] | null = null;
  let depth = 0;
  const endParagraph = (): void => {
    const said = line.trim() === "" ? "" : mark + line;
    if (cells !== null) cells.push(`${cells.pop() ?? ""} ${said}`.trim());
    else lines.push(said);
    [line, mark] = ["", ""];
  };
  readXml(parts.value.get(DOCUMENT), {
    open: (name, attributes) => {
      if (name === "t") isText = true;
      else if (name === "r") isHidden = false;
      else if (name === "vanish") isHidden = isOn(attributes["w:val"]);
      else if (name === "tab") line += " ";
      else if (name === "br" || name === "cr") line += cells === null ? "\n" : " ";
      else if (name === "numPr" && mark === "") mark = "- ";
      else if (name === "pStyle") {
        const level = /^(?:heading|title)\s*(\d)?/i.exec(attributes["w:val"] ?? "");
        if (level !== null) mark = `${"#".repeat(Number(level[1] ?? 1))} `;
      } else if (name === "tr" && ++depth === 1) cells = [];
      else if (name === "tc" && depth === 1) cells?.push("");
    },
    close: (name) => {
      if (name === "t") isText = false;
      else if (name === "p") endParagraph();
      else if (name === "tr" && --depth === 0) {
        lines.push((cells ?? []).join(" | "));
        cells = null;
      }
    },
    text: (said) => {
      if (isText && !isHidden) line += said;
    },
  });
  return ok(lines.join("\n"));
}

const WORKBOOK = "xl/workbook.xml";
const RELATIONS = "xl/_rels/workbook.xml.rels";
const STRINGS = "xl/sharedStrings.xml";
const STYLES = "xl/styles.xml";
const isOfWorkbook = (name: string): boolean =>
  [WORKBOOK, RELATIONS, STRINGS, STYLES].includes(name) || /^xl\/worksheets\/[^/]+\.xml$/.test(name);

/** Each sheet behind a line with its name, its rows behind their numbers. Formulas are what they came to when it was saved. */
export function readXlsx(
  bytes: Uint8Array,
  charsMax: number,
): Result<{ readonly text: string; readonly rows: number; readonly cut: boolean }, FileFault> {
  const parts = unpack(bytes, isOfWorkbook);
  if (!parts.ok) return parts;
  const sheets = sheetsOf(parts.value);
  if (sheets.length === 0)
    return fault(
      "invalid_args",
      "unreadable",
      "The workbook has no sheets.",
      "Save it again as .xlsx, or as CSV.",
    );
  const strings = stringsOf(parts.value.get(STRINGS));
  const dates = dateStyles(parts.value.get(STYLES));
  let text = "";
  let rows = 0;
  for (const { name, part } of sheets) {
    text += `# Sheet: ${name}\n`;
    for (const { number, cells } of sheetRows(parts.value.get(part), strings, dates)) {
      if (text.length > charsMax) return ok({ text, rows, cut: true });
      const said = rowLine(number, cells);
      if (said !== "") rows++;
      text += said;
    }
  }
  return ok({ text, rows, cut: text.length > charsMax });
}

function sheetsOf(
  parts: ReadonlyMap<string, Uint8Array>,
): { readonly name: string; readonly part: string }[] {
  const targets = new Map<string, string>();
  readXml(parts.get(RELATIONS), {
    open: (name, { Id: id = "", Target: target = "" }) => {
      if (name === "Relationship") targets.set(id, target.startsWith("/") ? target.slice(1) : `xl/${target}`);
    },
  });
  const sheets: { name: string; part: string }[] = [];
  readXml(parts.get(WORKBOOK), {
    open: (name, attributes) => {
      const part = targets.get(attributes["r:id"] ?? "");
      if (name === "sheet" && part !== undefined) sheets.push({ name: attributes["name"] ?? "", part });
    },
  });
  return sheets;
}

function stringsOf(bytes: Uint8Array | undefined): readonly string[] {
  const strings: string[] = [];
  let isText = false;
  let isReading = false;
  readXml(bytes, {
    open: (name) => {
      if (name === "si") strings.push("");
      else if (name === "t") isText = true;
      // How a word is read aloud is none of the text.
      else if (name === "rPh") isReading = true;
    },
    close: (name) => {
      if (name === "t") isText = false;
      else if (name === "rPh") isReading = false;
    },
    text: (said) => {
      if (isText && !isReading) strings.push((strings.pop() ?? "") + said);
    },
  });
  return strings;
}

/** Places of the styles that show a number as a date: built in (ECMA-376 18.8.30), or by a format that names day, month or hour. */
function dateStyles(bytes: Uint8Array | undefined): ReadonlySet<number> {
  const own = new Set<number>();
  const dates = new Set<number>();
  let place = -1;
  readXml(bytes, {
    open: (name, { numFmtId, formatCode = "" }) => {
      const id = Number(numFmtId);
      if (name === "numFmt" && /[ymdhs]/i.test(formatCode.replace(/"[^"]*"|\[[^\]]*\]|\\./g, "")))
        own.add(id);
      else if (name === "cellXfs") place = 0;
      else if (name === "xf" && place >= 0) {
        if ((id >= 14 && id <= 22) || (id >= 45 && id <= 47) || own.has(id)) dates.add(place);
        place++;
      }
    },
    close: (name) => {
      if (name === "cellXfs") place = -1;
    },
  });
  return dates;
}

interface Row {
  readonly number: number;
  readonly cells: string[];
}

/** columns that are read */
const COLUMNS_MAX = 1_000;

function sheetRows(
  bytes: Uint8Array | undefined,
  strings: readonly string[],
  dates: ReadonlySet<number>,
): readonly Row[] {
  const rows: Row[] = [];
  let cell: { readonly column: number; readonly type: string; readonly style: number; value: string } | null =
    null;
  let isValue = false;
  readXml(bytes, {
    open: (name, { r: ref = "", t: type = "n", s: style = "0" }) => {
      if (name === "row") rows.push({ number: Number(ref) || (rows.at(-1)?.number ?? 0) + 1, cells: [] });
      else if (name === "c") {
        const column = columnOf(ref) ?? rows.at(-1)?.cells.length ?? 0;
        cell = { column, type, style: Number(style), value: "" };
      } else if (name === "v" || name === "t") isValue = true;
    },
    close: (name) => {
      if (name === "v" || name === "t") isValue = false;
      if (name !== "c" || cell === null) return;
      const cells = rows.at(-1)?.cells ?? [];
      const { column, type, style, value } = cell;
      cell = null;
      if (value === "" || column >= COLUMNS_MAX) return;
      while (cells.length < column) cells.push("");
      cells[column] = shown(value, type, dates.has(style), strings);
    },
    text: (said) => {
      if (isValue && cell !== null) cell.value += said;
    },
  });
  return rows;
}

/** `AB12` → 27 */
function columnOf(ref: string): number | null {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(ref)?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

const DAY_MS = 86_400_000;
/** day 0 of Excel, which counts a 29 February 1900 that never was */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);

function shown(value: string, type: string, isDate: boolean, strings: readonly string[]): string {
  if (type === "s") return strings[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  const number = Number(value);
  if (type !== "n" || !isDate || !Number.isFinite(number) || Math.abs(number) > 2_958_465) return value;
  const iso = new Date(DAY_ZERO_MS + Math.round(number * 86_400) * 1_000).toISOString();
  if (number < 1) return iso.slice(11, 19);
  return (number * DAY_MS) % DAY_MS === 0 ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ");
}

import { ok, type Result } from "../../core/log/result.ts";
import { XmlStream, type MarkupHandler } from "../markup.ts";
import { CELL_CHARS_MAX, COLUMNS_MAX, rowLine } from "./delimited.ts";
import { fault, type FileFault } from "./file-fault.ts";
import { unpack, type PartReader } from "./unpack.ts";

/** The text of Word and Excel files (ECMA-376): what a reader of the document sees as words, in its order. */

type Attributes = ReadonlyMap<string, string>;

/** Names of elements come without their prefix. */
interface Handler {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
  readonly isDone?: () => boolean;
}

/** A part that is read as XML while it is unpacked. Where its reader has enough, the other parts are still read. */
class XmlPart implements PartReader {
  readonly #xml: XmlStream;
  #goesOn = true;

  constructor({ open, close, text, isDone }: Handler) {
    const bare = (name: string): string => name.slice(name.indexOf(":") + 1);
    const handler: MarkupHandler = {
      open: (name, attributes) => open(bare(name), attributes),
      close: (name) => close?.(bare(name)),
      text: (said) => text?.(said),
      isDone: () => isDone?.() ?? false,
    };
    this.#xml = new XmlStream(handler);
  }

  write(piece: Uint8Array): boolean {
    if (this.#goesOn) this.#goesOn = this.#xml.write(piece);
    return true;
  }

  /** True where all of the part was read. */
  end(): boolean {
    return this.#xml.end() && this.#goesOn;
  }
}

const isOn = (value: string | undefined): boolean => value === undefined || !/^(?:0|false|off)$/.test(value);

const DOCUMENT = "word/document.xml";

/** Checks that the parts that would be read of it can be unpacked. Faults as `unpack`. */
export function checkOffice(kind: "docx" | "xlsx", bytes: Uint8Array): Result<null, FileFault> {
  const count: PartReader = { write: () => true };
  const isRead = (name: string): boolean => (kind === "docx" ? name === DOCUMENT : isOfWorkbook(name));
  const parts = unpack(bytes, (name) => (isRead(name) ? count : null));
  return parts.ok ? ok(null) : parts;
}

/** Joins the pieces of a text, and forgets what is beyond a number of characters. */
class BoundedText {
  readonly #max: number;
  #pieces: string[] = [];
  #chars = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(text: string): void {
    if (this.#chars >= this.#max) return;
    this.#pieces.push(text.slice(0, this.#max - this.#chars));
    this.#chars += text.length;
  }

  /** The text; what comes next is a new one. */
  take(): string {
    const text = this.#pieces.join("");
    this.#pieces = [];
    this.#chars = 0;
    return text;
  }

  get chars(): number {
    return Math.min(this.#chars, this.#max);
  }
}

interface Reading {
  readonly text: string;
  /** the file has more text than this */
  readonly cut: boolean;
}

/** Paragraphs a line each, headings and lists marked, tables by row. Left out: what was deleted or is hidden. */
export function readDocx(bytes: Uint8Array, charsMax: number): Result<Reading, FileFault> {
  const lines: string[] = [];
  let chars = 0;
  const line = new BoundedText(charsMax);
  let mark = "";
  let isText = false;
  let isHidden = false;
  /** the paragraphs of each cell of the row that is open */
  let cells: string[][] | null = null;
  let depth = 0;
  const addLine = (text: string): void => {
    lines.push(text);
    chars += text.length + 1;
  };
  const endParagraph = (): void => {
    const words = line.take();
    const paragraph = words.trim() === "" ? "" : mark + words;
    mark = "";
    if (cells === null) return addLine(paragraph);
    if (cells.length === 0) cells.push([]);
    if (paragraph !== "") cells.at(-1)?.push(paragraph);
    chars += paragraph.length + 1;
  };
  const document = new XmlPart({
    open: (name, attributes) => {
      if (name === "t") isText = true;
      else if (name === "r") isHidden = false;
      else if (name === "vanish") isHidden = isOn(attributes.get("w:val"));
      else if (name === "tab") line.add(" ");
      else if (name === "br" || name === "cr") line.add(cells === null ? "\n" : " ");
      else if (name === "numPr" && mark === "") mark = "- ";
      else if (name === "pStyle") {
        const level = /^(?:heading|title)\s{0,9}(\d)?/i.exec(attributes.get("w:val") ?? "");
        if (level !== null) mark = `${"#".repeat(Number(level[1] ?? 1))} `;
      } else if (name === "tr" && ++depth === 1) cells = [];
      else if (name === "tc" && depth === 1 && cells !== null && cells.length < COLUMNS_MAX) cells.push([]);
    },
    close: (name) => {
      if (name === "t") isText = false;
      else if (name === "p") endParagraph();
      else if (name === "tr" && --depth === 0) {
        lines.push((cells ?? []).map((paragraphs) => paragraphs.join(" ").trim()).join(" | "));
        cells = null;
      }
    },
    text: (said) => {
      if (isText && !isHidden) line.add(said);
    },
    isDone: () => chars + line.chars > charsMax,
  });
  const parts = unpack(bytes, (name) => (name === DOCUMENT ? document : null));
  if (!parts.ok) return parts;
  const isWhole = document.end();
  return ok({ text: lines.join("\n"), cut: !isWhole });
}

const WORKBOOK = "xl/workbook.xml";
const RELATIONS = "xl/_rels/workbook.xml.rels";
const STRINGS = "xl/sharedStrings.xml";
const STYLES = "xl/styles.xml";
const isSheet = (name: string): boolean => /^xl\/worksheets\/[^/]+\.xml$/.test(name);
const isOfWorkbook = (name: string): boolean =>
  [WORKBOOK, RELATIONS, STRINGS, STYLES].includes(name) || isSheet(name);

/** sheets of one workbook that are read */
const SHEETS_MAX = 200;
/** strings that the cells of all sheets share, and their characters */
const STRINGS_MAX = 500_000;
const STRING_CHARS_MAX = 4_000_000;
const STYLES_MAX = 100_000;
const SHEET_NAME_CHARS_MAX = 100;

/** Each sheet behind a line with its name, its rows behind their numbers. Formulas are what they came to when it was saved. */
export function readXlsx(
  bytes: Uint8Array,
  charsMax: number,
): Result<Reading & { readonly rows: number }, FileFault> {
  const targets = new Map<string, string>();
  const listed: { readonly name: string; readonly id: string }[] = [];
  const strings = new SharedStrings();
  const dates = new DateStyles();
  const heads = new Map<string, XmlPart>([
    [RELATIONS, relationsPart(targets)],
    [WORKBOOK, sheetsPart(listed)],
    [STRINGS, new XmlPart(strings)],
    [STYLES, new XmlPart(dates)],
  ]);
  const names = unpack(bytes, (name) => heads.get(name) ?? null);
  if (!names.ok) return names;
  const ends = new Map([...heads].map(([name, part]) => [name, part.end()]));
  const sheets = listed.flatMap(({ name, id }) => {
    const part = targets.get(id);
    return part === undefined ? [] : [{ name, part }];
  });
  if (sheets.length === 0)
    return fault(
      "invalid_args",
      "unreadable",
      "The workbook has no sheets.",
      "Save it again as .xlsx, or as CSV.",
    );
  // The strings may stand behind the sheets in the file, so the sheets are read in a second pass.
  const budget = { chars: charsMax };
  const readers = new Map<string, { readonly part: XmlPart; readonly rows: SheetRows }>();
  const wanted = new Set(sheets.map(({ part }) => part));
  const unpacked = unpack(bytes, (name) => {
    if (!wanted.has(name)) return null;
    const rows = new SheetRows(strings.all, dates.places, budget);
    const part = new XmlPart(rows);
    readers.set(name, { part, rows });
    return part;
  });
  if (!unpacked.ok) return unpacked;
  let isWhole = ends.get(STRINGS) !== false && !strings.isCut;
  for (const { part } of readers.values()) if (!part.end()) isWhole = false;
  const lines: string[] = [];
  let rows = 0;
  for (const { name, part } of sheets) {
    lines.push(`# Sheet: ${name.slice(0, SHEET_NAME_CHARS_MAX)}\n`);
    const sheet = readers.get(part)?.rows;
    // A sheet that is listed twice is read once.
    readers.delete(part);
    if (sheet === undefined) continue;
    for (const line of sheet.takeLines()) lines.push(line);
    rows += sheet.count;
    if (sheet.isCut) isWhole = false;
  }
  return ok({ text: lines.join(""), rows, cut: !isWhole || budget.chars <= 0 });
}

const relationsPart = (targets: Map<string, string>): XmlPart =>
  new XmlPart({
    open: (name, attributes) => {
      const target = attributes.get("Target") ?? "";
      if (name === "Relationship" && targets.size < 10 * SHEETS_MAX)
        targets.set(attributes.get("Id") ?? "", target.startsWith("/") ? target.slice(1) : `xl/${target}`);
    },
  });

const sheetsPart = (listed: { readonly name: string; readonly id: string }[]): XmlPart =>
  new XmlPart({
    open: (name, attributes) => {
      const id = attributes.get("r:id");
      if (name === "sheet" && id !== undefined && listed.length < SHEETS_MAX)
        listed.push({ name: attributes.get("name") ?? "", id });
    },
  });

class SharedStrings implements Handler {
  readonly all: string[] = [];
  isCut = false;
  readonly #string = new BoundedText(CELL_CHARS_MAX);
  #chars = 0;
  #isText = false;
  #isReading = false;

  readonly open = (name: string): void => {
    if (name === "t") this.#isText = true;
    // How a word is read aloud is none of the text.
    else if (name === "rPh") this.#isReading = true;
  };

  readonly close = (name: string): void => {
    if (name === "t") this.#isText = false;
    else if (name === "rPh") this.#isReading = false;
    else if (name === "si") {
      const text = this.#string.take();
      this.#chars += text.length;
      this.all.push(text);
    }
  };

  readonly text = (said: string): void => {
    if (this.#isText && !this.#isReading) this.#string.add(said);
  };

  readonly isDone = (): boolean => {
    this.isCut ||= this.all.length > STRINGS_MAX || this.#chars > STRING_CHARS_MAX;
    return this.isCut;
  };
}

/** Places of the styles that show a number as a date: built in (ECMA-376 18.8.30), or by a format that names day, month or hour. */
class DateStyles implements Handler {
  readonly places = new Set<number>();
  readonly #own = new Set<number>();
  #place = -1;

  readonly open = (name: string, attributes: Attributes): void => {
    const id = Number(attributes.get("numFmtId"));
    if (name === "numFmt" && /[ymdhs]/i.test(unquoted(attributes.get("formatCode") ?? ""))) this.#own.add(id);
    else if (name === "cellXfs") this.#place = 0;
    else if (name === "xf" && this.#place >= 0) {
      if ((id >= 14 && id <= 22) || (id >= 45 && id <= 47) || this.#own.has(id)) this.places.add(this.#place);
      this.#place++;
    }
  };

  readonly close = (name: string): void => {
    if (name === "cellXfs") this.#place = -1;
  };

  readonly isDone = (): boolean => this.#place > STYLES_MAX || this.#own.size > STYLES_MAX;
}

/** of a format that is looked at; Excel takes 255 */
const FORMAT_CHARS_MAX = 300;

const unquoted = (format: string): string =>
  format.slice(0, FORMAT_CHARS_MAX).replace(/"[^"]*"|\[[^\]]*\]|\\./g, "");

/** The rows of one sheet as lines. All sheets spend the same budget of characters, cell by cell. */
class SheetRows implements Handler {
  /** rows that have a text */
  count = 0;
  isCut = false;
  #lines: string[] = [];
  readonly #strings: readonly string[];
  readonly #dates: ReadonlySet<number>;
  readonly #budget: { chars: number };
  #number = 0;
  #cells: string[] = [];
  #cell: { readonly column: number; readonly type: string; readonly style: number } | null = null;
  readonly #value = new BoundedText(CELL_CHARS_MAX);
  #isValue = false;

  constructor(strings: readonly string[], dates: ReadonlySet<number>, budget: { chars: number }) {
    this.#strings = strings;
    this.#dates = dates;
    this.#budget = budget;
  }

  takeLines(): readonly string[] {
    this.#endRow();
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  readonly open = (name: string, attributes: Attributes): void => {
    if (name === "row") {
      this.#endRow();
      this.#number = Number(attributes.get("r")) || this.#number + 1;
    } else if (name === "c") {
      const column = columnOf(attributes.get("r") ?? "") ?? this.#cells.length;
      this.#cell = { column, type: attributes.get("t") ?? "n", style: Number(attributes.get("s") ?? "0") };
    } else if (name === "v" || name === "t") this.#isValue = true;
  };

  readonly close = (name: string): void => {
    if (name === "v" || name === "t") this.#isValue = false;
    else if (name === "row") this.#endRow();
    if (name !== "c" || this.#cell === null) return;
    const { column, type, style } = this.#cell;
    this.#cell = null;
    const value = this.#value.take();
    if (value === "") return;
    if (column >= COLUMNS_MAX) {
      this.isCut = true;
      return;
    }
    const text = shown(value, type, this.#dates.has(style), this.#strings);
    this.#budget.chars -= text.length + 3;
    while (this.#cells.length < column) {
      this.#cells.push("");
      this.#budget.chars -= 3;
    }
    this.#cells[column] = text;
  };

  readonly text = (said: string): void => {
    if (this.#isValue && this.#cell !== null) this.#value.add(said);
  };

  readonly isDone = (): boolean => {
    this.isCut ||= this.#budget.chars <= 0;
    return this.#budget.chars <= 0;
  };

  #endRow(): void {
    const line = rowLine(this.#number, this.#cells);
    this.#cells = [];
    if (line === "") return;
    this.#lines.push(line);
    this.count++;
    this.#budget.chars -= 10;
  }
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

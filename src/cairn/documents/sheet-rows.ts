import type { CellFormats } from "./cell-formats.ts";
import { CELL_CHARS_MAX, COLUMNS_MAX, rowLine } from "./delimited.ts";
import { formatSerial, plainNumber } from "./number-format.ts";
import { attribute, BoundedText, type Attributes, type PartHandler } from "./office-parts.ts";
import { unescaped } from "./shared-strings.ts";

interface Book {
  readonly strings: readonly string[];
  readonly formats: CellFormats;
  readonly isFrom1904: boolean;
  /** characters that all sheets spend, cell by cell */
  readonly budget: { chars: number };
}

/** The rows of one sheet as lines. */
export class SheetRows implements PartHandler {
  /** rows that have a text */
  count = 0;
  isCut = false;
  #lines: string[] = [];
  readonly #book: Book;
  #number = 0;
  #cells: string[] = [];
  #cell: { readonly column: number; readonly type: string; readonly style: number } | null = null;
  readonly #value = new BoundedText(CELL_CHARS_MAX);
  #isValue = false;
  #readings = 0;

  constructor(book: Book) {
    this.#book = book;
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
      this.#number = Number(attribute(attributes, "r")) || this.#number + 1;
    } else if (name === "c") {
      const column = columnOf(attribute(attributes, "r") ?? "") ?? this.#cells.length;
      const type = attribute(attributes, "t") ?? "n";
      this.#cell = { column, type, style: Number(attribute(attributes, "s") ?? "0") };
    } else if (name === "v" || name === "t") this.#isValue = true;
    // How a word is pronounced is no part of the text.
    else if (name === "rPh") this.#readings++;
  };

  readonly close = (name: string): void => {
    if (name === "v" || name === "t") this.#isValue = false;
    else if (name === "rPh") this.#readings--;
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
    const { budget } = this.#book;
    const text = shown(value, type, style, this.#book);
    budget.chars -= text.length + 3;
    while (this.#cells.length < column) {
      this.#cells.push("");
      budget.chars -= 3;
    }
    this.#cells[column] = text;
  };

  readonly text = (piece: string): void => {
    if (this.#isValue && this.#cell !== null && this.#readings === 0) this.#value.add(piece);
  };

  readonly isDone = (): boolean => {
    this.isCut ||= this.#book.budget.chars <= 0;
    return this.#book.budget.chars <= 0;
  };

  #endRow(): void {
    const line = rowLine(this.#number, this.#cells);
    this.#cells = [];
    if (line === "") return;
    this.#lines.push(line);
    this.count++;
    this.#book.budget.chars -= 10;
  }
}

/** `AB12` → 27 */
function columnOf(ref: string): number | null {
  const letters = /^[A-Z]{1,3}(?=\d)/i.exec(ref)?.[0];
  if (letters === undefined) return null;
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Types of cells: ECMA-376 part 1, 18.18.11. */
function shown(value: string, type: string, style: number, { strings, formats, isFrom1904 }: Book): string {
  switch (type) {
    case "s":
      return strings[Number(value)] ?? "";
    case "b":
      return /^(?:1|true)$/i.test(value.trim()) ? "TRUE" : "FALSE";
    case "str":
    case "inlineStr":
      return unescaped(value);
    case "d":
      return isoDate(value.trim());
    case "n":
      break;
    default:
      return value;
  }
  const number = Number(value);
  if (!Number.isFinite(number) || value.trim() === "") return value;
  const format = formats.of(style);
  const text = format === null ? null : formatSerial(number, format, isFrom1904);
  return text ?? (/[.e]/i.test(value) ? plainNumber(number) : value);
}

/** `2025-05-15T00:00:00.000` → `2025-05-15` */
const isoDate = (value: string): string => {
  const parts = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?Z?$/.exec(value);
  if (parts === null) return value;
  return parts[2] === "00:00:00" ? `${parts[1]}` : `${parts[1]} ${parts[2]}`;
};

/** Tables as text: each row on a line behind its number. */

/** characters of one cell, columns of one row, and rows that are looked at; what is beyond is left out */
export const CELL_CHARS_MAX = 32_767;
export const COLUMNS_MAX = 1_000;
const ROWS_MAX = 1_048_576;
/** characters of the first lines that decide which sign parts the cells */
const HEAD_CHARS_MAX = 65_536;

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

export interface TableRow {
  /** from 1 */
  readonly number: number;
  readonly cells: readonly string[];
  /** cells, or ends of cells, were left out */
  readonly cut: boolean;
}

/** Rows of CSV (RFC 4180) that have a cell, whatever of comma, semicolon and tab parts its first line most often. */
export function* rowsOf(text: string): Generator<TableRow> {
  const separator = separatorOf(text).charCodeAt(0);
  let number = 1;
  let row = new RowBuilder();
  let isQuoted = false;
  /** where the text begins that belongs to the cell and is not taken over yet */
  let from = 0;
  for (let at = 0; at < text.length && number <= ROWS_MAX; at++) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code !== QUOTE) continue;
      row.add(text, from, at);
      if (text.charCodeAt(at + 1) === QUOTE) from = ++at;
      else {
        isQuoted = false;
        from = at + 1;
      }
    } else if (code === QUOTE) {
      row.add(text, from, at);
      from = at;
      if (!row.isBlank) continue;
      row.dropBlanks();
      isQuoted = true;
      from = at + 1;
    } else if (code === separator) {
      row.add(text, from, at);
      row.endCell();
      from = at + 1;
    } else if (code === LINE_FEED) {
      row.add(text, from, at > from && text.charCodeAt(at - 1) === RETURN ? at - 1 : at);
      if (row.hasCells) yield row.end(number);
      row = new RowBuilder();
      number++;
      from = at + 1;
    }
  }
  row.add(text, from, text.length);
  if (row.hasCells && number <= ROWS_MAX) yield row.end(number);
}

class RowBuilder {
  readonly #cells: string[] = [];
  #pieces: string[] = [];
  #chars = 0;
  #isBlank = true;
  #isCut = false;

  /** Nothing but blanks is in the cell that is open. */
  get isBlank(): boolean {
    return this.#isBlank;
  }

  get hasCells(): boolean {
    return this.#cells.length > 0 || this.#pieces.length > 0;
  }

  add(text: string, from: number, to: number): void {
    if (to <= from) return;
    const space = this.#cells.length < COLUMNS_MAX ? CELL_CHARS_MAX - this.#chars : 0;
    if (to - from > space) this.#isCut = true;
    if (space <= 0) {
      this.#isBlank = false;
      return;
    }
    const piece = text.slice(from, Math.min(to, from + space));
    this.#isBlank &&= piece.trim() === "";
    this.#pieces.push(piece);
    this.#chars += piece.length;
  }

  dropBlanks(): void {
    this.#pieces = [];
    this.#chars = 0;
  }

  endCell(): void {
    if (this.#cells.length < COLUMNS_MAX) this.#cells.push(this.#pieces.join(""));
    else this.#isCut = true;
    this.dropBlanks();
    this.#isBlank = true;
  }

  end(number: number): TableRow {
    this.endCell();
    return { number, cells: this.#cells, cut: this.#isCut };
  }
}

function separatorOf(text: string): string {
  const [first = ""] = text.slice(0, HEAD_CHARS_MAX).trimStart().split("\n", 1);
  const counts = new Map([
    ["\t", 0],
    [";", 0],
    [",", 0],
  ]);
  let isQuoted = false;
  for (const char of first) {
    if (char === '"') isQuoted = !isQuoted;
    const count = isQuoted ? undefined : counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** `[row 3] Anna | 12`, and nothing for a row of empty cells. */
export function rowLine(number: number, cells: readonly string[]): string {
  const texts = cells.map((cell) => cell.replace(/\s+/gu, " ").trim());
  while (texts.at(-1) === "") texts.pop();
  return texts.length === 0 ? "" : `[row ${number}] ${texts.join(" | ")}\n`;
}

import { builtInFormat, parseFormat, type NumberFormat } from "./number-format.ts";
import { attribute, type Attributes, type PartHandler } from "./office-parts.ts";

const STYLES_MAX = 100_000;
/** formats that a workbook names itself; Excel has room for a few hundred */
const OWN_FORMATS_MAX = 5_000;

/** The number format of each style of a cell, by its place in the list of styles. */
export class CellFormats implements PartHandler {
  readonly #own = new Map<number, NumberFormat | null>();
  readonly #styles: number[] = [];
  #isOfCells = false;
  /** depth of formats that belong to conditions, not to cells */
  #conditional = 0;

  readonly open = (name: string, attributes: Attributes): void => {
    const id = Number(attribute(attributes, "numFmtId") ?? "0");
    if (name === "dxfs") this.#conditional++;
    else if (name === "numFmt" && this.#conditional === 0 && this.#own.size < OWN_FORMATS_MAX)
      this.#own.set(id, parseFormat(attribute(attributes, "formatCode") ?? ""));
    else if (name === "cellXfs") this.#isOfCells = true;
    else if (name === "xf" && this.#isOfCells) this.#styles.push(id);
  };

  readonly close = (name: string): void => {
    if (name === "cellXfs") this.#isOfCells = false;
    else if (name === "dxfs") this.#conditional--;
  };

  readonly isDone = (): boolean => this.#styles.length > STYLES_MAX;

  /** Null where the number is shown as it is. A format that the workbook names itself goes before a built-in one. */
  of(style: number): NumberFormat | null {
    const id = this.#styles[style] ?? 0;
    const own = this.#own.get(id);
    return own === undefined ? builtInFormat(id) : own;
  }
}

import { CELL_CHARS_MAX } from "./delimited.ts";
import { BoundedText, type PartHandler } from "./office-parts.ts";

/** strings that the cells of all sheets share, and their characters */
const STRINGS_MAX = 500_000;
const STRING_CHARS_MAX = 4_000_000;

export class SharedStrings implements PartHandler {
  readonly all: string[] = [];
  isCut = false;
  readonly #string = new BoundedText(CELL_CHARS_MAX);
  #chars = 0;
  #isText = false;
  #readings = 0;

  readonly open = (name: string): void => {
    if (name === "t") this.#isText = true;
    // How a word is pronounced is no part of the text.
    else if (name === "rPh") this.#readings++;
  };

  readonly close = (name: string): void => {
    if (name === "t") this.#isText = false;
    else if (name === "rPh") this.#readings--;
    else if (name === "si") {
      const text = unescaped(this.#string.take());
      this.#chars += text.length;
      this.all.push(text);
    }
  };

  readonly text = (piece: string): void => {
    if (this.#isText && this.#readings === 0) this.#string.add(piece);
  };

  readonly isDone = (): boolean => {
    this.isCut ||= this.all.length > STRINGS_MAX || this.#chars > STRING_CHARS_MAX;
    return this.isCut;
  };
}

/** Signs that XML cannot have are written as `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
export const unescaped = (text: string): string =>
  text.includes("_x")
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

import { XmlStream, type MarkupHandler } from "./markup.ts";
import type { PartReader } from "./unpack.ts";

/** The parts of an office file (ECMA-376): how they are named, read as XML, and bounded. */

export type Attributes = ReadonlyMap<string, string>;

/** Names of elements come without their prefix, which each program may choose. */
export interface PartHandler {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
  readonly isDone?: () => boolean;
}

const bare = (name: string): string => name.slice(name.indexOf(":") + 1);

/** An attribute by its name without a prefix: programs choose prefixes. Undefined where it is absent. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  const exact = attributes.get(name);
  if (exact !== undefined) return exact;
  for (const [key, value] of attributes) if (bare(key) === name) return value;
  return undefined;
}

/** An attribute that has a prefix, such as `r:id`, whatever the prefix is. */
export function prefixedAttribute(attributes: Attributes, name: string): string | undefined {
  for (const [key, value] of attributes) if (key.includes(":") && bare(key) === name) return value;
  return undefined;
}

export const isOn = (value: string | undefined): boolean =>
  value === undefined || !/^(?:0|false|off)$/.test(value);

/** A part that is read as XML while it is unpacked. Where its reader has enough, the other parts are still read. */
export class XmlPart implements PartReader {
  readonly #xml: XmlStream;
  #goesOn = true;

  constructor({ open, close, text, isDone }: PartHandler) {
    const handler: MarkupHandler = {
      open: (name, attributes) => open(bare(name), attributes),
      close: (name) => close?.(bare(name)),
      text: (piece) => text?.(piece),
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

/** Joins the pieces of a text, and forgets what is beyond a number of characters. */
export class BoundedText {
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

export interface Reading {
  readonly text: string;
  /** the file has more text than this */
  readonly cut: boolean;
}

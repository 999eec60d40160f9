import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/**
 * Reads HTML or XML from left to right, as events, at a cost that is linear in its length: the tokenizer of htmlparser2 looks
 * at each character once, and the elements that are open are a stack with a counter for each name, so that an end tag without
 * a start tag costs nothing. Nesting, tags and characters of text have a budget; where it is spent, reading stops.
 */

export interface MarkupHandler {
  /** The element begins. A void element, such as `br`, is closed right away. */
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  /** The element ends: always the one that was opened last. */
  close?(name: string): void;
  text?(text: string): void;
  /** True once the handler wants nothing more. */
  isDone?(): boolean;
}

export const NESTING_MAX = 1_000;
/** start tags and end tags of one document */
export const TAGS_MAX = 300_000;
/** attributes of a tag that are noted */
const ATTRIBUTES_MAX = 64;
/** attributes of a tag at which reading stops: only a tag that never ends has so many */
const ATTRIBUTES_READ_MAX = 10_000;
const ATTRIBUTE_CHARS_MAX = 4_096;
/** characters that the tokenizer is given at once; the budget is looked at in between */
const CHUNK_CHARS = 65_536;

const VOID = new Set(
  "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr".split(
    " ",
  ),
);
/** Inside of these, elements may close themselves as in XML. */
const FOREIGN = new Set(["svg", "math"]);

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const P = words("p");
const CELLS = words("td th");
/** The elements that a heading closes. */
const BEFORE_HEADING = words("h1 h2 h3 h4 h5 h6 p");
/** The end tags that HTML leaves out: a start tag ends such elements, as long as they are the innermost. */
const CLOSED_BY = new Map<string, ReadonlySet<string>>([
  ["li", words("li")],
  ["dd", words("dd dt")],
  ["dt", words("dd dt")],
  ["option", words("option")],
  ["optgroup", words("option optgroup")],
  ["td", CELLS],
  ["th", CELLS],
  ["tr", words("td th tr")],
  ["tbody", words("td th tr thead tbody")],
  ["tfoot", words("td th tr thead tbody")],
  ["a", words("a")],
  ["body", words("head")],
  ["h1", BEFORE_HEADING],
  ["h2", BEFORE_HEADING],
  ["h3", BEFORE_HEADING],
  ["h4", BEFORE_HEADING],
  ["h5", BEFORE_HEADING],
  ["h6", BEFORE_HEADING],
  ...(
    "p address article aside blockquote details div dl fieldset figcaption figure footer form header hr main nav ol pre " +
    "section table ul"
  )
    .split(" ")
    .map((name) => [name, P] as const),
]);

/** Reads a whole document. True where all of it was read, false where a budget was spent or the handler was done. */
export function readMarkup(text: string, handler: MarkupHandler, form: "html" | "xml"): boolean {
  const reader = new MarkupReader(handler, form === "xml", TAGS_MAX);
  reader.text = text;
  const tokenizer = new Tokenizer({ xmlMode: form === "xml", decodeEntities: true }, reader);
  for (let at = 0; at < text.length && !reader.isSpent; at += CHUNK_CHARS)
    tokenizer.write(text.slice(at, at + CHUNK_CHARS));
  if (!reader.isSpent) tokenizer.end();
  reader.closeAll();
  return !reader.isSpent;
}

/** start tags and end tags of one XML document; a sheet has four for each cell */
const XML_TAGS_MAX = 1_500_000;
/** characters of a tag or a comment that has not ended */
const UNFINISHED_CHARS_MAX = 262_144;

/** Reads XML that arrives in pieces: nothing but the tag that is unfinished is in memory. */
export class XmlStream {
  readonly #reader: MarkupReader;
  readonly #tokenizer: Tokenizer;
  #decoder: TextDecoder | null = null;

  constructor(handler: MarkupHandler) {
    this.#reader = new MarkupReader(handler, true, XML_TAGS_MAX);
    this.#tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, this.#reader);
  }

  /** UTF-8, or UTF-16 by its first bytes. False once a budget is spent or the handler is done: nothing more is read. */
  write(bytes: Uint8Array): boolean {
    const reader = this.#reader;
    if (bytes.length === 0) return !reader.isSpent;
    this.#decoder ??= new TextDecoder(charsetOf(bytes));
    for (let at = 0; at < bytes.length && !reader.isSpent; at += CHUNK_CHARS) {
      const chunk = this.#decoder.decode(bytes.subarray(at, at + CHUNK_CHARS), { stream: true });
      reader.dropRead();
      reader.text += chunk;
      if (reader.text.length > UNFINISHED_CHARS_MAX + chunk.length) reader.stop();
      else this.#tokenizer.write(chunk);
    }
    return !reader.isSpent;
  }

  /** True where all of it was read. */
  end(): boolean {
    if (!this.#reader.isSpent) this.#tokenizer.end();
    this.#reader.closeAll();
    return !this.#reader.isSpent;
  }
}

/** The charset of XML by its byte order mark, or by how its first `<` is written (XML 1.0, appendix F). */
function charsetOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return "utf-16be";
  return "utf-8";
}

class MarkupReader implements TokenizerCallbacks {
  /** the document, or the end of it that is not read yet */
  text = "";
  /** place in the document of the first character of `text` */
  #base = 0;
  /** place behind the last event */
  #read = 0;
  readonly #handler: MarkupHandler;
  readonly #isXml: boolean;
  readonly #open: string[] = [];
  readonly #counts = new Map<string, number>();
  #foreign = 0;
  #tags = 0;
  readonly #tagsMax: number;
  #isSpent = false;
  #name = "";
  #attribute = "";
  #value: string[] = [];
  #valueChars = 0;
  #attributes = new Map<string, string>();
  /** attributes of the tag that is read, also those that are not noted */
  #attributeCount = 0;

  constructor(handler: MarkupHandler, isXml: boolean, tagsMax: number) {
    this.#handler = handler;
    this.#isXml = isXml;
    this.#tagsMax = tagsMax;
  }

  get isSpent(): boolean {
    return this.#isSpent;
  }

  stop(): void {
    this.#isSpent = true;
  }

  /** Forgets the text that no later event can name. */
  dropRead(): void {
    this.text = this.text.slice(this.#read - this.#base);
    this.#base = this.#read;
  }

  closeAll(): void {
    while (this.#open.length > 0) this.#pop();
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#nameAt(start, end);
    this.#attributes = new Map();
    this.#attributeCount = 0;
  }

  onattribname(start: number, end: number): void {
    const name = this.#slice(start, Math.min(end, start + ATTRIBUTE_CHARS_MAX), end);
    this.#attribute = this.#isXml ? name : name.toLowerCase();
  }

  onattribdata(start: number, end: number): void {
    this.#addToValue(this.#slice(start, Math.min(end, start + ATTRIBUTE_CHARS_MAX), end));
  }

  onattribentity(codePoint: number): void {
    this.#addToValue(String.fromCodePoint(codePoint));
  }

  onattribend(): void {
    if (this.#attributes.size < ATTRIBUTES_MAX && !this.#attributes.has(this.#attribute))
      this.#attributes.set(this.#attribute, this.#value.join(""));
    this.#value = [];
    this.#valueChars = 0;
    if (++this.#attributeCount > ATTRIBUTES_READ_MAX) this.stop();
  }

  onopentagend(): void {
    this.#begin(false);
  }

  onselfclosingtag(): void {
    this.#begin(this.#isXml || this.#foreign > 0 || FOREIGN.has(this.#name));
  }

  onclosetag(start: number, end: number): void {
    if (!this.#spendTag()) return;
    const name = this.#nameAt(start, end);
    if (!this.#isXml && VOID.has(name)) {
      if (name === "br") this.#single(name, new Map());
      return;
    }
    if ((this.#counts.get(name) ?? 0) === 0) {
      if (!this.#isXml && name === "p") this.#single(name, new Map());
      return;
    }
    while (this.#pop() !== name);
  }

  ontext(start: number, end: number): void {
    this.#emitText(this.#slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#emitText(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, offset: number): void {
    this.#read = end;
    if (this.#isXml || this.#foreign > 0) this.#emitText(this.#slice(start, end - offset, end));
  }

  oncomment(_start: number, end: number): void {
    this.#read = end;
  }
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  isInForeignContext(): boolean {
    return this.#foreign > 0;
  }

  #nameAt(start: number, end: number): string {
    const name = this.#slice(start, Math.min(end, start + ATTRIBUTE_CHARS_MAX), end);
    return this.#isXml ? name : name.toLowerCase();
  }

  #slice(start: number, end: number, read = end): string {
    this.#read = read;
    return this.text.slice(start - this.#base, end - this.#base);
  }

  #addToValue(text: string): void {
    if (this.#valueChars >= ATTRIBUTE_CHARS_MAX) return;
    this.#valueChars += text.length;
    this.#value.push(text);
  }

  #emitText(text: string): void {
    if (!this.#isSpent) this.#handler.text?.(text);
    if (this.#handler.isDone?.() === true) this.#isSpent = true;
  }

  #spendTag(): boolean {
    if (++this.#tags > this.#tagsMax || this.#handler.isDone?.() === true) this.#isSpent = true;
    return !this.#isSpent;
  }

  #begin(closesItself: boolean): void {
    if (!this.#spendTag()) return;
    const name = this.#name;
    const attributes = this.#attributes;
    if (!this.#isXml) {
      const closed = CLOSED_BY.get(name);
      for (let last = this.#open.at(-1); last !== undefined && closed?.has(last); last = this.#open.at(-1))
        this.#pop();
    }
    if (closesItself || (!this.#isXml && VOID.has(name))) return this.#single(name, attributes);
    if (this.#open.length >= NESTING_MAX) {
      this.#isSpent = true;
      return;
    }
    this.#open.push(name);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (!this.#isXml && FOREIGN.has(name)) this.#foreign++;
    this.#handler.open(name, attributes);
  }

  #single(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#handler.open(name, attributes);
    this.#handler.close?.(name);
  }

  #pop(): string | undefined {
    const name = this.#open.pop();
    if (name === undefined) return undefined;
    const count = (this.#counts.get(name) ?? 1) - 1;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
    if (!this.#isXml && FOREIGN.has(name)) this.#foreign--;
    this.#handler.close?.(name);
    return name;
  }
}

import { COLUMNS_MAX } from "./delimited.ts";
import { attribute, BoundedText, isOn, XmlPart, type Attributes } from "./office-parts.ts";
import { symbolText } from "./symbols.ts";
import { levelOf, type WordStyles } from "./word-styles.ts";

/**
 * One part of a Word file as lines, in the order of a reader: the document, a header, a footer, or the notes and comments.
 * Paragraphs are a line each, headings and lists are marked, a table has a line for each row. What was deleted, moved away or
 * is hidden, and the codes of fields, are left out; a text box follows the paragraph that holds it.
 */

/** Elements of which nothing is shown: what was deleted or moved away, and how East Asian words are pronounced. */
const NOT_SHOWN = new Set(["del", "moveFrom", "rt", "instrText", "delInstrText"]);
/** Former formatting, recorded by a tracked change. */
const isFormer = (name: string): boolean => name.endsWith("Change");
/** Elements that hold paragraphs of their own inside a paragraph. */
const BOXES = new Set(["txbxContent", "txBody"]);
const NOTES = new Set(["footnote", "endnote", "comment"]);
const REFERENCES: ReadonlyMap<string, NoteKind> = new Map([
  ["footnoteReference", "footnote"],
  ["endnoteReference", "endnote"],
  ["commentReference", "comment"],
]);

/** notes of one kind */
const NOTES_MAX = 2_000;
/** fields inside of each other */
const FIELDS_MAX = 100;

export type NoteKind = "footnote" | "endnote" | "comment";

export interface Note {
  readonly id: string;
  readonly author: string;
  readonly text: string;
}

/** Paragraphs of the document, of a note or of a text box. */
class Block {
  readonly lines: string[] = [];
  readonly line: BoundedText;
  mark = "";
  isHidden = false;
  /** the mark at the end of the paragraph was deleted: the next one goes on in its line */
  goesOn = false;
  /** the paragraphs of each cell of the row that is open */
  cells: string[][] | null = null;
  depth = 0;
  isRowDeleted = false;
  /** lines of the text boxes that the open paragraph holds */
  boxes: string[] = [];

  constructor(charsMax: number) {
    this.line = new BoundedText(charsMax);
  }

  endParagraph(): void {
    const { goesOn, mark } = this;
    this.mark = "";
    this.isHidden = false;
    this.goesOn = false;
    if (goesOn) return;
    const words = this.line.take();
    const boxes = this.boxes;
    this.boxes = [];
    const paragraph = words.trim() === "" ? "" : mark + words;
    if (this.cells === null) {
      this.lines.push(paragraph);
      for (const line of boxes) this.lines.push(line);
      return;
    }
    if (this.cells.length === 0) this.cells.push([]);
    for (const line of [paragraph, ...boxes]) if (line !== "") this.cells.at(-1)?.push(line);
  }

  endRow(): void {
    if (!this.isRowDeleted)
      this.lines.push((this.cells ?? []).map((paragraphs) => paragraphs.join(" ").trim()).join(" | "));
    this.cells = null;
    this.isRowDeleted = false;
  }

  /** A paragraph without an end, where the mark behind it was deleted. */
  flush(): void {
    this.goesOn = false;
    if (this.line.chars > 0 || this.boxes.length > 0) this.endParagraph();
  }
}

export class WordStory {
  readonly part: XmlPart;
  readonly notes: Note[] = [];
  /** ids of the notes that the text refers to, with their numbers in its order */
  readonly references: Readonly<Record<NoteKind, Map<string, number>>> = {
    footnote: new Map(),
    endnote: new Map(),
    comment: new Map(),
  };
  readonly #styles: WordStyles;
  readonly #charsMax: number;
  readonly #path: string[] = [];
  /** elements that are open inside of one that is not shown, with it */
  #skipped = 0;
  #blocks: Block[];
  #note: { readonly id: string; readonly author: string } | null = null;
  /** one for each run that is open: true where it is hidden */
  readonly #runs: boolean[] = [];
  /** one for each field that is open: true while its code is read */
  readonly #fields: boolean[] = [];
  /** fields whose code is read */
  #codes = 0;
  readonly #choices: { isRead: boolean; shownBefore: number }[] = [];
  #isText = false;
  #shown = 0;

  constructor(styles: WordStyles, charsMax: number) {
    this.#styles = styles;
    this.#charsMax = charsMax;
    this.#blocks = [new Block(charsMax)];
    this.part = new XmlPart({
      open: (name, attributes) => this.#open(name, attributes),
      close: (name) => this.#close(name),
      text: (piece) => {
        if (this.#isText) this.#show(piece);
      },
      isDone: () => this.#shown > charsMax,
    });
  }

  /** Returns the lines once the part has been read. */
  end(): { readonly lines: readonly string[]; readonly isWhole: boolean; readonly isEmpty: boolean } {
    const isWhole = this.part.end();
    this.#blocks[0]?.flush();
    const lines = this.#blocks[0]?.lines ?? [];
    return { lines, isWhole, isEmpty: this.#shown === 0 };
  }

  get #isHidden(): boolean {
    return this.#skipped > 0 || this.#runs.at(-1) === true || this.#block.isHidden || this.#codes > 0;
  }

  get #block(): Block {
    const block = this.#blocks.at(-1);
    if (block === undefined) throw new Error("a story without a block");
    return block;
  }

  #show(text: string): void {
    if (this.#isHidden) return;
    this.#block.line.add(text);
    // Every sign that has a text counts, blanks do not.
    this.#shown += text.trim() === "" ? 0 : text.length;
  }

  #open(name: string, attributes: Attributes): void {
    if (this.#skipped > 0) {
      this.#skipped++;
      return;
    }
    const choice = this.#choices.at(-1);
    const isRead =
      (name === "Choice" || name === "Fallback") &&
      this.#path.at(-1) === "AlternateContent" &&
      choice?.isRead;
    if (NOT_SHOWN.has(name) || isFormer(name) || isRead === true) {
      this.#skipped = 1;
      this.#markDeleted(name);
      return;
    }
    const value = attribute(attributes, "val");
    const block = this.#block;
    if (this.#isProperty) this.#property(name, value, attributes);
    else this.#content(name, attributes);
    if (name === "tr" && ++block.depth === 1) block.cells = [];
    else if (name === "tc" && block.depth === 1 && block.cells !== null && block.cells.length < COLUMNS_MAX)
      block.cells.push([]);
    this.#path.push(name);
  }

  /** True inside of an element that formats a paragraph or a run. */
  get #isProperty(): boolean {
    return this.#isIn("rPr") || this.#isIn("pPr") || this.#isIn("numPr");
  }

  #isIn(parent: string): boolean {
    return this.#path.at(-1) === parent;
  }

  /** A deleted mark of a paragraph, or a deleted row. */
  #markDeleted(name: string): void {
    if (name !== "del" && name !== "moveFrom") return;
    if (this.#isIn("trPr") && this.#block.depth === 1) this.#block.isRowDeleted = true;
    else if (this.#isIn("rPr") && this.#path.at(-2) === "pPr") this.#block.goesOn = true;
  }

  #property(name: string, value: string | undefined, attributes: Attributes): void {
    const block = this.#block;
    const isOfRun = this.#isIn("rPr") && this.#path.at(-2) === "r";
    if (isOfRun && name === "vanish") this.#runs[this.#runs.length - 1] = isOn(value);
    else if (isOfRun && name === "rStyle" && this.#styles.isHidden(value ?? ""))
      this.#runs[this.#runs.length - 1] = true;
    else if (name === "pStyle") {
      const level = this.#styles.level(value ?? "");
      if (level > 0) block.mark = `${"#".repeat(level)} `;
      block.isHidden = this.#styles.isHidden(value ?? "");
    } else if (name === "outlineLvl") block.mark = markOf(levelOf(value), block.mark);
    else if (name === "numPr" && block.mark === "") block.mark = "- ";
    // The list 0 is none: it takes the paragraph out of the list of its style.
    else if (name === "numId" && attribute(attributes, "val") === "0" && block.mark === "- ") block.mark = "";
  }

  #content(name: string, attributes: Attributes): void {
    const block = this.#block;
    if (name === "t") this.#isText = true;
    else if (name === "r") this.#runs.push(false);
    else if (name === "AlternateContent") this.#choices.push({ isRead: false, shownBefore: this.#shown });
    else if (BOXES.has(name)) this.#blocks.push(new Block(this.#charsMax));
    else if (NOTES.has(name)) {
      this.#note = { id: attribute(attributes, "id") ?? "", author: attribute(attributes, "author") ?? "" };
      this.#blocks.push(new Block(this.#charsMax));
    } else if (this.#runs.length === 0) return;
    else if (name === "tab" || name === "ptab") this.#blank(" ");
    else if (name === "br" || name === "cr") this.#blank(block.cells === null ? "\n" : " ");
    else if (name === "noBreakHyphen") this.#show("-");
    else if (name === "sym")
      this.#show(symbolText(attribute(attributes, "font") ?? "", attribute(attributes, "char") ?? ""));
    else if (name === "fldChar") this.#field(attribute(attributes, "fldCharType"));
    else this.#refer(name, attribute(attributes, "id") ?? "");
  }

  #blank(text: string): void {
    if (!this.#isHidden) this.#block.line.add(text);
  }

  #field(type: string | undefined): void {
    if (type === "begin" && this.#fields.length < FIELDS_MAX) {
      this.#fields.push(true);
      this.#codes++;
    } else if (type === "separate") this.#endCode();
    else if (type === "end") {
      this.#endCode();
      this.#fields.pop();
    }
  }

  #endCode(): void {
    if (this.#fields.at(-1) !== true) return;
    this.#fields[this.#fields.length - 1] = false;
    this.#codes--;
  }

  #refer(name: string, id: string): void {
    const kind = REFERENCES.get(name);
    if (kind === undefined || this.#isHidden) return;
    const numbers = this.references[kind];
    const number = numbers.get(id) ?? numbers.size + 1;
    if (number > NOTES_MAX) return;
    numbers.set(id, number);
    if (kind !== "comment") this.#block.line.add(`[${kind} ${number}]`);
  }

  #close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    this.#path.pop();
    const block = this.#block;
    if (name === "t") this.#isText = false;
    else if (name === "r" && !this.#isProperty) this.#runs.pop();
    else if (name === "p") {
      block.endParagraph();
      // A code ends with its paragraph: a field that never ends hides no more than that.
      if (this.#codes > 0) this.#fields.fill(false);
      this.#codes = 0;
    } else if (name === "tc") block.flush();
    else if (name === "tr") {
      if (--block.depth === 0) block.endRow();
    } else if (name === "Choice") {
      const choice = this.#choices.at(-1);
      if (choice !== undefined && this.#shown > choice.shownBefore) choice.isRead = true;
    } else if (name === "AlternateContent") this.#choices.pop();
    else if (BOXES.has(name)) this.#endBox();
    else if (NOTES.has(name)) this.#endNote();
  }

  #endBox(): void {
    if (this.#blocks.length < 2) return;
    const box = this.#blocks.pop();
    box?.flush();
    for (const line of box?.lines ?? []) if (line !== "") this.#block.boxes.push(line);
  }

  #endNote(): void {
    const note = this.#note;
    this.#note = null;
    if (note === null || this.#blocks.length < 2) return;
    const block = this.#blocks.pop();
    block?.flush();
    const text = (block?.lines ?? [])
      .filter((line) => line !== "")
      .join(" ")
      .trim();
    if (text !== "" && this.notes.length < NOTES_MAX) this.notes.push({ ...note, text });
  }
}

const markOf = (level: number, mark: string): string =>
  level > 0 ? `${"#".repeat(level)} ` : mark.startsWith("#") ? "" : mark;

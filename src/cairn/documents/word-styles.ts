import { attribute, isOn, XmlPart, type Attributes } from "./office-parts.ts";

/** Paragraph and character styles of a Word file: which are headings and which are hidden. */

const STYLES_MAX = 10_000;
/** styles that a style may be based on, one after the other */
const BASES_MAX = 20;
export const HEADING_MAX = 6;

interface Style {
  name: string;
  base: string | null;
  /** 1 to 9; 0: text; null: not set here */
  level: number | null;
  /** null: not set here */
  hidden: boolean | null;
}

export class WordStyles {
  readonly part: XmlPart;
  readonly #styles = new Map<string, Style>();
  #open: Style | null = null;
  /** depth of former formatting, recorded by a tracked change */
  #former = 0;

  constructor() {
    this.part = new XmlPart({
      open: (name, attributes) => this.#begin(name, attributes),
      close: (name) => {
        if (name === "style") this.#open = null;
        else if (isFormer(name)) this.#former--;
      },
      isDone: () => this.#styles.size > STYLES_MAX,
    });
  }

  /** 1 to 6 for a heading, 0 for text. Ids are free: German Word names the first heading `berschrift1`. */
  level(id: string): number {
    const set = this.#find(id, ({ level }) => level);
    if (set !== null) return set;
    if (this.#styles.has(id)) return 0;
    const named = /^(?:heading|title)\s?(\d)?/i.exec(id);
    return named === null ? 0 : bounded(Number(named[1] ?? 1));
  }

  isHidden(id: string): boolean {
    return this.#find(id, ({ hidden }) => hidden) ?? false;
  }

  #find<Value>(id: string, read: (style: Style) => Value | null): Value | null {
    let style = this.#styles.get(id);
    for (let step = 0; style !== undefined && step < BASES_MAX; step++) {
      const value = read(style);
      if (value !== null) return value;
      style = style.base === null ? undefined : this.#styles.get(style.base);
    }
    return null;
  }

  #begin(name: string, attributes: Attributes): void {
    if (isFormer(name)) this.#former++;
    const value = attribute(attributes, "val");
    if (name === "style") {
      this.#open = { name: "", base: null, level: null, hidden: null };
      this.#styles.set(attribute(attributes, "styleId") ?? "", this.#open);
    } else if (this.#open === null || this.#former > 0) return;
    else if (name === "name") {
      const heading = /^(?:heading (\d)|title)$/i.exec(value ?? "");
      if (heading !== null) this.#open.level = bounded(Number(heading[1] ?? 1));
    } else if (name === "basedOn") this.#open.base = value ?? null;
    else if (name === "outlineLvl") this.#open.level ??= levelOf(value);
    else if (name === "vanish") this.#open.hidden = isOn(value);
  }
}

const isFormer = (name: string): boolean => name.endsWith("Change");

const bounded = (level: number): number => Math.min(HEADING_MAX, level);

/** Outline levels count from 0; 9 is text. */
export function levelOf(value: string | undefined): number {
  const level = Number(value ?? "9");
  return Number.isInteger(level) && level >= 0 && level < 9 ? bounded(level + 1) : 0;
}

/**
 * The data files: a heading names a list, and the block below it has one word or phrase on each line. A phrase is a regular
 * expression over folded text (no accents, lower case) whose groups capture nothing; `{name}` stands for any line of that list.
 */
export class Lists {
  readonly #file: string;
  #lists: ReadonlyMap<string, readonly string[]> | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  get names(): readonly string[] {
    return [...this.#read().keys()];
  }

  has(name: string): boolean {
    return this.#read().has(name);
  }

  /** The lines of a list. Throws where the file has none of that name. */
  lines(name: string): readonly string[] {
    const lines = this.#read().get(name);
    if (lines === undefined) throw new Error(`There is no list "${name}" in a data file of words.`);
    return lines;
  }

  words(name: string): ReadonlySet<string> {
    return new Set(this.lines(name));
  }

  /** The source of a regular expression for any line of a list. */
  pattern(name: string): string {
    return this.lines(name)
      .map((line) =>
        line
          .replaceAll(/\{([a-z][a-z ]*)\}/g, (_, other: string) => `(${this.pattern(other)})`)
          .replaceAll(/(?<!\\)\((?!\?)/g, "(?:"),
      )
      .join("|");
  }

  #read(): ReadonlyMap<string, readonly string[]> {
    return (this.#lists ??= new Map(
      Array.from(this.#file.matchAll(LIST), ([, name = "", block = ""]) => [name, block.split(/\r?\n/)]),
    ));
  }
}

/** A clone on Windows may have lines that end in CR LF. */
const LIST = /^## (.+?)\r?\n\r?\n```\r?\n([\s\S]*?)\r?\n```\r?$/gm;

/** Makes a value at its first use, because compiling all patterns is most of a cold start. */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let value: Value | null = null;
  return () => (value ??= make());
}

/** The same for each key. */
export function lazilyFor<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    values.set(key, value);
    return value;
  };
}

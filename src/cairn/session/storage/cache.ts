import type { Entry } from "../../core/log/entry.ts";

/**
 * A value cached in memory with the rows that it is read from, so that an alarm queries no table whose answer it knows.
 * Read at first use, and again after any change of its rows: its owner invalidates it with each write, the store
 * with each rolled back transaction.
 */
export class Cached<Value> {
  readonly #read: () => Value;
  #known: { readonly value: Value } | null = null;

  constructor(read: () => Value) {
    this.#read = read;
  }

  get(): Value {
    return (this.#known ??= { value: this.#read() }).value;
  }

  /** Stores the value just written to the rows, inside a transaction or not. */
  set(value: Value): void {
    this.#known = { value };
  }

  forget(): void {
    this.#known = null;
  }
}

/** characters of bodies: what a few steps write. Many objects share the memory of one isolate */
const ROWS_CHARS_MAX = 131_072;

/** The rows of the log that were written or read last. They are never changed, so that what is known of one stays true. */
export class EntryCache {
  readonly #rows = new Map<number, { readonly row: Entry; readonly chars: number }>();
  #chars = 0;

  put(row: Entry, chars: number): void {
    if (this.#rows.has(row.seq)) return;
    this.#rows.set(row.seq, { row, chars });
    this.#chars += chars;
    for (const [seq, oldest] of this.#rows) {
      if (this.#chars <= ROWS_CHARS_MAX) return;
      this.#chars -= oldest.chars;
      this.#rows.delete(seq);
    }
  }

  /** All of them with from <= seq <= to, ascending; null unless each is known. */
  between(from: number, to: number): Entry[] | null {
    const rows: Entry[] = [];
    for (let seq = from; seq <= to; seq++) {
      const known = this.#rows.get(seq);
      if (known === undefined) return null;
      rows.push(known.row);
    }
    return rows;
  }

  forget(): void {
    this.#rows.clear();
    this.#chars = 0;
  }
}

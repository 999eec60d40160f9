import type { Logged } from "../clients/log.ts";

/**
 * Everything that people saw and received as answers, over all lives of a server: each item is a promise that the next
 * life must honor. An action without an answer promises nothing: it may have happened or not.
 */
export class Book {
  readonly sessions = new Map<string, Promised>();
  #recent = new Set<string>();

  of(name: string): Promised {
    this.#recent.add(name);
    const known = this.sessions.get(name);
    if (known !== undefined) return known;
    const made = new Promised();
    this.sessions.set(name, made);
    return made;
  }

  /** Those that were spoken of since the last time. */
  takeRecent(): (readonly [name: string, promised: Promised])[] {
    const recent = [...this.sessions].filter(([name]) => this.#recent.has(name));
    this.#recent = new Set();
    return recent;
  }

  /** An answer said that there is such a session, which this person alone writes to and deletes. */
  make(name: string, owner: number): Promised {
    const promised = this.of(name);
    promised.made = true;
    promised.owner = owner;
    return promised;
  }

  /** Those of a person that nobody has asked to delete. */
  livingOf(owner: number): string[] {
    return [...this.sessions].flatMap(([name, promised]) =>
      promised.deletion === "none" && promised.made && promised.owner === owner ? [name] : [],
    );
  }

  deleted(): string[] {
    return [...this.sessions].flatMap(([name, { deletion }]) => (deletion === "answered" ? [name] : []));
  }
}

/** Promises about one session. Names are never reused. */
export class Promised {
  /** an answer said that it exists */
  made = false;
  owner: number | null = null;
  deletion: "none" | "asked" | "answered" = "none";
  /** entries by seq, as someone was shown them, and how */
  readonly shown = new Map<number, { readonly entry: Logged; readonly by: string }>();
  /** `[kind, field, value]` of entries that an answer said are there */
  readonly entries: (readonly [kind: string, field: string, value: string])[] = [];
  readonly schedules = new Set<string>();

  show(entry: Logged, by: string): void {
    if (!this.shown.has(entry.seq)) this.shown.set(entry.seq, { entry, by });
  }
}

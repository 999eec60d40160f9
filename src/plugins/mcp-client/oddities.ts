/** Notes on what a server answered in a form that the protocol does not have, each once with the number of times it was seen. */
export class Oddities {
  readonly #seen = new Map<string, number>();

  /** `what`: a sentence without its full stop, made of the protocol's own field names and never of a server's words. */
  note(what: string): void {
    const times = this.#seen.get(what);
    if (times === undefined && this.#seen.size >= ODDITIES_MAX) return;
    this.#seen.set(what, (times ?? 0) + 1);
  }

  list(): readonly string[] {
    return Array.from(this.#seen, ([what, times]) =>
      times === 1 ? `${what}.` : `${what} (${times} times).`,
    );
  }
}

/** different notes on one list */
const ODDITIES_MAX = 20;

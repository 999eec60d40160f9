import type { Disk } from "./store.ts";

/** Longer than any ticket lives, whatever the clocks of two machines differ. */
const KEPT_MS = 5 * 60_000;

/** The names of the tickets that have opened a socket of this session, for as long as they could be shown again. */
export class UsedTickets {
  readonly #disk: Disk;
  readonly #clock: () => number;

  constructor(disk: Disk, clock: () => number) {
    this.#disk = disk;
    this.#clock = clock;
  }

  /** Uses a ticket up; false when it was used before. */
  use(ticket: string): boolean {
    return this.#disk.transaction(() => {
      const at = this.#clock();
      this.#disk.exec("DELETE FROM seen WHERE source = 'ticket' AND at < ?", at - KEPT_MS);
      const used = this.#disk.exec("SELECT id FROM seen WHERE source = 'ticket' AND id = ?", ticket);
      if (used.length > 0) return false;
      this.#disk.exec("INSERT INTO seen (source, id, answer, at) VALUES ('ticket', ?, '', ?)", ticket, at);
      return true;
    });
  }
}

import type { Disk } from "./store.ts";

/** Longer than any ticket lives, whatever the clocks of two machines differ. */
const TTL_MS = 5 * 60_000;

/**
 * Names of the tickets that have opened a socket of this session, for as long as they are valid. Names of sessions can
 * be reused: a ticket is valid for the session that it was made for. A ticket for an unused name has no creation time,
 * so this isolate also remembers it in memory, which outlives the rows of a deleted session.
 */
export class UsedTickets {
  readonly #disk: Disk;
  readonly #clock: () => number;
  readonly #createdAt: () => number | null;
  /** milliseconds since the epoch of each use */
  readonly #used = new Map<string, number>();

  constructor(disk: Disk, clock: () => number, createdAt: () => number | null) {
    this.#disk = disk;
    this.#clock = clock;
    this.#createdAt = createdAt;
  }

  /** Uses a ticket up; false when it was used before, or was made for an earlier session. `madeFor`: `createdAt` of that session. */
  use(ticket: string, madeFor: number | null): boolean {
    if (madeFor !== null && madeFor !== this.#createdAt()) return false;
    const at = this.#clock();
    for (const [name, usedAt] of this.#used) if (usedAt < at - TTL_MS) this.#used.delete(name);
    if (this.#used.has(ticket)) return false;
    const isUnused = this.#disk.transaction(() => {
      this.#disk.exec("DELETE FROM seen WHERE source = 'ticket' AND at < ?", at - TTL_MS);
      const used = this.#disk.exec("SELECT id FROM seen WHERE source = 'ticket' AND id = ?", ticket);
      if (used.length > 0) return false;
      this.#disk.exec("INSERT INTO seen (source, id, answer, at) VALUES ('ticket', ?, '', ?)", ticket, at);
      return true;
    });
    this.#used.set(ticket, at);
    return isUnused;
  }
}

import { Chance } from "../../sim/platform/chance.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";

/** a crossing in so many kills */
const ONE_IN = 14;
/** An effect is given up after three claims that came to nothing (INTERRUPTIONS_MAX): fewer deaths than that in a row. */
const IN_A_ROW_MAX = 2;
const IN_ALL_MAX = 9;

/**
 * When the process dies: at random crossings of the disk, the model and the database, before them or after them. What it
 * does after that comes to nothing, until it stands up again.
 */
export class Deaths {
  readonly #chance: Chance | null;
  #isOn = false;
  #inARow = 0;
  isDead = false;
  count = 0;

  /** null: it never dies */
  constructor(seed: number | null) {
    this.#chance = seed === null ? null : new Chance(seed);
  }

  begin(): void {
    this.#isOn = true;
  }

  end(): void {
    this.#isOn = false;
  }

  revive(): void {
    this.isDead = false;
  }

  cross(where: string): void {
    if (this.isDead) throw new Crash();
    if (this.#chance === null || !this.#isOn || this.count >= IN_ALL_MAX) return;
    const dies = this.#chance.once(ONE_IN);
    // A commit is progress, so the next effect may be interrupted just as often.
    if (where === "commit: after" && !dies) this.#commits += 1;
    if (this.#commits >= COMMITS_OF_AN_EFFECT) [this.#inARow, this.#commits] = [0, 0];
    if (!dies || this.#inARow >= IN_A_ROW_MAX) return;
    this.#inARow += 1;
    this.#commits = 0;
    this.count += 1;
    this.isDead = true;
    throw new Crash();
  }

  #commits = 0;
}

/** A claim and its outcome, and the claim of the next: then something was done. */
const COMMITS_OF_AN_EFFECT = 3;

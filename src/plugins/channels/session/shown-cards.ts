import { addressName, type Address } from "../../../cairn/core/address.ts";
import { questionName } from "../../../cairn/core/log/names.ts";
import type { SessionOutbox } from "../../../cairn/session/background/outbox.ts";
import type { Disk } from "../../../cairn/session/storage/store.ts";
import type { ChannelNote } from "./notices.ts";

/** A card that a channel has taken. */
export interface ShownCard {
  readonly address: Address;
  readonly receipt: { readonly id: string; readonly parts: number };
}

/** Where the cards of a session are shown, in rows, so that their ends can be shown there too. */
export class ShownCards {
  readonly #disk: Disk;
  readonly #outbox: Pick<SessionOutbox, "keep" | "waits">;

  constructor(disk: Disk, outbox: Pick<SessionOutbox, "keep" | "waits">) {
    this.#disk = disk;
    this.#outbox = outbox;
  }

  /** `name`: of an approval or a question */
  keep(name: string, card: ShownCard): void {
    this.#disk.exec(
      "INSERT OR REPLACE INTO cards (approval, place, body) VALUES (?, ?, ?)",
      name,
      addressName(card.address),
      JSON.stringify(card),
    );
  }

  /** Repeats the end of a card for a copy that was shown after the end was sent. `id`: of the card's delivery. */
  end(name: string, note: ChannelNote, id: string, at: number): void {
    this.#outbox.keep(
      { id: `${id}.end`, target: `card:${name}`, type: note.type, body: JSON.stringify(note) },
      at,
    );
  }

  of(name: string): ShownCard[] {
    const rows = this.#disk.exec("SELECT body FROM cards WHERE approval = ?", name);
    return rows.map((row) => JSON.parse(String(row["body"])) as ShownCard);
  }

  drop(name: string, { address }: ShownCard): void {
    this.#disk.exec("DELETE FROM cards WHERE approval = ? AND place = ?", name, addressName(address));
  }

  /** Questions of a run whose options are shown as buttons somewhere, and are not about to be removed. */
  questionsOf(run: string): readonly string[] {
    return this.#disk
      .exec("SELECT DISTINCT approval FROM cards WHERE approval GLOB ?", questionName(`${run}s*`))
      .map((row) => String(row["approval"]))
      .filter((question) => !this.#outbox.waits(`card:${question}`));
  }
}

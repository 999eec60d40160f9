import type { Approval } from "../chunks.ts";

/**
 * The approvals that wait for this person. A card comes again with each vote and each change: who has voted on the very
 * arguments is not asked again, and not while their word is on its way.
 */
export class OpenApprovals {
  readonly #waiting = new Map<string, Approval>();
  /** the digest that was voted on here, by approval */
  readonly #voted = new Map<string, string>();
  #sent: string | null = null;

  /** The card as it is now. */
  see(approval: Approval): void {
    const { id, state, digest } = approval;
    if (state !== "pending") this.#waiting.delete(id);
    else if (this.#voted.get(id) !== digest) this.#waiting.set(id, approval);
  }

  /** The next one to ask about, or null. */
  get next(): Approval | null {
    const [approval = null] = this.#waiting.values();
    return approval?.id === this.#sent ? null : approval;
  }

  /** The person's word on this one goes out. */
  send({ id }: Approval): void {
    this.#sent = id;
  }

  /** The server accepted the vote on this digest. If others change the proposal, the card waits again. */
  accepted({ id, digest }: Approval, votedOn: string): void {
    this.#sent = null;
    this.#voted.set(id, votedOn);
    this.#drop(id, digest, votedOn);
  }

  /** The server refused the decision. `again`: the person may decide in another way, so the card still waits. */
  refused(approval: Approval, again: boolean): void {
    this.#sent = null;
    if (!again) this.accepted(approval, approval.digest);
  }

  clear(): void {
    this.#waiting.clear();
  }

  #drop(id: string, ...digests: readonly string[]): void {
    if (digests.includes(this.#waiting.get(id)?.digest ?? "")) this.#waiting.delete(id);
  }
}

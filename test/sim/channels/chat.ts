import type { ChannelNote } from "../../../src/session/background/channel-notices.ts";
import type { Answered } from "../../../src/session/background/delivery-retry.ts";
import type { Delivery } from "../../../src/session/background/outbox.ts";

const TAKEN: Answered = { status: 200, retryAfterMs: null };

/** Something that a person saw in their chat. */
export interface Seen {
  readonly id: string;
  readonly target: string;
  readonly note: ChannelNote;
  /** milliseconds since 1970 */
  readonly at: number;
}

/** People on a channel. What they saw is remembered over all lives of the isolate. */
export class Chat {
  readonly seen: Seen[] = [];
  /** answers the tries of one thing in turn, then it is taken; only what is taken is seen */
  answers: (type: ChannelNote["type"]) => readonly Partial<Answered>[] = () => [];
  readonly #tries = new Map<string, number>();
  readonly #cross: (where: string) => void;

  readonly #clock: () => number;

  constructor(cross: (where: string) => void, clock: () => number = () => 0) {
    this.#cross = cross;
    this.#clock = clock;
  }

  keep(): { readonly seen: readonly Seen[]; readonly tries: ReadonlyMap<string, number> } {
    return { seen: [...this.seen], tries: new Map(this.#tries) };
  }

  become({ seen, tries }: ReturnType<Chat["keep"]>): void {
    this.seen.splice(0, this.seen.length, ...seen);
    this.#tries.clear();
    for (const [name, count] of tries) this.#tries.set(name, count);
  }

  tell({ id, target, body }: Delivery): Promise<Answered> {
    const note = JSON.parse(body) as ChannelNote;
    this.#cross("tell: before");
    const tries = this.#tries.get(`${target} ${id}`) ?? 0;
    this.#tries.set(`${target} ${id}`, tries + 1);
    const answer = { ...TAKEN, ...this.answers(note.type)[tries] };
    if (answer.status === 200 || answer.lost === true)
      this.seen.push({ id, target, note, at: this.#clock() });
    this.#cross("tell: after");
    return Promise.resolve(answer);
  }
}

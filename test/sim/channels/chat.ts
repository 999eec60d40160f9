import { addressName, type Address, type MessageKind } from "../../../src/cairn/core/address.ts";
import {
  ChannelFault,
  type Button,
  type Channel,
  type Outgoing,
} from "../../../src/plugins/channels/channel.ts";
import type { Channels } from "../../../src/plugins/channels/channels.ts";
import type { ChannelNote } from "../../../src/plugins/channels/session/notices.ts";
import type { Answered } from "../../../src/cairn/session/background/delivery-retry.ts";
import type { SessionOutbox } from "../../../src/cairn/session/background/outbox.ts";
import { SimD1 } from "./d1.ts";

/** A message or a card that a person saw in their chat. */
export interface Seen {
  readonly id: string;
  readonly target: string;
  readonly type: "message" | "card" | "budget";
  readonly kind: MessageKind;
  readonly text: string;
  /** milliseconds since 1970 */
  readonly at: number;
}

/** How the chat answers one try: as a webhook would. `parts`: of the message, those that arrived before it failed. */
export type ChatAnswer = Partial<Answered> & { readonly parts?: number };

interface KeptChat {
  readonly seen: readonly Seen[];
  readonly begun: ReadonlySet<string>;
  readonly misplaced: ReadonlySet<string>;
  readonly tries: ReadonlyMap<string, number>;
  readonly d1: ReturnType<SimD1["keep"]>;
}

/** where the chat of the simulation is */
const PLACE = "4711";

/** People on a channel, and the D1 that knows them. What they saw is remembered over all lives of the isolate. */
export class Chat {
  readonly seen: Seen[] = [];
  /** names of all that the session has marked as begun to send */
  readonly begun = new Set<string>();
  /** messages that were begun again at the wrong part */
  readonly misplaced = new Set<string>();
  /** messages as they are after a change: their text, and how many buttons they have */
  readonly changed: { readonly text: string; readonly buttons: number }[] = [];
  /** buttons of the messages that were sent, the newest last */
  readonly pressable: (readonly Button[])[] = [];
  readonly d1 = new SimD1();
  /** answers the tries of one thing in turn, then it is taken; only what is taken is seen */
  answers: (type: ChannelNote["type"]) => readonly ChatAnswer[] = () => [];
  readonly #tries = new Map<string, number>();
  readonly #cross: (where: string) => void;
  readonly #clock: () => number;

  constructor(cross: (where: string) => void, clock: () => number = () => 0) {
    this.#cross = cross;
    this.#clock = clock;
    // Ada is linked; nothing else is known of anybody.
    void this.d1.binding
      .prepare(
        `INSERT INTO channel_links (channel, user_id, user_name, subject, scopes, place, linked_at)
          VALUES ('telegram', ?1, 'Ada', 'ada', '["read","send","approve"]', ?1, 0)`,
      )
      .bind(PLACE)
      .run();
  }

  keep(): KeptChat {
    return {
      seen: [...this.seen],
      begun: new Set(this.begun),
      misplaced: new Set(this.misplaced),
      tries: new Map(this.#tries),
      d1: this.d1.keep(),
    };
  }

  become({ seen, begun, misplaced, tries, d1 }: KeptChat): void {
    this.seen.splice(0, this.seen.length, ...seen);
    this.begun.clear();
    for (const name of begun) this.begun.add(name);
    this.misplaced.clear();
    for (const name of misplaced) this.misplaced.add(name);
    this.#tries.clear();
    for (const [name, count] of tries) this.#tries.set(name, count);
    this.d1.become(d1);
  }

  close(): void {
    this.d1.close();
  }

  /** The outbox, whose marks are noted. */
  watch(outbox: SessionOutbox): SessionOutbox {
    const begin: SessionOutbox["begin"] = (delivery, at) => {
      const isOurs = outbox.begin(delivery, at);
      if (isOurs) this.begun.add(`${delivery.target} ${delivery.id}`);
      return isOurs;
    };
    return new Proxy(outbox, {
      get: (target, name) => {
        if (name === "begin") return begin;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  get channels(): Channels {
    const channel: Channel = {
      name: "telegram",
      isPrivate: (place, user) => place === user.id,
      receive: () => Promise.resolve(null),
      send: async (message, address, key) => this.#send(message, address, key),
      fits: () => true,
      update: async (receipt, { text, buttons = [] }) => {
        this.#cross("tell: before");
        const tries = this.#tries.get(receipt.id) ?? 0;
        this.#tries.set(receipt.id, tries + 1);
        const answer = this.answers("card_end")[tries];
        if (answer === undefined) this.changed.push({ text, buttons: buttons.length });
        this.#cross("tell: after");
        if (answer !== undefined) throw faultOf(answer);
      },
    };
    return {
      find: (name) => (name === "telegram" ? channel : null),
      names: ["telegram"],
      states: [{ name: "telegram", missing: [] }],
    };
  }

  #send(
    { kind, text, skip = 0, buttons = [] }: Outgoing,
    address: Address,
    id: string,
  ): { id: string; parts: number } {
    const type = id.endsWith(".card") ? "card" : id.endsWith(".budget") ? "budget" : "message";
    const target = type === "message" ? `place:${addressName(address)}` : "person:ada";
    const name = `${target} ${id}`;
    this.#cross("tell: before");
    const tries = this.#tries.get(name) ?? 0;
    this.#tries.set(name, tries + 1);
    const answer = this.answers(type)[tries] ?? {};
    const { status = 200, lost = false, parts } = answer;
    // A try that goes on from the wrong part shows the person a part twice, or leaves one out.
    const left = this.answers(type)[tries - 1]?.parts ?? 0;
    if (skip !== left) this.misplaced.add(name);
    if (status === 200 || lost) this.seen.push({ id, target, type, kind, text, at: this.#clock() });
    if (buttons.length > 0) this.pressable.push(buttons);
    this.#cross("tell: after");
    if (status !== 200 || lost) throw faultOf(answer, parts);
    return { id: `${id}/${tries}`, parts: 1 };
  }
}

function faultOf({ status, retryAfterMs = null, lost }: ChatAnswer, parts = 0): ChannelFault {
  const code =
    lost === true
      ? "unknown"
      : status === 429
        ? "rate_limited"
        : status === 403
          ? "blocked"
          : status === 400
            ? "refused"
            : "unavailable";
  return new ChannelFault(code, "The chat does not take it.", retryAfterMs, parts);
}

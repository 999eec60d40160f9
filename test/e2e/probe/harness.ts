import { signal, type Signal } from "../clients/signal.ts";
import type { Phase } from "./plan.ts";

/** A place that the servers of the test see a run come to. `effect` is the name that its wake has claimed. */
export type Spot =
  | {
      readonly at: "model";
      readonly effect: string;
      readonly step: number;
      /** pieces of the reply that were sent; 0 before its headers */
      readonly piece: number;
      /** everything but the last piece was sent */
      readonly last: boolean;
    }
  | {
      readonly at: "tool";
      readonly effect: string;
      readonly step: number;
      readonly index: number;
      readonly phase: Phase;
    };

/** Where a session is to be held in this life of the server. */
interface Part {
  readonly matches: (spot: Spot) => boolean;
  readonly reached: Signal;
  readonly go: Signal;
  then: "hold" | "pass" | "wall";
  /** effects whose request is unanswered here, now */
  readonly held: Set<string>;
}

/**
 * Holds runs at the places where they are to be killed. Owns who is held where: every request of a tool or for a model
 * asks here before it goes on, so a run that is held is exactly there, however slow the machine is.
 */
export class Harness {
  readonly #parts = new Map<string, Part>();
  /** told of every place that a run went past */
  onPass: (session: string, spot: Spot) => void = () => {};

  /** From now on the session is held where it matches. */
  expect(session: string, matches: (spot: Spot) => boolean): void {
    this.#parts.set(session, { matches, reached: signal(), go: signal(), then: "hold", held: new Set() });
  }

  /** Resolves when the session is held. */
  reached(session: string): Promise<void> {
    return this.#part(session).reached.came;
  }

  /** Lets it go on: as far as it likes, or (`wall`) until it next needs anything from outside. */
  release(session: string, then: "pass" | "wall"): void {
    const part = this.#part(session);
    part.then = then;
    part.go.fire();
  }

  /** Resolves when the run may go on, which can be never. */
  async arrive(session: string, spot: Spot): Promise<void> {
    const part = this.#parts.get(session);
    if (part?.then === "wall") {
      part.held.add(spot.effect);
      await new Promise<never>(() => {});
    } else if (part?.then === "hold" && part.matches(spot)) {
      part.held.add(spot.effect);
      part.reached.fire();
      await part.go.came;
      part.held.delete(spot.effect);
    }
    this.onPass(session, spot);
  }

  /** After a kill: nobody is held any more, and nothing that was goes on. Effects that were held, by session. */
  clear(): ReadonlyMap<string, readonly string[]> {
    const held = new Map([...this.#parts].map(([session, part]) => [session, [...part.held]]));
    this.#parts.clear();
    return held;
  }

  #part(session: string): Part {
    const part = this.#parts.get(session);
    if (part === undefined) throw new Error(`${session} is expected nowhere`);
    return part;
  }
}

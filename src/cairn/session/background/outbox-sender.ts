import { DELIVERY_ALARM_MS_MIN } from "../../core/limits.ts";
import { complaintOf, type Redact } from "../../core/text/redact.ts";
import { logError } from "../../operator-log.ts";
import type { Engine } from "../engine/engine.ts";
import type { Answered } from "./delivery-retry.ts";
import { isOfPart, type KnownTimes } from "./held.ts";
import type { PeopleReader } from "./notes.ts";
import type { Delivery, SessionOutbox } from "./outbox.ts";
import { GONE } from "./webhook-sender.ts";

interface OutboxSenderDeps {
  readonly engine: Pick<Engine, "rearm">;
  readonly outbox: SessionOutbox;
  /** rows for webhooks; it never throws */
  readonly webhooks: (delivery: Delivery) => Promise<Answered>;
  /** whose quiet hours words wait for */
  readonly people: Pick<PeopleReader, "timesOf">;
  readonly clock: () => number;
  readonly redact: Redact;
}

const NOBODY: KnownTimes = new Map();

/**
 * Sends the rows of the outbox: to webhooks, and through the parts of plugins. It runs outside the loop: a try is
 * claimed on disk, sent without anyone awaiting it, and its outcome written. After a crash in between it is due again
 * soon, so each notice is delivered at least once.
 */
export class OutboxSender {
  readonly #deps: OutboxSenderDeps;

  constructor(deps: OutboxSenderDeps) {
    this.#deps = deps;
  }

  /** Sends due rows without awaiting them. Call it after each commit, and by each alarm. */
  kick(): void {
    this.work().catch((error: unknown) => {
      // A claimed row becomes due again by the alarm that the claim set.
      logError("a delivery was not finished", complaintOf(error, this.#deps.redact));
    });
  }

  /** Resolves when each of what is due now has its outcome on disk. */
  async work(): Promise<void> {
    const { engine, outbox, clock } = this.#deps;
    const due = outbox.due();
    if (due === null || due > clock() + DELIVERY_ALARM_MS_MIN) return;
    const subjects = outbox.held.subjectsDue(clock() + DELIVERY_ALARM_MS_MIN);
    const times = subjects.length === 0 ? NOBODY : await this.#timesOf(subjects);
    const claimed = engine.rearm(() => outbox.claim(clock(), times));
    const ended = await Promise.allSettled(claimed.map((delivery) => this.#deliver(delivery)));
    for (const each of ended) if (each.status === "rejected") throw each.reason;
  }

  /** Read before the transaction that decides by it, which waits for nothing. */
  async #timesOf(subjects: readonly string[]): Promise<KnownTimes> {
    const { people, redact } = this.#deps;
    const read = subjects.map(async (subject) => {
      try {
        return [subject, await people.timesOf(subject)] as const;
      } catch (error) {
        logError("how a person is told was not read", complaintOf(error, redact));
        return [subject, null] as const;
      }
    });
    return new Map(await Promise.all(read));
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { engine, outbox, clock } = this.#deps;
    const answered = await this.#answerOf(delivery);
    engine.rearm(() => outbox.settle(delivery, answered, clock()));
  }

  async #answerOf(delivery: Delivery): Promise<Answered> {
    const { outbox, webhooks } = this.#deps;
    if (!isOfPart(delivery.target)) return await webhooks(delivery);
    return (await outbox.deliveriesFor(delivery.target)?.deliver(delivery)) ?? GONE;
  }
}

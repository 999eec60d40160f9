import type { Answered } from "../../core/log/delivery.ts";
import { DELIVERY_ALARM_MS_MIN } from "../../core/limits.ts";
import { complaintOf, type Redact } from "../../core/text/redact.ts";
import type { WebhookTarget } from "../../wire/config/webhook-config.ts";
import type { Engine } from "../engine/engine.ts";
import type { Delivery, SessionOutbox } from "./outbox.ts";

/** Posts one webhook. Never throws: a failure is an answer. */
export type Post = (target: WebhookTarget, delivery: Pick<Delivery, "id" | "body">) => Promise<Answered>;

export interface CourierParts {
  readonly engine: Engine;
  readonly outbox: SessionOutbox;
  readonly targets: readonly WebhookTarget[];
  readonly post: Post;
  readonly clock: () => number;
  readonly redact: Redact;
}

/** no such target is configured any more */
const GONE: Answered = { status: 404, retryAfterMs: null };

/**
 * Sends what the outbox holds (interface 6.2). It works beside the loop and never in it: a try is claimed on disk, sent
 * without anyone waiting for it, and its outcome written. What dies in between is due again soon, so each notice is told at
 * least once.
 */
export class Courier {
  readonly #parts: CourierParts;

  constructor(parts: CourierParts) {
    this.#parts = parts;
  }

  /** Sends what is due, and nobody waits for it. To be called after each commit, and by each alarm. */
  kick(): void {
    this.work().catch((error: unknown) => {
      // What was claimed is due again, and its alarm stands.
      console.error("cairn: a delivery was not finished", complaintOf(error, this.#parts.redact));
    });
  }

  /** Resolves when each of what is due now has its outcome on disk. */
  async work(): Promise<void> {
    const { engine, outbox, clock } = this.#parts;
    const due = outbox.due();
    if (due === null || due > clock() + DELIVERY_ALARM_MS_MIN) return;
    const claimed = engine.rearm(() => outbox.claim(clock()));
    const ended = await Promise.allSettled(claimed.map((delivery) => this.#deliver(delivery)));
    for (const each of ended) if (each.status === "rejected") throw each.reason;
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { engine, outbox, targets, post, clock } = this.#parts;
    const target = targets.find((each) => each.id === delivery.target);
    const answered = target === undefined ? GONE : await post(target, delivery);
    engine.rearm(() => outbox.settle(delivery, answered, clock()));
  }
}

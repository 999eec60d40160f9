import { DELIVERY_ALARM_MS_MIN, DELIVERY_TIMEOUT_MS } from "../../core/limits.ts";
import { CHANNEL_TARGET } from "../../plugins/channels/session/notices.ts";
import type { Answered } from "./delivery-retry.ts";
import { complaintOf, type Redact } from "../../core/text/redact.ts";
import type { WebhookTarget } from "../../wire/config/webhook-config.ts";
import { signStandard } from "../../wire/webhooks/signatures.ts";
import type { Engine } from "../engine/engine.ts";
import type { KnownTimes } from "./held.ts";
import type { PeopleReader } from "./notes.ts";
import type { Delivery, SessionOutbox } from "./outbox.ts";
import { complain } from "../../operator-log.ts";

/** Posts one webhook. Never throws: a failure is an answer. */
export type Post = (target: WebhookTarget, delivery: Pick<Delivery, "id" | "body">) => Promise<Answered>;

interface WebhookSenderDeps {
  readonly engine: Engine;
  readonly outbox: SessionOutbox;
  readonly targets: readonly WebhookTarget[];
  readonly post: Post;
  /** to people on channels; absent where there are none */
  readonly tell?: (delivery: Delivery) => Promise<Answered>;
  /** how people on channels are told; absent where there are none */
  readonly people?: Pick<PeopleReader, "timesOf">;
  readonly clock: () => number;
  readonly redact: Redact;
}

const NOBODY: KnownTimes = new Map();
const NO_QUIET = { zone: null, quiet: null };

/** no such target is configured any more */
const GONE: Answered = { status: 404, retryAfterMs: null };

/**
 * Sends what the outbox holds. It works beside the loop and never in it: a try is claimed on disk, sent
 * without anyone waiting for it, and its outcome written. What dies in between is due again soon, so each notice is told at
 * least once.
 */
export class WebhookSender {
  readonly #deps: WebhookSenderDeps;

  constructor(deps: WebhookSenderDeps) {
    this.#deps = deps;
  }

  /** Sends what is due, and nobody waits for it. To be called after each commit, and by each alarm. */
  kick(): void {
    this.work().catch((error: unknown) => {
      // What was claimed is due again, and its alarm stands.
      complain("a delivery was not finished", complaintOf(error, this.#deps.redact));
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
        return [subject, (await people?.timesOf(subject)) ?? NO_QUIET] as const;
      } catch (error) {
        complain("how a person is told was not read", complaintOf(error, redact));
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
    const { targets, post, tell } = this.#deps;
    if (CHANNEL_TARGET.test(delivery.target)) return (await tell?.(delivery)) ?? GONE;
    const target = targets.find((each) => each.id === delivery.target);
    return target === undefined ? GONE : await post(target, delivery);
  }
}

/** Posts by the Standard Webhooks specification: the id stays, the time and the signature are of this try. */
export function createPost(clock: () => number): Post {
  return async (target, { id, body }) => {
    // Not AbortSignal.timeout: its timer cannot be cleared, and a pending timer keeps an idle object awake.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), DELIVERY_TIMEOUT_MS);
    try {
      const time = Math.floor(clock() / 1_000);
      const response = await fetch(target.url, {
        method: "POST",
        body,
        // A redirect would send the words to a place that nobody configured.
        redirect: "manual",
        signal: limit.signal,
        headers: {
          "content-type": "application/json",
          "user-agent": "Cairn",
          "webhook-id": id,
          "webhook-timestamp": String(time),
          "webhook-signature": await signStandard(target.secret, id, time, body),
        },
      });
      await response.body?.cancel();
      return {
        status: response.status,
        retryAfterMs: readRetryAfter(response.headers.get("retry-after"), clock()),
      };
    } catch {
      return { status: null, retryAfterMs: null };
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Seconds, or a date of HTTP. */
function readRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

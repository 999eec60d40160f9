import { withTimeLimit } from "../../time-limit.ts";
import { DELIVERY_TIMEOUT_MS } from "../../core/limits.ts";
import type { WebhookTarget } from "../../config/webhook-config.ts";
import { signStandard } from "../../webhooks/signatures.ts";
import type { Answered } from "./delivery-retry.ts";
import type { Delivery } from "./outbox.ts";

/** Posts one webhook. Never throws: a failure is an answer. */
export type Post = (target: WebhookTarget, delivery: Pick<Delivery, "id" | "body">) => Promise<Answered>;

/** no such target is configured any more */
export const GONE: Answered = { status: 404, retryAfterMs: null };

/** Delivers the rows of the outbox that are for webhooks. */
export const createWebhookSender =
  (targets: readonly WebhookTarget[], post: Post) =>
  async (delivery: Delivery): Promise<Answered> => {
    const target = targets.find((each) => each.id === delivery.target);
    return target === undefined ? GONE : await post(target, delivery);
  };

/** Posts by the Standard Webhooks specification: the id stays, the time and the signature are of this try. */
export function createPost(clock: () => number): Post {
  return async (target, { id, body }) => {
    try {
      return await withTimeLimit(DELIVERY_TIMEOUT_MS, null, async (signal) => {
        const time = Math.floor(clock() / 1_000);
        const response = await fetch(target.url, {
          method: "POST",
          body,
          // A redirect would send the message to an address that nobody configured.
          redirect: "manual",
          signal,
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
      });
    } catch {
      return { status: null, retryAfterMs: null };
    }
  };
}

/** Seconds, or a date of HTTP. */
function readRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

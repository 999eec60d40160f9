import { DELIVERY_DELAYS_MS, DELIVERY_RETRY_AFTER_MS_MAX } from "../../core/limits.ts";

/** Answer of a webhook receiver; `status` is null if no answer came. */
export interface Answered {
  readonly status: number | null;
  /** milliseconds that it asks to be left alone */
  readonly retryAfterMs: number | null;
  /** it may have taken the words, and would take them twice */
  readonly lost?: true;
  /** body of the next try, where parts of the message have arrived */
  readonly rest?: string;
}

export type AfterTry =
  | { readonly then: "delivered" | "failed" | "unknown" }
  | { readonly then: "retry"; readonly at: number };

/**
 * Decides about a delivery after a try: 2xx is success; no answer, 408, 425, 429 and 5xx are retried; every other
 * answer, redirects included, is final. A message that may have arrived is never sent again, and one that has arrived
 * in part has not failed: `unknown`. `tries` counts this one; `at` in milliseconds.
 */
export function afterTry(
  tries: number,
  { status, retryAfterMs, lost, rest }: Answered,
  at: number,
): AfterTry {
  if (lost === true) return { then: "unknown" };
  if (status !== null && status >= 200 && status < 300) return { then: "delivered" };
  const passing = status === null || [408, 425, 429].includes(status) || status >= 500;
  const delay = DELIVERY_DELAYS_MS[tries - 1];
  if (!passing || delay === undefined) return { then: rest === undefined ? "failed" : "unknown" };
  return {
    then: "retry",
    at: at + Math.max(delay, Math.min(retryAfterMs ?? 0, DELIVERY_RETRY_AFTER_MS_MAX)),
  };
}

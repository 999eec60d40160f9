import { encryptNotification, vapidHeaders } from "@block65/webcrypto-web-push";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import type { PushPayload } from "./protocol/push-payload.ts";
import type { Vapid } from "./vapid.ts";
import { ChannelFault, type Channel, type ChannelFaultCode } from "../channel.ts";
import type { Subscription } from "./subscriptions.ts";
import { askVendor, retryAfter, type Fetch } from "../ask-vendor.ts";
import { blocksOfMessage } from "../text/message-blocks.ts";
import { pushPayload } from "./payload.ts";
import { pushEndpoint } from "./subscription.ts";

export interface WebPushOptions {
  readonly vapid: Vapid;
  /** names of push services besides the known ones */
  readonly services: readonly string[];
  /** a stand-in that gets every push instead of its service; null: none */
  readonly baseUrl: string | null;
  /** of a person */
  readonly subscriptions: (subject: string) => Promise<readonly Subscription[]>;
  /** the push service knows it no more */
  readonly remove: (subject: string, id: string) => Promise<unknown>;
  readonly fetch: Fetch;
  /** milliseconds since 1970 */
  readonly now: () => number;
}

/** The channel with everything that a browser subscribes with. */
export interface WebPushChannel extends Channel, Pick<WebPushOptions, "services"> {
  readonly publicKey: string;
}

export const isWebPush = (channel: Channel | null): channel is WebPushChannel =>
  channel !== null && "publicKey" in channel;

const TOPIC_CHARS = 32;
const TTL_SECONDS = 12 * 60 * 60;

/**
 * Notifications of browsers. A place is a person: what is sent there goes to each of their browsers, and has arrived with the first
 * that takes it. The key becomes the topic of a push (RFC 8030 5.4) and the tag of what is shown: the same message twice is one
 * notification, so what is open may be sent again.
 */
export function createWebPush(options: WebPushOptions): WebPushChannel {
  const pushToAll = async (subject: string, payload: PushPayload, signal: AbortSignal): Promise<void> => {
    const subscriptions = await subscriptionsOf(options, subject);
    const tried = await Promise.allSettled(
      subscriptions.map(async (one) => {
        if ((await push(options, one, payload, signal)) === "taken") return true;
        // A subscription that stays is removed after the next push: this failure does not concern the
        // notification.
        await options.remove(subject, one.id).catch(() => undefined);
        return false;
      }),
    );
    if (tried.some((each) => each.status === "fulfilled" && each.value)) return;
    throw gravest(tried.flatMap((each): unknown[] => (each.status === "rejected" ? [each.reason] : [])));
  };

  return {
    name: "webpush",
    publicKey: options.vapid.publicKey,
    services: options.services,
    decidesByLink: true,
    isOneWay: true,
    isPrivate: () => true,
    receive: () => Promise.resolve(null),

    async send(message, { place }, key, signal) {
      const tag = sha256Hex(key).slice(0, TOPIC_CHARS);
      await pushToAll(place, pushPayload(message, await blocksOfMessage(message), tag), signal);
      return { id: tag, parts: 1 };
    },

    async update({ id: tag }, message, { place }, signal) {
      try {
        await pushToAll(place, pushPayload(message, await blocksOfMessage(message), tag), signal);
      } catch (error) {
        // No browser shows it any more.
        if (!(error instanceof ChannelFault && error.code === "blocked")) throw error;
      }
    },
  };
}

/** Throws ChannelFault `unavailable` where they cannot be read: nothing was pushed. */
async function subscriptionsOf(
  { subscriptions }: WebPushOptions,
  subject: string,
): Promise<readonly Subscription[]> {
  try {
    return await subscriptions(subject);
  } catch {
    throw new ChannelFault("unavailable", "The browsers of the person could not be looked up.");
  }
}

/** The gravest of several failures: a bug first, then one that may pass. */
function gravest(faults: readonly unknown[]): Error {
  const errors = faults.map((fault) => (fault instanceof Error ? fault : new Error(String(fault))));
  const isPassing = (error: Error): boolean => error instanceof ChannelFault && error.code in PASSING;
  return (
    errors.find((error) => !(error instanceof ChannelFault)) ??
    errors.find(isPassing) ??
    errors[0] ??
    new ChannelFault("blocked", "No browser of theirs takes notifications any more.")
  );
}

const PASSING: Partial<Record<ChannelFaultCode, true>> = { rate_limited: true, unavailable: true };

/**
 * One push to one browser, encrypted by RFC 8291. `@pushforge/builder` speaks only the draft before it (`aesgcm`), which not every
 * push service accepts. Throws ChannelFault.
 */
async function push(
  { vapid, services, baseUrl, fetch, now }: WebPushOptions,
  subscription: Subscription,
  payload: PushPayload,
  signal: AbortSignal,
): Promise<"taken" | "gone"> {
  const endpoint = pushEndpoint(subscription.endpoint, services);
  if (endpoint === null) throw new ChannelFault("refused", "The subscription is of no known push service.");
  const headers = {
    ...(await signed(endpoint, vapid)),
    "content-type": "application/octet-stream",
    "content-encoding": "aes128gcm",
    ttl: String(TTL_SECONDS),
    topic: payload.tag,
    urgency: payload.kind === "question" || payload.kind === "failure" ? "high" : "normal",
  };
  const body = await encrypted(subscription, payload);
  const { pathname, search } = new URL(endpoint);
  const url = baseUrl === null ? endpoint : `${baseUrl}${pathname}${search}`;
  const { status, headers: answered } = await askVendor(
    fetch,
    "the push service",
    url,
    { method: "POST", headers, body },
    signal,
  ).catch((error: unknown) => {
    // With the same topic and tag a second one takes the place of the first.
    if (!(error instanceof ChannelFault) || error.code !== "unknown") throw error;
    throw new ChannelFault("unavailable", "The connection to the push service was lost.");
  });
  if (status >= 200 && status < 300) return "taken";
  if (status === 404 || status === 410) return "gone";
  const wait = retryAfter(answered.get("retry-after"), now());
  throw new ChannelFault(codeOf(status), `The push service does not take it (${status}).`, wait);
}

async function signed(endpoint: string, vapid: Vapid): Promise<{ readonly authorization: string }> {
  try {
    const subscription = { endpoint, expirationTime: null, keys: { auth: "", p256dh: "" } };
    return (await vapidHeaders(subscription, { ...vapid })).headers;
  } catch {
    throw new ChannelFault("auth", "VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY are no pair.");
  }
}

async function encrypted(
  { endpoint, auth, p256dh }: Subscription,
  payload: PushPayload,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(payload));
    return await encryptNotification({ endpoint, expirationTime: null, keys: { auth, p256dh } }, bytes);
  } catch {
    throw new ChannelFault("refused", "The keys of the subscription cannot be used.");
  }
}

function codeOf(status: number): ChannelFaultCode {
  if (status === 401 || status === 403) return "auth";
  if (status === 413) return "too_large";
  if (status === 429) return "rate_limited";
  return status >= 500 ? "unavailable" : "refused";
}

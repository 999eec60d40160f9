import { buildPushHTTPRequest } from "@pushforge/builder";
import * as z from "zod";
import { sha256Hex } from "../../core/log/digest.ts";
import { ChannelFault, type Channel, type ChannelFaultCode, type Outgoing } from "../channel.ts";
import { parseBlocks } from "../text/blocks.ts";
import { firstBytes, toPlain } from "../text/plain.ts";
import { askVendor, retryAfter, type Fetch } from "../vendor.ts";

export interface WebPushOptions {
  /** the private key of the deployment (VAPID, RFC 8292), as a JWK of P-256 */
  readonly privateKey: JsonWebKey;
  /** whom a push service can ask: `mailto:` or `https:` */
  readonly contact: string;
  readonly fetch: Fetch;
  /** milliseconds since 1970 */
  readonly now: () => number;
}

/** what a service worker is handed, as JSON */
export interface PushPayload {
  readonly body: string;
  /** what is opened when it is clicked; null where nothing is */
  readonly url: string | null;
  /** a notification with the same one takes its place */
  readonly tag: string;
  readonly kind: Outgoing["kind"];
}

/** of the payload; services take 4 KB, of which encrypting needs a part */
export const PUSH_BYTES_MAX = 3_072;
const TEXT_BYTES_MAX = 2_000;
const TOPIC_CHARS = 32;
const TTL_SECONDS = 12 * 60 * 60;

/** An endpoint is a key to its browser: it is asked for nothing but what a push service gives out. */
const subscription = z.object({
  endpoint: z.url({ protocol: /^https$/ }).max(1_000),
  keys: z.object({
    p256dh: z.string().regex(/^[A-Za-z0-9_-]{86,88}=?$/),
    auth: z.string().regex(/^[A-Za-z0-9_-]{22,24}={0,2}$/),
  }),
});
export type PushSubscription = z.infer<typeof subscription>;

/** What a browser gave (`PushSubscription.toJSON()`), as the place of an address. Throws ChannelFault `refused`. */
export function parseSubscription(place: string): PushSubscription {
  let json: unknown = null;
  try {
    json = JSON.parse(place);
  } catch {
    // said below
  }
  const parsed = subscription.safeParse(json);
  if (parsed.success && isPublicHost(parsed.data.endpoint)) return parsed.data;
  throw new ChannelFault(
    "refused",
    "A push subscription has an https endpoint and the keys p256dh and auth.",
  );
}

/** A browser's service has a name; an address of a network, or of this machine, is someone who looks around. */
function isPublicHost(endpoint: string): boolean {
  const { hostname, username, port } = new URL(endpoint);
  return (
    /\.[a-z][a-z0-9-]*$/i.test(hostname) &&
    !/\.(?:local|internal)$/i.test(hostname) &&
    username === "" &&
    port === ""
  );
}

/**
 * Notifications of browsers. The key is the topic of a push (RFC 8030 5.4) and the tag of what is shown: the same message twice is
 * one notification, so what is open may be sent again.
 */
export function createWebPush({ privateKey, contact, fetch, now }: WebPushOptions): Channel {
  return {
    name: "webpush",
    takesKey: true,
    // Browsers say nothing here.
    receive: () => Promise.resolve(null),

    async send(message, address, key, signal) {
      const target = parseSubscription(address.place);
      const topic = sha256Hex(key).slice(0, TOPIC_CHARS);
      const { endpoint, headers, body } = await encrypt(privateKey, contact, target, topic, message);
      const { status, headers: answered } = await askVendor(
        fetch,
        "Web Push",
        endpoint,
        { method: "POST", headers, body },
        signal,
      );
      if (status >= 200 && status < 300) return { id: answered.get("location") ?? topic, parts: 1 };
      const wait = retryAfter(answered.get("retry-after"), now());
      throw new ChannelFault(codeOf(status), `The push service does not take it (${status}).`, wait);
    },
  };
}

async function encrypt(
  privateJWK: JsonWebKey,
  adminContact: string,
  target: PushSubscription,
  topic: string,
  message: Outgoing,
): Promise<{ endpoint: string; headers: HeadersInit; body: ArrayBuffer }> {
  const urgency = message.kind === "question" || message.kind === "failure" ? "high" : "normal";
  const options = { ttl: TTL_SECONDS, topic, urgency } as const;
  try {
    const payload = { ...payloadOf(message, topic) };
    const { endpoint, headers, body } = await buildPushHTTPRequest({
      ...{ privateJWK, subscription: target, message: { payload, adminContact, options } },
    });
    // The length of a body is the runtime's to say.
    const sent = new Headers(headers);
    sent.delete("content-length");
    return { endpoint, headers: sent, body };
  } catch {
    throw new ChannelFault("refused", "The keys of the subscription, or of this deployment, cannot be used.");
  }
}

/** A button cannot be pressed in a notification of every browser: the first that leads somewhere is what a click opens. */
function payloadOf({ kind, text, link, buttons = [] }: Outgoing, tag: string): PushPayload {
  const url = buttons.find((button) => button.url !== undefined)?.url ?? link ?? null;
  const payload = (max: number): PushPayload => {
    return { body: firstBytes(toPlain(parseBlocks(text)), max), url, tag, kind };
  };
  const fitted = payload(TEXT_BYTES_MAX);
  const over = new TextEncoder().encode(JSON.stringify(fitted)).length - PUSH_BYTES_MAX;
  // Signs that JSON writes with two or six.
  return over <= 0 ? fitted : payload(Math.max(16, Math.floor(TEXT_BYTES_MAX / 6)));
}

function codeOf(status: number): ChannelFaultCode {
  // The subscription is over.
  if (status === 404 || status === 410) return "blocked";
  if (status === 401 || status === 403) return "auth";
  if (status === 413) return "too_large";
  if (status === 429) return "rate_limited";
  return status >= 500 ? "unavailable" : "refused";
}

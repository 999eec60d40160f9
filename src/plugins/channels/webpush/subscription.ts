import * as z from "zod";
import { judgeUrl } from "../../../cairn/outbound/safe-url.ts";

/**
 * A browser's subscription (`PushSubscription.toJSON()`), and the allowed push servers: we send requests to its
 * endpoint.
 */

/** Where the push services of browsers are: Chrome and its kin, Firefox, Edge, Safari. */
const SERVICES = [
  "fcm.googleapis.com",
  "*.push.services.mozilla.com",
  "*.notify.windows.com",
  "*.push.apple.com",
];

const ENDPOINT_CHARS_MAX = 1_000;

export const subscriptionSchema = z.strictObject({
  endpoint: z.url({ protocol: /^https$/ }).max(ENDPOINT_CHARS_MAX),
  expirationTime: z.number().nullable().optional(),
  keys: z.strictObject({
    /** an uncompressed point of P-256 */
    p256dh: z.string().regex(/^B[A-P][\w-]{85}$/),
    /** 16 bytes */
    auth: z.string().regex(/^[\w-]{22}$/),
  }),
});
export type BrowserSubscription = z.output<typeof subscriptionSchema>;

/**
 * The endpoint as it is requested; null where it is no server of a push service. Only names on the list pass, so no name is looked
 * up: none of theirs leads into a network of ours. `more`: names that the deployment adds, `*.` for what lies below.
 */
export function pushEndpoint(endpoint: string, more: readonly string[]): string | null {
  const verdict = judgeUrl(endpoint, { ownHosts: [], deny: [], allow: [...SERVICES, ...more] });
  if (!verdict.ok) return null;
  const { protocol, port, href } = new URL(verdict.url);
  return protocol === "https:" && port === "" && verdict.needsLookup ? href : null;
}

/** True if the point lies on the curve. */
export async function isPoint(p256dh: string): Promise<boolean> {
  const bytes = Uint8Array.from(atob(p256dh.replaceAll("-", "+").replaceAll("_", "/")), (sign) =>
    sign.charCodeAt(0),
  );
  try {
    await crypto.subtle.importKey("raw", bytes, { name: "ECDH", namedCurve: "P-256" }, false, []);
    return true;
  } catch {
    return false;
  }
}

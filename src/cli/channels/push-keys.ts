import { makePushKeys } from "../start/push-keys.ts";

/** Prints a new key pair for push, and where to put it. It is not stored anywhere. */
export function pushKeyLines(): readonly string[] {
  const { publicKey, privateKey } = makePushKeys();
  return [
    "New key pair. It is not stored and not shown again:",
    "",
    `VAPID_PUBLIC_KEY=${publicKey}`,
    `VAPID_PRIVATE_KEY=${privateKey}`,
    "",
    "Keep it where Cairn reads it, with an address of yours (mailto:you@example.com) that push services may write to:",
    "  npx wrangler secret put VAPID_PUBLIC_KEY",
    "  npx wrangler secret put VAPID_PRIVATE_KEY",
    "  npx wrangler secret put VAPID_SUBJECT",
    "Browsers subscribe to these keys: after a new pair everybody turns push on again.",
  ];
}

import { createHmac } from "node:crypto";
import type { Scheme } from "../../../src/cairn/webhooks/signatures.ts";

/** Requests of webhook vendors, signed by Node's crypto and none of our code. */
export interface Sending {
  readonly body?: string;
  readonly secret?: string;
  /** seconds since the epoch */
  readonly time?: number;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const SECRETS: Readonly<Record<Scheme, string>> = {
  standard: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  github: "It's a Secret to Everybody",
  stripe: "whsec_test_secret",
  slack: "8f742231b10e8888abcd99yyyzzz85a5",
  shopify: "hush-hush-hush",
  telegram: "a_token-of-the-bot",
  bearer: "a-token-of-the-house",
};

export function signed(
  scheme: Scheme,
  {
    body = "{}",
    secret = SECRETS[scheme],
    time = Math.floor(Date.now() / 1_000),
    id = "d1",
    headers = {},
  }: Sending = {},
): RequestInit {
  const mac = (text: string, encoding: "hex" | "base64", key: string | Buffer = secret): string =>
    createHmac("sha256", key).update(text).digest(encoding);
  const own = (): Record<string, string> => {
    switch (scheme) {
      case "standard": {
        const key = Buffer.from(secret.replace("whsec_", ""), "base64");
        return {
          "webhook-id": id,
          "webhook-timestamp": String(time),
          "webhook-signature": `v1,${mac(`${id}.${time}.${body}`, "base64", key)}`,
        };
      }
      case "github":
        return { "x-hub-signature-256": `sha256=${mac(body, "hex")}`, "x-github-delivery": id };
      case "stripe":
        return { "stripe-signature": `t=${time},v1=${mac(`${time}.${body}`, "hex")}` };
      case "slack":
        return {
          "x-slack-request-timestamp": String(time),
          "x-slack-signature": `v0=${mac(`v0:${time}:${body}`, "hex")}`,
        };
      case "shopify":
        return { "x-shopify-hmac-sha256": mac(body, "base64"), "x-shopify-webhook-id": id };
      case "telegram":
        return { "x-telegram-bot-api-secret-token": secret };
      case "bearer":
        return { authorization: `Bearer ${secret}`, "idempotency-key": id };
    }
  };
  return { method: "POST", body, headers: { "content-type": "application/json", ...own(), ...headers } };
}

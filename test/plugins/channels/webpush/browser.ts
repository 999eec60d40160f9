import {
  createDecipheriv,
  createECDH,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  verify,
} from "node:crypto";
import type { PushPayload } from "../../../../src/plugins/channels/webpush/protocol/push-payload.ts";

/**
 * Browser and push service on the receiving end of a push, written from RFC 8291, 8188 and 8292 and not from the
 * sender.
 */

/** Keys of a deployment, as its variables have them. */
export function vapidPair() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "", d = "" } = privateKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return { publicKey: point.toString("base64url"), privateKey: d, subject: "mailto:ops@cairn.example" };
}

export interface ReceivedPush {
  readonly headers: Headers;
  readonly body: Buffer;
}

/** A browser that has subscribed. */
export function subscribedBrowser(endpoint: string) {
  const keys = createECDH("prime256v1");
  const own = keys.generateKeys();
  const auth = randomBytes(16);
  return {
    subscription: {
      endpoint,
      expirationTime: null,
      keys: { p256dh: own.toString("base64url"), auth: auth.toString("base64url") },
    },
    /** The bytes that stand in a push. Throws where it was not made for this browser. */
    decrypt({ headers, body }: ReceivedPush): Buffer {
      if (headers.get("content-encoding") !== "aes128gcm") throw new Error("not aes128gcm");
      // RFC 8188 2.1: salt, size of a record, length of the key's id, the id: the sender's key.
      const salt = body.subarray(0, 16);
      const end = 21 + body.readUInt8(20);
      const sender = body.subarray(21, end);
      const derive = (secret: Buffer, by: Buffer, info: Buffer, size: number): Buffer =>
        Buffer.from(hkdfSync("sha256", secret, by, info, size));
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), own, sender]);
      const input = derive(keys.computeSecret(sender), auth, info, 32);
      const key = derive(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
      const nonce = derive(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
      const decipher = createDecipheriv("aes-128-gcm", key, nonce);
      decipher.setAuthTag(body.subarray(-16));
      const padded = Buffer.concat([decipher.update(body.subarray(end, -16)), decipher.final()]);
      const last = padded.lastIndexOf(2);
      if (padded.subarray(last + 1).some((byte) => byte !== 0)) throw new Error("the record has no end");
      return padded.subarray(0, last);
    },
    read(push: ReceivedPush): PushPayload {
      return JSON.parse(this.decrypt(push).toString("utf8")) as PushPayload;
    },
  };
}

/** Claims that the deployment signed for the push service; null unless the named key made the signature. */
export function vapidClaims({ headers }: ReceivedPush): Record<string, unknown> | null {
  const [, token = "", named = ""] =
    /^vapid t=([^,]+), k=(.+)$/.exec(headers.get("authorization") ?? "") ?? [];
  const [head = "", body = "", signature = ""] = token.split(".");
  const point = Buffer.from(named, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const key = { kty: "EC", crv: "P-256", x, y };
  const isRight = verify(
    "sha256",
    Buffer.from(`${head}.${body}`),
    { key, format: "jwk", dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  return isRight ? (JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>) : null;
}

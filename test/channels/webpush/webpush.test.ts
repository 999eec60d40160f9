import { createDecipheriv, createECDH, generateKeyPairSync, hkdfSync, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Outgoing } from "../../../src/channels/channel.ts";
import { createWebPush, parseSubscription, PUSH_BYTES_MAX } from "../../../src/channels/webpush/webpush.ts";
import { faultOf, NOW, patient } from "../channel-fixture.ts";

const browser = createECDH("prime256v1");
browser.generateKeys();
const AUTH = Buffer.from("0123456789abcdef");
const place = (over: object = {}): string =>
  JSON.stringify({
    endpoint: "https://push.example.com/send/abc",
    expirationTime: null,
    keys: { p256dh: browser.getPublicKey("base64url"), auth: AUTH.toString("base64url") },
    ...over,
  });
const address = { channel: "webpush" as const, place: place() };

interface Posted {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

async function withPush(answer: () => Response = () => new Response(null, { status: 201 })) {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const privateKey = { kty: "EC", ...pair.privateKey.export({ format: "jwk" }) } as JsonWebKey;
  const posted: Posted[] = [];
  const channel = createWebPush({
    ...{ privateKey, contact: "mailto:ops@cairn.example", now: () => NOW },
    fetch: async (url, init) => {
      const body = Buffer.from(await new Response(init.body).arrayBuffer());
      posted.push({ url, headers: new Headers(init.headers), body });
      return answer();
    },
  });
  return { channel, posted, publicKey: pair.publicKey };
}

/** What a browser reads of a push (draft-ietf-webpush-encryption-04, the coding aesgcm). */
function read({ headers, body }: Posted): Record<string, string> {
  const field = (name: string, key: string): Buffer =>
    Buffer.from(new RegExp(`${key}=([\\w-]+)`).exec(headers.get(name) ?? "")?.[1] ?? "", "base64url");
  const [salt, sender] = [field("encryption", "salt"), field("crypto-key", "dh")];
  const own = browser.getPublicKey();
  const length = (key: Buffer): Buffer => Buffer.from([0, key.length]);
  const context = Buffer.concat([Buffer.from("P-256\0"), length(own), own, length(sender), sender]);
  const secret = browser.computeSecret(sender);
  const prk = Buffer.from(hkdfSync("sha256", secret, AUTH, "Content-Encoding: auth\0", 32));
  const derive = (info: string, size: number): Buffer =>
    Buffer.from(
      hkdfSync(
        "sha256",
        prk,
        salt,
        Buffer.concat([Buffer.from(`Content-Encoding: ${info}\0`), context]),
        size,
      ),
    );
  const decipher = createDecipheriv("aes-128-gcm", derive("aesgcm", 16), derive("nonce", 12));
  decipher.setAuthTag(body.subarray(-16));
  const padded = Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()]);
  return JSON.parse(padded.subarray(2 + padded.readUInt16BE(0)).toString("utf8")) as Record<string, string>;
}

const send = async (message: Outgoing, key = "key") => {
  const { channel, posted } = await withPush();
  const receipt = await channel.send(message, address, key, patient());
  const [first] = posted;
  if (first === undefined) throw new Error("nothing was posted");
  return { receipt, posted: first };
};

describe("a push", () => {
  test("is read by its browser alone, with what a click opens", async () => {
    const buttons = [
      { label: "Approve", token: "t" },
      { label: "Look", url: "https://cairn.example/a" },
    ];
    const { posted } = await send({
      kind: "question",
      text: "**Send** it?",
      buttons,
      link: "https://cairn.example/s",
    });
    expect(posted.url).toBe("https://push.example.com/send/abc");
    const tag = posted.headers.get("topic") ?? "";
    expect(tag).toMatch(/^[0-9a-f]{32}$/);
    expect(read(posted)).toEqual({ body: "Send it?", url: "https://cairn.example/a", tag, kind: "question" });
    expect([posted.headers.get("urgency"), posted.headers.get("ttl")]).toEqual(["high", "43200"]);
    expect(posted.headers.has("content-length")).toBe(false);
  });

  test("is signed for its service", async () => {
    const { channel, posted, publicKey } = await withPush();
    await channel.send({ kind: "final", text: "x" }, address, "k", patient());
    const token = /^vapid t=([^,]+), k=(.+)$/.exec(posted[0]?.headers.get("authorization") ?? "");
    const [head = "", body = "", signature = ""] = (token?.[1] ?? "").split(".");
    const verified = verify(
      "sha256",
      Buffer.from(`${head}.${body}`),
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
    expect(verified).toBe(true);
    expect(JSON.parse(Buffer.from(body, "base64url").toString())).toMatchObject({
      ...{ aud: "https://push.example.com", sub: "mailto:ops@cairn.example" },
    });
  });

  test("with the same key takes the place of the one before, and with another does not", async () => {
    const tags = await Promise.all(
      ["a", "a", "b"].map(async (key) =>
        (await send({ kind: "final", text: "x" }, key)).posted.headers.get("topic"),
      ),
    );
    expect(tags[0]).toBe(tags[1]);
    expect(tags[0]).not.toBe(tags[2]);
    expect((await withPush()).channel.takesKey).toBe(true);
  });

  test.each([["x".repeat(9_000)], ["é😀".repeat(2_000)], ['"\\\n'.repeat(2_000)]])(
    "of a long text is cut to what services take",
    async (text) => {
      const { posted } = await send({ kind: "final", text, link: `https://c.example/${"s".repeat(200)}` });
      const payload = read(posted);
      expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(PUSH_BYTES_MAX);
      expect(payload["body"]?.endsWith("…")).toBe(true);
      expect(payload["body"]?.isWellFormed()).toBe(true);
    },
  );

  test("no request is heard", async () => {
    const request = new Request("http://cairn.example/channels/webpush", { method: "POST" });
    expect(await (await withPush()).channel.receive(request)).toBeNull();
  });
});

describe("failures", () => {
  test.each([
    [404, {}, "blocked: The push service does not take it (404)."],
    [410, {}, "blocked: The push service does not take it (410)."],
    [403, {}, "auth: The push service does not take it (403)."],
    [413, {}, "too_large: The push service does not take it (413)."],
    [429, { "retry-after": "30" }, "rate_limited after 30000: The push service does not take it (429)."],
    [
      429,
      { "retry-after": new Date(NOW + 5_000).toUTCString() },
      "rate_limited after 5000: The push service does not take it (429).",
    ],
    [400, {}, "refused: The push service does not take it (400)."],
    [301, { location: "https://evil.example" }, "refused: The push service does not take it (301)."],
    [502, {}, "unavailable: The push service does not take it (502)."],
  ])("%i %j", async (status, headers, fault) => {
    const { channel } = await withPush(() => new Response(null, { status, headers }));
    expect(await faultOf(channel.send({ kind: "final", text: "x" }, address, "k", patient()))).toBe(fault);
  });

  test("a lost connection may have delivered it", async () => {
    const { channel } = await withPush(() => {
      throw new Error("Network connection lost.");
    });
    expect(await faultOf(channel.send({ kind: "final", text: "x" }, address, "k", patient()))).toBe(
      "unknown: The connection to Web Push was lost: it may have been sent.",
    );
  });

  test("keys that are none are refused, and nothing is posted", async () => {
    const { channel, posted } = await withPush();
    const keys = { p256dh: "A".repeat(87), auth: AUTH.toString("base64url") };
    const wrong = { ...address, place: place({ keys }) };
    expect(await faultOf(channel.send({ kind: "final", text: "x" }, wrong, "k", patient()))).toBe(
      "refused: The keys of the subscription, or of this deployment, cannot be used.",
    );
    expect(posted).toEqual([]);
  });
});

test.each([
  ["http://push.example.com/x"],
  ["https://127.0.0.1/x"],
  ["https://[::1]/x"],
  ["https://localhost/x"],
  ["https://metadata.internal/x"],
  ["https://push.example.com:8443/x"],
  ["https://user@push.example.com/x"],
  ["file:///etc/passwd"],
  [`https://push.example.com/${"x".repeat(1_000)}`],
])("a subscription at %s is refused", (endpoint) => {
  expect(() => parseSubscription(place({ endpoint }))).toThrow("A push subscription has an https endpoint");
});

test("a subscription that is no JSON, or lacks its keys, is refused", () => {
  for (const text of [
    "",
    "x",
    "{}",
    "null",
    place({ keys: {} }),
    place({ keys: { p256dh: "x", auth: "y" } }),
  ])
    expect(() => parseSubscription(text)).toThrow("A push subscription has an https endpoint");
  expect(parseSubscription(place()).endpoint).toBe("https://push.example.com/send/abc");
});

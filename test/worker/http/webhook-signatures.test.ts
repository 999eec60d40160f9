import { describe, expect, test } from "vitest";
import { checkSignature, signStandard, type Scheme } from "../../../src/cairn/webhooks/signatures.ts";

/** The vectors of the interface: a vendor's own, or computed by its rules. */
interface Vector {
  readonly scheme: Scheme;
  readonly secret: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** seconds since the epoch when it was signed */
  readonly time?: number;
}

const SLACK =
  "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";

const VECTORS: readonly (readonly [name: string, vector: Vector])[] = [
  [
    "github",
    {
      scheme: "github",
      secret: "It's a Secret to Everybody",
      body: "Hello, World!",
      headers: {
        "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
      },
    },
  ],
  [
    "standard",
    {
      scheme: "standard",
      secret: "whsec_plJ3nmyCDGBKInavdOK15jsl",
      body: '{"event_type":"ping","data":{"success":true}}',
      time: 1_731_705_121,
      headers: {
        "webhook-id": "msg_loFOjxBNrRLzqYUf",
        "webhook-timestamp": "1731705121",
        "webhook-signature": "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
      },
    },
  ],
  [
    "standard as Svix sends it",
    {
      scheme: "standard",
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      body: '{"test": 2432232314}',
      time: 1_614_265_330,
      headers: {
        "svix-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "svix-timestamp": "1614265330",
        "svix-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
    },
  ],
  [
    "slack",
    {
      scheme: "slack",
      secret: "8f742231b10e8888abcd99yyyzzz85a5",
      body: SLACK,
      time: 1_531_420_618,
      headers: {
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
      },
    },
  ],
  [
    "stripe",
    {
      scheme: "stripe",
      secret: "whsec_test_secret",
      body: '{"id":"evt_test_1","object":"event","type":"invoice.paid","data":{"object":{"id":"in_1"}}}',
      time: 1_700_000_000,
      headers: {
        "stripe-signature":
          "t=1700000000,v1=3f70d0e199687a181bd375130b4b4f3e0f1bf437ca10763267465d6c40d075d6",
      },
    },
  ],
  [
    "shopify",
    {
      scheme: "shopify",
      secret: "hush",
      body: '{"id":820982911946154508,"email":"jon@example.com"}',
      headers: { "x-shopify-hmac-sha256": "D0UMXmhjwBRi4y66TmhJrDlhQABD7zI2fm3p6/QLMo8=" },
    },
  ],
  [
    "telegram",
    {
      scheme: "telegram",
      secret: "a_token-of-the-bot",
      body: '{"update_id":1}',
      headers: { "x-telegram-bot-api-secret-token": "a_token-of-the-bot" },
    },
  ],
  [
    "bearer",
    {
      scheme: "bearer",
      secret: "a-token-of-the-house",
      body: "{}",
      headers: { authorization: "Bearer a-token-of-the-house" },
    },
  ],
];

const encoder = new TextEncoder();
const check = (vector: Vector, secrets: readonly string[] = [vector.secret], now = vector.time ?? 0) =>
  checkSignature(
    vector.scheme,
    secrets,
    { headers: new Headers(vector.headers), bytes: encoder.encode(vector.body) },
    now * 1_000,
    300,
  );

/** The text with each of its characters changed in one bit, in turn; those that a header cannot carry are left out. */
function* flipped(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    for (const bit of [1, 32]) {
      const sign = String.fromCharCode(text.charCodeAt(at) ^ bit);
      const other = text.slice(0, at) + sign + text.slice(at + 1);
      // Blanks at the ends of a header are no part of it.
      if (/^[\x20-\x7e]+$/.test(other) && other.trim() === other) yield other;
    }
  }
}

describe.each(VECTORS)("the vector of %s", (_name, vector) => {
  test("verifies", async () => {
    expect(await check(vector)).toBe("valid");
  });

  test("fails when any character of its secret changes", async () => {
    for (const secret of flipped(vector.secret))
      expect(await check(vector, [secret])).toBe("invalid_signature");
  });

  test("fails when any character of a header that is signed changes", async () => {
    for (const [name, value] of Object.entries(vector.headers)) {
      for (const other of flipped(value)) {
        const changed = { ...vector, headers: { ...vector.headers, [name]: other } };
        expect([other, await check(changed)]).toEqual([other, "invalid_signature"]);
      }
      const { [name]: _, ...without } = vector.headers;
      expect(await check({ ...vector, headers: without })).toBe("invalid_signature");
    }
  });

  test("fails when any character of its body changes, where the body is signed", async () => {
    const shared = vector.scheme === "telegram" || vector.scheme === "bearer";
    for (const body of flipped(vector.body))
      expect(await check({ ...vector, body })).toBe(shared ? "valid" : "invalid_signature");
    expect(await check({ ...vector, body: `${vector.body} ` })).toBe(shared ? "valid" : "invalid_signature");
  });

  test("verifies with any of several secrets, and with none of none", async () => {
    expect(await check(vector, ["another", vector.secret])).toBe("valid");
    expect(await check(vector, [vector.secret, "another", "a third"])).toBe("valid");
    expect(await check(vector, ["another"])).toBe("invalid_signature");
    expect(await check(vector, [])).toBe("invalid_signature");
  });

  test("is stale beyond the tolerance, on either side, if its time is signed", async () => {
    const { time } = vector;
    for (const [off, told] of [
      [300, "valid"],
      [301, "stale_timestamp"],
    ] as const) {
      for (const now of [(time ?? 0) + off, (time ?? 0) - off])
        expect(await check(vector, [vector.secret], now)).toBe(time === undefined ? "valid" : told);
    }
  });
});

test("nothing but a signer learns that a time is stale", async () => {
  const [, stripe] = VECTORS.find(([name]) => name === "stripe") ?? [];
  if (stripe === undefined) throw new Error("no vector");
  expect(await check(stripe, ["another"], 0)).toBe("invalid_signature");
});

test("one of several signatures is enough, as while a vendor changes its secret", async () => {
  const wrong = "v1,AAAAW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=";
  const [, standard] = VECTORS[1] ?? [];
  if (standard === undefined) throw new Error("no vector");
  const right = standard.headers["webhook-signature"];
  const headers = { ...standard.headers, "webhook-signature": `${wrong} v1a,b2xk ${right}` };
  expect(await check({ ...standard, headers })).toBe("valid");
  const only = { ...standard.headers, "webhook-signature": wrong };
  expect(await check({ ...standard, headers: only })).toBe("invalid_signature");
});

test("what goes out is signed as the vector of the interface says", async () => {
  const body =
    '{"type":"run.ended","timestamp":"2026-01-01T00:00:00.000Z","data":{"sessionId":"ses_demo","runId":"ses_demo.r1","outcome":"answered"}}';
  const secret = "whsec_Y2Fpcm4tZXhhbXBsZS1zZWNyZXQtMDAw";
  expect(await signStandard(secret, "ses_demo.42", 1_767_225_600, body)).toBe(
    "v1,LUQuE3Fw1LS/oAG0eUd7SU8njMY5/zaInBdSbC8/Sh4=",
  );
  await expect(signStandard("plain", "a", 1, body)).rejects.toThrow("whsec_");
});

import { describe, expect, test } from "vitest";
import { parseLinkSecrets, readLink, signLink } from "../../../src/cairn/protocol/signed/approval-link.ts";
import { signToken } from "../../../src/cairn/protocol/signed/signed-token.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const OTHER = "fedcba9876543210fedcba9876543210";
const link = {
  approval: "r1s1c0a1",
  digest: "sha256:e588288c9903afe4e22e21ebf2944c6b38aeae8f800d4e0ee416a955ba484d2b",
  ends: 1_893_456_000,
  session: "ses_demo",
  asked: null,
  subject: "bob",
};

describe("the token of a link", () => {
  const token = signLink([SECRET], link);

  test("is the one of the interface, to the byte", () => {
    const [p = "", s] = token.split(".");
    expect(atob(p)).toBe(
      `{"a":"r1s1c0a1","d":"${link.digest}","e":1893456000,"s":"ses_demo","u":"bob","v":1}`,
    );
    expect(s).toBe("msumJxJ53viGqj3ccqd0LjDN3vwAzmFPzVyrQfnBlRU");
    expect(readLink([SECRET], token)).toEqual(link);
  });

  test("says when it was asked, where that is known", () => {
    const timed = { ...link, asked: 1_767_225_600_000 };
    const [p = ""] = signLink([SECRET], timed).split(".");
    expect(atob(p)).toBe(
      `{"a":"r1s1c0a1","d":"${link.digest}","e":1893456000,"s":"ses_demo","t":1767225600000,"u":"bob","v":1}`,
    );
    expect(readLink([SECRET], signLink([SECRET], timed))).toEqual(timed);
  });

  test("is none when it says what nobody here understands, though it is signed", () => {
    const more = JSON.stringify({ a: "r1s1c0a1", d: "d", e: 1, s: "s", u: "bob", v: 2 });
    expect(readLink([SECRET], signToken(SECRET, "cairn-approval-link.v1.", more))).toBeNull();
  });

  test("is none with any one character changed, taken away or added", () => {
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "A" ? "B" : "A";
      expect(readLink([SECRET], token.slice(0, at) + other + token.slice(at + 1))).toBeNull();
      expect(readLink([SECRET], token.slice(0, at) + token.slice(at + 1))).toBeNull();
    }
    for (const wrong of [`${token}A`, `A${token}`, `${token}=`, `${token}.`, "", ".", "a.b"])
      expect(readLink([SECRET], wrong)).toBeNull();
  });

  test("verifies with each of two secrets, is signed with the first, and is none without its own", () => {
    expect(signLink([OTHER, SECRET], link)).toBe(signLink([OTHER], link));
    expect(readLink([OTHER, SECRET], token)).toEqual(link);
    expect(readLink([OTHER], token)).toBeNull();
    expect(readLink([], token)).toBeNull();
  });
});

describe("APPROVAL_LINK_SECRET", () => {
  const parse = (value: unknown) => {
    const problems: string[] = [];
    return [parseLinkSecrets(value, (message) => void problems.push(message)), problems.length];
  };

  test.each([
    [undefined, []],
    ["  ", []],
    [SECRET, [SECRET]],
    [JSON.stringify([OTHER, SECRET]), [OTHER, SECRET]],
    [
      [OTHER, SECRET],
      [OTHER, SECRET],
    ],
    ["é".repeat(16), ["é".repeat(16)]],
  ])("may be %j", (value, secrets) => {
    expect(parse(value)).toEqual([secrets, 0]);
  });

  test.each([
    ["short"],
    [SECRET.slice(1)],
    [JSON.stringify([SECRET])],
    [JSON.stringify([SECRET, "short"])],
    [JSON.stringify([SECRET, OTHER, SECRET])],
    [`[${SECRET}`],
    [JSON.stringify([SECRET, 7])],
    [{ secret: SECRET }],
    [7],
  ])("may not be %j, and the problem does not say what it was", (value) => {
    const problems: string[] = [];
    expect(parseLinkSecrets(value, (message) => void problems.push(message))).toEqual([]);
    expect(problems.length).toBe(1);
    expect(problems[0]).not.toContain(SECRET.slice(0, 8));
  });
});

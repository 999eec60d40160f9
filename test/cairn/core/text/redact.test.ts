import { describe, expect, test } from "vitest";
import { hashedFraction } from "../../../../src/cairn/core/log/digest.ts";
import { createNeedles } from "../../../../src/cairn/core/text/multi-search.ts";
import { createRedactor, type StreamRedactor } from "../../../../src/cairn/core/text/redact.ts";
import { secretForms } from "../../../../src/cairn/core/text/secret-forms.ts";
import { signLink } from "../../../../src/cairn/protocol/signed/approval-link.ts";
import { signTicket } from "../../../../src/cairn/protocol/signed/ticket.ts";

const LINK = { approval: "r1s1c0a1", digest: "sha256:00", ends: 1, session: "s", asked: 1, subject: "bob" };
const VALUE = "sentinel-secret-value";
const redact = createRedactor([
  { name: "SENTINEL", value: VALUE },
  { name: "OTHER", value: "sentinel-second" },
  { name: "TWIN", value: "aabaabaab" },
]);

const streamed = (stream: StreamRedactor, pieces: readonly string[]): { out: string; shown: string[] } => {
  const shown = pieces.map((piece) => stream.push(piece));
  shown.push(stream.end());
  return { out: shown.join(""), shown };
};
const cutEvery = (text: string, chars: number): string[] =>
  Array.from({ length: Math.ceil(text.length / chars) }, (_, at) => text.slice(at * chars, (at + 1) * chars));

const TEXTS = [
  `The key is ${VALUE}, do not tell.`,
  `${VALUE}${VALUE}`,
  `sentinel-secret-valu and then sentinel-secret-value`,
  `sentinel-sentinel-secret-value sentinel-sec`,
  "aabaabaabaabaab and aabaabaa",
  `as base64 ${btoa(VALUE)} and again ${btoa(VALUE).slice(0, 8)}`,
  "Bearer abcdefghijklmnopqrstuvwxyz0123 was sent; a bearer of news and the Bearer of it",
  "the model said sk-live-abcdefghijklmnop1234 and task-live-abcdefghijklmnop1234, whsec_abcdefghijklmnopqrstuvw",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop and eyJhbGci",
  `/a/${signLink(["0123456789abcdef0123456789abcdef"], LINK)} decides; eyJhIjoi.x does not, and eyJ`,
  "ghp_abcdefghijklmnopqrstuvwxyz012345 xoxb-12345678901234567890 AKIAABCDEFGHIJKLMNOP. What else is there?",
  `${VALUE}ghp_abcdefghijklmnopqrstuvwxyz012345 and ghp_abcdefghijklmnopqrstuvwxyz012345sentinel-secret-x`,
  `AKIAABCDEFGHIJKLMNOPsentinel-secret-value AKIAABCDEFGHIJKLMNOPsentinel`,
  `hex ${Buffer.from(VALUE).toString("hex")} and ${Buffer.from(VALUE).toString("hex").slice(0, 30)}`,
  `inside ${btoa(`{"a":"${VALUE}"}`)} and ${btoa(`x${VALUE}`)} and ${btoa(`xy${VALUE}z`)}`,
  "An ordinary sentence, which says nothing: skip, keyed, pages, whales, exotic wishes.",
];

test("links to approvals and tickets are keys, whatever was configured", () => {
  const scrub = createRedactor([]);
  const ticket = {
    id: "t",
    session: "s",
    scopes: ["read"],
    origin: null,
    expiresAt: 1,
    grant: null,
  } as const;
  for (const token of [
    signLink([VALUE], LINK),
    signTicket(VALUE, { ...ticket, scopes: [...ticket.scopes] }),
  ]) {
    const [, signature = ""] = token.split(".");
    expect(scrub(`https://cairn.example/a/${token}?x=1`)).toBe("https://cairn.example/a/[redacted]?x=1");
    expect(scrub(`${token}.`)).not.toContain(signature);
  }
});

test.each(["eyJaaaaaaaaaa-", "eyJaaaaaaaaaa.-", "Bearer ", "sk-live-a ", "xoxb-a ", "whsec_a "])(
  "a megabyte of beginnings of keys costs no more than one of words: %s",
  (beginning) => {
    const text = beginning.repeat(Math.ceil(1_048_576 / beginning.length));
    expect(createRedactor([])(text)).toBe(text);
  },
);

test("a web token is found whatever its parts hold, and nothing is left that could be used", () => {
  const scrub = createRedactor([]);
  const [head, body, signature] = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIi-eyJPiIxMjM0In0", "abcdefghijklmnop"];
  expect(scrub(`(${head}.${body}.${signature})`)).not.toContain(signature);
  expect(scrub(`(${head}-eyJabcdefghij.${body}.${signature})`)).not.toContain(signature);
});

describe("a text that is streamed", () => {
  test.each(TEXTS)("comes out as the whole of it would, however it is cut: %s", (text) => {
    for (let chars = 1; chars <= text.length; chars++) {
      const { out, shown } = streamed(redact.stream(), cutEvery(text, chars));
      expect(out, `cut every ${chars}`).toBe(redact(text));
      expect(shown.join(""), `cut every ${chars}`).not.toContain(VALUE);
    }
  });

  test("is held back for no longer than it may still be a secret", () => {
    const stream = redact.stream();
    expect(stream.push("It is sen")).toBe("It is ");
    expect(stream.push("sed, ")).toBe("sensed, ");
    expect(stream.push("sentinel-secret-value")).toBe("[secret:SENTINEL]");
    expect(stream.push("s. ")).toBe("s. ");
    expect(stream.end()).toBe("");
  });
});

/** Writes every letter by its bytes. */
const bytewise = (text: string, write: (byte: number) => string): string =>
  Array.from(Buffer.from(text), write).join("");
const hex = (byte: number): string => byte.toString(16).padStart(2, "0");

describe("a value", () => {
  const value = `p4ss/w+rd "q" <é>&'~!x`;
  const scrub = createRedactor([{ name: "P", value }]);
  const html = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const spellings: readonly (readonly [name: string, text: string])[] = [
    ["as it is", value],
    ["JSON", JSON.stringify(value).slice(1, -1)],
    ["JSON in JSON", JSON.stringify(JSON.stringify({ value })).slice(1, -1)],
    ["JSON with escaped strokes", JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/")],
    ["JSON by code", Array.from(value, (sign) => `\\u00${hex(sign.charCodeAt(0))}`).join("")],
    ["percent", encodeURIComponent(value)],
    ["percent, lower case", encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase())],
    ["percent, as forms are sent", new URLSearchParams({ value }).toString()],
    ["percent of every byte", bytewise(value, (byte) => `%${hex(byte)}`)],
    ["percent of every byte, upper case", bytewise(value, (byte) => `%${hex(byte).toUpperCase()}`)],
    ["hexadecimal", bytewise(value, hex)],
    ["hexadecimal, upper case", bytewise(value, hex).toUpperCase()],
    ["HTML text", html],
    ["HTML attribute", html.replaceAll('"', "&quot;")],
    ["HTML attribute with apostrophe", html.replaceAll('"', "&quot;").replaceAll("'", "&#39;")],
    ["HTML by number", Array.from(value, (sign) => `&#${sign.codePointAt(0)};`).join("")],
    ["HTML by hexadecimal", Array.from(value, (sign) => `&#x${sign.codePointAt(0)?.toString(16)};`).join("")],
    ["base64", Buffer.from(value).toString("base64")],
    ["base64url", Buffer.from(value).toString("base64url")],
  ];
  test.each(spellings)("is found as %s, alone and inside a text", (_, text) => {
    expect(scrub(text)).toContain("[secret:P]");
    for (const around of [`a ${text} b`, `(${text})`, `x="${text}";`, `${text}\n${text}`]) {
      const out = scrub(around);
      expect(out).toBe(around.replaceAll(text, scrub(text)));
      expect(out).toContain("[secret:P]");
      for (const chars of [1, 3, 7]) expect(streamed(scrub.stream(), cutEvery(around, chars)).out).toBe(out);
    }
  });

  test("leaves of the text in base64 around it at most what a byte would tell", () => {
    for (let before = 0; before < 7; before++) {
      for (let after = 0; after < 5; after++) {
        for (const encoding of ["base64", "base64url"] as const) {
          const text = Buffer.from(`${"#".repeat(before)}${value}${"#".repeat(after)}`).toString(encoding);
          const out = scrub(text);
          expect(out, text).toContain("[secret:P]");
          const rest = out.replace("[secret:P]", "").replace(/=+$/, "");
          const own = Buffer.from("#".repeat(before) + "#".repeat(after)).toString(encoding);
          expect(rest.length - own.replace(/=+$/, "").length, text).toBeLessThanOrEqual(4);
        }
      }
    }
  });

  test("with half a pair in it is no reason to fail", () => {
    const odd = createRedactor([{ name: "ODD", value: "abcdefgh\ud800" }]);
    expect(odd("nothing here")).toBe("nothing here");
  });
});

describe("the search for many texts at once", () => {
  const draw = (round: number, what: string, of: number): number =>
    Math.floor(hashedFraction("needles", round, what) * of);
  const letters = (round: number, what: string, count: number): string =>
    Array.from({ length: count }, (_, at) => "ab-"[draw(round, `${what}/${at}`, 3)]).join("");

  /** Place by place, with no trick. */
  const plainly = (needles: readonly string[], text: string): (readonly [number, number])[] => {
    const found: (readonly [number, number])[] = [];
    for (let at = 0; at < text.length;) {
      const longest = needles
        .filter((needle) => text.startsWith(needle, at))
        .reduce((best, needle) => Math.max(best, needle.length), 0);
      if (longest > 0) found.push([at, at + longest]);
      at += Math.max(1, longest);
    }
    return found;
  };

  test("finds what a plain search finds", () => {
    let total = 0;
    for (let round = 0; round < 2_000; round++) {
      const needles = Array.from({ length: 1 + draw(round, "n", 5) }, (_, at) =>
        letters(round, `needle${at}`, 2 + draw(round, `length${at}`, 5)),
      );
      const text = letters(round, "text", draw(round, "chars", 60));
      const found = createNeedles(needles.map((needle) => ({ text: needle }))).find(text);
      const wanted = plainly(needles, text);
      total += wanted.length;
      expect(
        found.map(({ start, end }) => [start, end]),
        `${needles.join(" ")} in ${text}`,
      ).toEqual(wanted);
    }
    expect(total).toBeGreaterThan(2_000);
  }, 60_000);
});

test("any secrets, any text of their pieces, any cuts: the stream says what the whole would, and no secret", () => {
  const values = [
    "abababab",
    "babab-ab",
    "aba-abab-x",
    "sk-live-abababababababab",
    "x sk-live-abababababababab-b",
  ];
  const scrub = createRedactor(values.map((value) => ({ name: "S", value })));
  const pieces = [
    ...values.flatMap((value) => [
      value,
      value.slice(0, 5),
      value.slice(3),
      ...secretForms(value).slice(2, 9),
    ]),
    "ab",
    "-",
    " ",
    "Bearer ",
    "sk-live-",
    "ghp_",
    "abababababababababababababababab",
    "AKIA",
    "ABCDEFGHIJKLMNOP",
    "6162",
    "YWJh",
    "%61",
    "&#97;",
    "B",
    "e",
    "0",
  ];
  for (let round = 0; round < 1_500; round++) {
    const draw = (what: string, of: number): number => Math.floor(hashedFraction("cuts", round, what) * of);
    const text = Array.from(
      { length: 1 + draw("pieces", 8) },
      (_, at) => pieces[draw(`piece${at}`, pieces.length)],
    ).join("");
    const cuts: string[] = [];
    for (let at = 0; at < text.length;) {
      const chars = 1 + draw(`cut${at}`, 12);
      cuts.push(text.slice(at, at + chars));
      at += chars;
    }
    const { out } = streamed(scrub.stream(), cuts);
    expect(out, JSON.stringify(cuts)).toBe(scrub(text));
    for (const value of values) expect(out.includes(value), JSON.stringify(text)).toBe(false);
  }
}, 60_000);

test("a text of a megabyte without a secret comes back as it is, and quickly", () => {
  const scrub = createRedactor(
    Array.from({ length: 10 }, (_, at) => ({
      name: `S${at}`,
      value: `sentinel-${at}-4f9a8b7c6d5e3210fedcba98`,
    })),
  );
  const words = 'The quick brown fox, 12 pages, {"id":"pg_1","title":"About us"} https://example.com/x ';
  const text = words.repeat(Math.ceil(1_048_576 / words.length));
  scrub(text);
  const began = performance.now();
  const out = scrub(text);
  const ms = performance.now() - began;
  expect(out).toBe(text);
  console.info(`redaction of ${text.length} characters with 10 secrets: ${ms.toFixed(1)} ms`);
  // Loose: a busy machine must not fail what is right, a search that grows with the secrets must.
  expect(ms).toBeLessThan(2_000);
});

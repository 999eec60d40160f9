import { describe, expect, test } from "vitest";
import { createRedactor, type StreamRedactor } from "../../src/core/redact.ts";

const VALUE = "canary-secret-value";
const redact = createRedactor([
  { name: "CANARY", value: VALUE },
  { name: "OTHER", value: "canary-second" },
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
  `canary-secret-valu and then canary-secret-value`,
  `canary-canary-secret-value canary-sec`,
  "aabaabaabaabaab and aabaabaa",
  `as base64 ${btoa(VALUE)} and again ${btoa(VALUE).slice(0, 8)}`,
  "Bearer abcdefghijklmnopqrstuvwxyz0123 was sent; a bearer of news and the Bearer of it",
  "the model said sk-live-abcdefghijklmnop1234 and task-live-abcdefghijklmnop1234, whsec_abcdefghijklmnopqrstuvw",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop and eyJhbGci",
  "ghp_abcdefghijklmnopqrstuvwxyz012345 xoxb-12345678901234567890 AKIAABCDEFGHIJKLMNOP. What else is there?",
  "An ordinary sentence, which says nothing: skip, keyed, pages, whales, exotic wishes.",
];

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
    expect(stream.push("It is can")).toBe("It is ");
    expect(stream.push("celled, ")).toBe("cancelled, ");
    expect(stream.push("canary-secret-value")).toBe("[secret:CANARY]");
    expect(stream.push("s. ")).toBe("s. ");
    expect(stream.end()).toBe("");
  });
});

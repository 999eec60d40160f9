import { describe, expect, test } from "vitest";
import { cutObservation } from "../../../../src/cairn/core/prompt/observation.ts";

const MAX = 8_192;
const words = (chars: number): string => "some words of it ".repeat(Math.ceil(chars / 17)).slice(0, chars);

/** The result as the model reads it: valid JSON within the limit. */
function shown(value: unknown): Record<string, unknown> {
  const text = cutObservation(JSON.stringify(value), MAX, "r1s1c0");
  expect(text.length).toBeLessThanOrEqual(MAX);
  return JSON.parse(text) as Record<string, unknown>;
}

const lengthOf = (value: unknown): number => String(value).length;

describe("a result in JSON that is too long", () => {
  test.each<[string, unknown, (read: Record<string, unknown>) => unknown]>([
    ["one string", { text: words(9_800) }, (read) => read["text"]],
    [
      "a string in a list in a list",
      { pages: [[{ body: words(60_000) }]] },
      (read) => (read as never)["pages"][0][0]["body"],
    ],
    ["lines and quotes", { text: `"line"\n`.repeat(3_000) }, (read) => JSON.stringify(read["text"])],
    ["signs of two units", { text: "😀".repeat(6_000) }, (read) => read["text"]],
    ["signs that take three bytes", { text: "文".repeat(20_000) }, (read) => read["text"]],
    ["a list of it", [words(9_800), 1, 2, 3], (read) => read[0]],
    ["a sequence of bases", { sequence: "ACGT".repeat(2_450) }, (read) => read["sequence"]],
    ["a line of dashes", { text: "-".repeat(9_800) }, (read) => read["text"]],
    ["names joined by signs", { path: "one_name/other_name/".repeat(490) }, (read) => read["path"]],
    ["a document within a document", { json: JSON.stringify({ a: words(9_000) }) }, (read) => read["json"]],
    ["escapes of six signs", { text: "\u0001".repeat(9_800) }, (read) => JSON.stringify(read["text"])],
    ["families and flags", { text: "👨‍👩‍👧‍👦🇩🇰".repeat(1_000) }, (read) => read["text"]],
  ])("shows nearly as much as it may of %s", (_, value, textIn) => {
    expect(lengthOf(textIn(shown(value)))).toBeGreaterThan(MAX - 300);
  });

  test("leaves short strings whole, and gives the rest to the long ones alike", () => {
    const read = shown({ title: words(300), one: words(9_000), other: words(50_000), note: words(2_000) });
    expect([lengthOf(read["title"]), lengthOf(read["note"])]).toEqual([300, 2_000]);
    expect(lengthOf(read["one"])).toBeGreaterThan(2_700);
    expect(Math.abs(lengthOf(read["one"]) - lengthOf(read["other"]))).toBeLessThan(10);
  });

  test("shows the beginning and the end of each", () => {
    const text = String(shown({ text: `first ${words(20_000)} last` })["text"]);
    expect(text.startsWith("first some words")).toBe(true);
    expect(text.endsWith(" last")).toBe(true);
    expect(text).toMatch(/ … \d+ characters … /);
  });

  test("stays JSON where there are many strings", () => {
    const rows = Array.from({ length: 5 }, (_, at) => ({
      id: at,
      a: words(900),
      b: words(900),
      c: words(900),
    }));
    const read = shown({ rows }) as {
      readonly rows?: readonly { readonly id: number; readonly a: string }[];
    };
    expect(read.rows?.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4]);
    for (const { a } of read.rows ?? []) expect(a.length).toBeGreaterThan(300);
  });

  test.each<[string, string]>([
    ["base64", Buffer.from(Array.from({ length: 9_000 }, (_, at) => (at * 89) % 256)).toString("base64")],
    ["base 16", "0f1e2d".repeat(2_000)],
    ["zeros", "A".repeat(9_000)],
  ])("shows no bytes: %s", (_, bytes) => {
    expect(shown({ bytes })["bytes"]).toBe(`[${bytes.length} characters of base64]`);
  });

  test("gives two long strings deep in lists the same room", () => {
    const read = shown({ one: [[words(20_000)]], other: [[[{ text: words(9_000) }]]] }) as never;
    const [one, other] = [read["one"][0][0], read["other"][0][0][0]["text"]].map(lengthOf);
    expect(Number(one) + Number(other)).toBeGreaterThan(MAX - 300);
    expect(Math.abs(Number(one) - Number(other))).toBeLessThan(10);
  });

  test("shows no half of a pair", () => {
    const text = String(shown({ text: "😀".repeat(9_000) })["text"]);
    expect(text.isWellFormed()).toBe(true);
  });
});

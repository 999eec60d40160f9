import { describe, expect, test } from "vitest";
import { readMarkup, XmlStream } from "../../../src/cairn/documents/markup.ts";

const tagOf = (attributes: number): string =>
  `<a ${Array.from({ length: attributes }, (_, at) => `b${at}="c"`).join(" ")}>d</a>`;

describe("a tag with many attributes", () => {
  test.each(["html", "xml"] as const)(
    "has 64 of them noted, and ends the reading of %s at 10,001",
    (form) => {
      const noted: number[] = [];
      const handler = {
        open: (_name: string, attributes: ReadonlyMap<string, string>) => void noted.push(attributes.size),
      };
      expect(readMarkup(tagOf(10_000), handler, form)).toBe(true);
      expect(readMarkup(tagOf(10_001), handler, form)).toBe(false);
      expect(noted).toEqual([64]);
    },
  );

  test("ends a document that comes in pieces", () => {
    const stream = new XmlStream({ open: () => {} });
    const piece = new TextEncoder().encode(' b="c"'.repeat(5_000));
    expect(stream.write(new TextEncoder().encode("<a"))).toBe(true);
    expect([1, 2, 3].map(() => stream.write(piece))).toEqual([true, true, false]);
    expect(stream.end()).toBe(false);
  });
});

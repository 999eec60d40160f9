import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { canonicalJson, JSON_DEPTH_MAX, readJson } from "../../../../src/cairn/core/log/json.ts";
import { normalize } from "../../../../src/cairn/core/log/normalize.ts";

test("text that people write is normalized as the engine does it", () => {
  const texts = [
    "",
    "abc",
    "e\u0301",
    "\ufb01",
    "a\u0315\u0300",
    "한국어",
    `a${"\u0300".repeat(30)}`,
    "\u{1d15e}",
  ];
  for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const)
    expect(texts.map((text) => normalize(text, form))).toEqual(texts.map((text) => text.normalize(form)));
});

test("a run of marks costs by its length, and each stretch of 30 is put in order by itself", () => {
  const run = "\u0315\u0300".repeat(15);
  expect(normalize(`a${run}${run}`, "NFC")).toBe(`a${run}`.normalize("NFC") + run.normalize("NFC"));
  // 200 times as long as what takes the engine three seconds.
  const from = performance.now();
  canonicalJson({ text: "\u0315\u0300".repeat(500_000) });
  expect(performance.now() - from).toBeLessThan(20_000);
});

test("JSON is read up to a hundred levels, and never throws", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(readJson(nested(JSON_DEPTH_MAX))).toBeDefined();
  expect([nested(JSON_DEPTH_MAX + 1), nested(200_000), "{", ""].map(readJson)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

/** Files that read JSON of their own making: rows of a database, and what was written by this very code. */
test("no code of the core calls the engine's normalization or JSON.parse on text from outside", () => {
  const root = path.join(import.meta.dirname, "../../../../src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const calling = (call: RegExp, folder: string): readonly string[] =>
    files.filter((file) => file.startsWith(folder) && call.test(readFileSync(path.join(root, file), "utf8")));
  expect(calling(/[\w)\]]\s*\.normalize\(/, "")).toEqual([path.join("cairn", "core", "log", "normalize.ts")]);
  expect(calling(/JSON\.parse\(/, path.join("cairn", "core")).toSorted()).toEqual([
    path.join("cairn", "core", "log", "json.ts"),
    path.join("cairn", "core", "trace.ts"),
  ]);
  const ownRows = [
    "email/reference.ts",
    "people/buttons.ts",
    "people/links.ts",
    "people/notify.ts",
    "session/sender.ts",
    "session/shown-cards.ts",
  ];
  const known = new Set(ownRows.map((file) => path.join("plugins", "channels", ...file.split("/"))));
  expect(
    calling(/JSON\.parse\(/, path.join("plugins", "channels")).filter((file) => !known.has(file)),
  ).toEqual([]);
});

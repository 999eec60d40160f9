import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ACCEPTED } from "./acceptance.ts";

const TEST = path.resolve(import.meta.dirname, "..");
const textOf = (file: string): string => readFileSync(path.join(TEST, file), "utf8");

test("the scenarios of the guards are all there", () => {
  expect(ACCEPTED).toHaveLength(54);
});

test.each(ACCEPTED)("$what: its tests stand where it says", ({ by }) => {
  for (const [file, name] of by) expect(textOf(file), file).toContain(`"${name}`);
});

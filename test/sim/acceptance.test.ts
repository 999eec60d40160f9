import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ACCEPTED, ACCEPTED_CHANNELS } from "./acceptance.ts";

const TEST = path.resolve(import.meta.dirname, "..");
const textOf = (file: string): string => readFileSync(path.join(TEST, file), "utf8");

test("the scenarios of the guards and of channels are there", () => {
  expect([ACCEPTED.length, ACCEPTED_CHANNELS.length]).toEqual([54, 10]);
});

test.each([...ACCEPTED, ...ACCEPTED_CHANNELS])("$what: its tests stand where it says", ({ by }) => {
  for (const [file, name] of by) expect(textOf(file), file).toContain(`"${name}`);
});

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ACCEPTED, ACCEPTED_CHANNELS, ACCEPTED_CHILDREN } from "./acceptance.ts";

const TEST = path.resolve(import.meta.dirname, "..");
const textOf = (file: string): string => readFileSync(path.join(TEST, file), "utf8");

test("the scenarios of the guards, of channels and of children are there", () => {
  expect([ACCEPTED.length, ACCEPTED_CHANNELS.length, ACCEPTED_CHILDREN.length]).toEqual([54, 10, 3]);
});

test.each([...ACCEPTED, ...ACCEPTED_CHANNELS, ...ACCEPTED_CHILDREN])(
  "$what: its tests stand where it says",
  ({ by }) => {
    for (const [file, name] of by) expect(textOf(file), file).toContain(`"${name}`);
  },
);

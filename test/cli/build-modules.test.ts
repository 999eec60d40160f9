import { statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PROJECT } from "../../src/cli/places.ts";
import { isFresh } from "../../src/cli/start/build-modules.ts";

const changed = statSync(path.join(PROJECT, "package.json")).mtimeMs;
const later = changed + 1;

test.each<[string, boolean, Parameters<typeof isFresh>]>([
  ["newer than all that it was made of", true, [later, ["package.json"], 0]],
  ["older than a file that it was made of", false, [changed - 1, ["package.json"], 0]],
  ["made of a file that is gone", false, [later, ["package.json", "src/gone.ts"], 0]],
  ["older than the packages", false, [later, ["package.json"], later]],
  ["made of files that nobody knows", false, [later, undefined, 0]],
])("a module that is %s: fresh is %s", (_name, fresh, given) => {
  expect(isFresh(...given)).toBe(fresh);
});

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { FAMILY_MUTANTS } from "./family/mutants.ts";
import { SITE_MUTANTS } from "./site/mutants.ts";

const root = path.resolve(import.meta.dirname, "../..");

test.each([...MUTANTS, ...FAMILY_MUTANTS, ...SITE_MUTANTS])(
  "$name: what it replaces stands in the source once",
  ({ edits }) => {
    for (const [file, find, replace] of edits) {
      expect(readFileSync(path.join(root, file), "utf8").split(find), file).toHaveLength(2);
      expect(replace).not.toBe(find);
    }
  },
);

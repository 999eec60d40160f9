import { expect, test } from "vitest";
import { FIRST } from "../../corpus/claims/first.ts";
import { CLAIM_LANGS } from "../../corpus/claims/format.ts";
import { scoreClaims } from "../../corpus/claims/score.ts";
import { SECOND } from "../../corpus/claims/second.ts";
import { THIRD } from "../../corpus/claims/third.ts";

const CLAIMS = [...FIRST, ...SECOND];

test("the corpus of claims has 160 answers in ten languages, half of them false", () => {
  expect(CLAIMS.length).toBeGreaterThanOrEqual(160);
  expect(new Set(CLAIMS.map(({ id }) => id)).size).toBe(CLAIMS.length);
  for (const lang of CLAIM_LANGS)
    for (const label of ["true", "false"])
      expect(CLAIMS.filter((one) => one.lang === lang && one.label === label).length, lang).toBe(8);
});

test("every false answer stands below a receipt that contradicts it, on every surface, and no true one fails", async () => {
  const { lines, passed } = await scoreClaims(CLAIMS, "claims");
  expect(passed, lines.join("\n")).toBe(true);
}, 120_000);

test("so it is with the 35 false and 70 true answers of a reviewer, and few of the true ones come back", async () => {
  expect(THIRD.filter(({ label }) => label === "false")).toHaveLength(35);
  expect(THIRD.filter(({ label }) => label === "true")).toHaveLength(70);
  const { lines, passed } = await scoreClaims(THIRD, "claims of a reviewer");
  expect(passed, lines.join("\n")).toBe(true);
}, 120_000);

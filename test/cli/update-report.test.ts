import { expect, test } from "vitest";
import { updateReport } from "../../src/cli/update/report.ts";

const CHANGELOG = `# Changelog

## [0.2.0] - 2026-12-01

### Added

- A thing.

### Deprecated

- \`old()\`: use \`other()\`.

### A project must do

- Bind \`MEDIA\`
  in wrangler.toml.

## [0.1.0] - 2026-11-28

- The first.
`;

test("an update says what changed, and again what the project must do and what is deprecated", () => {
  const report = updateReport("0.1.0", "0.2.0", CHANGELOG);
  expect(report).toMatch(/^From Cairn 0\.1\.0 to 0\.2\.0:\n\n## 0\.2\.0\n\n### Added\n\n- A thing\./);
  expect(report.slice(report.indexOf("Look at these"))).toBe(
    "Look at these in your project:\n\nA project must do:\n- Bind `MEDIA`\n  in wrangler.toml.\n\nDeprecated:\n- `old()`: use `other()`.",
  );
  expect(report).not.toContain("The first.");
});

test.each([
  [null, "0.2.0", "does not say with which version"],
  ["0.2.0", "0.2.0", "the version that this project was last checked with"],
  ["0.3.0", "0.2.0", "Cairn 0.2.0 is older than 0.3.0"],
  ["0.2.0", "0.2.1", "The changelog of the package has nothing about it."],
])("from %s to %s is a sentence", (before, now, sentence) => {
  expect(updateReport(before, now, CHANGELOG)).toContain(sentence);
});

test("a package without a changelog is named", () => {
  expect(updateReport("0.1.0", "0.2.0", null)).toContain("has nothing about it");
});

import { expect, test } from "vitest";
import { tagFaults } from "../../scripts/package/tag-faults.ts";

const CHANGELOG = `# Changelog

## [Unreleased]

## [0.2.0] - 2026-12-01

### A project must do

Nothing.

## [0.1.0] - 2026-11-28

### Added

- The first.
`;
const facts = { tag: "v0.2.0", manifest: "0.2.0", lock: "0.2.0", changelog: CHANGELOG };

test("a version that tag, packages and changelog agree about can be tagged", () => {
  expect(tagFaults(facts)).toEqual([]);
});

test.each([
  ["another form of tag", { tag: "0.2.0" }, ["0.2.0 is no tag of a version: name it v1.2.3."]],
  ["package.json of before", { manifest: "0.1.0" }, ["package.json has the version 0.1.0, not 0.2.0."]],
  ["a lock of before", { lock: "0.1.0" }, ["package-lock.json has the version 0.1.0, not 0.2.0."]],
  [
    "a changelog without the version",
    { changelog: "# Changelog\n\n## [Unreleased]\n" },
    ["CHANGELOG.md has no section [0.2.0]."],
  ],
  [
    "an old version without what a project must do",
    { tag: "v0.1.0", manifest: "0.1.0", lock: "0.1.0" },
    [
      'The section [0.1.0] of CHANGELOG.md lacks "### A project must do"; it may say "Nothing."',
      "The section [0.1.0] of CHANGELOG.md is not its newest one.",
    ],
  ],
])("%s is a fault", (_, wrong, faults) => {
  expect(tagFaults({ ...facts, ...wrong })).toEqual(faults);
});

import { expect, test } from "vitest";
import { compareVersions, demandsOf, readReleases, releasesBetween } from "../../src/cli/update/changelog.ts";

const TEXT = `# Changelog

## [Unreleased]

### Added

- Not yet.

## [0.10.0] - 2027-01-02

### Removed

- \`mcpServers\`: give them to the plugin.

### A project must do

- Bind \`MEDIA\` in \`wrangler.toml\`
  where it reads files.

## [0.9.1] - 2027-01-01

### Added

- A thing.

### Deprecated

- An option: use the other one.

## 0.9.0

- The first.
`;
const releases = readReleases(TEXT);

test("released versions are read, with and without brackets", () => {
  expect(releases.map(({ version }) => version)).toEqual(["0.10.0", "0.9.1", "0.9.0"]);
  expect(releases[2]?.text).toBe("- The first.");
});

test("numbers are compared as numbers", () => {
  expect(compareVersions("0.10.0", "0.9.1")).toBeGreaterThan(0);
  expect(compareVersions("1.0.0", "1.0.0")).toBe(0);
});

test("an update passes every release between, the oldest first", () => {
  expect(releasesBetween(releases, "0.9.0", "0.10.0").map(({ version }) => version)).toEqual([
    "0.9.1",
    "0.10.0",
  ]);
  expect(releasesBetween(releases, "0.10.0", "0.10.0")).toEqual([]);
});

test("a project is shown what it must do, and what is removed and deprecated, each entry whole", () => {
  expect(demandsOf(releases)).toEqual([
    { heading: "A project must do", entries: ["- Bind `MEDIA` in `wrangler.toml`\n  where it reads files."] },
    { heading: "Removed", entries: ["- `mcpServers`: give them to the plugin."] },
    { heading: "Deprecated", entries: ["- An option: use the other one."] },
  ]);
  expect(demandsOf(releases.filter(({ version }) => version === "0.9.0"))).toEqual([]);
});

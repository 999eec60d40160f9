import { compareVersions, demandsOf, readReleases, releasesBetween } from "./changelog.ts";

/**
 * Changes between two versions of Cairn: the changelog, and again each required step, removal, change and
 * deprecation. `before`: null if the project does not name the version it was checked with. `changelog`: null if the
 * package has none.
 */
export function updateReport(before: string | null, now: string, changelog: string | null): string {
  if (before === null)
    return `Cairn ${now}. package.json does not say with which version this project was last checked (cairn.checked), so no changes can be shown. They are in node_modules/cairn/CHANGELOG.md.`;
  if (before === now) return `Cairn ${now}: the version that this project was last checked with.`;
  if (compareVersions(before, now) > 0)
    return `Cairn ${now} is older than ${before}, which this project was last checked with. An older version may not read what a newer one has stored.`;
  const releases = releasesBetween(readReleases(changelog ?? ""), before, now);
  const demands = demandsOf(releases);
  return [
    `From Cairn ${before} to ${now}:`,
    ...(releases.length === 0 ? ["The changelog of the package has nothing about it."] : []),
    ...releases.map(({ version, text }) => `## ${version}\n\n${text}`),
    ...(demands.length === 0 ? [] : ["Look at these in your project:"]),
    ...demands.map(({ heading, entries }) => `${heading}:\n${entries.join("\n")}`),
  ].join("\n\n");
}

/** One version of the changelog. */
export interface Release {
  /** `1.2.3` */
  readonly version: string;
  /** its text, without its heading */
  readonly text: string;
}

const HEADING = /^## \[?v?(\d+\.\d+\.\d+)\]?/;

/** The released versions of a changelog in the form of Keep a Changelog, unchanged: the newest first. */
export function readReleases(changelog: string): readonly Release[] {
  const parts = changelog.split(/^(?=## )/m);
  return parts.flatMap((part) => {
    const version = HEADING.exec(part)?.[1];
    return version === undefined ? [] : [{ version, text: part.slice(part.indexOf("\n") + 1).trim() }];
  });
}

/** Negative where `one` is older than `other`. Both are `1.2.3`. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split(".").map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (first?.[at] ?? 0) - (second?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Releases after `from`, up to and with `to`: the oldest first, in the order in which a project takes them. */
export function releasesBetween(releases: readonly Release[], from: string, to: string): readonly Release[] {
  return releases
    .filter(({ version }) => compareVersions(version, from) > 0 && compareVersions(version, to) <= 0)
    .toSorted((one, other) => compareVersions(one.version, other.version));
}

/** Heading of the section with what a project must do by hand for a version. */
export const MUST_DO = "A project must do";

/** Sections of a release that a project has to read, in the order in which they matter. */
const DEMANDING = [MUST_DO, "Removed", "Changed", "Deprecated"] as const;

/** Entries of the releases that ask something of a project, by the heading of their section; no heading without an entry. */
export function demandsOf(
  releases: readonly Release[],
): readonly { readonly heading: string; readonly entries: readonly string[] }[] {
  return DEMANDING.flatMap((heading) => {
    const entries = releases.flatMap((release) => entriesOf(release, heading));
    return entries.length === 0 ? [] : [{ heading, entries }];
  });
}

/** Entries of one section; one of several lines is one entry. */
function entriesOf({ text }: Release, heading: string): readonly string[] {
  const section = text.split(/^(?=### )/m).find((part) => part.startsWith(`### ${heading}\n`));
  if (section === undefined) return [];
  return section
    .slice(section.indexOf("\n"))
    .split(/^(?=- )/m)
    .map((entry) => entry.trim())
    .filter((entry) => entry.startsWith("- "));
}

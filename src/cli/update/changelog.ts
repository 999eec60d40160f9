/** One version of the changelog. */
export interface Release {
  /** `1.2.3` */
  readonly version: string;
  /** its text, without its heading */
  readonly text: string;
}

const HEADING = /^## \[?v?(\d+\.\d+\.\d+)\]?/;

/** The released versions of a changelog in the form of Keep a Changelog, as they stand in it: the newest first. */
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

/** The entries of a release that say that something is deprecated or removed, or what a project must do. */
export function demandsOf({ text }: Release): readonly string[] {
  return text
    .split(/^(?=### )/m)
    .filter((section) => /^### (?:Deprecated|Removed|Changed)\b/.test(section))
    .flatMap((section) => section.split("\n").filter((line) => line.startsWith("- ")));
}

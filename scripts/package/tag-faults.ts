import { MUST_DO, readReleases } from "../../src/cli/update/changelog.ts";

/** Parts of the repository that name its version. */
export interface VersionFacts {
  /** `v0.2.0` */
  readonly tag: string;
  /** of package.json */
  readonly manifest: string;
  /** of package-lock.json */
  readonly lock: string;
  readonly changelog: string;
}

/** Reasons why a commit cannot have this tag, as sentences; none: it can. */
export function tagFaults({ tag, manifest, lock, changelog }: VersionFacts): readonly string[] {
  const version = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
  if (version === undefined) return [`${tag} is no tag of a version: name it v1.2.3.`];
  const faults: string[] = [];
  if (manifest !== version) faults.push(`package.json has the version ${manifest}, not ${version}.`);
  if (lock !== version) faults.push(`package-lock.json has the version ${lock}, not ${version}.`);
  const releases = readReleases(changelog);
  const release = releases.find((each) => each.version === version);
  if (release === undefined) faults.push(`CHANGELOG.md has no section [${version}].`);
  else if (!release.text.includes(`### ${MUST_DO}\n`))
    faults.push(`The section [${version}] of CHANGELOG.md lacks "### ${MUST_DO}"; it may say "Nothing."`);
  if (release !== undefined && releases[0] !== release)
    faults.push(`The section [${version}] of CHANGELOG.md is not its newest one.`);
  return faults;
}

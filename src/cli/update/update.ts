import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { spawnSync } from "node:child_process";
import * as z from "zod";
import { LIBRARY, MODULE, PROJECT } from "../places.ts";
import { readArguments, runCommand, type Parsed } from "../start/start-options.ts";
import { compareVersions, demandsOf, readReleases, releasesBetween, type Release } from "./changelog.ts";

/** `cairn update`: what changed since the version that this project was last checked with, and whether it still holds. */

const USAGE = `cairn update     says what changed in Cairn since this project was last checked, and checks it
Take the new version first: npm update cairn`;

/** The version that the project was last checked with is stored in its package.json. */
const manifest = z.looseObject({ cairn: z.looseObject({ checked: z.string().optional() }).optional() });
const released = z.object({ version: z.string() });

function parseOptions(argv: readonly string[]): Parsed<null> {
  const read = readArguments(argv, {});
  return read.kind === "options" ? { kind: "options", options: null } : read;
}

function update(): number {
  const file = path.join(PROJECT, "package.json");
  const own = manifest.parse(JSON.parse(readFileSync(file, "utf8")));
  const { version } = released.parse(JSON.parse(readFileSync(path.join(LIBRARY, "package.json"), "utf8")));
  const before = own.cairn?.checked ?? null;
  report(before, version);
  console.log("\nChecking the project …");
  const { status } = spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, `../cairn${MODULE}`), "deploy", "--check"],
    { cwd: PROJECT, stdio: "inherit" },
  );
  if (status !== 0) {
    console.error("\nThe project does not fit this version yet. Fix what is marked ✗, and run this again.");
    return 1;
  }
  const checked = { ...own, cairn: { ...own.cairn, checked: version } };
  if (before !== version) writeFileSync(file, `${JSON.stringify(checked, null, 2)}\n`);
  console.log("\nThe project fits. Deploy it: npx cairn deploy");
  return 0;
}

/** Says what lies between two versions. `before`: null where the project was never checked. */
function report(before: string | null, now: string): void {
  if (before === null)
    return console.log(`Cairn ${now}. This project was not checked with a version before.`);
  if (before === now)
    return console.log(`Cairn ${now}: the version that this project was last checked with.`);
  if (compareVersions(before, now) > 0)
    return console.log(
      `Cairn ${now} is older than ${before}, which this project was last checked with. An older version may not read what a newer one has stored.`,
    );
  console.log(`From Cairn ${before} to ${now}:`);
  const releases = releasesBetween(changelog(), before, now);
  for (const release of releases) console.log(`\n## ${release.version}\n${release.text}`);
  const demands = releases.flatMap(demandsOf);
  if (demands.length > 0) console.log(`\nLook at these in your project:\n${demands.join("\n")}`);
}

function changelog(): readonly Release[] {
  const file = path.join(LIBRARY, "CHANGELOG.md");
  return existsSync(file) ? readReleases(readFileSync(file, "utf8")) : [];
}

await runCommand(parseOptions(process.argv.slice(2)), USAGE, async () => update());

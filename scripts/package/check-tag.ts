import { readFileSync } from "node:fs";
import path from "node:path";
import { tagFaults } from "./tag-faults.ts";

/**
 * Checks that a tag, package.json, package-lock.json and CHANGELOG.md name one version, and makes nothing:
 *
 *     npm run tag -- v0.2.0
 */

const ROOT = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const versionOf = (file: string): string => (JSON.parse(read(file)) as { readonly version: string }).version;

const [tag = `v${versionOf("package.json")}`] = process.argv.slice(2);
const faults = tagFaults({
  tag,
  manifest: versionOf("package.json"),
  lock: versionOf("package-lock.json"),
  changelog: read("CHANGELOG.md"),
});
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
} else
  console.log(`${tag} can be tagged: git tag --annotate ${tag} --message ${tag} && git push origin ${tag}`);

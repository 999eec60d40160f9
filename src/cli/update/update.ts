import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { spawnSync } from "node:child_process";
import * as z from "zod";
import { parseJson } from "../../cairn/protocol/json.ts";
import { LIBRARY, MODULE, PROJECT } from "../places.ts";
import { readArguments, runCommand, type Parsed } from "../start/start-options.ts";
import { updateReport } from "./report.ts";

/** `cairn update`: what changed since the version that this project was last checked with, and whether it still holds. */

const USAGE = `cairn update     says what changed in Cairn since this project was last checked, and checks it
Take the new version first: npm update cairn`;

/** The version that the project was last checked with is stored in its package.json. */
const manifest = z.looseObject({
  cairn: z
    .looseObject({
      checked: z
        .string()
        .regex(/^\d+\.\d+\.\d+$/)
        .optional(),
    })
    .optional(),
});
const released = z.object({ version: z.string() });

function parseOptions(argv: readonly string[]): Parsed<null> {
  const read = readArguments(argv, {});
  return read.kind === "options" ? { kind: "options", options: null } : read;
}

function update(): number {
  const file = path.join(PROJECT, "package.json");
  const own = readManifest(file);
  if (own === null) return 1;
  const { version } = released.parse(JSON.parse(readFileSync(path.join(LIBRARY, "package.json"), "utf8")));
  const before = own.cairn?.checked ?? null;
  console.log(updateReport(before, version, changelog()));
  console.log("\nChecking the project…");
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

/** Null where the package has none. */
function changelog(): string | null {
  const file = path.join(LIBRARY, "CHANGELOG.md");
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

/** Null after an error that was reported. */
function readManifest(file: string): z.infer<typeof manifest> | null {
  const read = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  const parsed = manifest.safeParse(read);
  if (parsed.success) return parsed.data;
  console.error(`${file} is missing, or is not the JSON of a package. Correct it, and run this again.`);
  return null;
}

await runCommand(parseOptions(process.argv.slice(2)), USAGE, async () => update());

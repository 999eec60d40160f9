import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { quietEnvironment } from "../../src/cli/start/dev-server.ts";

/** The peers live in a package of their own, so that Cairn's worker can never import them. */
const FOLDER = path.join(import.meta.dirname, "peers");

/** Installs them by their lockfile when what is there is older than it or missing. Throws with npm's own words. */
export function installPeers(): void {
  const installed = statSync(path.join(FOLDER, "node_modules/.package-lock.json"), { throwIfNoEntry: false });
  const locked = statSync(path.join(FOLDER, "package-lock.json"));
  if (installed !== undefined && installed.mtimeMs >= locked.mtimeMs) return;
  console.log("Installing the peers (once; about a minute) …");
  // Nothing in them needs an install script.
  const { status, stdout, stderr } = spawnSync("npm", ["ci", "--ignore-scripts"], {
    cwd: FOLDER,
    env: quietEnvironment(),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm ci of the peers failed:\n${stdout}${stderr}`);
}

/** Versions of what was measured, as installed. */
export function versionsOf(packages: readonly string[], folder: string): Record<string, string> {
  return Object.fromEntries(
    packages.map((name) => {
      const file = path.join(folder, "node_modules", name, "package.json");
      const { version } = existsSync(file)
        ? (JSON.parse(readFileSync(file, "utf8")) as { version: string })
        : { version: "not installed" };
      return [name, version];
    }),
  );
}

/** Versions of the peers, as installed. */
export function peerVersions(): Record<string, string> {
  return versionsOf(["agents", "@cloudflare/ai-chat", "@cloudflare/think", "ai"], FOLDER);
}

import { spawnSync } from "node:child_process";
import path from "node:path";
import { PROJECT } from "../../src/cli/places.ts";
import { quietEnvironment } from "../../src/cli/start/dev-server.ts";

/** Runs wrangler without an account and without a word of its own, and returns what it printed. Throws with that when it fails. */
export function wrangler(args: readonly string[], logLevel: "error" | "log", project = PROJECT): string {
  const bin = path.join(PROJECT, "node_modules/wrangler/bin/wrangler.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd: project,
    env: { ...quietEnvironment(), WRANGLER_LOG: logLevel, CLOUDFLARE_API_TOKEN: "" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = `${stdout}${stderr}`;
  if (status !== 0) throw new Error(`wrangler ${args.join(" ")} failed:\n${said}`);
  return said;
}

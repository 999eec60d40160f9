import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PROJECT } from "../../../src/cli/places.ts";

/** `npm run deploy` with the real wrangler, as somebody who has no account types it. */

test("without a login it says what to do, and asks Cloudflare for nothing", () => {
  const home = mkdtempSync(path.join(tmpdir(), "cairn-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, ".config") };
  // Nobody's login may be found: whoever runs this test may have one.
  for (const name of Object.keys(env)) if (/^(CLOUDFLARE|CF|WRANGLER)_/.test(name)) delete env[name];
  const ended = spawnSync("npm", ["run", "--silent", "deploy"], {
    cwd: PROJECT,
    env,
    encoding: "utf8",
  });
  expect(ended.status).toBe(1);
  expect(ended.stdout).toContain("✗ Not logged in at Cloudflare.");
  expect(ended.stdout).toContain("npx wrangler login");
  expect(ended.stdout).not.toContain("Deploying");
});

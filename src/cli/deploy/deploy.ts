import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DEPLOY_USAGE, parseDeployOptions, type DeployOptions } from "./deploy-options.ts";
import { runDeployment } from "./deploy-run.ts";
import { PROJECT } from "../places.ts";
import { fetchHealth } from "../start/health.ts";
import { loadWorker } from "./preflight-load.ts";
import { runProgram } from "../start/programs.ts";
import { runCommand } from "../start/start-options.ts";
import { readProject, rememberApplied } from "../start/project.ts";

/** `npm run deploy`: from a clone to an agent on an account, and from a version to the next one. */

const EXIT = { well: 0, toMend: 1 } as const;

async function main(options: DeployOptions): Promise<number> {
  const project = readProject(PROJECT);
  const outdir = mkdtempSync(path.join(tmpdir(), "cairn-deploy-"));
  try {
    const well = await runDeployment(project, options, {
      run: runProgram,
      print: (line) => console.log(line),
      load: loadWorker,
      outdir,
      random: () => randomBytes(32),
      remember: () => {
        if (!project.usesPackage) rememberApplied(PROJECT, project.migrations);
      },
      health: fetchHealth,
      accountId: process.env["CLOUDFLARE_ACCOUNT_ID"] ?? null,
    });
    return well ? EXIT.well : EXIT.toMend;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

await runCommand(parseDeployOptions(process.argv.slice(2)), DEPLOY_USAGE, main);

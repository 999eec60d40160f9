import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort, launchDevServer } from "../start/dev-server.ts";
import { lastLines, loadFinding, note, stop, type Finding } from "./findings.ts";
import type { WranglerConfig } from "../start/project.ts";
import { fetchHealth, hasSite, type Health } from "../start/health.ts";
import { declaredFindings, siteFinding } from "./preflight-variables.ts";

/** Preflight checks that run the worker: does it load, and is it healthy? No account, no network. */

/** A worker that computes for ever as it loads makes progress for ever. */
const LOAD_MS_MAX = 300_000;

/** Result of loading the worker once. */
export type Loaded =
  | { readonly kind: "health"; readonly health: Health }
  /** it does not load, or does not respond; `output` of the server */
  | { readonly kind: "failed"; readonly output: string };

/** The real one: in workerd, on a free port of this machine, with a state that is thrown away and without .dev.vars. */
export async function loadWorker(): Promise<Loaded> {
  const folder = mkdtempSync(path.join(tmpdir(), "cairn-check-"));
  const envFile = path.join(folder, "no.vars");
  writeFileSync(envFile, "");
  const server = launchDevServer({
    port: await freePort(),
    persistTo: folder,
    vars: [],
    envFile,
    readyMsMax: LOAD_MS_MAX,
  });
  try {
    await server.ready;
    const answer = await fetchHealth(server.url);
    return answer.kind === "cairn"
      ? { kind: "health", health: answer.health }
      : { kind: "failed", output: server.log() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "failed", output: `${why}\n${server.log()}` };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Findings from the worker's own health report, without the variables in `known`. A fault of its code stops a deployment. */
export function loadFindings(
  loaded: Loaded,
  known: readonly string[],
  config: WranglerConfig,
): readonly Finding[] {
  if (loaded.kind === "failed")
    return [
      loadFinding(loaded.output) ??
        stop(
          "worker",
          `It does not start, or does not answer at /healthz.\n${lastLines(loaded.output)}`,
          "Fix what is named above; `npm start -- --verbose` shows all of it.",
        ),
    ];
  const { status, problems, secrets } = loaded.health;
  const site = hasSite(loaded.health) ? [siteFinding(config)] : [];
  const found = (problems ?? [])
    .filter(({ variable }) => !known.includes(variable))
    .map(({ variable, message }) =>
      status === "misconfigured" || variable.startsWith("src/")
        ? stop(variable, message, "Fix it, then look again: `npm run deploy -- --check`.")
        : note(variable, message),
    );
  return [...found, ...declaredFindings(config, secrets ?? []), ...site];
}

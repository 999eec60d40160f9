import { lookAtAccount, wranglerFailed, type Fault } from "./account.ts";
import type { DeployOptions } from "./deploy-options.ts";
import { deployedAddress, firstToken, planDeployment, type Step } from "./deployment.ts";
import { stops, viewFinding } from "./findings.ts";
import type { HealthAnswer } from "../start/health.ts";
import { buildFindings } from "./preflight-build.ts";
import { loadFindings, type Loaded } from "./preflight-load.ts";
import { preflight } from "./preflight.ts";
import type { RunProgram } from "../start/programs.ts";
import type { Project } from "../start/project.ts";

/** The side effects that a deployment uses. */
export interface Outside {
  readonly run: RunProgram;
  readonly print: (line: string) => void;
  /** loads the worker once on this machine, and asks it how it is */
  readonly load: () => Promise<Loaded>;
  /** a private folder for the bundle of the dry run */
  readonly outdir: string;
  /** 32 bytes of chance */
  readonly random: () => Uint8Array;
  /** keeps which migrations were applied */
  readonly remember: () => void;
  readonly health: (url: string) => Promise<HealthAnswer>;
  /** CLOUDFLARE_ACCOUNT_ID, or null */
  readonly accountId: string | null;
}

/**
 * Checks the project, then the account, then makes the missing resources, and reports each. True on success: checked
 * with `check`, deployed without. Each check that stops it comes before any change.
 */
export async function runDeployment(
  project: Project,
  { check, subject }: DeployOptions,
  outside: Outside,
): Promise<boolean> {
  const { run, print } = outside;
  print("Looking at the project…");
  const found = preflight(project);
  for (const finding of found) print(viewFinding(finding));
  if (stops(found) || project.config.kind === "problem") return nothingDone(print);
  const { config } = project.config;

  const looked = check ? null : await lookAtAccount(run, config, outside.accountId);
  if (looked?.kind === "fault") return reportFault(looked, print);
  const built = await buildFindings(run, outside.outdir);
  for (const finding of built) print(viewFinding(finding));
  if (stops(built)) return nothingDone(print);
  const ran = loadFindings(
    await outside.load(),
    found.map(({ about }) => about),
    config,
  );
  for (const finding of ran) print(viewFinding(finding));
  if (stops(ran)) return nothingDone(print);
  if (looked === null) {
    print("\nIt can be deployed: `npm run deploy`.");
    return true;
  }

  const plan = planDeployment(config, looked.account);
  if ("kind" in plan) return reportFault(plan, print);
  print("\nDeploying…");
  return perform(plan, subject, outside);
}

async function perform(plan: readonly Step[], subject: string, outside: Outside): Promise<boolean> {
  const { run, print } = outside;
  let address: string | null = null;
  let token: string | null = null;
  for (const step of plan) {
    print(`  ${step.why}\n    $ npx wrangler ${step.args.join(" ")}`);
    const made = step.kind === "token" ? firstToken(outside.random(), subject) : null;
    const ended = await run("wrangler", step.args, made?.secret);
    if (ended.code !== 0) return reportFault(failed(step, ended), print);
    if (step.kind === "migrate") outside.remember();
    if (step.kind === "upload") address = deployedAddress(ended.out);
    if (made !== null) token = made.token;
  }
  for (const line of await farewell(address, token, outside.health)) print(line);
  return true;
}

function nothingDone(print: Outside["print"]): false {
  print("\nNothing was deployed. Fix what is marked ✗ first.");
  return false;
}

function reportFault({ what, fix }: Fault, print: Outside["print"]): false {
  print(`\n✗ ${what}\n    → ${fix}`);
  return false;
}

function failed(step: Step, ended: { readonly out: string; readonly err: string }): Fault {
  const fault = wranglerFailed(`\`npx wrangler ${step.args.join(" ")}\` failed:`, ended);
  return step.fix === null
    ? fault
    : { ...fault, fix: `${step.fix} Then run \`npm run deploy\` again: what is done stays done.` };
}

async function farewell(
  address: string | null,
  token: string | null,
  health: Outside["health"],
): Promise<readonly string[]> {
  const at = address ?? "https://<its address>";
  return [
    "",
    address === null
      ? "Cairn is deployed. Wrangler did not print its address: look for it under Workers & Pages at dash.cloudflare.com."
      : `Cairn is deployed at ${address}`,
    ...(address === null ? [] : healthLines(address, await health(address))),
    ...(token === null
      ? []
      : [
          "",
          "Your token. Keep it now: it is shown only this once, and cannot be read back.",
          "",
          `  ${token}`,
        ]),
    "",
    `  CAIRN_TOKEN=<token> npm run chat -- --url ${at}`,
    `  curl ${at}/healthz`,
    "  npx wrangler tail",
  ];
}

function healthLines(address: string, answer: HealthAnswer): readonly string[] {
  if (answer.kind !== "cairn")
    return [
      `It does not answer yet; a new address takes a minute or two. Look yourself: curl ${address}/healthz`,
    ];
  const { health } = answer;
  return [
    `  model ${health.model ?? "none"}${health.rules === true ? " (rules, not a language model: set MODEL for a real one)" : ""}`,
    ...(health.problems ?? []).map((problem) => `  ✗ ${problem.variable}: ${problem.message}`),
  ];
}

import { SUBJECT_PATTERN } from "../../cairn/core/log/names.ts";
import { docsPage } from "../places.ts";
import { readArguments, usage, type Parsed } from "../start/start-options.ts";

/** Options of `npm run deploy -- …`. */
export interface DeployOptions {
  /** look, and deploy nothing */
  readonly check: boolean;
  /** whom the first token belongs to */
  readonly subject: string;
}

export const DEPLOY_USAGE = `npm run deploy [-- options]     puts Cairn on your Cloudflare account, or a newer version of it
  --check           only check the project, without an account or a network; deploys nothing
  --subject NAME    subject of the first token (me)
Step by step, and by hand: ${docsPage("deploy.md")}
Exit code: 0 passed or deployed, 1 something must be fixed, 2 wrong use.`;

/** Reads the arguments of `npm run deploy`. Refuses what it does not know rather than to deploy something else. */
export function parseDeployOptions(argv: readonly string[]): Parsed<DeployOptions> {
  const read = readArguments(argv, { check: { type: "boolean" }, subject: { type: "string" } });
  if (read.kind !== "options") return read;
  const { values } = read;
  const subject = values.subject ?? "me";
  if (!SUBJECT_PATTERN.test(subject))
    return usage(
      `--subject takes 1 to 64 of A-Z a-z 0-9 _ . @ : -, and not hook: at its start; not ${JSON.stringify(subject)}`,
    );
  return { kind: "options", options: { check: values.check === true, subject } };
}

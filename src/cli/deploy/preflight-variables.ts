import { docsPage } from "../places.ts";
import { parseConfig, PROBLEM_MEANS, type ConfigProblem } from "../../cairn/config/config.ts";
import { SECRET_KEYS } from "../../cairn/config/secrets.ts";
import { CMS_SECRETS, cmsSettings } from "../../plugins/cms/settings.ts";
import { MCP_SECRET_VARIABLES } from "../../plugins/mcp-client/settings.ts";
import { TRANSCRIPTION_SECRETS, transcriptionProblems } from "../../plugins/channels/transcription.ts";
import { CODE_SECRETS } from "../../plugins/code/secrets.ts";
import { SCHOLAR_SECRETS } from "../../plugins/scholar/secrets.ts";
import { WEB_SECRETS } from "../../plugins/web/secrets.ts";
import { email } from "../../plugins/channels/email/plugin.ts";
import { slack } from "../../plugins/channels/slack/plugin.ts";
import { telegram } from "../../plugins/channels/telegram/plugin.ts";
import { webpush } from "../../plugins/channels/webpush/plugin.ts";
import { nearestWords } from "../../cairn/core/text/nearest.ts";
import { note, stop, type Finding } from "./findings.ts";
import type { WranglerConfig } from "../start/project.ts";

/** The variables of a deployment, read by the same parser as in the worker. */

/** Vendors of the channels that ship, whose variables are known here too. */
const VENDORS = [webpush(), email(), telegram(), slack()];

/** They are secrets, and wrangler.toml is a file that is committed. */
export const SECRET_VARIABLES = [
  "AUTH_TOKENS",
  ...SECRET_KEYS,
  ...new Set([...CMS_SECRETS, ...WEB_SECRETS, ...SCHOLAR_SECRETS, ...CODE_SECRETS, ...TRANSCRIPTION_SECRETS]),
  ...VENDORS.flatMap(({ secrets }) => secrets),
  "APPROVAL_LINK_SECRET",
  "WEBHOOK_SECRETS",
  "WEBHOOK_TARGETS",
  "HTTP_SECRETS",
  ...MCP_SECRET_VARIABLES,
];
/** The models of the project are known once its worker is loaded (preflight-load.ts), which names those that are not there. */
const UNSEEN_MODELS = null;
/** Cloudflare's limit for the text of one variable. */
const VARIABLE_BYTES_MAX = 5_120;

/** [vars] as the worker would read them, and what is a secret. */
export function* variableFindings(config: WranglerConfig): Generator<Finding> {
  const vars = config.vars ?? {};
  const env = environment(config, vars);
  // Without its key OpenRouter is no model, and whether the secret is set cannot be seen from here.
  const parsed = parseConfig({ OPENROUTER_API_KEY: "unseen", ...env }, UNSEEN_MODELS);
  for (const name of SECRET_VARIABLES) if (vars[name] !== undefined) yield openSecret(name);
  for (const [name, value] of Object.entries(vars)) {
    const bytes = new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)).length;
    if (bytes > VARIABLE_BYTES_MAX)
      yield stop(name, `It has ${bytes} bytes; Cloudflare takes ${VARIABLE_BYTES_MAX}.`, "Make it shorter.");
  }
  if (parsed.anonymous)
    yield stop(
      "ALLOW_ANONYMOUS",
      "It is true under [vars]. It lets requests in without a token, and is for work on this machine only.",
      "Remove it: `npm start` sets it by itself.",
    );
  if (parsed.localKey !== null)
    yield stop(
      "LOCAL_KEY",
      "It stands under [vars]. Every request that does not carry it is refused, and only `npm start` puts it on any.",
      "Remove it: `npm start` makes one by itself.",
    );
  if (vars["DEMO_WEB"] !== undefined)
    yield stop(
      "DEMO_WEB",
      "It stands under [vars]. It leads requests to a web of invented pages on this machine, and is nothing for a deployment.",
      "Remove it: `npm start -- --demo-web` sets it by itself.",
    );
  for (const problem of [...parsed.problems, ...vendorProblems(env), ...cmsProblems(env)]) {
    // A missing binding has its own sentence above.
    if (problem.variable === "SESSION" || problem.variable === "DB") continue;
    yield problemFinding(problem);
  }
  if (vars["MODEL"] === undefined || parsed.models?.primary.provider === "rules")
    yield note(
      "MODEL",
      "It is the rehearsal model: fixed rules, not a language model.",
      `For a real one, under [vars]: MODEL = "workers-ai:@cf/meta/llama-3.3-70b-instruct-fp8-fast", or another form (${docsPage("configuration.md")}).`,
    );
  const models = parsed.models === null ? [] : [parsed.models.primary, ...parsed.models.fallbacks];
  if (models.some((model) => model.provider === "openrouter"))
    yield note(
      "OPENROUTER_API_KEY",
      "It is a secret and cannot be seen from here. Without it no run starts.",
      "If it is not set yet: npx wrangler secret put OPENROUTER_API_KEY",
    );
  yield note(
    "AUTH_TOKENS",
    "It is a secret and cannot be seen from here. Without it every request is answered with 401.",
    "`npm run deploy` makes a first token when a deployment has none, and shows it once.",
  );
}

const openSecret = (name: string): Finding =>
  stop(
    name,
    "It stands under [vars] in wrangler.toml, where everybody who sees the project reads it.",
    `Remove it there, and if it was ever committed, change it. On a deployment: npx wrangler secret put ${name}; on this machine: .dev.vars.`,
  );

/** The secrets that the project's own plugins declare, and variables that nothing declares. `declared`: as the worker names them. */
export function* declaredFindings(
  { vars = {} }: WranglerConfig,
  declared: readonly string[],
): Generator<Finding> {
  for (const name of declared.filter((each) => !SECRET_VARIABLES.includes(each)))
    yield !Object.hasOwn(vars, name)
      ? note(
          name,
          "It is a secret of a plugin and cannot be seen from here.",
          `If it is not set yet: npx wrangler secret put ${name}; on this machine: .dev.vars.`,
        )
      : openSecret(name);
  const known = [...knownVariables(), ...declared];
  for (const name of Object.keys(vars).filter((each) => !known.includes(each))) {
    const [near = null] = nearestWords(name, known);
    yield note(
      name,
      `Cairn reads no variable of this name.${near === null ? "" : ` Is it ${near}?`}`,
      near === null ? null : "A misspelt variable has no effect.",
    );
  }
}

/** Every name that the parser asks its environment for. */
function knownVariables(): readonly string[] {
  const names = new Set<string>([...SECRET_VARIABLES, "DEMO_WEB"]);
  const recorder = new Proxy<Record<string, unknown>>(
    {},
    {
      get: (_, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  parseConfig(recorder);
  cmsSettings(recorder, () => undefined);
  transcriptionProblems(recorder);
  for (const { open, problems } of VENDORS) {
    open(recorder);
    problems?.(recorder);
  }
  return [...names];
}

/** A missing bucket has its own sentence. */
function cmsProblems(env: Record<string, unknown>): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  cmsSettings(env, (variable, message) => problems.push({ variable, class: "F", message }));
  return problems.filter(({ variable }) => variable !== "MEDIA");
}

/** Without what they are for, the rest works. */
const vendorProblems = (env: Record<string, unknown>): readonly ConfigProblem[] =>
  [...VENDORS.flatMap(({ problems }) => problems?.(env) ?? []), ...transcriptionProblems(env)].map(
    ({ about, message }) => ({ variable: about, class: "F", message }),
  );

function problemFinding(problem: ConfigProblem): Finding {
  const what = `${problem.message} ${PROBLEM_MEANS[problem.class]}`;
  return problem.class === "F"
    ? note(problem.variable, what)
    : stop(problem.variable, what, `Fix it in wrangler.toml; ${docsPage("configuration.md")} has its form.`);
}

/** .dev.vars is of this machine: its faults stop `npm start`, not a deployment. */
export function* localFindings(
  config: WranglerConfig,
  devVars: Readonly<Record<string, string>> | null,
): Generator<Finding> {
  if (devVars === null) return;
  const env = environment(config, { ...config.vars, ...devVars });
  const { problems } = parseConfig(env, UNSEEN_MODELS);
  const own = [...problems, ...vendorProblems(env), ...cmsProblems(env)].filter(
    (problem) => devVars[problem.variable] !== undefined,
  );
  for (const problem of own)
    yield note(
      `.dev.vars, ${problem.variable}`,
      `${problem.message} It is of this machine only and is not deployed.`,
    );
  const left = Object.keys(devVars).filter((name) => name !== "ALLOW_ANONYMOUS");
  if (left.length > 0)
    yield note(
      ".dev.vars",
      `It is not deployed: ${left.join(", ")} ${left.length === 1 ? "stays" : "stay"} on this machine.`,
      "What a deployment needs too goes under [vars], or is set with `npx wrangler secret put NAME`.",
    );
}

/** The environment that the worker would see: its variables, and a placeholder for each binding. */
function environment(
  config: WranglerConfig,
  vars: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const bound = [
    ...(config.durable_objects?.bindings?.map((each) => each.name) ?? []),
    ...(config.d1_databases?.map((each) => each.binding) ?? []),
    ...(config.r2_buckets?.map((each) => each.binding) ?? []),
    ...(config.vectorize?.map((each) => each.binding) ?? []),
    ...(config.ai === undefined ? [] : [config.ai.binding]),
  ];
  return { ...vars, ...Object.fromEntries(bound.map((name) => [name, {}])) };
}

/** The finding about the sample pages, for a deployment with a website. */
export function siteFinding({ vars = {} }: WranglerConfig): Finding {
  const { autoseed } = cmsSettings(vars, () => undefined);
  return autoseed
    ? note(
        "CMS_AUTOSEED",
        "The first visit of a new site writes the sample pages.",
        'For an empty one, under [vars] before that visit: CMS_AUTOSEED = "0".',
      )
    : note("CMS_AUTOSEED", "A new site begins empty.");
}

import { docsPage } from "../places.ts";
import { note, stop, type Finding } from "./findings.ts";
import { bindingFindings, migrationFindings, objectFindings } from "./preflight-storage.ts";
import { localFindings, variableFindings } from "./preflight-variables.ts";
import type { Project, WranglerConfig } from "../start/project.ts";

/**
 * Checks of a deployment that need neither an account nor a network. Pure, from the result of `project.ts`. Types and
 * the bundle need a program each (`preflight-build.ts`), and `preflight-load.ts` loads the worker.
 */
export function preflight(project: Project): readonly Finding[] {
  const first = [...nodeFindings(project.node)];
  if (project.config.kind === "problem")
    return [
      ...first,
      stop(
        "wrangler.toml",
        `It cannot be read. ${project.config.problem}`,
        "Fix it, or take it from git again.",
      ),
    ];
  const { config } = project.config;
  return [
    ...first,
    ...platformFindings(config, project.newestDate),
    ...moduleFindings(config, project.usesPackage),
    ...bindingFindings(config, project),
    ...objectFindings(config),
    ...migrationFindings(project.migrations, project.applied),
    ...variableFindings(config),
    ...localFindings(config, project.devVars),
  ];
}

/** `src/cli` runs as TypeScript from this version on. */
const NODE_MIN = [22, 18] as const;

function* nodeFindings(version: string): Generator<Finding> {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]))
    yield stop(
      "Node",
      `This is Node ${version}; ${NODE_MIN.join(".")} is the least.`,
      "Run `npm install` again and start this with `npm run deploy`: npm then uses the Node that it installed.",
    );
}

const MODULES = "build/modules";
const PACKAGE_MODULES = `node_modules/cairn/dist/lib/${MODULES}`;

/** Modules that are loaded on demand: uploaded by two settings, without which nothing fails before one is needed. */
function* moduleFindings(config: WranglerConfig, usesPackage: boolean): Generator<Finding> {
  const what = "Modules that the worker loads on demand would not be uploaded.";
  const folder = usesPackage ? PACKAGE_MODULES : MODULES;
  if (config.base_dir?.replace(/^\.\//, "").replace(/\/$/, "") !== folder)
    yield stop("base_dir", what, `Set base_dir = "${folder}", at the top of wrangler.toml.`);
  if (config.find_additional_modules !== true)
    yield stop(
      "find_additional_modules",
      what,
      "Set find_additional_modules = true, at the top of wrangler.toml.",
    );
}

function* platformFindings(config: WranglerConfig, newestDate: string): Generator<Finding> {
  if (config.name === undefined || !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(config.name))
    yield stop(
      "name",
      "The worker has no name that can be an address.",
      "In wrangler.toml: 1 to 63 of a-z, 0-9 and -, not at its ends.",
    );
  const date = config.compatibility_date;
  if (date === undefined || !/^\d{4}-\d\d-\d\d$/.test(date))
    yield stop(
      "compatibility_date",
      "wrangler.toml does not say of which day the runtime is to be.",
      `Set compatibility_date = "${newestDate}".`,
    );
  else if (date > newestDate)
    yield stop(
      "compatibility_date",
      `${date} is newer than the installed runtime, which knows ${newestDate}: neither tests nor \`npm start\` run what would be deployed.`,
      `Set it to ${newestDate}, or install a newer wrangler first.`,
    );
  if (config.compatibility_flags?.includes("nodejs_compat") !== true)
    yield stop(
      "compatibility_flags",
      "The flag nodejs_compat is missing; the worker does not start without it.",
      'Set compatibility_flags = ["nodejs_compat"].',
    );
  if (Object.keys(config.env ?? {}).length > 0)
    yield note(
      "env",
      "wrangler.toml has environments; `npm run deploy` deploys the one at the top and looks at no other.",
      `For another: the commands of ${docsPage("deploy.md")}, each with \`--env NAME\`.`,
    );
}

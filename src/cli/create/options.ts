import path from "node:path";
import { readArguments, usage, type Parsed } from "../start/start-options.ts";
import { OPTIONAL_PLUGINS, type OptionalPlugin } from "./optional-plugins.ts";

export interface CreateOptions {
  /** absolute */
  readonly folder: string;
  /** of the Worker */
  readonly name: string;
  readonly plugins: readonly OptionalPlugin[];
  /** as the button "Deploy to Cloudflare" takes it */
  readonly template: boolean;
}

export const CREATE_USAGE = `cairn create FOLDER [options]    writes a new project: an agent, one tool, its test
  --name NAME             of the Worker (the name of the folder)
  --template              with what the button "Deploy to Cloudflare" needs, to be pushed to cairn.template of package.json
  --with NAME,NAME        plugins that it uses: ${OPTIONAL_PLUGINS.map(({ name }) => name).join(", ")}`;

/** A Worker's name is part of its address. */
const NAME = /^[a-z0-9][a-z0-9-]{0,53}$/;

export function parseCreateOptions(argv: readonly string[], from = process.cwd()): Parsed<CreateOptions> {
  const own = { name: { type: "string" }, with: { type: "string" }, template: { type: "boolean" } } as const;
  const read = readArguments(argv, own, true);
  if (read.kind !== "options") return read;
  const { positionals, values } = read;
  const [wanted] = positionals;
  if (wanted === undefined || positionals.length > 1) return usage("Name one folder for the project.");
  const folder = path.resolve(from, wanted);
  const name = values.name ?? path.basename(folder).toLowerCase();
  if (!NAME.test(name))
    return usage(
      `A Worker cannot be named ${JSON.stringify(name)}: use a to z, 0 to 9 and -. Choose a name with --name.`,
    );
  const plugins = (values.with ?? "").split(",").filter((each) => each !== "");
  const unknown = plugins.find((each) => !OPTIONAL_PLUGINS.some((plugin) => plugin.name === each));
  if (unknown !== undefined)
    return usage(
      `There is no plugin ${unknown}. There are: ${OPTIONAL_PLUGINS.map((plugin) => plugin.name).join(", ")}.`,
    );
  return {
    kind: "options",
    options: {
      folder,
      name,
      plugins: OPTIONAL_PLUGINS.filter((plugin) => plugins.includes(plugin.name)),
      template: values.template === true,
    },
  };
}
